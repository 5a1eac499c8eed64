// setup.py and setup.cfg as text: string literals and lists of them. The Python code is not followed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "formats/text_lines.hpp"
#include "model/text.hpp"
#include "recipes/arch_gates.hpp"
#include "recipes/placed_text.hpp"
#include "recipes/scripts.hpp"
#include "recipes/setup_lists.hpp"
#include "recipes/setup_requirements.hpp"

namespace ptxguard::recipes {
namespace {

bool is_flag(std::string_view text) {
    for (const char* start : {"-gencode", "--generate-code", "-arch=", "--gpu-architecture", "arch=compute_"})
        if (starts_with(text, start)) return true;
    return false;
}

// The line around `at`.
std::string_view line_around(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == npos ? 0 : before + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_branch(std::string_view line) {
    return starts_with(line, "else") || starts_with(line, "if ") || starts_with(line, "if(") ||
           starts_with(line, "elif ");
}

// "if cuda_version >= Version('12.8'):"; for `else` the comparison is not known.
bool compares(std::string_view line) {
    return is_branch(line) && (starts_with(line, "else") || line.find_first_of("<>") != npos);
}

// "if torch.cuda.is_available() or FORCE_CUDA:": without it no device code is built.
bool asks_for_cuda(std::string_view line) {
    const bool condition = starts_with(line, "if ") || starts_with(line, "if(") || starts_with(line, "elif ");
    if (!condition || line.find_first_of("=<>[") != npos || line.find(" in ") != npos ||
        line.find("not ") != npos)
        return false;
    return lower(line).find("cuda") != npos;
}

// Whether one of the blocks around the text at `at` starts with such a line.
template <class Test>
bool is_inside(std::string_view text, std::size_t at, const Test& test) {
    constexpr int k_most_lines = 1000;
    std::size_t indentation = npos;
    for (int lines = 0; lines < k_most_lines; ++lines) {
        const std::string_view line = line_around(text, at);
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != npos && first < indentation) {
            if (indentation != npos && test(line.substr(first))) return true;
            indentation = first;
        }
        const auto begin = static_cast<std::size_t>(line.data() - text.data());
        if (begin == 0 || indentation == 0) return false;
        at = begin - 1;
    }
    return false;
}

// A failure inside is caught: the project is installed without the extension.
bool is_try(std::string_view line) { return starts_with(line, "try:"); }

// Whether a function ends before the text at `at`: "if not BUILD_CUDA: return []".
bool may_return_before(std::string_view text, std::size_t at) {
    const std::size_t line = text.rfind('\n', at) + 1;
    std::size_t begin = text.rfind("\ndef ", at);
    const std::size_t method = text.rfind("    def ", at);
    if (begin == npos || (method != npos && method > begin)) begin = method;
    for (std::size_t found = text.find("return", std::min(begin, line)); found < line;
         found = text.find("return", found + 1))
        if (trim(line_around(text, found)).rfind("return", 0) == 0 ||
            is_branch(trimmed(line_around(text, found))))
            return true;
    return false;
}

// Whether the text at `at` is used only after a comparison with a release or capability.
bool depends_on_comparison(std::string_view text, std::size_t at) {
    const std::string_view line = line_around(text, at);
    return (line.find(" if ") != npos && line.find_first_of("<>") != npos) || is_inside(text, at, compares);
}

// Where functions begin and may end, so that each flag is not searched for from the start.
class Returns {
public:
    explicit Returns(std::string_view text) {
        for (std::size_t at = text.find("def "); at != npos; at = text.find("def ", at + 1))
            if (at > 0 && (text[at - 1] == '\n' || (at > 3 && text.substr(at - 4, 4) == "    ")))
                m_functions.push_back(at);
        for (std::size_t line = 0; line < text.size();) {
            const std::size_t end = std::min(text.find('\n', line), text.size());
            const std::string_view all = text.substr(line, end - line), content = trimmed(all);
            if (starts_with(content, "return") ||
                (is_branch(content) && content.find("return") != std::string_view::npos))
                m_returns.push_back(line);
            line = end + 1;
        }
    }
    // Whether the function around the line at `line` may have ended before it.
    bool may_be_before(std::size_t line) const {
        const auto function = std::upper_bound(m_functions.begin(), m_functions.end(), line);
        if (function == m_functions.begin()) return false;
        const auto end = std::lower_bound(m_returns.begin(), m_returns.end(), *(function - 1));
        return end != m_returns.end() && *end < line;
    }

private:
    std::vector<std::size_t> m_functions, m_returns;
};

// How the flags of a line are used: wherever device code is built, or for some items of a loop.
struct FlagUse {
    bool always = false, loop = false;
};
FlagUse use_of(std::string_view text, std::size_t at, const Returns& returns) {
    FlagUse use;
    const std::string_view line = line_around(text, at);
    const bool decided = is_inside(text, at, [&](std::string_view around) {
        use.loop = use.loop || starts_with(around, "for ");
        return is_branch(around) && !asks_for_cuda(around);
    });
    use.always = !decided && line.find(" if ") == npos &&
                 !returns.may_be_before(static_cast<std::size_t>(line.data() - text.data()));
    return use;
}

// CUDAExtension(...) that no branch, return or exception avoids: the project always compiles device code.
void add_extension(const PlacedText& text, const std::vector<Quoted>& quoted, Stage& stage) {
    const std::string_view all = text.text, name = "CUDAExtension(";
    for (std::size_t at = all.find(name); at != npos; at = all.find(name, at + 1)) {
        const std::string_view line = line_around(all, at);
        const auto begin = static_cast<std::size_t>(line.data() - all.data());
        const auto after = first_from(quoted, at + 1);
        const bool in_text = after != quoted.begin() && at < std::prev(after)->end;
        const bool in_comment = line.substr(0, at - begin).find('#') != npos;
        if (in_text || in_comment || line.find(" if ") != npos) continue;
        if (is_inside(all, at, is_branch) || is_inside(all, at, is_try) || may_return_before(all, at))
            continue;
        stage.steps.push_back(DeviceExtension{text.written(at, at + name.size() - 1)});
        return;
    }
}

// `again`: the option before the previous one, "-gencode", belongs to this one too.
void add_flag(const Written& flag, bool again, bool always, Command& nvcc) {
    const auto add = [&](const std::string& text) {
        nvcc.words.push_back(flag);
        nvcc.words.back().text = text;
        nvcc.words.back().fixed = always;
    };
    if (nvcc.words.empty()) add("nvcc");
    const std::string before = again && nvcc.words.size() > 1 ? nvcc.words[nvcc.words.size() - 2].text : "";
    if (before == "-gencode" || before == "--generate-code") add(before);
    add(flag.text);
}

// The nvcc flags in the strings, as one call; those that a comparison decides, as another that is not known.
void add_flags(const PlacedText& text, const std::vector<Quoted>& quoted, Stage& stage) {
    Command nvcc, undecided;
    std::size_t line_end = 0;  // of the last flag's line, for which `depends` is known
    bool depends = false;
    FlagUse use;
    const Returns returns(text.text);
    for (const Quoted& one : quoted) {
        Written word = text.written(one.begin, one.end);
        if (!is_flag(word.text)) continue;
        if (one.begin >= line_end) {
            line_end = std::min(text.text.find('\n', one.begin), text.text.size());
            depends = depends_on_comparison(text.text, one.begin);
            use = depends ? FlagUse{} : use_of(text.text, one.begin, returns);
        }
        if (depends) {
            word.known = false;
            undecided.words.push_back(std::move(word));
            continue;
        }
        const auto made = one.formatted ? flags_of_loop(text, one.begin, word.text) : std::vector<Written>{};
        for (const Written& flag : made) add_flag(flag, &flag != &made.front(), use.always, nvcc);
        if (!made.empty()) continue;
        word.known = !one.formatted && word.text.find_first_of("{%") == npos;
        word.fixed = use.always && (!use.loop || word.text.find("arch") == npos);
        if (nvcc.words.empty()) {
            nvcc.words.push_back(word);
            nvcc.words.back().text = "nvcc";
        }
        const std::size_t blank = word.text.find(' ');
        if (blank != npos && word.text.find(' ', blank + 1) == npos) {  // "-gencode arch=...,code=..."
            Written second = word;
            second.text.erase(0, blank + 1);
            word.text.resize(blank);
            nvcc.words.push_back(std::move(word));
            nvcc.words.push_back(std::move(second));
        } else {
            nvcc.words.push_back(std::move(word));
        }
    }
    const bool fixed =
        std::all_of(nvcc.words.begin(), nvcc.words.end(), [](const Written& word) { return word.fixed; });
    for (Written& word : nvcc.words) word.fixed = fixed;  // one list
    if (!nvcc.words.empty()) stage.steps.push_back(std::move(nvcc));
    if (undecided.words.empty()) return;
    undecided.words.insert(undecided.words.begin(), undecided.words.front());
    undecided.words.front().text = "nvcc";
    stage.steps.push_back(std::move(undecided));
}

// os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0", os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0")
void add_variables(const PlacedText& text, const std::vector<Quoted>& quoted, Stage& stage) {
    const std::string_view all = text.text;
    for (std::size_t i = 0; i + 1 < quoted.size(); ++i) {
        const Quoted &name = quoted[i], &value = quoted[i + 1];
        const std::string_view before = all.substr(0, name.begin - 1);
        const bool assigned = ends_with(before, "environ["),
                   is_default = ends_with(before, "environ.setdefault(");
        if ((!assigned && !is_default) || value.formatted || value.begin < name.end + 2) continue;
        std::string between;
        for (const char c : all.substr(name.end + 1, value.begin - name.end - 2))
            if (c != ' ' && c != '\t') between += c;
        if (between != (assigned ? "]=" : ",")) continue;
        SetVariable variable{std::string(all.substr(name.begin, name.end - name.begin)),
                             text.written(value.begin, value.end)};
        // A branch on the variable itself sets its default; what another one decides is open.
        const std::string_view own = all.substr(name.begin, name.end - name.begin);
        variable.value.fixed = assigned && !is_inside(all, name.begin, is_branch);
        variable.value.known = !is_inside(all, name.begin, [&](std::string_view line) {
            return is_branch(line) && line.find(own) == npos;
        });
        stage.steps.push_back(std::move(variable));
    }
}

constexpr Limit k_most_extras{100, "extras of a setup.py", "the others"};

PipInstall installation_of(const std::vector<WrittenRequirement>& always,
                           const std::vector<WrittenRequirement>& more) {
    PipInstall install;
    install.tool = "pip";
    install.requirements = always;
    install.requirements.insert(install.requirements.end(), more.begin(), more.end());
    install.whole = install.requirements.front().whole;
    return install;
}

}  // namespace

Recipe read_setup_script(const std::string& file, std::string_view bytes) {
    Recipe recipe;
    recipe.kind = RecipeKind::setup_script;
    recipe.file = file;
    const PlacedText text(file, without_mark(bytes));
    Stage stage;
    SetupRequirements required;
    if (ends_with(file, ".cfg")) {
        required = requirements_of_cfg(text);
    } else {
        const std::vector<Quoted> quoted = quoted_texts(text.text);
        required = requirements_of_script(text, quoted);
        add_extension(text, quoted, stage);  // first: it is placed after the step that builds the project
        add_flags(text, quoted, stage);
        add_variables(text, quoted, stage);
        recipe.gated = gated_script(file, text.text);
    }
    if (!required.always.empty())
        stage.steps.insert(stage.steps.begin(), installation_of(required.always, {}));
    recipe.stages.push_back(std::move(stage));
    for (const auto& [name, more] : required.extras) {
        if (recipe.problems.exceeds(k_most_extras, recipe.stages.size(), more.front().whole)) break;
        Stage extra;
        extra.name = name;
        extra.steps.push_back(installation_of(required.always, more));
        recipe.stages.push_back(std::move(extra));
    }
    return recipe;
}

Written python_of_setup_script(const std::string& file, std::string_view text) {
    for (std::size_t at = 0; (at = text.find("python_requires", at)) != npos; ++at) {
        if (starts_with(trim(std::string(line_around(text, at))), "#")) continue;
        const std::size_t equals = text.find_first_not_of(" ", at + 15);
        if (equals == npos || text[equals] != '=') continue;
        const std::size_t quote = text.find_first_not_of(" ", equals + 1);
        if (quote == npos || (text[quote] != '"' && text[quote] != '\'')) continue;
        const std::size_t end = text.find_first_of("\"'\n", quote + 1);
        Written range;
        range.text = std::string(text.substr(quote + 1, std::min(end, text.size()) - quote - 1));
        range.file = file;
        range.line = 1 + static_cast<int>(
                             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        return range;
    }
    return {};
}

}  // namespace ptxguard::recipes
