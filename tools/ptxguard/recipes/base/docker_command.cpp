// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/docker_command.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/machines.hpp"
#include "recipes/base/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

// The index behind `docker build`, `docker buildx build`, `podman build`, `buildah bud`; 0 = another command.
std::size_t behind_build(const std::vector<Written>& words) {
    if (!is_one_of(program_name(words[0].text), {"docker", "podman", "nerdctl", "buildah"})) return 0;
    for (std::size_t i = 1; i < std::min<std::size_t>(words.size(), 3); ++i)
        if (words[i].text == "build" || words[i].text == "bud") return i + 1;
    return 0;
}

// "linux/amd64,linux/arm64": for ARM too. The usual platform needs no mention.
Written platform_of(const Written& value) {
    Written platform = value;
    const auto is_unusual = [](const std::string& one) {
        const std::string machine = machine_in(one);
        return !machine.empty() && machine != "x86_64";
    };
    for (const std::string& one : split(value.text, ", \n"))
        if (is_unusual(one)) platform.text = one;
    return value.known && platform.text.find(',') == npos && is_unusual(platform.text) ? platform : Written{};
}

// --build-arg NAME: the value of the environment.
Written from_environment(const Command& command, const Environment& environment, const std::string& name) {
    for (const SetVariable& one : command.variables)
        if (one.name == name) return one.value;
    if (const Written* exported = command.exports.find(name)) return *exported;
    const auto found = environment.find(name);
    return found == environment.end() ? Written{} : found->second;
}

// NAME=VALUE, NAME
void add_argument(const Written& value, const Command& command, const Environment& environment,
                  std::map<std::string, Written>& values) {
    const std::size_t equals = value.text.find('=');
    Written given = value;
    given.text.erase(0, equals == npos ? npos : equals + 1);
    if (equals == npos) given = from_environment(command, environment, value.text);
    if (given.known && (given || equals != npos)) values[value.text.substr(0, equals)] = std::move(given);
}

}  // namespace

std::optional<DockerBuild> docker_build_of(const Command& command, const Environment& environment) {
    const std::size_t first = command.words.empty() ? 0 : behind_build(command.words);
    if (!first) return std::nullopt;
    static const std::vector<OptionForm> options = {
        {"-f --file"},     {"--build-arg"},  {"-t --tag"},     {"--target"},       {"--platform"},
        {"--network"},     {"--cache-from"}, {"--cache-to"},   {"--label"},        {"--secret"},
        {"--ssh"},         {"--progress"},   {"-m --memory"},  {"--shm-size"},     {"--ulimit"},
        {"--add-host"},    {"--iidfile"},    {"-o --output"},  {"--builder"},      {"--build-context"},
        {"--cpuset-cpus"}, {"--isolation"},  {"--annotation"}, {"--metadata-file"}};
    DockerBuild build;
    build.at = command.words[0];
    for (const Argument& argument : split_arguments(command.words, first, options, false)) {
        const Written& value = argument.value;
        if (argument.option == "--file") build.file = value.text, build.at = value;
        if (argument.option == "--tag") build.tags.push_back(value);
        if (argument.option == "--target" && value.known) build.arguments.target = value.text;
        if (argument.option.empty() && value.known) build.context = value.text;
        if (argument.option == "--platform") build.arguments.platform = platform_of(value);
        if (argument.option == "--build-arg")
            add_argument(value, command, environment, build.arguments.values);
    }
    if (build.file.empty() && build.context == "-") build.file = "-";
    if (build.file.empty()) build.file = join_path(build.context, "Dockerfile");
    build.written = command.dockerfile;
    return build;
}

std::string dockerfile_named(const Command& command) {
    const auto build = docker_build_of(command, {});
    return build ? build->file : "";
}

}  // namespace ptxguard::recipes
