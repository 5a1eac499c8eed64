// Parses the output of nvcc: architecture lists, PTX headers, dependency files.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "probe/compile.hpp"

namespace ptxguard {

std::optional<Arch> dry_arch(std::string_view lines) {
    std::optional<Arch> only;
    std::string_view before;
    for (const std::string& word : split(lines, " \t\r\n")) {
        if (before == "-arch" || before == "--arch") {
            const std::optional<Arch> arch = parse_arch(word);
            if (!arch || (only && !(*only == *arch))) return std::nullopt;
            only = arch;
        }
        before = word;
    }
    return only;
}

std::vector<Arch> listed_archs(std::string_view text) {
    std::vector<Arch> archs;
    for (const std::string& word : split(text, " \t\r\n,;'\"[]().<>|=")) {
        if (!starts_with(word, "sm_")) continue;
        auto arch = parse_arch(word);
        if (arch && !contains(archs, *arch)) archs.push_back(*arch);
    }
    std::sort(archs.begin(), archs.end());
    return archs;
}

PtxHead read_ptx_head(std::string_view ptx) {
    PtxHead head;
    for (std::size_t at = 0; at < ptx.size() && !head.target;) {
        std::size_t end = std::min(ptx.find('\n', at), ptx.size());
        std::string line = trim(ptx.substr(at, end - at));
        at = end + 1;
        bool says = false;
        if (starts_with(line, "//") && line.find("compilation tools") != std::string::npos) {
            head.compiler = find_version(line, ", V");
            says = true;
        } else if (starts_with(line, ".version")) {
            head.version = parse_ptx_version(trim(std::string_view(line).substr(8)));
            says = true;
        } else if (starts_with(line, ".target")) {
            std::vector<std::string> words = split(std::string_view(line).substr(7), " \t,");
            if (!words.empty()) head.target = parse_arch(words.front());
            says = true;
            if (!head.target) break;  // stop here: kernels follow
        }
        if (says) head.words += line + "\n";
    }
    return head;
}

namespace {

// Make's escapes: "\ " and "\#" in names, "$$", a backslash at the end of a line.
std::vector<std::string> dependency_words(std::string_view text) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (c == '\\' && (next == ' ' || next == '#')) {
            words.back() += next;
            ++i;
        } else if (c == '\\' && (next == '\n' || next == '\r')) {
            words.emplace_back();
        } else if (c == '$' && next == '$') {
            words.back() += '$';
            ++i;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    erase_if(words, [](const std::string& word) { return word.empty(); });
    return words;
}

}  // namespace

std::vector<std::string> headers_of(std::string_view dependencies, System system) {
    std::vector<std::string> headers;
    for (const std::string& word : dependency_words(dependencies)) {
        if (!is_absolute(word, system) || word.back() == ':') continue;
        headers.push_back(word);
        // cudafe++'s output includes these, but no dependency list contains them, and a working nvcc breaks
        // if only the first one is replaced.
        if (!ends_with(word, "crt/host_config.h")) continue;
        for (const char* hidden :
             {"crt/host_runtime.h", "crt/func_macro.h", "crt/storage_class.h", "fatbinary_section.h"})
            headers.push_back(join_path(parent_path(parent_path(word)), hidden));
    }
    std::sort(headers.begin(), headers.end());
    headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
    return headers;
}

}  // namespace ptxguard
