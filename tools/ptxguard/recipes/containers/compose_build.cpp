// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/compose_build.hpp"

#include "host/paths.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/shell/shell_expand.hpp"

namespace ptxguard::recipes {

bool add_build(const Tree& build, const BuildArguments& arguments, const Variables& variables,
               const std::string& own_file, const std::string& own_folder, const ReadFile& files,
               Recipe& recipe, std::size_t& bytes) {
    const auto value = [&](const Tree& text) {
        return expand_whole(written(text, own_file), variables, recipe.problems).text;
    };
    const std::string context = build.is_scalar()  ? value(build)
                                : build["context"] ? value(build["context"])
                                                   : ".";
    const Tree& named = build["dockerfile"] ? build["dockerfile"] : build["dockerFile"];
    const std::string name = named.text.empty() ? "Dockerfile" : value(named);
    const Tree& here = build["dockerfile_inline"];
    if ((!files && !here) || context.find("://") != std::string::npos) return false;
    const ReadFile in_context = files.instead([&](const std::string& path, const Written& by) {
        return files(normal_path(join_path(join_path(own_folder, context), path), System::linux_), by);
    });
    auto file = here.is_scalar() ? std::optional(FileText{own_file, here.text})
                                 : in_context(name, written(named ? named : build, own_file));
    if (!file) return false;
    bytes += file->text.size();
    const Place first = here.is_scalar() ? Place{here.line, here.column} : Place{1, 1};
    Recipe built = read_dockerfile(file->file, file->text, in_context, arguments, first);
    recipe.problems.take(built.problems);
    for (Stage& stage : built.stages) recipe.stages.push_back(std::move(stage));
    return true;
}

}  // namespace ptxguard::recipes
