// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/copied_programs.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/unseen_installs.hpp"

namespace ptxguard::recipes {
namespace {

// ./build.sh, sh scripts/compile.sh
bool runs_build_script(const Command& command) {
    if (!runs_script(command)) return false;
    return any_of(command.words, [](const Written& word) {
        const std::string name = lower(file_name(word.text));
        return name.find("build") != npos || name.find("make") != npos || name.find("compile") != npos;
    });
}

bool compiles_here(const Step& step) {
    const auto* command = std::get_if<Command>(&step);
    if (command) return compiles_programs(*command) || runs_build_script(*command);
    return std::holds_alternative<DeviceExtension>(step);
}

// torch and conda bring the libraries that their modules need.
bool brings_libraries(const Step& step) {
    const auto* install = std::get_if<PipInstall>(&step);
    if (!install) return std::holds_alternative<CondaInstall>(step);
    return install->unread || any_of(install->requirements, [](const WrittenRequirement& one) {
               return starts_with(one.name, "torch");
           });
}

// Whole folders, in which CUDA's libraries may be, and these themselves.
bool may_hold_libraries(const CopyFrom& copy) {
    return any_of(copy.sources, [](const Written& source) {
        std::string path = source.text;
        while (path.size() > 1 && path.back() == '/') path.pop_back();
        for (const char* part :
             {"cuda", "libcu", "libnv", "nvidia", "x86_64-linux-gnu", "site-packages", "venv"})
            if (path.find(part) != npos) return true;
        return !source.known ||
               is_one_of(path, {"/", "/usr", "/usr/lib", "/usr/local", "/usr/local/lib", "/opt"});
    });
}

}  // namespace

void add_copied_programs(const Stages& stages, const Environments::Steps& steps, const Facts& facts,
                         RecipeFacts& recipe) {
    std::map<std::string, const CopyFrom*> copies;  // the first of each stage
    std::set<std::string> with_libraries;
    for (const Step* step : steps)
        if (const auto* copy = std::get_if<CopyFrom>(step)) {
            copies.try_emplace(copy->stage.text, copy);
            if (may_hold_libraries(*copy)) with_libraries.insert(copy->stage.text);
        }
    for (const auto& [name, copy] : copies) {
        const Stage* from = stages.named(name);
        if (!from || with_libraries.count(name) != 0) continue;
        const std::vector<const Stage*> line = stages.line_of(*from);
        const RecipeImage image = content_of(line.front()->image, facts).image;
        if (!image.cuda || image.flavour != ImageFlavour::devel) continue;
        const Environments::Steps own = stages.steps_of(line);
        const auto any = [&](bool (*test)(const Step&)) {
            return any_of(own, [&](const Step* step) { return test(*step); });
        };
        if (!any(compiles_here) || any(brings_libraries)) continue;
        recipe.copied_programs.push_back(
            {name, image.name + ":" + image.tag, {*image.cuda, image.origin}, origin_of(copy->stage)});
    }
}

}  // namespace ptxguard::recipes
