// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_variants.hpp"

#include <algorithm>

#include "facts/libraries.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// "ep_2_9_1" of "ep_2_9_1.cpython-312-x86_64-linux-gnu.so".
std::string stem_of_variant(const std::string& path) {
    std::string name = file_of(path);
    for (const char* end : {".cpython-", ".cp3", ".abi3", ".so", ".pyd", ".dll"})
        name = name.substr(0, name.find(end));
    return name;
}

// "210" is 2.10; "2_9_1", "2.9" have their parts.
std::optional<Version> release_of_text(std::string text) {
    std::replace(text.begin(), text.end(), '_', '.');
    if (text.find('.') == std::string::npos && text.size() > 1) text.insert(1, ".");
    return text.size() > 1 ? parse_version(text) : std::nullopt;
}

bool is_release_character(char c) { return is_digit(c) || c == '_' || c == '.'; }

// From `at` on: digits and what separates them, without a separator at the end.
std::string numbers_at(const std::string& name, std::size_t at) {
    std::size_t end = at;
    while (end < name.size() && is_release_character(name[end])) ++end;
    while (end > at && !is_digit(name[end - 1])) --end;
    return name.substr(at, end - at);
}

// "_torch210" and "_torch_2_10" in the middle of a name too: "libaddon_torch29-cpu".
std::optional<NamedRelease> tagged_release(const std::string& name, const std::string& framework) {
    for (const char* before : {"_", "-", "."}) {
        const std::size_t tag = name.find(before + framework);
        if (tag == std::string::npos) continue;
        std::size_t at = tag + 1 + framework.size();
        if (at < name.size() && !is_digit(name[at])) ++at;
        const std::string numbers = numbers_at(name, at);
        if (const auto release = numbers.empty() ? std::nullopt : release_of_text(numbers))
            return NamedRelease{name.substr(0, tag), *release, true};
    }
    return std::nullopt;
}

// "ep_2_9_1": at the end, in parts.
std::optional<NamedRelease> plain_release(const std::string& name) {
    std::size_t at = name.size();
    while (at > 0 && is_release_character(name[at - 1])) --at;
    const std::size_t start = name.find_first_of("0123456789", at);
    if (start == std::string::npos || start == 0 || is_digit(name[start - 1]) || start == at)
        return std::nullopt;
    const std::string numbers = name.substr(start);
    const auto release = release_of_text(numbers);
    if (numbers.find_first_of("_.") == std::string::npos || !release) return std::nullopt;
    return NamedRelease{name.substr(0, start - 1), *release, false};
}

const Version* installed_release(const std::string& framework, const std::vector<Expectation>& frameworks) {
    for (const Expectation& one : frameworks)
        if (!framework.empty() && one.package == framework && one.version) return &*one.version;
    return nullptr;
}

bool is_for(const Version& named, const Version& installed) {
    for (std::size_t i = 0; i < named.numbers.size(); ++i)
        if (named.numbers[i] != installed.at(i)) return false;
    return true;
}

}  // namespace

std::optional<NamedRelease> named_release(const std::string& path, const std::string& framework) {
    const std::string name = stem_of_variant(path);
    auto release = framework.empty() ? std::nullopt : tagged_release(name, framework);
    return release ? release : plain_release(name);
}

bool ReleaseVariants::Group::counts() const { return tagged || variants.size() > 1; }

ReleaseVariants::ReleaseVariants(const std::vector<VariantFile>& files,
                                 const std::vector<Expectation>& frameworks)
    : m_of(files.size()) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Version* installed = installed_release(files[i].framework, frameworks);
        const auto named = installed ? named_release(files[i].path, files[i].framework) : std::nullopt;
        if (!named || (!named->tagged && named->release.major() != installed->major())) continue;
        const Key key{files[i].package, folder_of(files[i].path) + "/" + named->module};
        Group& group = m_groups[key];
        const bool fits = is_for(named->release, *installed);
        group.module = named->module;
        group.tagged = group.tagged || named->tagged;
        group.has_installed = group.has_installed || fits;
        group.variants.emplace_back(named->release, i);
        m_of[i] = {key, fits};
    }
}

bool ReleaseVariants::is_for_other(std::size_t file) const {
    const auto group = m_groups.find(m_of[file].first);
    return !m_of[file].first.second.empty() && group != m_groups.end() && group->second.counts() &&
           !m_of[file].second;
}

std::vector<ReleaseVariants::Absent> ReleaseVariants::absent() const {
    std::vector<Absent> found;
    for (const auto& [key, group] : m_groups) {
        if (group.has_installed || !group.counts()) continue;
        auto variants = group.variants;
        std::stable_sort(variants.begin(), variants.end(),
                         [](const auto& a, const auto& b) { return compare(a.first, b.first) < 0; });
        Absent one;
        one.module = group.module;
        one.file = variants.back().second;
        for (const auto& [release, file] : variants) {
            add_once(one.releases, release.text);
            one.files.push_back(file);
        }
        found.push_back(std::move(one));
    }
    return found;
}

std::string digits_of_cuda(const Scenario& scenario, const std::string& package) {
    for (const Expectation& framework : scenario.expectations)
        if (framework.package == package && framework.cuda && framework.may_use_cuda() &&
            framework.cuda->numbers.size() > 1)
            return std::to_string(framework.cuda->at(0)) + std::to_string(framework.cuda->at(1));
    return {};
}

std::string variant_for(std::string pattern, const std::string& cuda) {
    const std::string mark = "{cuda}";
    return pattern.replace(pattern.find(mark), mark.size(), cuda);
}

std::vector<std::string> files_for_cuda(const Host& host, const Facts& facts, const std::string& package,
                                        const std::vector<std::string>& files, const Scenario& scenario) {
    for (const CudaVariants& row : cuda_variants(facts)) {
        if (row.package != package) continue;
        std::string cuda = row.variable.empty() ? "" : host.env(row.variable).value_or("");
        if (cuda.empty()) cuda = digits_of_cuda(scenario, row.of);
        const std::string file = "/" + variant_for(row.file, cuda);
        for (const std::string& path : files)
            if (!cuda.empty() && ends_with(path, file)) return {path};
    }
    return files;
}

bool may_have_variants(const NativeModule& module) {
    const std::string name = file_of(module.path);
    const std::size_t at = name.find("_torch");
    const bool named = at != std::string::npos && name.find_first_of("0123456789", at) == at + 6;
    return module.use == ModuleUse::opened || (module.use == ModuleUse::when_used && named);
}

}  // namespace ptxguard
