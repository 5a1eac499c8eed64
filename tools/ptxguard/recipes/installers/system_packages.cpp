// "name=version" (apt, zypper, apk), "name-version-release.arch" (dnf, yum, tdnf), "--version" (choco,
// winget).
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/system_packages.hpp"

#include <algorithm>
#include <cctype>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

enum class Form { equals, rpm, option };
struct Manager {
    const char* programs;  // separated by blanks
    const char* verbs;
    Form form;
    std::vector<OptionForm> options;
};

const std::vector<Manager>& managers() {
    static const std::vector<Manager> table = {
        {" apt apt-get aptitude apt-fast nala ",
         " install reinstall ",
         Form::equals,
         {{"-o --option"},
          {"-t --target-release --default-release"},
          {"-c --config-file"},
          {"-a --host-architecture"}}},
        {" dnf yum microdnf tdnf dnf5 ",
         " install in upgrade update reinstall ",
         Form::rpm,
         {{"--enablerepo"},
          {"--disablerepo"},
          {"--repo --repoid"},
          {"--repofrompath"},
          {"-x --exclude"},
          {"--setopt"},
          {"--installroot"},
          {"--releasever"},
          {"--forcearch"},
          {"-c --config"},
          {"--comment"}}},
        {" zypper ",
         " install in ",
         Form::equals,
         {{"-r --repo --from"}, {"-t --type"}, {"-R --root"}, {"--reposd-dir -D"}, {"-c --config"}}},
        {" apk ",
         " add ",
         Form::equals,
         {{"-X --repository"}, {"-t --virtual"}, {"-p --root"}, {"--repositories-file"}, {"--arch"}}},
        {" choco chocolatey choco.exe ",
         " install upgrade ",
         Form::option,
         {{"--version"}, {"-s --source"}, {"--ia --install-arguments"}, {"--params --package-parameters"}}},
        {" winget winget.exe ",
         " install upgrade ",
         Form::option,
         {{"-v --version"},
          {"-s --source"},
          {"--id"},
          {"--scope"},
          {"-e --exact", false},
          {"-l --location"}}},
    };
    return table;
}

// "libcudnn8=8.6.0.163-1+cuda11.8", "cuda-toolkit-12-4:amd64", "cuda/unstable", "pkg~1.2", "pkg>=1".
AptPackage with_equals(const Written& word) {
    const std::string& text = word.text;
    const std::size_t end = std::min(text.find_first_of("=<>~/"), text.size());
    AptPackage package{text.substr(0, std::min(text.find(':'), end)), "", word};
    const std::size_t equals = text.find_first_not_of("=<>~", end);
    if (end < text.size() && text[end] == '=' && equals != std::string::npos)
        package.version = text.substr(equals);
    return package;
}

// "libcudnn8-8.9.7.29-1.cuda12.2.x86_64": the version is the first part with a dot that starts with a digit.
AptPackage of_rpm(const Written& word) {
    std::string text = word.text;
    for (const char* arch : {".x86_64", ".aarch64", ".noarch", ".sbsa", ".ppc64le", ".i686"})
        if (ends_with(text, arch)) text.resize(text.size() - std::string_view(arch).size());
    AptPackage package{text, "", word};
    for (std::size_t dash = text.find('-'); dash != std::string::npos; dash = text.find('-', dash + 1)) {
        const std::size_t end = std::min(text.find('-', dash + 1), text.size());
        const std::string part = text.substr(dash + 1, end - dash - 1);
        if (part.empty() || !std::isdigit(static_cast<unsigned char>(part[0])) ||
            part.find('.') == std::string::npos)
            continue;
        package.name = text.substr(0, dash);
        package.version = text.substr(dash + 1);
        break;
    }
    return package;
}

// choco's "cuda" and winget's "Nvidia.CUDA" are the same toolkit.
AptPackage of_windows(const Written& word) {
    std::string name = lower(word.text);
    if (name == "nvidia.cuda") name = "cuda";
    return {name, "", word};
}

bool changes_held(const Command& command) {
    return any_of(command.words, [](const Written& word) {
        return is_one_of(word.text, {"--allow-change-held-packages", "--force-yes", "--ignore-hold"});
    });
}

std::optional<AptInstall> read_install(const Command& command, std::string_view verbs) {
    const std::string program = " " + lower(file_name(command.words.front().text)) + " ";
    for (const Manager& manager : managers()) {
        if (std::string_view(manager.programs).find(program) == std::string_view::npos) continue;
        AptInstall install;
        bool verb = false;
        std::string version;  // of all packages
        for (const Argument& argument : split_arguments(command.words, 1, manager.options, false)) {
            if (manager.form == Form::option && argument.option == "--version") version = argument.value.text;
            if (manager.form == Form::option && argument.option == "--id")
                install.packages.push_back(of_windows(argument.value));
            if (!argument.option.empty()) continue;
            const std::string& text = argument.value.text;
            if (!verb) {
                const std::string_view own = verbs.empty() ? manager.verbs : verbs;
                if (own.find(" " + text + " ") == std::string_view::npos) return std::nullopt;
                verb = true;
            } else if (manager.form == Form::option) {
                install.packages.push_back(of_windows(argument.value));
            } else if (text.find('/') != std::string::npos && text[0] != '/' && text[0] != '.') {
                install.packages.push_back(with_equals(argument.value));  // apt's NAME/SUITE
            } else if (!text.empty() && text[0] != '/' && text[0] != '.' && text[0] != '@') {
                install.packages.push_back(manager.form == Form::rpm ? of_rpm(argument.value)
                                                                     : with_equals(argument.value));
            }
        }
        if (!verb) return std::nullopt;
        if (!version.empty())
            for (AptPackage& package : install.packages) package.version = version;
        install.whole = whole_of(command);
        install.manager = trim(program);
        install.changes_held = changes_held(command);
        return install;
    }
    return std::nullopt;
}

}  // namespace

std::optional<AptInstall> read_system_install(const Command& command) { return read_install(command, ""); }

AptInstall read_system_removal(const Command& command) {
    const auto removal = command.words.empty() ? std::nullopt : read_install(command, " remove purge ");
    return removal ? *removal : AptInstall{};
}

}  // namespace ptxguard::recipes
