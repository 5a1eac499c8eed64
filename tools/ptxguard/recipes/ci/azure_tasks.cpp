// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/azure_tasks.hpp"

#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

using Value = std::function<Written(const Tree& input)>;

Written command_at(Written at, std::string text) {
    at.text = std::move(text);
    return at;
}

Written of_file(const Tree& inputs, const Value& value) {
    const Written file = value(inputs["filePath"] ? inputs["filePath"] : inputs["scriptPath"]);
    if (!file || !file.known) return {};
    return command_at(file, "bash " + file.text + " " + value(inputs["arguments"]).text);
}

Written of_compose(const Tree& inputs, const Value& value) {
    const Written file = value(inputs["dockerComposeFile"]), verb = value(inputs["dockerComposeCommand"]);
    std::string text = "docker-compose";
    if (file) text += " -f '" + file.text + "'";
    if (verb && verb.known) return command_at(verb, text + " " + verb.text);
    const Written action = value(inputs["action"]);
    if (action.text != "Build services" && action.text != "Run services") return {};
    return command_at(action, text + (action.text[0] == 'B' ? " build" : " up"));
}

Written of_docker(const Tree& inputs, const Value& value) {
    const Written verb = value(inputs["command"]);
    if (verb.text != "build") return {};
    const Tree& named = inputs["Dockerfile"] ? inputs["Dockerfile"] : inputs["dockerfile"];
    std::string file = named ? value(named).text : "Dockerfile";
    if (starts_with(file, "**/")) file.erase(0, 3);
    const Written context = value(inputs["buildContext"]);
    const std::string folder = context && context.text != "**" ? context.text : parent_path(file);
    return command_at(verb, "docker build -f '" + file + "' " + value(inputs["arguments"]).text + " '" +
                                (folder.empty() ? "." : folder) + "'");
}

}  // namespace

Written command_of_task(const std::string& task, const Tree& inputs, const Value& value) {
    if (task == "bash" || task == "shellscript") return of_file(inputs, value);
    if (task == "dockercompose") return of_compose(inputs, value);
    return task == "docker" ? of_docker(inputs, value) : Written{};
}

}  // namespace ptxguard::recipes
