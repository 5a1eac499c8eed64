// SPDX-License-Identifier: Apache-2.0
#include "packages/import_chain.hpp"

#include <algorithm>
#include <set>

#include "formats/python_imports.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_imported{500, "files that one import reads", "later ones"};

// Follows the imports of Python files, each once.
class ImportWalk {
public:
    ImportWalk(const Host& host, const std::string& site, const std::vector<std::string>& packages,
               const std::string& wanted)
        : m_host(host), m_site(site), m_packages(packages), m_wanted(wanted) {}

    bool reaches() {
        for (const std::string& package : m_packages) add(package);
        for (std::size_t i = 0; i < m_files.size() && !m_reached; ++i) {
            if (m_host.exceeds(k_most_imported, i + 1, m_files[i].path)) break;
            const File file = m_files[i];
            const auto text = read_text(m_host, file.path);
            if (text) follow(*text, file.package);
        }
        return m_reached;
    }

private:
    struct File {
        std::string path;
        std::string package;  // to which its relative imports refer
    };

    void follow(const std::string& text, const std::string& package) {
        for (const PythonImport& import : unconditional_imports(text)) {
            const std::string module = absolute(import.module, package);
            if (module.empty()) continue;
            add_with_parents(module);
            for (const std::string& name : import.names) add(module + "." + name);
        }
    }

    // ".x" in package a.b is a.b.x, "..x" is a.x.
    static std::string absolute(const std::string& module, std::string package) {
        const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
        if (dots == 0) return module;
        for (std::size_t i = 1; i < dots; ++i)
            package.resize(package.find('.') == std::string::npos ? 0 : package.rfind('.'));
        const std::string rest = module.substr(dots);
        return package.empty() || rest.empty() ? package : package + "." + rest;
    }

    void add_with_parents(const std::string& module) {
        for (std::size_t dot = module.find('.'); dot != std::string::npos; dot = module.find('.', dot + 1))
            add(module.substr(0, dot));
        add(module);
    }

    void add(const std::string& module) {
        if (module == m_wanted) m_reached = true;
        const std::string top = module.substr(0, module.find('.'));
        const bool own = contains(m_packages, top);
        if (!own || !m_seen.insert(module).second) return;
        std::string path = join_path(m_site, module);
        std::replace(path.begin() + static_cast<std::ptrdiff_t>(m_site.size()), path.end(), '.', '/');
        if (is_file(m_host, join_path(path, "__init__.py")))
            m_files.push_back({join_path(path, "__init__.py"), module});
        else if (is_file(m_host, path + ".py"))
            m_files.push_back({path + ".py", module.substr(0, std::min(module.rfind('.'), module.size()))});
    }

    const Host& m_host;
    const std::string& m_site;
    const std::vector<std::string>& m_packages;
    const std::string& m_wanted;
    std::set<std::string> m_seen;
    std::vector<File> m_files;
    bool m_reached = false;
};

}  // namespace

bool imports_unconditionally(const Host& host, const std::string& site,
                             const std::vector<std::string>& packages, const std::string& module) {
    return ImportWalk(host, site, packages, module).reaches();
}

}  // namespace ptxguard
