// SPDX-License-Identifier: Apache-2.0
#include "runtime/system_needs.hpp"

#include <set>

#include "facts/system_libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "runtime/module_needs.hpp"

namespace ptxguard {
namespace {

// A package of the environment may have it in its prefix, and load it by its path.
bool is_in_prefix(const Host& host, const PackageFiles& package, const std::string& name) {
    return is_file(host, join_path(parent_path(parent_path(package.site)), name));
}

std::vector<std::string> absent_of(const Host& host, const Facts& facts, const PackageFiles& package,
                                   const LoadedModule& loaded) {
    std::vector<std::string> absent;
    for (const std::string& name : loaded.others_missing)
        if (system_library(facts, name) && !is_in_prefix(host, package, name)) absent.push_back(name);
    return absent;
}

// The modules of one package, [begin, end) of the candidates.
class PackageNeeds {
public:
    PackageNeeds(const Host& host, const Facts& facts, const PackageFiles& package,
                 const std::vector<ModuleCandidate>& candidates, const std::vector<LoadedModule>& loaded,
                 std::size_t begin, std::size_t end)
        : m_host(host), m_package(package), m_candidates(candidates), m_begin(begin), m_end(end) {
        for (std::size_t i = begin; i < end; ++i) {
            m_absent.push_back(absent_of(host, facts, package, loaded[i]));
            m_uses.push_back(use_of(host, candidates[i].path, package));
            m_decided.push_back(loaded[i].decided);
        }
        m_none = none_loads();
    }

    void add(std::vector<NativeModule>& found) const {
        for (std::size_t i = m_begin; i < m_end; ++i) {
            if (m_absent[i - m_begin].empty() || !is_needed(i)) continue;
            const std::string& path = m_candidates[i].path;
            NativeModule module = module_of(m_host, m_package, path, m_uses[i - m_begin]);
            module.framework = m_candidates[i].provider;
            module.system_missing = m_absent[i - m_begin];
            found.push_back(std::move(module));
            return;
        }
    }

private:
    // libtorchcodec_core4.so to core8.so are for one release of FFmpeg each: one that loads is enough.
    bool has_variant_that_loads(std::size_t i) const {
        for (std::size_t other = m_begin; other < m_end; ++other)
            if (m_absent[other - m_begin].empty() &&
                without_digits(m_candidates[other].path) == without_digits(m_candidates[i].path))
                return true;
        return false;
    }

    bool is_needed(std::size_t i) const {
        return !has_variant_that_loads(i) && (m_none || m_uses[i - m_begin] == ModuleUse::at_import);
    }

    // None of the modules that programs import, or of the libraries of a package without one.
    bool none_loads() const {
        const auto is_module = [](ModuleUse use) { return use != ModuleUse::opened; };
        const bool any_module = any_of(m_uses, is_module);
        for (std::size_t i = 0; i < m_absent.size(); ++i)
            if (m_absent[i].empty() && m_decided[i] && (!any_module || is_module(m_uses[i]))) return false;
        return true;
    }

    const Host& m_host;
    const PackageFiles& m_package;
    const std::vector<ModuleCandidate>& m_candidates;
    std::size_t m_begin, m_end;
    std::vector<std::vector<std::string>> m_absent;
    std::vector<ModuleUse> m_uses;
    std::vector<bool> m_decided;
    bool m_none = false;
};

}  // namespace

std::vector<NativeModule> modules_without_system(const Host& host, const Facts& facts,
                                                 const std::vector<PackageFiles>& packages,
                                                 const std::vector<ModuleCandidate>& candidates,
                                                 const std::vector<LoadedModule>& loaded) {
    std::vector<NativeModule> found;
    for (std::size_t begin = 0, end = 0; begin < candidates.size(); begin = end) {
        const PackageFiles& package = packages[candidates[begin].package];
        while (end < candidates.size() && candidates[end].package == candidates[begin].package) ++end;
        if (package.of_prefix || package.package.empty()) continue;
        PackageNeeds(host, facts, package, candidates, loaded, begin, end).add(found);
    }
    return found;
}

}  // namespace ptxguard
