// SPDX-License-Identifier: Apache-2.0
#include "packages/importers.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "formats/python_imports.hpp"
#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_read{3000, "Python files of a package", "later ones"};
constexpr int k_deepest = 12;

// What is looked for: a module ("lmcache.c_ops", by its last part), or a library ("ops.so").
struct Wanted {
    std::string module, word;
    bool is_library() const { return module.empty(); }
};

class ImporterSearch {
public:
    ImporterSearch(const Host& host, Wanted wanted) : m_host(host), m_wanted(std::move(wanted)) {}

    void search(const std::string& folder, const std::string& package, int depth) {
        static const std::set<std::string> k_for_tests{"test",       "tests", "testing",  "benchmark",
                                                       "benchmarks", "bench", "examples", "docs"};
        for (const DirectoryEntry& one : entries_in(m_host, folder)) {
            const std::string path = join_path(folder, one.name);
            if (one.type == FileType::directory && depth < k_deepest && k_for_tests.count(one.name) == 0)
                search(path, package + "." + one.name, depth + 1);
            if (one.type == FileType::regular && ends_with(one.name, ".py") && !read(path, package)) return;
        }
    }

    Importers take() {
        std::sort(m_found.files.begin(), m_found.files.end());
        return std::move(m_found);
    }

private:
    // False: the limit is reached.
    bool read(const std::string& path, const std::string& package) {
        if (m_host.exceeds(k_most_read, ++m_read, path)) {
            m_found.guarded = true;
            return false;
        }
        const auto text = read_text(m_host, path);
        if (!text || text->find(m_wanted.word) == std::string::npos) return true;
        const std::size_t always = m_wanted.is_library() ? loads(*text) : imports(*text, package);
        const std::size_t all = mentions(*text);
        if (always > 0) m_found.files.push_back(path);
        m_found.guarded = m_found.guarded || all > always;
        return true;
    }

    std::size_t imports(const std::string& text, const std::string& package) const {
        std::size_t count = 0;
        for (const PythonImport& import : unconditional_imports(text)) {
            const std::string module = absolute_module(import.module, package);
            const bool by_name = any_of(import.names, [&](const std::string& name) {
                return module + "." + name == m_wanted.module;
            });
            count += module == m_wanted.module || by_name ? 1 : 0;
        }
        return count;
    }

    std::size_t loads(const std::string& text) const {
        const auto all = unconditional_loads(text);
        return static_cast<std::size_t>(std::count(all.begin(), all.end(), m_wanted.word));
    }

    // Lines that import it or look for it, in a function and a try block too; all that name a library.
    std::size_t mentions(std::string_view text) const {
        std::size_t count = 0;
        while (!text.empty()) {
            const std::string_view line = trimmed(take_line(text));
            const bool import = starts_with(line, "import ") || starts_with(line, "from ");
            const bool look = line.find("find_spec(") != npos || line.find("import_module(") != npos;
            if ((import || look || m_wanted.is_library()) && names_it(line)) ++count;
        }
        return count;
    }

    bool names_it(std::string_view line) const {
        for (std::size_t at = line.find(m_wanted.word); at != npos; at = line.find(m_wanted.word, at + 1)) {
            const std::size_t end = at + m_wanted.word.size();
            const bool whole = (at == 0 || !is_word_character(line[at - 1], "_")) &&
                               (end == line.size() || !is_word_character(line[end], "_"));
            if (whole) return true;
        }
        return false;
    }

    static constexpr std::size_t npos = std::string_view::npos;
    const Host& m_host;
    const Wanted m_wanted;
    std::size_t m_read = 0;
    Importers m_found;
};

}  // namespace

Importers importers_of(const Host& host, const std::string& site, const std::vector<std::string>& packages,
                       const std::string& module) {
    ImporterSearch search(host, {module, module.substr(module.rfind('.') + 1)});
    for (const std::string& package : packages) search.search(join_path(site, package), package, 0);
    return search.take();
}

Importers loaders_of(const Host& host, const std::string& site, const std::vector<std::string>& packages,
                     const std::string& library) {
    ImporterSearch search(host, {"", library});
    for (const std::string& package : packages) search.search(join_path(site, package), package, 0);
    return search.take();
}

bool may_skip(const Host& host, const std::string& path, const std::string& name) {
    const std::string folder = parent_path(path);
    return any_of(entries_in(host, folder), [&](const DirectoryEntry& one) {
        if (!ends_with(one.name, ".py")) return false;
        const auto text = read_text(host, join_path(folder, one.name));
        return text && may_return_before(*text, name);
    });
}

}  // namespace ptxguard
