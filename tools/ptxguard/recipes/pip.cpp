// Options and variables of pip, uv, poetry and pdm, by what they change in which packages are taken from
// where.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/pip.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/requirements.hpp"

namespace ptxguard::recipes {
namespace {

const std::vector<OptionForm>& pip_options() {
    static const std::vector<OptionForm> table = {
        {"-r --requirement --requirements"},
        {"-c --constraint --constraints"},
        {"-e --editable"},
        {"-i --index-url --pypi-url"},
        {"--extra-index-url"},
        {"-f --find-links"},
        {"--no-index", false},
        {"--pre", false},
        {"--no-deps", false},
        {"--no-build-isolation", false},
        {"--no-binary"},
        {"--only-binary"},
        {"--group"},
        {"-t --target"},
        {"--prefix"},
        {"--root"},
        {"--python"},
        {"--python-version"},
        {"--platform"},
        {"--implementation"},
        {"--abi"},
        {"--src"},
        {"--upgrade-strategy"},
        {"-C --config-settings --config-setting"},
        {"--global-option"},
        {"--build-option"},
        {"--install-option"},
        {"--build-constraint"},
        {"--progress-bar"},
        {"--root-user-action"},
        {"--report"},
        {"--log"},
        {"--proxy"},
        {"--retries"},
        {"--resume-retries"},
        {"--timeout --default-timeout"},
        {"--exists-action"},
        {"--trusted-host"},
        {"--cert"},
        {"--client-cert"},
        {"--cache-dir"},
        {"--use-feature"},
        {"--use-deprecated"},
        {"--keyring-provider"},
        {"-U --upgrade", false},
        {"-q --quiet", false},
        {"-v --verbose", false},
    };
    return table;
}

const std::vector<OptionForm>& uv_options() {
    static const std::vector<OptionForm> table = {
        {"-r --requirements --requirement"},
        {"-c --constraints --constraint"},
        {"-e --editable"},
        {"-i --index-url"},
        {"--default-index"},
        {"--index"},
        {"--extra-index-url"},
        {"-f --find-links"},
        {"--index-strategy"},
        {"--torch-backend"},
        {"--prerelease"},
        {"--no-binary"},
        {"--only-binary"},
        {"--no-binary-package"},
        {"--overrides --override"},
        {"-b --build-constraints --build-constraint"},
        {"--extra"},
        {"--group"},
        {"--only-group"},
        {"--no-group"},
        {"--optional"},
        {"--package"},
        {"--no-install-package"},
        {"-p --python"},
        {"--python-version"},
        {"--python-platform"},
        {"-t --target"},
        {"--prefix"},
        {"--from"},
        {"-w --with"},
        {"--with-editable"},
        {"--with-requirements"},
        {"--directory"},
        {"--project"},
        {"--cache-dir"},
        {"--config-file"},
        {"--config-setting -C"},
        {"--config-settings-package"},
        {"--resolution"},
        {"--fork-strategy"},
        {"--exclude-newer"},
        {"--exclude-newer-package"},
        {"--keyring-provider"},
        {"--allow-insecure-host"},
        {"--trusted-host"},
        {"--link-mode"},
        {"--refresh-package"},
        {"-P --upgrade-package"},
        {"--reinstall-package"},
        {"--no-build-isolation-package"},
        {"--no-build-package"},
        {"--no-sources-package"},
        {"--env-file"},
        {"-m --marker"},
        {"--bounds"},
        {"--rev"},
        {"--tag"},
        {"--branch"},
        {"--script"},
        {"--color"},
    };
    return table;
}

void add_names(std::vector<std::string>& names, const std::string& list) {
    for (const std::string& name : split(list, ", ")) {
        if (name == ":none:")
            names.clear();
        else
            names.push_back(name);
    }
}

struct Reading {
    PipInstall install;
    const ReadFile& files;
    const Inherited& inherited;

    void file(const Written& name, bool constraints) {
        const auto text = files && name.known ? files(name.text) : std::nullopt;
        if (text)
            read_requirements(name.text, *text, constraints, files, inherited, install);
        else if (inherited.problems)
            inherited.problems->push_back({name, "was not found in the repository"});
    }

    void operand(const Written& word) {
        if (is_project(word.text))
            install.projects.push_back(word);
        else
            install.requirements.push_back(read_requirement(word));
    }

    // The options that pip, uv and their variables share.
    bool option(const std::string& name, const Written& value) {
        if (name == "--requirement" || name == "--requirements" || name == "--with-requirements")
            file(value, false);
        else if (name == "--constraint" || name == "--constraints" || name == "--overrides")
            file(value, true);
        else if (name == "--editable" || name == "--with-editable")
            operand(value);
        else if (name == "--index-url" || name == "--default-index")
            install.index = value;
        else if (name == "--extra-index-url")
            install.extra_indexes.push_back(value);
        else if (name == "--index")
            add_named_index(value);
        else if (name == "--find-links")
            install.find_links.push_back(value);
        else if (name == "--torch-backend")
            install.torch_backend = value;
        else if (name == "--index-strategy")
            install.index_strategy = value.text;
        else if (name == "--no-index")
            install.no_index = true;
        else if (name == "--pre")
            install.pre = true;
        else if (name == "--prerelease")
            install.pre = value.text == "allow";
        else if (name == "--no-deps")
            install.no_deps = true;
        else if (name == "--no-build-isolation")
            install.no_build_isolation = true;
        else if (name == "--no-binary" || name == "--no-binary-package")
            add_names(install.no_binary, value.text);
        else if (name == "--python" || name == "--python-version")
            python(value.text);
        else
            return false;
        return true;
    }

    // uv: "URL" or "NAME=URL".
    void add_named_index(const Written& value) {
        const std::size_t equals = value.text.find('=');
        const std::size_t scheme = value.text.find("://");
        const bool named = equals != std::string::npos && equals < scheme;
        install.extra_indexes.push_back(named ? part_of(value, equals + 1) : value);
    }

    // "3.11", "cpython-3.11", "/usr/bin/python3.11"; a folder of an environment says nothing of the version.
    void python(const std::string& text) {
        const std::size_t at = text.find("3.");
        if (at != std::string::npos &&
            (at == 0 || text.find_last_of("/\\") == std::string::npos || text.find_last_of("/\\") < at))
            install.python = text.substr(at);
    }

    void variable(const char* name, const char* option_name) {
        const Written* value = inherited.variable ? inherited.variable(name) : nullptr;
        if (!value || !*value) return;
        const std::string_view option_text = option_name;
        const bool several = option_text != "--index-url" && option_text != "--torch-backend";
        std::size_t at = 0;
        while (several && at < value->text.size()) {
            const std::size_t start = value->text.find_first_not_of(" \t\n", at);
            if (start == std::string::npos) return;
            const std::size_t end = std::min(value->text.find_first_of(" \t\n", start), value->text.size());
            option(option_name, part_of(*value, start, end - start));
            at = end;
        }
        if (!several) option(option_name, *value);
    }

    // A variable of pip that switches something on.
    bool truth(const char* name) const {
        const Written* value = inherited.variable ? inherited.variable(name) : nullptr;
        if (!value || !*value) return false;
        const std::string text = lower(value->text);
        return text == "1" || text == "true" || text == "yes" || text == "on" || text == "y" || text == "t";
    }
};

void read_pip_variables(Reading& reading) {
    reading.variable("PIP_INDEX_URL", "--index-url");
    reading.variable("PIP_EXTRA_INDEX_URL", "--extra-index-url");
    reading.variable("PIP_FIND_LINKS", "--find-links");
    reading.variable("PIP_NO_BINARY", "--no-binary");
    reading.variable("PIP_CONSTRAINT", "--constraint");
    reading.variable("PIP_REQUIREMENT", "--requirement");
    if (reading.truth("PIP_NO_INDEX")) reading.install.no_index = true;
    if (reading.truth("PIP_PRE")) reading.install.pre = true;
    if (reading.truth("PIP_NO_DEPS")) reading.install.no_deps = true;
}

void read_uv_variables(Reading& reading) {
    reading.variable("UV_INDEX_URL", "--index-url");
    reading.variable("UV_DEFAULT_INDEX", "--index-url");
    reading.variable("UV_INDEX", "--index");
    reading.variable("UV_EXTRA_INDEX_URL", "--extra-index-url");
    reading.variable("UV_FIND_LINKS", "--find-links");
    reading.variable("UV_CONSTRAINT", "--constraint");
    reading.variable("UV_INDEX_STRATEGY", "--index-strategy");
    reading.variable("UV_PRERELEASE", "--prerelease");
    reading.variable("UV_TORCH_BACKEND", "--torch-backend");
    if (reading.truth("UV_NO_INDEX")) reading.install.no_index = true;
    if (reading.truth("UV_NO_BUILD_ISOLATION")) reading.install.no_build_isolation = true;
}

Written whole_of(const Command& command) {
    Written whole = command.words.front();
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        whole.text += " " + command.words[i].text;
        whole.known = whole.known && command.words[i].known;
        whole.fixed = whole.fixed && command.words[i].fixed;
    }
    return whole;
}

// Of "pip3.11", "python3.11".
std::string version_in(const std::string& program) {
    const std::size_t at = program.find("3.");
    return at == std::string::npos ? "" : program.substr(at);
}

std::optional<PipInstall> read_pip(const Command& command, Reading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, pip_options(), true);
    const auto verb =
        std::find_if(arguments.begin(), arguments.end(), [](const Argument& a) { return a.option.empty(); });
    if (verb == arguments.end() || verb->value.text != "install") return std::nullopt;
    reading.install.tool = "pip";
    reading.install.python = version_in(file_name(command.words.front().text));
    read_pip_variables(reading);
    for (const Argument& argument : arguments) {
        if (argument.index == verb->index) continue;
        if (argument.option.empty())
            reading.operand(argument.value);
        else
            reading.option(argument.option, argument.value);
    }
    return std::move(reading.install);
}

std::optional<PipInstall> read_uv(const Command& command, Reading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, uv_options(), false);
    std::vector<const Argument*> operands;
    for (const Argument& argument : arguments)
        if (argument.option.empty()) operands.push_back(&argument);
    const auto verb = [&](std::size_t at) {
        return at < operands.size() ? operands[at]->value.text : std::string();
    };
    const bool pip = verb(0) == "pip" && (verb(1) == "install" || verb(1) == "sync");
    if (!pip && verb(0) != "add" && verb(0) != "sync") return std::nullopt;
    reading.install.tool = "uv";
    read_uv_variables(reading);
    for (const Argument& argument : arguments)
        if (!argument.option.empty()) reading.option(argument.option, argument.value);
    for (std::size_t at = pip ? 2 : 1; at < operands.size(); ++at) {
        if (verb(1) == "sync")
            reading.file(operands[at]->value, false);
        else
            reading.operand(operands[at]->value);
    }
    if (verb(0) == "sync") {
        Written here = command.words.front();
        here.text = ".";
        reading.install.projects.push_back(here);
    }
    return std::move(reading.install);
}

}  // namespace

std::optional<PipInstall> read_pip_command(const Command& command, const ReadFile& files,
                                           const Inherited& inherited) {
    const std::string program = lower(file_name(command.words.front().text));
    Reading reading{{}, files, inherited};
    reading.install.whole = whole_of(command);
    if (starts_with(program, "pip") && program.find_first_not_of("0123456789.", 3) == std::string::npos)
        return read_pip(command, reading);
    if (program == "uv") return read_uv(command, reading);
    return std::nullopt;
}

}  // namespace ptxguard::recipes
