// `docker build` and the programs that take the same options: what it builds, from which file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

struct BuildArguments {
    std::map<std::string, Written> values;  // override the defaults of ARG
    std::string target;                     // the stage to build; empty = the last one
    Written platform;                       // --platform of the command
    bool linked = false;                    // it is the base of a stage of another Dockerfile
    // The recipe that builds the image, if another command does; null = none does.
    std::function<std::optional<Recipe>(const Written& image)> built;
};

struct DockerBuild {
    BuildArguments arguments;
    std::string file, context = ".";
    std::vector<Written> tags;                // names of the image
    Written at;                               // the text that names the file
    std::shared_ptr<const FileText> written;  // by an earlier command
};

// Variables of the shell that runs it.
using Environment = std::map<std::string, Written>;

// Nothing for another command.
std::optional<DockerBuild> docker_build_of(const Command& command, const Environment& environment);
// The Dockerfile that `docker build` reads: "docker/Dockerfile", "-" for its input; empty = another command.
std::string dockerfile_named(const Command& command);

}  // namespace ptxguard::recipes
