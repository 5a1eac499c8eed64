// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/source_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/source_conditions.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_most_sources = 64, k_most_names = 4096;

bool is_letter(char c) { return is_word_character(c); }

// Names that NVIDIA's headers declare, by their beginnings; a table says which of them ended.
bool is_of_cuda(std::string_view name) {
    static const std::vector<std::string> starts = {
        "cuda", "cuCtx", "cuTex", "cuMem",  "cusparse",  "cublas", "cusolver", "cufft", "curand", "nppi",
        "npps", "nvml",  "cudnn", "CUFFT_", "CUSPARSE_", "CUDNN_", "__shfl",   "__any", "__all",  "__ballot"};
    return any_of(starts, [&](const std::string& start) { return starts_with(name, start); });
}

// #include "x.cuh"
bool is_included(std::string_view text, std::size_t quote) {
    const std::size_t begin = quote == 0 ? 0 : text.rfind('\n', quote) + 1;
    return trim(std::string(text.substr(begin, quote - begin))).find("include") != npos &&
           text.substr(begin, quote - begin).find('#') != npos;
}

// The same text, where comments and the inside of strings are blanks.
std::string without_comments(std::string_view text) {
    std::string code(text);
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, code.size()); ++i)
            if (code[i] != '\n') code[i] = ' ';
    };
    for (std::size_t i = 0; i < code.size();) {
        if (starts_with(text.substr(i), "//")) {
            const std::size_t end = std::min(text.find('\n', i), text.size());
            blank(i, end), i = end;
        } else if (starts_with(text.substr(i), "/*")) {
            const std::size_t end = text.find("*/", i + 2), next = end == npos ? text.size() : end + 2;
            blank(i, next), i = next;
        } else if (text[i] == '"' && !is_included(text, i)) {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != '"' && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            blank(i + 1, end), i = end + 1;
        } else {
            i += text[i] == '\'' && i + 2 < text.size() && text[i + 2] == '\'' ? 3 : 1;
        }
    }
    return code;
}

// One file: its lines without comments and strings, in the order of the preprocessor.
class SourceReader {
public:
    SourceReader(const FileText& file, bool by_nvcc) : m_file(file), m_conditions(by_nvcc) {}

    struct Name {
        std::string text;
        NameRange range;
        Written at;
    };

    void read() {
        m_code = without_comments(m_file.text);
        m_own_cccl = m_code.find("namespace thrust") != npos || m_code.find("namespace cub") != npos;
        std::size_t begin = 0;
        for (int line = 1; begin < m_code.size(); ++line) {
            const std::size_t end = std::min(m_code.find('\n', begin), m_code.size());
            one(std::string_view(m_code).substr(begin, end - begin), line);
            begin = end + 1;
        }
    }

    std::vector<Name> names;
    std::vector<Written> includes;  // of the project: "x.cuh"
    std::set<std::string> own;      // names that it defines as macros

private:
    void one(std::string_view text, int line) {
        const std::string words = trim(std::string(text));
        if (starts_with(words, "#")) return directive(trim(words.substr(1)), line);
        if (m_conditions.range()) code(text, line);
    }

    Written at(int line, std::size_t column, std::string text) const {
        return {std::move(text), m_file.file, line, static_cast<int>(column) + 1};
    }

    void directive(const std::string& text, int line) {
        const std::size_t blank = std::min(text.find_first_of(" \t<\"("), text.size());
        const std::string word = text.substr(0, blank), rest = trim(text.substr(blank));
        if (m_conditions.take(word, rest, m_code, line)) return;
        if (word == "define") own.insert(rest.substr(0, rest.find_first_of(" \t(")));
        if (word != "include" || rest.size() < 3) return;
        const auto range = m_conditions.range();
        if (!range) return;
        const std::string name = rest.substr(1, rest.find_first_of(">\"", 1) - 1);
        if (rest[0] == '<') return add("<" + name + ">", *range, line, 0);
        includes.push_back(at(line, 0, name));
        // A header of CUDA may be written so too; one of the project is read.
        add("<" + name + ">", *range, line, 0);
    }

    void add(std::string text, const NameRange& range, int line, std::size_t column) {
        if (names.size() < k_most_names) names.push_back({text, range, at(line, column, text)});
    }

    void code(std::string_view text, int line) {
        const NameRange range = *m_conditions.range();
        std::string_view before;
        for (std::size_t i = 0; i < text.size();) {
            if (!is_letter(text[i])) {
                ++i;
                continue;
            }
            std::size_t end = i;
            while (end < text.size() && is_letter(text[end])) ++end;
            word(text, i, end, before, range, line);
            before = text.substr(i, end - i);
            i = end;
        }
    }

    void word(std::string_view text, std::size_t i, std::size_t end, std::string_view before,
              const NameRange& range, int line) {
        const std::string name(text.substr(i, end - i));
        const bool qualified = i >= 2 && text.substr(i - 2, 2) == "::";
        const bool member = (i >= 1 && text[i - 1] == '.') || (i >= 2 && text.substr(i - 2, 2) == "->");
        if (before == "cudaDeviceProp") m_props.insert(name);
        if (member) {
            if (m_props.count(std::string(owner(text, i)))) add("cudaDeviceProp." + name, range, line, i);
        } else if (qualified && is_one_of(std::string(before), {"thrust", "cub"})) {
            if (!m_own_cccl) add(std::string(before) + "::" + name, range, line, i);
        } else if (name == "texture" && end < text.size() && text[end] == '<') {
            if (!qualified) add("texture<>", range, line, i);
        } else if (!qualified && is_of_cuda(name)) {
            add(name, range, line, i);
            if (const int given = arguments(text, end))
                add(name + "/" + std::to_string(given), range, line, i);
        }
    }

    // "prop" of "prop.", "props[i]->"
    static std::string_view owner(std::string_view text, std::size_t i) {
        std::size_t end = i - (text[i - 1] == '.' ? 1 : 2);
        if (end > 0 && text[end - 1] == ']') end = std::min(text.rfind('[', end), end);
        std::size_t begin = end;
        while (begin > 0 && is_letter(text[begin - 1])) --begin;
        return text.substr(begin, end - begin);
    }

    // Of a call that ends on the same line; 0: of none.
    static int arguments(std::string_view text, std::size_t at) {
        if (at >= text.size() || text[at] != '(') return 0;
        int depth = 0, count = 1;
        for (std::size_t i = at; i < text.size(); ++i) {
            if (std::string_view("([{").find(text[i]) != npos) ++depth;
            if (std::string_view(")]}").find(text[i]) != npos && --depth == 0) return count;
            if (text[i] == ',' && depth == 1) ++count;
        }
        return 0;
    }

    const FileText& m_file;
    std::string m_code;
    SourceConditions m_conditions;
    std::set<std::string> m_props;  // variables of the type cudaDeviceProp
    bool m_own_cccl = false;        // it declares names of Thrust or CUB itself
};

// Those of a build, each file once.
class NamesOfSources {
public:
    explicit NamesOfSources(const ReadFile& files) : m_files(files) {}

    // False: there is no such file.
    bool add(const std::string& path, const Written& by, bool by_nvcc) {
        if (m_done.count(path)) return true;
        const auto file = m_done.size() < k_most_sources ? m_files(path, by) : std::nullopt;
        if (!file || !file->known) return false;
        m_done.insert(path);
        m_files.budget().spend_bytes(file->text.size());
        SourceReader reader(*file, by_nvcc);
        reader.read();
        append(m_names, reader.names);
        m_own.insert(reader.own.begin(), reader.own.end());
        for (const Written& one : reader.includes) include(path, one, by_nvcc);
        return true;
    }

    std::optional<Command> step(const Written& by) const {
        Command used;
        std::set<std::string> seen;
        for (const SourceReader::Name& name : m_names) {
            const std::size_t end = starts_with(name.text, "<") ? npos : name.text.find('/');
            const std::string plain = name.text.substr(0, end);
            if (m_own.count(plain) || !seen.insert(name.text + name.range.text()).second) continue;
            used.words.push_back(name.at);
            used.words.push_back(name.at);
            used.words.back().text = name.range.text();
        }
        if (used.words.empty()) return std::nullopt;
        used.words.insert(used.words.begin(), by);
        used.words.front().text = k_used_names;
        return used;
    }

private:
    // Beside the file, at the top, or in the folder for headers. Others come from elsewhere.
    void include(const std::string& path, const Written& name, bool by_nvcc) {
        for (const std::string& folder : {parent_path(path), std::string(), std::string("include")}) {
            const std::string there = normal_path(join_path(folder, name.text), System::linux_);
            if (starts_with_any(there, {"..", "/"})) continue;
            if (add(there, name, by_nvcc)) return;
        }
    }

    const ReadFile& m_files;
    std::set<std::string> m_done, m_own;
    std::vector<SourceReader::Name> m_names;
};

}  // namespace

bool is_source(const std::string& path) {
    return any_of(std::vector<std::string>{".cu", ".cpp", ".cc", ".cxx", ".c"},
                  [&](const std::string& end) { return ends_with(path, end); });
}

std::optional<Command> names_in_sources(const std::vector<Written>& sources, const ReadFile& files) {
    if (!files) return std::nullopt;
    NamesOfSources names(files);
    for (const Written& source : sources)
        if (source.known && source.fixed && is_source(source.text))
            names.add(normal_path(source.text, System::linux_), source, ends_with(source.text, ".cu"));
    return sources.empty() ? std::nullopt : names.step(sources.front());
}

}  // namespace ptxguard::recipes
