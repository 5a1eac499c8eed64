// setup.py and setup.cfg: what they require, as text; what a setup.py compiles, by following its code.
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include "formats/text_lines.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/placed_text.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/builds/arch_gates.hpp"
#include "recipes/builds/link_requests.hpp"
#include "recipes/builds/source_names.hpp"
#include "recipes/python/python_follower.hpp"
#include "recipes/python/setup_requirements.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// The nvcc flags that name architectures, each once, as one call; those that a condition on a release or GPU
// decides, as another that is not known.
class Flags {
public:
    // A flag, or a part of one: "-gencode", "arch=compute_80,code=sm_80".
    void add(Written said, bool decided) {
        if (!is_arch_flag(said.text)) return m_option.clear();
        if (said.text == "-gencode" || said.text == "--generate-code") {
            m_option = {std::move(said)};
            return;
        }
        std::vector<Written> words = std::exchange(m_option, {});
        if (!m_seen.insert(said.text).second) return;
        const std::size_t blank = said.text.find(' ');
        words.push_back(said);
        if (blank != npos && said.text.find(' ', blank + 1) == npos) {  // "-gencode arch=...,code=..."
            words.back().text.resize(blank);
            said.text.erase(0, blank + 1);
            words.push_back(std::move(said));
        }
        for (Written& word : words) word.known = word.known && decided;
        std::vector<Written>& all = (decided ? m_nvcc : m_undecided).words;
        append(all, words);
    }

    void give(Stage& stage) {
        const bool fixed = all_of(m_nvcc.words, [](const Written& word) { return word.fixed; });
        for (Written& word : m_nvcc.words) word.fixed = fixed;  // one list
        for (Command* nvcc : {&m_nvcc, &m_undecided}) {
            if (nvcc->words.empty()) continue;
            nvcc->words.insert(nvcc->words.begin(), nvcc->words.front());
            nvcc->words.front().text = "nvcc";
            stage.steps.push_back(std::move(*nvcc));
        }
    }

private:
    std::vector<Written> m_option;  // in front of the next one
    std::set<std::string> m_seen;
    Command m_nvcc, m_undecided;
};

// The flags, and a CUDAExtension(...) that nothing avoids: the project always compiles device code.
class SetupObserver : public PythonObserver {
public:
    void gets(const std::string&, const PythonValue& value, bool, const PythonRun& run) override {
        for (const PythonValue& item : value.items)
            if (!value.is_text()) gets("", item, true, run);
        if (!value.is_text()) return;
        Written said = value.text;
        for (const PythonValue& part : value.items)
            if (part.text.line > 0) said.line = part.text.line, said.column = part.text.column;
        said.fixed = run.certain && is_fixed(value);
        said.known = value.is_known();
        if (is_part(said.text) && run.certain && !run.by_cuda) links.words.push_back(said);
        flags.add(std::move(said), value.text.known && value.is_known() && !run.by_cuda);
    }
    void calls(const PythonCall& call, const PythonRun& run) override {
        setup.note(call, run);
        if (!extension && call.last.text == "CUDAExtension" && run.certain && !run.asked && !run.chosen)
            extension = call.last;
        if (run.certain && !run.asked && !run.chosen &&
            is_one_of(call.last.text, {"CUDAExtension", "CppExtension", "Extension"}))
            add_sources(call);
    }

    // CUDAExtension('x', ['x.cu']), CUDAExtension(name='x', sources=['x.cu'])
    void add_sources(const PythonCall& call) {
        const PythonValue* list = call.argument("sources");
        if (!list && call.given.size() > 1) list = &call.given[1];
        if (!list || !list->is_list()) return;
        for (const PythonValue& item : list->items)
            if (item.is_text() && item.is_known() && is_source(item.text.text)) {
                sources.push_back(item.text);
                sources.back().fixed = sources.back().known = true;
            }
    }

    Flags flags;
    Command links;  // -lnvToolsExt
    std::vector<Written> sources;
    Written extension;
    SetupCall setup;
};

SetupCall add_device_code(const std::string& file, std::string_view text, const ReadFile& files,
                          const ScriptBuild& build, Stage& stage) {
    SetupObserver observer;
    Shell shell;
    shell.files = files.instead({});
    PythonFollower follower(file, text);
    follower.build_in(build.environment);
    std::vector<Step> variables = follower.show(observer, build.cuda, shell);
    // First: it is placed after the step that builds the project.
    if (observer.extension) stage.steps.push_back(DeviceExtension{observer.extension});
    observer.flags.give(stage);
    std::vector<Written>& links = observer.links.words;
    if (!links.empty()) {
        links.insert(links.begin(), links.front());
        links.front().text = "ld";
        stage.steps.push_back(std::move(observer.links));
    }
    if (!observer.sources.empty()) {
        Command sources;
        sources.words = std::move(observer.sources);
        sources.words.insert(sources.words.begin(), sources.words.front());
        sources.words.front().text = k_compiled_sources;
        stage.steps.push_back(std::move(sources));
    }
    append(stage.steps, variables);
    return observer.setup;
}

// The same strings of a program in another language: build.rs, meson.build.
void add_flags_of_program(const std::string& file, std::string_view text, Stage& stage) {
    Flags flags;
    bool decided = true;
    for (const PythonLine& line : python_lines(text))
        for (const PythonToken& token : line.tokens) {
            decided = decided && !token.is("if") && !token.is("match");
            if (token.kind == PythonToken::Kind::text)
                flags.add({token.text, file, token.at.line, token.at.column}, decided);
        }
    flags.give(stage);
}

constexpr Limit k_most_extras{100, "extras of a setup.py", "the others"};

PipInstall installation_of(const std::vector<WrittenRequirement>& always,
                           const std::vector<WrittenRequirement>& more) {
    PipInstall install;
    install.tool = "pip";
    install.requirements = always;
    append(install.requirements, more);
    install.whole = install.requirements.front().whole;
    return install;
}

}  // namespace

Recipe read_setup_script(const std::string& file, std::string_view bytes, const ReadFile& files,
                         const ScriptBuild& build) {
    Recipe recipe;
    recipe.kind = RecipeKind::setup_script;
    recipe.file = file;
    const PlacedText text(file, without_mark(bytes));
    Stage stage;
    SetupRequirements required;
    if (ends_with(file, ".cfg")) {
        required = requirements_of_cfg(text);
    } else if (ends_with(file, ".py")) {
        required = requirements_of_script(text, add_device_code(file, text.text, files, build, stage));
        recipe.gated = gated_script(file, text.text);
    } else {
        required = requirements_of_script(text, SetupCall{});
        add_flags_of_program(file, text.text, stage);
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

}  // namespace ptxguard::recipes
