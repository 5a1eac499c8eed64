// requirements.txt and constraints.txt, line by line like pip's req_file.py: continuations, comments,
// variables, options of lines and of requirements.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/installers/conda_environment.hpp"
#include "recipes/installers/pyproject.hpp"
#include "recipes/installers/uv_export.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
namespace {

// Of one installation.
constexpr Limit k_deepest_file{16, "files that refer to each other", "deeper ones"};
constexpr Limit k_most_named_files{100, "files of one installation", "later ones"};
constexpr Limit k_most_requirements_bytes{32u << 20, "bytes of files of one installation", "later files"};
constexpr Limit k_most_requirements{10000, "requirements of one installation", "later ones"};
constexpr Limit k_longest_requirement{1u << 20, "bytes of a line with its variables", "its variables"};

constexpr const char* k_capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";  // of variables

const std::vector<OptionForm>& line_options() {
    static const std::vector<OptionForm> table = {
        {"-r --requirement"},     {"-c --constraint"}, {"-e --editable"},     {"-i --index-url --pypi-url"},
        {"--extra-index-url"},    {"-f --find-links"}, {"--no-index", false}, {"--pre", false},
        {"--no-binary"},          {"--only-binary"},   {"--trusted-host"},    {"--use-feature"},
        {"--config-settings -C"},
    };
    return table;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }

// Whether the text ends with what is white space for Python: also a no-break space, as pages have them.
bool ends_blank(std::string_view text) {
    return text.empty() || is_blank(text.back()) || ends_with(text, "\u00A0") || ends_with(text, "\u3000");
}

// Ends before " #" or a "#" at the start.
std::string_view without_comment(std::string_view line) {
    for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
        if (!ends_blank(line.substr(0, at))) continue;
        line = line.substr(0, at);
        for (const std::string_view space : {"\u00A0", "\u3000"})
            while (ends_with(line, space)) line.remove_suffix(space.size());
        break;
    }
    return line;
}

class FileReader {
public:
    FileReader(const ReadFile& files, const Inherited& inherited, PipInstall& into)
        : m_files(files), m_inherited(inherited), m_into(into) {}

    void read(const std::string& name, const FileText& file, bool constraints) {
        m_open.push_back(normal_path(name, System::linux_));
        ++m_count;
        m_bytes += file.text.size();
        const std::vector<std::string_view> lines = lines_of(file.text);
        for (std::size_t at = 0; at < lines.size(); ++at) {
            if (m_files.budget().is_over_at(Budget::Place{file.file, static_cast<int>(at) + 1, 1})) break;
            // Lines joined by "\" have the position of the first.
            Written line{"", file.file, file.line_number(at), 1};
            std::string_view piece = lines[at];
            while (at + 1 < lines.size() && ends_with(piece, "\\") && !is_comment(piece)) {
                line.text += piece.substr(0, piece.size() - 1);
                piece = lines[++at];
                if (is_comment(piece)) line.text += ' ';
            }
            line.text += piece;
            line.text = std::string(without_comment(line.text));
            if (trimmed(line.text).empty()) continue;
            const std::size_t count = m_into.requirements.size() + m_into.constraints.size();
            if (m_inherited.problems.exceeds(k_most_requirements, count + 1, line)) break;
            read_line(name, line, constraints);
        }
        m_open.pop_back();
    }

    void read_lines(const std::string& name, std::vector<Written> lines) {
        m_open.push_back(normal_path(name, System::linux_));
        for (Written& line : lines) read_line(name, line, false);
        m_open.pop_back();
    }

private:
    static bool is_comment(std::string_view line) { return without_comment(line).size() < line.size(); }

    // "${NAME}" with upper case letters, digits and "_"; unset ones stay as written.
    void expand(Written& line) const {
        std::string result;
        std::size_t done = 0;  // of line.text
        for (std::size_t at = line.text.find("${"); at != std::string::npos;
             at = line.text.find("${", at + 2)) {
            const std::size_t end =
                std::min(line.text.find_first_not_of(k_capitals, at + 2), line.text.size());
            const std::size_t length = end - at - 2;
            if (length == 0 || line.text.compare(at + 2 + length, 1, "}") != 0) continue;
            const std::string name = line.text.substr(at + 2, length);
            const Written* value = m_inherited.variable(name);
            if (!value || m_inherited.problems.exceeds(k_longest_requirement,
                                                       result.size() + value->text.size(), line)) {
                line.known = false;
                continue;
            }
            result.append(line.text, done, at - done).append(value->text);
            line.known = line.known && value->known;
            line.fixed = line.fixed && value->fixed;
            done = at + length + 3;
        }
        if (done == 0) return;
        m_files.budget().spend_bytes(result.size());
        line.text = result.append(line.text, done, std::string::npos);
    }

    // Words with their positions; quotes are removed.
    static std::vector<Written> words_of(const Written& line) {
        std::vector<Written> words;
        const std::string& text = line.text;
        for (std::size_t at = 0; at < text.size();) {
            if (is_blank(text[at])) {
                ++at;
                continue;
            }
            Written word = part_of(line, at, 0);
            for (char quote = 0; at < text.size() && (quote || !is_blank(text[at])); ++at) {
                if (!quote && (text[at] == '"' || text[at] == '\''))
                    quote = text[at];
                else if (quote == text[at])
                    quote = 0;
                else
                    word.text += text[at];
            }
            words.push_back(std::move(word));
        }
        return words;
    }

    void read_line(const std::string& name, Written& line, bool constraints) {
        const std::size_t start = std::min(line.text.find_first_not_of(" \t\f\v"), line.text.size());
        if (start == line.text.size()) return;
        line = part_of(line, start);
        expand(line);
        if (line.text[0] == '-') {
            for (const Argument& argument : split_arguments(words_of(line), 0, line_options(), false)) {
                option(name, argument);
                if (argument.option.empty() && !constraints) add_unread(argument.value);
            }
            return;
        }
        drop_options(line);
        line.text = std::string(trimmed(line.text));
        if (is_project(line.text))
            m_into.projects.push_back(line);
        else
            (constraints ? m_into.constraints : m_into.requirements).push_back(read_requirement(line));
    }

    // Those of a requirement: --hash and similar ones. Not an index: pip ignores it there (23.2 and 26.3,
    // tested), uv rejects the line.
    void drop_options(Written& line) {
        for (std::size_t at = line.text.find(" -"); at != npos; at = line.text.find(" -", at + 1)) {
            const std::string_view option = std::string_view(line.text).substr(at + 1);
            const bool index = starts_with_any(option, {"--index-", "--extra-", "--find", "-f", "-i "});
            if (index ? m_into.tool == "uv" : !starts_with_any(option, {"--", "-C"})) continue;
            if (index) ignore_index(part_of(line, at + 1));
            line.text.resize(at);
            return;
        }
    }

    // "--find-links URL torch==1.11.0": pip reads the option only (23.2 and 26.3, tested).
    void add_unread(const Written& word) {
        WrittenRequirement requirement = read_requirement(word);
        if (requirement.name.empty()) return;
        requirement.behind_option = true;
        m_into.requirements.push_back(std::move(requirement));
    }

    void ignore_index(const Written& option) {
        for (const Argument& argument : split_arguments(words_of(option), 0, line_options(), false))
            if (starts_with(argument.option, "--") && argument.value)
                m_into.ignored_indexes.push_back(argument.value);
    }

    void option(const std::string& name, const Argument& argument) {
        const Written& value = argument.value;
        const bool pip = m_into.tool != "uv";
        if (argument.option == "--requirement" || argument.option == "--constraint") {
            nested(name, value, argument.option == "--constraint");
        } else if (argument.option == "--editable") {
            if (is_project(value.text))
                m_into.projects.push_back(value);
            else
                m_into.requirements.push_back(read_requirement(value));
        } else if (argument.option == "--index-url") {
            if (pip && m_into.no_index) return;
            m_into.index = value;
            if (pip) m_into.extra_indexes.clear();  // like pip: the last file's index replaces all before it
        } else if (argument.option == "--extra-index-url") {
            m_into.extra_indexes.push_back(value);
        } else if (argument.option == "--find-links") {
            m_into.find_links.push_back(value);
        } else if (argument.option == "--no-index") {
            m_into.no_index = true;
        } else if (argument.option == "--pre") {
            m_into.pre = true;
        } else if (argument.option == "--no-binary") {
            for (const std::string& package : split(value.text, ",")) m_into.no_binary.push_back(package);
        }
    }

    void problem(const Written& at, const char* why) { m_inherited.problems.push_back({at, why}); }

    void nested(const std::string& name, const Written& value, bool constraints) {
        const std::string path = normal_path(join_path(parent_path(name), value.text), System::linux_);
        if (contains(m_open, path)) return problem(value, "names a file that names this one again");
        Problems& problems = m_inherited.problems;
        if (problems.exceeds(k_deepest_file, m_open.size() + 1, value) ||
            problems.exceeds(k_most_named_files, m_count + 1, value) ||
            problems.exceeds(k_most_requirements_bytes, m_bytes, value))
            return;
        const auto text = m_files && value.known ? m_files(path, value) : std::nullopt;
        m_into.unread = m_into.unread || !text || !text->known;
        if (text && text->known)
            read(path, *text, constraints);
        else if (!text)
            m_inherited.problems.push_back(not_in_repository(value));
    }

    const ReadFile& m_files;
    const Inherited& m_inherited;
    PipInstall& m_into;
    std::vector<std::string> m_open;
    std::size_t m_count = 0, m_bytes = 0;
};

// A word of a line without its comment; empty in front of the first and behind the last one.
std::string_view first_word(std::string_view line) {
    const std::string_view text = trimmed(without_comment(line));
    return text.substr(0, text.find_first_of(" \t"));
}

// cget and rbuild of ROCm's projects name repositories: "ROCm/half@1.12.0 -DCMAKE_BUILD_TYPE=Release".
bool is_list_of_cget(std::string_view text) {
    return any_of(lines_of(text), [](std::string_view line) {
        const std::string_view word = first_word(line);
        const std::size_t slash = word.find('/'), at = word.find('@');
        return at != word.npos && slash > 0 && slash < at && word.find('/', slash + 1) == word.npos &&
               word.find_first_of(":.") > slash;
    });
}

}  // namespace

void read_requirements(const std::string& name, const FileText& file, bool constraints, const ReadFile& files,
                       const Inherited& inherited, PipInstall& into) {
    FileReader(files, inherited, into).read(name, file, constraints);
}

void read_requirement_lines(const std::string& name, std::vector<Written> lines, const ReadFile& files,
                            const Inherited& inherited, PipInstall& into) {
    FileReader(files, inherited, into).read_lines(name, std::move(lines));
}

Recipe read_requirements_recipe(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::requirements;
    recipe.file = file;
    if (is_list_of_cget(text)) return recipe;
    if (is_list_of_conda(text)) return read_conda_list(file, text);
    Inherited inherited(recipe.problems);
    PipInstall install;
    install.tool = "pip";
    install.whole = {"", file};
    const std::string name = file_name(file);
    // Relative paths of `files` start at the folder of the recipe.
    read_requirements(name, {file, std::string(text)}, lower(name).find("constraint") != std::string::npos,
                      files, inherited, install);
    add_indexes_of_project(text, files, install);
    add_compile_options(file, files, install);
    add_projects(install, {}, files, inherited);
    recipe.stages.emplace_back();
    recipe.stages.back().steps.push_back(std::move(install));
    return recipe;
}

}  // namespace ptxguard::recipes
