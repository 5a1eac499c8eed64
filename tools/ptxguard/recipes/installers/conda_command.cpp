// Requested packages and channels, highest priority first.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/conda_command.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/installers/conda_environment.hpp"
#include "recipes/installers/match_spec.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

const std::vector<OptionForm>& options() {
    static const std::vector<OptionForm> table = {
        {"-n --name"},
        {"-p --prefix"},
        {"-f --file"},
        {"-c --channel"},
        {"--override-channels", false},
        {"--clone"},
        {"--revision"},
        {"--repodata-fn"},
        {"--solver --experimental-solver"},
        {"--subdir --platform"},
        {"--root-prefix -r"},
        {"--rc-file"},
        {"--category"},
        {"--channel-priority"},
        {"--add"},
        {"--append"},
        {"--prepend"},
        {"--set"},
        {"--remove"},
        {"--env", false},
    };
    return table;
}

constexpr Limit k_most_spec_files{50, "files of one conda command", "later files"};

void add_channels(std::vector<std::string>& channels, const std::string& list) {
    for (std::string& channel : split(list, ", ")) channels.push_back(std::move(channel));
}

// `conda config --add channels X`: as the variable that conda reads in addition to its files.
std::optional<std::vector<Step>> read_config(const Command& command, const Inherited& inherited) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, options(), true);
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
        const Argument& change = arguments[i];
        const bool first = change.option == "--add" || change.option == "--prepend";
        if ((!first && change.option != "--append") || change.value.text != "channels") continue;
        const Written* old = inherited.variable("CONDA_CHANNELS");
        const std::string others = old ? old->text : "defaults";
        Written value = arguments[i + 1].value;
        value.text = first ? value.text + "," + others : others + "," + value.text;
        return std::vector<Step>{SetVariable{"CONDA_CHANNELS", value, true}};
    }
    return std::nullopt;
}

// `conda env create -f environment.yml`: its packages and channels; variables and `pip:` as separate steps.
void add_environment(const FileText& file, const ReadFile& files, const Inherited& inherited,
                     CondaInstall& install, std::vector<Step>& steps) {
    Recipe recipe = read_conda_environment(file.file, file.text, files);
    inherited.problems.take(recipe.problems);
    if (recipe.stages.empty()) return;
    std::vector<std::string> channels;
    for (Step& step : recipe.stages.front().steps) {
        if (auto* more = std::get_if<CondaInstall>(&step)) {
            for (CondaSpec& spec : more->specs) install.specs.push_back(std::move(spec));
            channels = more->channels;
            if (install.environment.empty()) install.environment = more->environment;
        } else {
            steps.push_back(std::move(step));
        }
    }
    // The file's channels come first.
    append(channels, install.channels);
    drop_repeated(channels);
    install.channels = std::move(channels);
    for (Step& step : steps)
        if (auto* pip = std::get_if<PipInstall>(&step)) pip->environment = install.environment;
}

// --channel, --name, --file; the files of `conda env` are in `files`.
void read_options(const std::vector<Argument>& arguments, const Inherited& inherited, CondaInstall& install,
                  std::vector<Written>& files) {
    bool only_these = false;
    for (const Argument& argument : arguments) {
        const std::string& option = argument.option;
        if (option == "--channel") add_channels(install.channels, argument.value.text);
        if (option == "--override-channels") only_these = true;
        if (option == "--name" || option == "--prefix")
            install.environment = environment_name(argument.value.text, inherited.folder);
        if (option == "--file" &&
            !inherited.problems.exceeds(k_most_spec_files, files.size() + 1, argument.value))
            files.push_back(argument.value);
    }
    if (!only_these) {
        const Written* more = inherited.variable("CONDA_CHANNELS");
        add_channels(install.channels, more ? more->text : "defaults");
    }
    drop_repeated(install.channels);
}

// conda starts pip in the folder of the file.
ReadFile files_beside(const std::string& folder, const ReadFile& files) {
    return files.instead([folder, &files](const std::string& path, const Written& by) {
        return files(join_path(folder, path), by);
    });
}

void read_specs_of(const Written& name, const ReadFile& files, const Inherited& inherited,
                   CondaInstall& install, std::vector<Step>& steps) {
    const auto file = files && name.known ? files(name.text, name) : std::nullopt;
    if (!file)
        inherited.problems.push_back(not_in_repository(name));
    else if (!ends_with(name.text, ".yml") && !ends_with(name.text, ".yaml"))
        read_spec_list(*file, install);
    else
        add_environment(*file, files_beside(parent_path(name.text), files), inherited, install, steps);
}

// CONDA_OVERRIDE_CUDA: the driver that the solver may assume.
void add_assumed_driver(const Inherited& inherited, CondaInstall& install) {
    const Written* driver = inherited.variable("CONDA_OVERRIDE_CUDA");
    if (!driver || !*driver) return;
    install.specs.emplace_back();
    install.specs.back().name = "__cuda";
    install.specs.back().version = ">=" + driver->text;
    install.specs.back().whole = *driver;
}

// `conda env create`
bool is_env(const std::vector<const Argument*>& operands) {
    return operands.front()->value.text == "env" && operands.size() > 1 &&
           is_one_of(operands[1]->value.text, {"create", "update"});
}

void read_operands(const std::vector<const Argument*>& operands, bool env, CondaInstall& install) {
    for (std::size_t i = env ? 2 : 1; i < operands.size(); ++i) {
        const Written& word = operands[i]->value;
        if (!word.known && word.text.find('$') == 0) install.channels.push_back(word.text);  // or packages
        if (!env) install.specs.push_back(read_match_spec(word));
    }
}

}  // namespace

std::optional<std::vector<Step>> read_conda_command(const Command& command, const ReadFile& files,
                                                    const Inherited& inherited) {
    const std::string program = lower(file_name(command.words.front().text));
    if (!is_one_of(program, {"conda", "mamba", "micromamba", "conda.exe"})) return std::nullopt;
    const std::vector<Argument> arguments = split_arguments(command.words, 1, options(), true);
    const std::vector<const Argument*> operands = operands_of(arguments);
    if (operands.empty()) return std::nullopt;
    const std::string verb = operands.front()->value.text;
    if (verb == "config") return read_config(command, inherited);
    const bool env = is_env(operands);
    if (!env && !is_one_of(verb, {"install", "create", "update", "upgrade"})) return std::nullopt;

    CondaInstall install;
    install.whole = whole_of(command);
    std::vector<Written> named;
    read_options(arguments, inherited, install, named);
    if (env && named.empty()) {
        named.push_back(operands[1]->value);
        named.back().text = "environment.yml";
    }
    read_operands(operands, env, install);
    std::vector<Step> steps;
    for (const Written& name : named) read_specs_of(name, files, inherited, install, steps);
    add_assumed_driver(inherited, install);
    if (install.environment.empty()) install.environment = active_environments(inherited);
    install.creates = verb == "create" || env;
    steps.insert(steps.begin(), std::move(install));
    return steps;
}

}  // namespace ptxguard::recipes
