// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_wrappers.hpp"

#include <algorithm>
#include <iterator>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/context_files.hpp"
#include "recipes/base/env_files.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/activation.hpp"
#include "recipes/shell/shell_run.hpp"
#include "recipes/shell/shell_scripts.hpp"

namespace ptxguard::recipes {
namespace {

// `bash -euxo pipefail -c TEXT`: the index of TEXT; nothing for `bash FILE`.
std::size_t text_of_shell(const std::vector<Written>& words, std::size_t i) {
    bool text = false;
    for (++i; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        const bool option = word.size() > 1 && (word[0] == '-' || word[0] == '+');
        if (!option) return text ? i : words.size();
        if (starts_with(word, "--")) continue;
        text = text || (word[0] == '-' && word.find('c') != std::string::npos);
        if (word.back() == 'o' || word.back() == 'O') ++i;
    }
    return words.size();
}

// `cmd /S /C TEXT`, `powershell -NoProfile -Command TEXT`.
std::size_t text_of_windows_shell(const std::vector<Written>& words, std::size_t i, ShellKind kind) {
    for (++i; i < words.size(); ++i) {
        const std::string option = lower(words[i].text);
        const bool takes = kind == ShellKind::cmd ? option == "/c" || option == "/k"
                                                  : option == "-command" || option == "-c";
        if (takes) return i + 1;
    }
    return words.size();
}

}  // namespace

bool is_posix_shell(std::string_view word) {
    const std::string name = program_name(word);
    for (const char* one : {"sh", "bash", "dash", "ash", "zsh", "ksh"})
        if (name == one) return true;
    return false;
}

std::string program_of_script(std::string_view text) {
    if (!starts_with(text, "#!")) return "";
    const auto words = split(text.substr(2, text.find('\n') - 2), " \t\r");
    if (words.empty()) return "";
    std::size_t i = file_name(words[0]) == "env" ? 1 : 0;
    while (i + 1 < words.size() && words[i][0] == '-') ++i;
    return i < words.size() ? file_name(words[i]) : "";
}

ShellKind shell_kind(std::string_view word) {
    const std::string name = program_name(word);
    if (name == "cmd") return ShellKind::cmd;
    return name == "powershell" || name == "pwsh" ? ShellKind::powershell : ShellKind::posix;
}

std::optional<ShellKind> shell_of_setting(std::string_view setting, ShellKind usual) {
    const std::vector<std::string> words = split(setting, " ");
    if (words.empty()) return usual;
    const ShellKind kind = shell_kind(words[0]);
    if (kind != ShellKind::posix || is_posix_shell(words[0])) return kind;
    for (const std::string& word : words) {
        const std::string program = program_name(word);
        const std::string name = program.substr(0, program.find_last_not_of("0123456789.") + 1);
        if (is_one_of(name, {"python", "pypy", "julia", "perl", "ruby", "rscript", "node", "php", "cmake"}))
            return std::nullopt;
    }
    return kind;
}

bool runs_package_installer(const std::vector<Written>& words) {
    if (words.size() < 4) return false;
    const std::string program = program_name(words[1].text), name = lower(words[0].text);
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != npos) return false;
    const bool python = starts_with(program, "python") && words[2].text == "-m" && words.size() > 4;
    const std::size_t at = python ? 3 : 1;
    const std::string installer = program_name(words[at].text);
    const bool uv = installer == "uv" && words[at + 1].text == "pip" && words.size() > at + 3;
    if (!uv && !is_one_of(installer, {"pip", "pip3", "conda", "mamba", "micromamba"})) return false;
    if (words[at + (uv ? 2 : 1)].text != "install") return false;
    for (const char* part : {"run", "invoke", "exec", "retry", "try", "quiet", "check", "safe", "wait"})
        if (name.find(part) != npos) return true;
    return false;
}

namespace {

bool installs_packages(const std::vector<Written>& words) {
    const std::string program = program_name(words[0].text);
    return starts_with(program, "pip") || starts_with(program, "python") || program == "uv";
}

// The words that a file's lines become for pip, which reads the file itself in the same way, but for options.
void add_file(const Written& file, std::vector<Written>& words) {
    words.push_back(file);
    words.back().text = k_file_of_arguments;
    words.push_back(file);
}

// apt-get install, sudo dnf install, apk add
bool installs_for_system(const std::vector<Written>& words) {
    const std::size_t first = words[0].text == "sudo" && words.size() > 1 ? 1 : 0;
    return is_one_of(program_name(words[first].text),
                     {"apt", "apt-get", "apt-fast", "aptitude", "dnf", "microdnf", "yum", "zypper", "apk"}) &&
           any_of(words, [](const Written& word) {
               return is_one_of(word.text, {"install", "in", "add"});
           });
}

// The words of a list of packages; one that is not known where the list is not.
void add_listed(const FileText* list, const Written& at, std::vector<Written>& words) {
    constexpr std::size_t k_longest_list = 2048;
    if (!list || !list->known || list->text.size() > k_longest_list) {
        words.push_back(at);
        words.back().text = "$(xargs)";
        words.back().known = false;
        return;
    }
    Written word = at;
    word.file = list->file;
    word.line = list->lines_before;
    word.fixed = at.fixed && list->fixed;
    for (const std::string_view line : lines_of(list->text)) {
        ++word.line;
        for (const std::string& one : split(std::string(line), " \t\r")) {
            word.text = one;
            word.column = static_cast<int>(line.find(one)) + 1;
            words.push_back(word);
        }
    }
}

struct Xargs {
    std::vector<Written> inner;  // the command that it starts
    Written file;
    std::string replaced;  // -I: the text that each argument replaces
};
Xargs read_xargs(const std::vector<Written>& words) {
    static const std::vector<OptionForm> options = {
        {"-a --arg-file"},  {"-d --delimiter"}, {"-E"}, {"-I"}, {"-L"}, {"-n --max-args"},
        {"-P --max-procs"}, {"-s --max-chars"}};
    Xargs xargs;
    for (const Argument& argument : split_arguments(words, 1, options, false)) {
        if (argument.option == "--arg-file") xargs.file = argument.value;
        if (argument.option == "-I") xargs.replaced = argument.value.text;
        if (!argument.option.empty()) continue;
        xargs.inner.assign(words.begin() + static_cast<std::ptrdiff_t>(argument.index), words.end());
        break;
    }
    for (Written& word : xargs.inner)
        if (!xargs.replaced.empty() && word.text.find(xargs.replaced) != npos) word.known = false;
    return xargs;
}

bool is_echoed(const Written& word) { return !starts_with(word.text, "-") && word.text.find("%s") == npos; }

// The word that the arguments replace; false: there is none, or it is part of one.
bool takes_out(const std::string& replaced, std::vector<Written>& words) {
    const auto whole =
        std::find_if(words.begin(), words.end(), [&](const Written& word) { return word.text == replaced; });
    if (whole == words.end()) return false;
    words.erase(whole);
    return true;
}

}  // namespace

std::vector<Written> words_of_xargs(const std::vector<Written>& words, const std::vector<Written>& piped,
                                    const FileText* list) {
    auto [inner, file, replaced] = read_xargs(words);
    if (!inner.empty() && installs_for_system(inner)) {
        add_listed(file || !replaced.empty() ? nullptr : list, words[0], inner);
        return inner;
    }
    if (inner.empty() || !installs_packages(inner)) return words;
    const std::string program = piped.empty() ? "" : program_name(piped[0].text);
    const bool echo = is_one_of(program, {"echo", "printf"});
    // `cat FILE`, `grep -v '^#' FILE`: the last word.
    if (piped.size() > 1 && is_one_of(program, {"cat", "grep", "sed", "egrep", "awk", "tr"}))
        file = piped.back();
    if (!echo && !file) return inner;
    if (!replaced.empty() && !takes_out(replaced, inner)) return inner;
    if (echo)
        std::copy_if(piped.begin() + 1, piped.end(), std::back_inserter(inner), is_echoed);
    else
        add_file(file, inner);
    return inner;
}

Wrapped without_wrappers(const Command& command) {
    Wrapped inner;
    const std::vector<Written>& words = command.words;
    // The reader for `conda run` handles its command, as it handles environments.
    Prefixed prefixed = behind_prefixes(words, false);
    const std::size_t i = inner.begin = prefixed.begin;
    inner.variables = std::move(prefixed.variables);
    if (i == words.size()) return inner;
    if (i == 0 && runs_package_installer(words)) {
        inner.begin = 1;
        return inner;
    }
    inner.shell = shell_kind(words[i].text);
    if (is_posix_shell(words[i].text))
        inner.shell_text = text_of_shell(words, i);
    else if (inner.shell != ShellKind::posix)
        inner.shell_text = text_of_windows_shell(words, i, inner.shell);
    return inner;
}

void unwrap(Command& command, const Wrapped& inner) {
    command.words.erase(command.words.begin(),
                        command.words.begin() + static_cast<std::ptrdiff_t>(inner.begin));
    append(command.variables, inner.variables);
}

namespace {

// "NAME=VALUE", "NAME"
SetVariable variable_in(const Written& word) {
    const std::size_t equals = word.text.find('=');
    SetVariable variable{word.text.substr(0, equals), word};
    if (equals == npos)
        variable.value.known = false;
    else
        variable.value.text.erase(0, equals + 1);
    return variable;
}

}  // namespace

std::optional<InContainer> container_command(const std::vector<Written>& words) {
    static const std::vector<OptionForm> options = {
        {"-v --volume"},    {"-e --env"},      {"-w --workdir"}, {"-u --user"},  {"-p --publish"},
        {"-m --memory"},    {"-h --hostname"}, {"-l --label"},   {"-B --bind"},  {"-H --home"},
        {"--name"},         {"--gpus"},        {"--ipc"},        {"--shm-size"}, {"--network"},
        {"--net"},          {"--entrypoint"},  {"--env-file"},   {"--mount"},    {"--runtime"},
        {"--ulimit"},       {"--device"},      {"--cpus"},       {"--platform"}, {"--pull"},
        {"--restart"},      {"--pwd"},         {"--overlay"},    {"--add-host"}, {"--cap-add"},
        {"--security-opt"}, {"--group-add"},   {"--log-driver"}, {"--pid"},      {"--memory-swap"}};
    if (words.size() < 4) return std::nullopt;
    const std::string program = program_name(words[0].text), &verb = words[1].text;
    const bool docker = is_one_of(program, {"docker", "podman", "nerdctl"});
    const bool singularity = is_one_of(program, {"singularity", "apptainer"});
    if (docker ? !is_one_of(verb, {"run", "exec"}) : !singularity || verb != "exec") return std::nullopt;
    InContainer inside;
    for (const Argument& argument : split_arguments(words, 2, options, false)) {
        if (argument.option == "--env") inside.variables.push_back(variable_in(argument.value));
        if (argument.option == "--env-file") inside.environment_files.push_back(argument.value);
        if (is_one_of(argument.option, {"--volume", "--bind"})) inside.mounts.push_back(argument.value);
        if (is_one_of(argument.option, {"--workdir", "--pwd"})) inside.folder = argument.value;
        if (is_one_of(argument.option, {"--gpus", "--nv"})) inside.gpu = words[argument.index];
        if (!argument.option.empty()) continue;
        if (singularity || verb == "run") inside.image = argument.value;
        inside.begin = argument.index + 1;
        inside.environment = "container-" + replace_all(replace_all(argument.value.text, "/", "-"), ":", "-");
        return inside.begin < words.size() ? std::optional<InContainer>(std::move(inside)) : std::nullopt;
    }
    return std::nullopt;
}

std::vector<Step> read_command(std::vector<Written> words, Shell& shell) {
    Command command;
    command.words = std::move(words);
    const Wrapped inner = without_wrappers(command);
    if (inner.shell_text < command.words.size()) {
        const PlacedText text(command.words[inner.shell_text]);
        const ShellKind before = shell.kind;
        shell.kind = inner.shell;
        std::vector<Step> steps = read_shell(text, shell);
        shell.kind = before;
        return steps;
    }
    unwrap(command, inner);
    if (command.words.empty()) return {};
    if (auto called = called_script(command, shell); called && shell.depth < k_deepest_container) {
        called->path.clear();
        return run_nested(nested_script(*called, command), shell);
    }
    std::vector<Step> steps;
    emit(std::move(command), shell, steps);
    return steps;
}

namespace {

// What `HOST:FOLDER` binds; nothing for folders of the machine and for volumes.
std::optional<ContextFiles::Copy> mount_of(const Written& word, const std::string& folder) {
    const std::vector<std::string> parts = split_fields(word.text, ':');
    if (parts.size() < 2) return std::nullopt;
    std::string host = parts[0];
    for (const char* here : {"$(pwd)", "`pwd`", "${PWD}", "$PWD"})
        if (starts_with(host, here)) host.replace(0, std::string_view(here).size(), ".");
    if (starts_with(host, k_workspace))
        return ContextFiles::Copy{{"." + host.substr(k_workspace.size())}, parts[1], true};
    if (host.find('$') != npos || host[0] != '.') return std::nullopt;
    return ContextFiles::Copy{{join_path(folder, host)}, parts[1], true};
}

}  // namespace

std::vector<Step> run_in_container(const Command& command, const InContainer& inside, Shell& shell) {
    Shell inner;
    inner.folder = shell.folder;
    inner.starts_in = shell.starts_in;
    inner.written = shell.written;
    inner.depth = shell.depth + 1;
    ContextFiles mounted(shell.files);
    for (const Written& word : inside.mounts)
        if (auto mount = mount_of(word, shell.folder)) mounted.add(std::move(*mount));
    const std::string start = inside.folder.known ? inside.folder.text : "";
    inner.in_image = true;
    // A folder that is bound in another way is taken for that of the shell.
    inner.files = shell.files.instead([&](const std::string& path, const Written& by) {
        auto file = mounted.read(path, start, by);
        const bool elsewhere = file || !shell.files || is_absolute(path, System::linux_);
        return elsewhere ? file : shell.files(path, by);
    });
    std::vector<SetVariable> given;
    for (const Written& file : inside.environment_files)
        if (const auto text = file.known ? file_named_by(file, file.text, shell) : std::nullopt)
            append(given, variables_in(*text));
    append(given, inside.variables);
    for (const SetVariable& one : given) {
        const Written* outer = one.value.known ? &one.value : shell.variables.exported_value(one.name);
        Variable variable{outer ? *outer : Written{}};
        variable.exported = variable.assigned_here = true;
        if (outer) inner.variables.set(one.name, std::move(variable));
    }
    const bool starts = inside.image && inside.image.known;
    if (!starts) activate(inside.environment, inner.variables);
    const auto begin = command.words.begin() + static_cast<std::ptrdiff_t>(inside.begin);
    Command container;  // with its image
    container.words = {command.words.begin(), begin};
    std::vector<Step> steps;
    emit(std::move(container), shell, steps);
    std::vector<Step> own = read_command({begin, command.words.end()}, inner);
    shell.problems.take(inner.problems);
    if (starts) {
        steps.push_back(in_container(inside.image, std::move(own), inside.gpu));
        return steps;
    }
    std::move(own.begin(), own.end(), std::back_inserter(steps));
    return steps;
}

}  // namespace ptxguard::recipes
