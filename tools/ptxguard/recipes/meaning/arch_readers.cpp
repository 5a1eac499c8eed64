// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/arch_readers.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/arch_settings.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/builds/project_build.hpp"
#include "recipes/builds/projects.hpp"

namespace ptxguard::recipes {
namespace {

enum class Reads { no, maybe, yes };
// Whether a command reads the list of torch's builder, and any other one.
struct Readers {
    Reads torch = Reads::no, others = Reads::no;
};

Readers of_project(ProjectBuild build, Reads unknown) {
    switch (build) {
        case ProjectBuild::plain: return {};
        case ProjectBuild::native: return {Reads::no, Reads::yes};
        case ProjectBuild::torch: return {Reads::yes, Reads::yes};
        case ProjectBuild::unknown: break;
    }
    return {unknown, unknown};
}

// `./build.sh`, `bash tools/build.sh`, `./configure`: what it does is not known.
bool is_unread_script(const Command& command) {
    const std::string& first = command.words[0].text;
    const bool shell = is_one_of(program_name(first), {"bash", "sh", "zsh", "source", "."});
    const std::string& file = shell && command.words.size() > 1 ? command.words[1].text : first;
    return ends_with(file, ".sh") || starts_with(file, "./");
}

Readers readers_in(const Command& command) {
    const std::string program = program_name(command.words[0].text);
    if (starts_with(program, "python") || builds_python_project(command)) {
        const bool setup = command.words.size() > 1 && file_name(command.words[1].text) == "setup.py";
        return of_project(command.build, setup || builds_python_project(command) ? Reads::yes : Reads::maybe);
    }
    if (is_one_of(program, {"cmake", "cmake3", "make", "gmake"})) {
        Readers readers = of_project(command.build, Reads::maybe);
        if (command.build == ProjectBuild::unknown) readers.others = Reads::yes;
        return readers;
    }
    if (compiles_programs(command)) return {Reads::no, Reads::yes};
    return is_unread_script(command) ? Readers{Reads::maybe, Reads::maybe} : Readers{};
}

// A repository or an archive of sources.
bool is_source(const WrittenRequirement& requirement) {
    const std::string& url = requirement.url.text;
    return !url.empty() && url.find(".whl") == npos;
}

Readers readers_in(const PipInstall& step, std::size_t first, const RecipeFacts& recipe) {
    Readers readers = step.projects.empty() ? Readers{} : of_project(step.build, Reads::yes);
    for (std::size_t i = first; i < recipe.compiles.size(); ++i) {
        readers.others = Reads::yes;
        if (!recipe.compiles[i].own_archs) readers.torch = Reads::yes;
    }
    const bool known = recipe.compiles.size() > first;
    if (step.unread || (!known && any_of(step.requirements, is_source))) {
        readers.torch = std::max(readers.torch, Reads::maybe);
        readers.others = std::max(readers.others, Reads::maybe);
    }
    return readers;
}

// The one that certainly counts, if several commands read it.
void add_list(const SetVariable& value, Reads reads, RecipeFacts& recipe) {
    RecipeFacts named;
    add_arch_variable(value, named);
    for (RecipeArchs& one : named.arch_lists) {
        one.origin.overridable = one.origin.overridable || reads == Reads::maybe;
        auto* same = first_where(recipe.arch_lists, [&](const RecipeArchs& other) {
            return other.name == one.name && other.archs.text == one.archs.text &&
                   other.origin.is_at(one.origin);
        });
        if (same)
            same->origin.overridable = same->origin.overridable && one.origin.overridable;
        else
            recipe.arch_lists.push_back(std::move(one));
    }
}

void add_lists(const std::vector<SetVariable>& values, const Readers& readers, RecipeFacts& recipe) {
    for (const SetVariable& one : values) {
        const Reads reads = is_read_by_torch(one.name) ? readers.torch : readers.others;
        if (reads != Reads::no) add_list(one, reads, recipe);
    }
}

}  // namespace

void add_read_lists(const PipInstall& step, std::size_t first, RecipeFacts& recipe) {
    if (!step.arch_lists.empty()) add_lists(step.arch_lists, readers_in(step, first, recipe), recipe);
}

void add_read_lists(const Command& step, RecipeFacts& recipe) {
    if (!step.words.empty() && !step.arch_lists.empty()) add_lists(step.arch_lists, readers_in(step), recipe);
}

void add_unread_lists(const SharedMap<Written>& lists, RecipeFacts& recipe) {
    if (recipe.kind != to_string(RecipeKind::dockerfile) || !recipe.compiles.empty() ||
        recipe.builds_others || !recipe.arch_lists.empty())
        return;
    RecipeFacts named;
    lists.each([&](const std::string& name, const Written& value) {
        add_arch_variable({name, value}, named);
    });
    recipe.unread_lists = std::move(named.arch_lists);
}

bool runs_commands(const RecipeFacts& recipe) {
    for (const RecipeKind kind :
         {RecipeKind::dockerfile, RecipeKind::definition_file, RecipeKind::compose, RecipeKind::shell_script,
          RecipeKind::workflow, RecipeKind::slurm_script, RecipeKind::justfile, RecipeKind::devcontainer})
        if (recipe.kind == to_string(kind)) return true;
    return false;
}

}  // namespace ptxguard::recipes
