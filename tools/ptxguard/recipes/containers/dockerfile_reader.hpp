// The reader of a Dockerfile: dockerfile.cpp has its instructions, dockerfile_stages.cpp its stages. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/text.hpp"
#include "recipes/base/checkouts.hpp"
#include "recipes/base/context_files.hpp"
#include "recipes/base/machines.hpp"
#include "recipes/containers/dockerfile.hpp"
#include "recipes/containers/dockerfile_lines.hpp"
#include "recipes/shell/shell_run.hpp"

namespace ptxguard::recipes {

// The environments in which a RUN in shell form starts.
struct Session {
    std::string login;         // activated by ~/.bashrc
    bool reads_login = false;  // the shell of SHELL reads that file
    std::string environment;   // SHELL ["conda", "run", "-n", "x", ...]
};

// What a stage passes to one that starts from it.
struct Left {
    Variables variables;  // ENV and ARG
    Variables env;
    std::string folder;
    ShellKind shell = ShellKind::posix;
    Checkouts checkouts;
    Settings settings;
    ContextFiles files;
    Session session;
    std::shared_ptr<const std::vector<Instruction>> on_build;  // for the stages that start from it
};

// Where the shell text of a RUN starts, and its options.
struct RunParts {
    std::size_t begin = 0;
    std::vector<ContextFiles::Copy> mounts;  // files of the context from --mount=type=bind
    std::vector<std::string> stages;         // from which other mounts take files
};

class DockerfileReader {
public:
    DockerfileReader(const std::string& file, std::string_view text, const ReadFile& files,
                     const BuildArguments& arguments, Place first)
        : m_lines(read_docker_lines(file, text, first)), m_files(files), m_arguments(arguments) {
        m_recipe.kind = RecipeKind::dockerfile;
        m_recipe.file = file;
        m_recipe.problems.take(m_lines.problems);
        if (!m_arguments.platform) m_arguments.platform = platform_of_file(file);
        if (!m_arguments.platform) return;
        Written platform = m_arguments.platform;
        m_arguments.values["TARGETPLATFORM"] = platform;
        platform.text = docker_arch(platform.text);
        m_arguments.values["TARGETARCH"] = std::move(platform);
    }

    Recipe read();

private:
    Stage* stage() { return m_recipe.stages.empty() ? nullptr : &m_recipe.stages.back(); }
    const Variables& variables() { return stage() ? m_shell.variables : m_global; }

    void instruction(const Instruction& one);

    std::vector<Range> words_of(const Instruction& one) {
        return docker_words(one.text.text, {one.rest, one.text.text.size()}, m_lines.escape);
    }
    Written value(const Instruction& one, Range range, const Variables& by);

    // "--name=VALUE" before the other words.
    static bool is_option(std::string_view word) { return starts_with(word, "--") && word.size() > 2; }
    static std::string_view option(std::string_view word, std::string_view name) {
        const bool same = word.substr(2, name.size()) == name && word.substr(2 + name.size(), 1) == "=";
        return same ? word.substr(3 + name.size()) : std::string_view();
    }

    void from(const Instruction& one);
    Variables seen_by_from() const;

    // FROM me/app-base, which base.Dockerfile builds.
    void link_base(Stage& next);
    std::optional<Recipe> base_of(const Written& image);
    void start_stage(Stage& next);

    // An ARG of the same name cannot change what the image exports.
    void add_env_of_image(const Written& image);
    void hide_global_arguments(const Written& image);
    void finish_stage();

    // NAME=VALUE: the name's length; 0 = no such word
    static std::size_t named(std::string_view word) {
        const std::size_t length = length_of_name(word);
        return length > 0 && length < word.size() && word[length] == '=' ? length : 0;
    }

    void arg(const Instruction& one);
    Written default_of(const Instruction& one, Range range, const std::string& name, std::size_t length);
    void declare(const std::string& name, Written given, bool has_default);
    static void set_for_programs(const std::string& name, const Written& value, Variables& variables);
    void env(const Instruction& one);
    void set_env(const std::string& name, const Written& given);
    void run(const Instruction& one);
    void shell_form(const Instruction& one, std::size_t begin, Shell& shell);
    RunParts run_parts(const Instruction& one);
    void take(std::vector<Step> steps, Shell& shell);
    void copy(const Instruction& one);
    void keep_needed(const std::string& target);
    void copy_from(Written from, std::vector<Written> sources, Written to);
    void work_folder(const Instruction& one) {
        const Written to = value(one, {one.rest, one.text.text.size()}, m_shell.variables);
        m_shell.folder = folder_below(m_shell.folder, std::string(trimmed(to.text)));
    }

    void shell(const Instruction& one);

    DockerLines m_lines;
    const ReadFile& m_files;
    BuildArguments m_arguments;
    std::optional<std::map<std::string, Written>> m_beside;  // values in files beside it, once needed
    Recipe m_recipe;
    Variables m_global;  // ARG before the first FROM
    std::set<std::string> m_global_names;
    Shell m_shell;                     // ENV and ARG of the stage, WORKDIR
    Variables m_env;                   // only ENV
    std::set<std::string> m_own_env;   // names that ENV sets, also to unknown values
    std::set<std::string> m_declared;  // by ARG
    std::shared_ptr<std::map<std::string, Written>> m_switches =
        std::make_shared<std::map<std::string, Written>>();
    ContextFiles m_context;
    Session m_session;
    std::vector<Instruction> m_on_build;
    std::size_t m_triggered = 0;
    std::map<std::size_t, std::vector<std::string>> m_mounts;  // by stage: those from which it takes files
    std::map<std::string, Left> m_left;                        // by name of a stage
};

}  // namespace ptxguard::recipes
