// Parses the command line with CLI11 (only this translation unit includes it), adds variables and
// configuration, and calls the subcommand.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <new>

#include "commands/about.hpp"
#include "commands/cmake_words.hpp"
#include "commands/command.hpp"
#include "commands/deliver.hpp"
#include "commands/help.hpp"
#include "commands/here.hpp"
#include "commands/options.hpp"
#include "expect/declared.hpp"
#include "host/host.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"
#include "probe/probe.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

using Given = std::map<std::string, std::vector<std::string>>;

int usage(const std::string& who, const std::string& text) {
    own::complain(who + ": " + text);
    return exit_usage;
}

// What the user wrote: the option, or the variable of CMake that the module passes on with it.
Origin given_by(const Given& given, const std::string& name) {
    std::string variable;
    if (given.count("from-cmake") != 0) {
        const auto list = given.find("arch-origin");
        variable = cmake_variable(name, list == given.end() ? "" : list->second.back());
    }
    return Origin::from_option(variable.empty() ? "--" + name : variable);
}

void add_options(CLI::App& app, unsigned command, Given& given) {
    for (const OptionSpec& option : option_table()) {
        if (!(option.taken_by & command)) continue;
        std::string names = std::string("--") + option.name;
        if (*option.short_name) names = std::string("-") + option.short_name + "," + names;
        std::string name = option.name;
        CLI::Option* added;
        if (option.kind == OptionKind::flag) {
            added = app.add_flag_callback(
                names, [&given, name] { given[name] = {"1"}; }, option.help);
        } else {
            added = app.add_option(
                names,
                [&given, name](const CLI::results_t& values) {
                    given[name] = values;
                    return true;
                },
                option.help);
            added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->type_name(option.value);
        }
    }
}

// "FILE..." accepts several; the command checks how many it needs.
void add_arguments(CLI::App& app, std::string names, Settings& settings) {
    if (names.empty()) return;
    const bool several = ends_with(names, "...");
    if (several) names.resize(names.size() - 3);
    app.add_option(names, settings.arguments)->expected(0, several ? -1 : 1)->type_name("");
}

std::vector<std::string> long_names(unsigned command) {
    std::vector<std::string> names{"--help"};
    for (const OptionSpec& option : option_table())
        if (option.taken_by & command) names.push_back(std::string("--") + option.name);
    return names;
}

std::optional<Trouble> add_other_sources(Settings& settings) {
    auto machine = real_host();
    if (auto trouble = add_environment(settings, machine->environment())) return trouble;
    if (settings.has("config")) {
        auto text = machine->read(settings.one("config"));
        if (!text) return text.trouble();
        return add_configuration(settings, settings.one("config"), *text);
    }
    if (settings.has("isolated")) return std::nullopt;
    const auto start = machine->real_path(".");
    auto nearest = nearest_configuration(*machine, start ? *start : "", own::author_of);
    if (!nearest) return nearest.trouble();
    for (const Trouble& passed_over : nearest->passed_over) own::complain("ptxguard: " + passed_over.text());
    if (nearest->path.empty()) return std::nullopt;
    if (auto trouble = add_configuration(settings, nearest->path, nearest->text, true)) return trouble;
    const Configuration& taken = settings.configuration;
    std::string keys;
    for (const std::string& key : taken.not_taken) keys += (keys.empty() ? "" : ", ") + key;
    if (!keys.empty())
        own::complain("ptxguard: " + taken.path + ": ignored keys: " + keys +
                      ": a configuration file that was found automatically cannot choose programs or "
                      "libraries, suppress findings or lower --fail-on; use --config " +
                      taken.path + " to apply them");
    return std::nullopt;
}

// Suggestion for a word given to a command without arguments, or an option that other tools have.
std::string meant_by(const std::string& command, const std::string& word) {
    static const std::pair<const char*, const char*> k_options[] = {
        {"--json", "--format json"},      {"--cuda", "--toolkit DIR"},
        {"--cuda-home", "--toolkit DIR"}, {"--torch", "--framework torch==VERSION"},
        {"--no-color", "--color never"},  {"--strict", "--fail-on warning"}};
    std::string meant;
    for (const auto& [option, use] : k_options)
        if (word == option) meant = use;
    if (command == "check" && ends_with(word, ".txt"))
        return "; it takes no files (--framework NAME==VERSION)";
    if ((command == "check" || command == "plan") && !starts_with(word, "-")) {
        if (parse_framework(word))
            meant = "--framework " + word;
        else if (ends_with(word, ".so") || ends_with(word, ".dll"))
            return ", did you mean 'ptxguard inspect'?";
    }
    return meant.empty() ? "" : ", did you mean '" + meant + "'?";
}

std::string parse_error(const CLI::App& app, const std::string& name, unsigned command,
                        const CLI::ParseError& error) {
    auto left = app.remaining();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) && !left.empty()) {
        std::string word = left.front().substr(0, left.front().find('='));
        if (starts_with(word, "-")) {
            const std::string meant = meant_by(name, word);
            return "unknown option '" + word + "'" +
                   (meant.empty() ? did_you_mean(word, long_names(command)) : meant);
        }
        if (name == "run") return "put -- before the command: ptxguard run -- " + left.front();
        return "unexpected argument '" + left.front() + "'" + meant_by(name, left.front());
    }
    std::string text = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
        return text.substr(0, text.find(':')) + " needs a value";
    return text.substr(0, text.find('\n'));
}

int run(const CommandSpec& command, std::vector<std::string> arguments) {
    std::string who = std::string("ptxguard ") + command.name;
    CLI::App app(command.help, who);
    app.allow_windows_style_options(false);
    Settings settings;
    settings.judges_recipes = command.takes == by_lint;
    Given given;
    add_options(app, command.takes, given);
    if (!command.passes_on) add_arguments(app, command.arguments, settings);
    const auto own_end =
        command.passes_on ? std::find(arguments.begin(), arguments.end(), "--") : arguments.end();
    const std::vector<std::string> passed_on(own_end == arguments.end() ? own_end : own_end + 1,
                                             arguments.end());
    arguments.erase(own_end, arguments.end());
    try {
        std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
        app.parse(arguments);
    } catch (const CLI::CallForHelp&) {
        own::print(help_text(command, width_of_output(*real_host())));
        return exit_ok;
    } catch (const CLI::ParseError& error) {
        return usage(who, parse_error(app, command.name, command.takes, error));
    }
    for (const std::string& argument : settings.arguments)
        if (argument.empty()) return usage(who, "an argument is empty");
    if (command.passes_on) settings.arguments = passed_on;
    for (auto& [name, values] : given)
        if (auto trouble = set_option(settings, name, values, given_by(given, name)))
            return usage(who, trouble->text());
    if (settings.has("schema")) return own::print(report_schema()), exit_ok;
    if (command.takes != by_none)
        if (auto trouble = add_other_sources(settings)) return usage(who, trouble->text());
    return settings.has("list-gpus") ? list_gpus(settings) : command.run(settings);
}

// Next to the installed program, or in the source tree that it was built from.
int print_cmake_folder() {
    auto machine = real_host();
    std::string folder = parent_path(parent_path(own::executable_path()));
    std::string modules = join_path(folder, "share/cmake/CudaConsistent");
    if (machine->status(join_path(modules, "FindCudaConsistent.cmake")).type != FileType::regular)
        return usage("ptxguard", "--cmake-dir: " + modules + " contains no FindCudaConsistent.cmake");
    own::print(visible(modules) + "\n");
    return exit_ok;
}

int dispatch(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        own::print_error(overview_text(width_of_output(*real_host())));
        return exit_usage;
    }
    const std::string& first = arguments.front();
    const auto is = [&](std::initializer_list<std::string_view> words) { return contains(words, first); };
    const auto named = [](const std::string& name) {
        return first_where(command_table(), [&](const CommandSpec& one) { return name == one.name; });
    };
    std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (is({"--child"})) return child_main(rest);
    if (is({"--version", "-V", "version"})) return own::print(version_text()), exit_ok;
    if (is({"--schema", "--list-gpus"})) return run(command_table().front(), arguments);
    if (is({"--cmake-dir"})) return print_cmake_folder();
    if (is({"help"}) && rest.size() == 1) {
        if (const CommandSpec* command = named(rest.front())) return run(*command, {"--help"});
        return usage("ptxguard",
                     "unknown command '" + rest.front() + "'" + did_you_mean(rest.front(), command_names()));
    }
    if (is({"--help", "-h", "help"}))
        return own::print(overview_text(width_of_output(*real_host()))), exit_ok;
    if (const CommandSpec* command = named(first)) return run(*command, rest);
    const char* kind = starts_with(first, "-") ? "option" : "command";
    return usage("ptxguard",
                 std::string("unknown ") + kind + " '" + first + "'" + did_you_mean(first, command_names()));
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
    try {
        const int code = dispatch(arguments);
        const auto trouble = own::finish_printing();
        if (!trouble) return code;
        own::complain("ptxguard: " + trouble->text());
    } catch (const std::bad_alloc&) {
        std::fputs("ptxguard: internal error: out of memory\n", stderr);
    } catch (const std::exception& error) {
        own::complain(std::string("ptxguard: internal error: ") + error.what());
    }
    return exit_own_failure;
}

}  // namespace ptxguard
