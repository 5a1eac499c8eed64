// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/context_files.hpp"

#include <algorithm>
#include <utility>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

// Relative to the context: "./a/../b" is "b", "/b" too.
std::string in_context(const std::string& path) {
    std::string result = normal_path(path, System::linux_);
    while (!result.empty() && result.front() == '/') result.erase(0, 1);
    return result.empty() ? "." : result;
}

// `path` relative to the folder; "" if it is not below it.
std::string below(const std::string& path, const std::string& folder) {
    if (folder == "." || folder.empty()) return path.empty() || path[0] == '/' ? "" : path;
    const std::string start = ends_with(folder, "/") ? folder : folder + "/";
    return starts_with(path, start) ? path.substr(start.size()) : "";
}

}  // namespace

std::optional<ContextFiles::Copy> bound_files(std::string_view text, const std::string& folder) {
    std::string source, target;
    bool bind = true;
    for (const std::string& item : split(text, ",")) {
        const std::size_t equals = item.find('=');
        const std::string key = item.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
        if (key == "type") bind = bind && value == "bind";
        if (key == "from") bind = false;
        if (key == "source" || key == "src") source = value;
        if (key == "target" || key == "dst" || key == "destination") target = value;
    }
    if (!bind || target.empty()) return std::nullopt;
    return ContextFiles::Copy{{source.empty() ? "." : source}, join_path(folder, target), true};
}

std::optional<FileText> ContextFiles::from_copy(const Copy& copy, const std::string& path,
                                                const Written& by) const {
    const std::string to = normal_path(copy.destination, System::linux_);
    for (const std::string& written : copy.sources) {
        const std::string source = in_context(written);
        const std::string name = file_name(source);
        if (path == to && !ends_with(copy.destination, "/")) {
            if (auto text = m_files(source, by)) return text;
        }
        const std::string inner = below(path, to);
        if (inner.empty()) continue;
        // A folder: its content is copied. A file copied into a folder keeps its name.
        if (source.find_first_of("*?[") != std::string::npos) {
            if (inner.find('/') == std::string::npos && matches_pattern(inner, name))
                if (auto text = m_files(join_path(parent_path(source), inner), by)) return text;
            continue;
        }
        if (!copy.exact && inner == name)
            if (auto text = m_files(source, by)) return text;
        if (auto text = m_files(source == "." ? inner : join_path(source, inner), by)) return text;
    }
    return std::nullopt;
}

void ContextFiles::add(Copy copy) {
    const std::string to = normal_path(copy.destination, System::linux_);
    const auto* before = m_copies.find(to);
    m_copies.set(to, std::make_shared<Chain>(std::move(copy), m_count++, before ? *before : nullptr));
}

// One by one: a chain of a million would need as many calls in each other.
ContextFiles::Chain::~Chain() {
    while (before && before.use_count() == 1) before = std::exchange(before->before, nullptr);
}

std::optional<FileText> ContextFiles::read(const std::string& path, const std::string& folder,
                                           const Written& by) const {
    const std::string whole = normal_path(join_path(folder, path), System::linux_);
    if (!m_files || whole.size() > k_longest_path) return std::nullopt;
    // Only a COPY to the path, or to a folder above it, may provide it: of these the last one first.
    std::vector<const Chain*> chains;
    const auto look = [&](std::string_view to) {
        if (const auto* found = m_copies.find(to)) chains.push_back(found->get());
    };
    look(whole);
    for (std::size_t slash = whole.rfind('/'); slash != npos && slash > 0;
         slash = whole.rfind('/', slash - 1))
        look(std::string_view(whole).substr(0, slash));
    for (const char* top : {"/", ".", ""}) look(top);
    while (!chains.empty()) {
        const auto last = std::max_element(chains.begin(), chains.end(), [](const Chain* a, const Chain* b) {
            return a->number < b->number;
        });
        if (auto text = from_copy((*last)->copy, whole, by)) return text;
        *last = (*last)->before.get();
        if (!*last) chains.erase(last);
    }
    return std::nullopt;
}

}  // namespace ptxguard::recipes
