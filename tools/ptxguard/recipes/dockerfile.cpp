// SPDX-License-Identifier: Apache-2.0
#include "recipes/dockerfile.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/context_files.hpp"
#include "recipes/docker_builds.hpp"
#include "recipes/dockerfile_lines.hpp"
#include "recipes/dockerfile_neighbours.hpp"
#include "recipes/environments.hpp"
#include "recipes/image_families.hpp"
#include "recipes/prefixes.hpp"
#include "recipes/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_docker_stages{1000, "Docker stages", "later stages"};
constexpr Limit k_most_triggered{5000, "instructions that ONBUILD adds", "later ones"};

// The environments in which a RUN in shell form starts.
struct Session {
    std::string login;         // activated by ~/.bashrc
    bool reads_login = false;  // the shell of SHELL reads that file
    std::string environment;   // SHELL ["conda", "run", "-n", "x", ...]
};

// What a stage passes to one that starts from it.
struct Left {
    Variables variables;  // ENV
    std::string folder;
    ShellKind shell = ShellKind::posix;
    Checkouts checkouts;
    ContextFiles files;
    Session session;
    std::shared_ptr<const std::vector<Instruction>> on_build;  // for the stages that start from it
};

// Where the shell text of a RUN starts, and its options.
struct RunParts {
    std::size_t begin = 0;
    std::vector<ContextFiles::Copy> mounts;  // files of the context from --mount=type=bind
};

class DockerfileReader {
public:
    DockerfileReader(const std::string& file, std::string_view text, const ReadFile& files,
                     const BuildArguments& arguments, Place first)
        : m_lines(read_docker_lines(file, text, first)), m_files(files), m_arguments(arguments) {
        m_recipe.kind = RecipeKind::dockerfile;
        m_recipe.file = file;
        m_recipe.problems.take(m_lines.problems);
        if (!m_arguments.platform) return;
        Written platform = m_arguments.platform;
        m_arguments.values["TARGETPLATFORM"] = platform;
        platform.text = "arm64";
        m_arguments.values["TARGETARCH"] = std::move(platform);
    }

    Recipe read() {
        for (const Instruction& one : m_lines.instructions) {
            if (one.keyword == "FROM" &&
                m_recipe.problems.exceeds(k_most_docker_stages, m_recipe.stages.size() + 1,
                                          one.text.written(0, "")))
                break;
            if (m_files.budget().is_over_at(one.text.written(0, ""))) break;
            instruction(one);
        }
        for (const auto& [name, value] : *m_switches)
            if (m_declared.count(name)) m_recipe.switches.push_back({name, value});
        // Stages after the target are not built.
        const auto target = std::find_if(
            m_recipe.stages.begin(), m_recipe.stages.end(),
            [&](const Stage& one) { return !one.name.empty() && one.name == lower(m_arguments.target); });
        if (target != m_recipe.stages.end()) m_recipe.stages.erase(target + 1, m_recipe.stages.end());
        for (std::size_t i = 0; i < m_recipe.stages.size(); ++i) {
            Stage& stage = m_recipe.stages[i];
            stage.last = i + 1 == m_recipe.stages.size();
            if (stage.name.empty() && m_recipe.stages.size() > 1) stage.name = std::to_string(i);
        }
        return std::move(m_recipe);
    }

private:
    Stage* stage() { return m_recipe.stages.empty() ? nullptr : &m_recipe.stages.back(); }
    const Variables& variables() { return stage() ? m_shell.variables : m_global; }

    void instruction(const Instruction& one) {
        if (one.keyword == "FROM") return from(one);
        if (one.keyword == "ARG") return arg(one);
        if (!stage()) return;
        if (one.keyword == "ENV") return env(one);
        if (one.keyword == "RUN") return run(one);
        if (one.keyword == "COPY" || one.keyword == "ADD") return copy(one);
        if (one.keyword == "WORKDIR") return work_folder(one);
        if (one.keyword == "SHELL") return shell(one);
        if (one.keyword == "ONBUILD") m_on_build.push_back(behind_on_build(one));
    }

    std::vector<Range> words_of(const Instruction& one) {
        return docker_words(one.text.text, {one.rest, one.text.text.size()}, m_lines.escape);
    }
    Written value(const Instruction& one, Range range, const Variables& by) {
        Written result = expand_whole(one.text, range, by, m_recipe.problems, m_lines.escape);
        m_files.budget().spend_bytes(result.text.size());
        return result;
    }

    // "--name=VALUE" before the other words.
    static bool is_option(std::string_view word) { return starts_with(word, "--") && word.size() > 2; }
    static std::string_view option(std::string_view word, std::string_view name) {
        const bool same = word.substr(2, name.size()) == name && word.substr(2 + name.size(), 1) == "=";
        return same ? word.substr(3 + name.size()) : std::string_view();
    }

    void from(const Instruction& one) {
        finish_stage();
        Stage next;
        auto words = words_of(one);
        std::size_t i = 0;
        for (; i < words.size() && is_option(words[i].of(one.text.text)); ++i) {
            const std::string_view platform = option(words[i].of(one.text.text), "platform");
            if (platform.empty()) continue;
            next.platform = value(one, {words[i].end - platform.size(), words[i].end}, m_global);
        }
        if (i >= words.size()) {
            m_recipe.problems.push_back({one.text.written(0, ""), "has a FROM without an image"});
            return;
        }
        if (!next.platform) next.platform = m_arguments.platform;
        next.image = value(one, words[i], m_global);
        if (i + 2 < words.size() && lower(words[i + 1].of(one.text.text)) == "as")
            next.name = lower(words[i + 2].of(one.text.text));
        start_stage(next);
        const bool earlier = !next.base.empty();
        if (!earlier) link_base(next);
        m_recipe.stages.push_back(std::move(next));
        const std::string& base = m_recipe.stages.back().base;
        if (!earlier) return;
        const auto first = m_left[base].on_build;
        for (const Instruction& each : *first) {
            if (m_recipe.problems.exceeds(k_most_triggered, ++m_triggered, each.text.written(0, ""))) break;
            instruction(each);
        }
    }

    // FROM me/app-base, which base.Dockerfile builds.
    void link_base(Stage& next) {
        const auto file =
            m_arguments.linked ? std::nullopt : dockerfile_of_image(next.image, m_files, m_recipe.file);
        if (!file) return;
        BuildArguments arguments;
        arguments.linked = true;
        Recipe built = read_dockerfile(file->file, file->text, m_files, arguments);
        const std::size_t first = m_recipe.stages.size();
        for (Stage& stage : built.stages) {
            stage.image.fixed = false;  // only the names belong together
            m_recipe.stages.push_back(std::move(stage));
        }
        if (m_recipe.stages.size() == first) return;
        prefix_stages(m_recipe, first, "base " + next.image.text);
        next.base = m_recipe.stages.back().name;
        next.image = {};
    }

    void start_stage(Stage& next) {
        m_shell = Shell{};
        m_context = ContextFiles(m_files);
        m_env = {};
        m_own_env.clear();
        m_session = {};
        m_on_build.clear();
        const auto earlier = m_left.find(lower(next.image.text));
        if (earlier != m_left.end()) {
            next.base = earlier->first;
            next.image = {};
            m_shell.variables = m_env = earlier->second.variables;
            m_shell.folder = earlier->second.folder;
            m_shell.kind = earlier->second.shell;
            *m_shell.checkouts = earlier->second.checkouts;
            m_context = earlier->second.files;
            m_session = earlier->second.session;
            return;
        }
        add_env_of_image(next.image);
        const bool windows = m_lines.escape == '`' || next.image.text.find("windows") != std::string::npos ||
                             starts_with(next.platform.text, "windows");
        if (!windows) return;
        m_shell.kind = ShellKind::cmd;
        if (!next.platform) next.platform = {"windows", m_recipe.file};
    }

    // An ARG of the same name cannot change what the image exports.
    void add_env_of_image(const Written& image) {
        const auto release = cuda_version_variable(image);
        for (Variables* each : {&m_shell.variables, &m_env})
            if (release) set_for_programs("CUDA_VERSION", *release, *each);
    }

    void finish_stage() {
        if (!stage()) return;
        Left left;
        left.variables = std::move(m_env);
        left.folder = m_shell.folder;
        left.shell = m_shell.kind;
        left.checkouts = *m_shell.checkouts;
        left.files = m_context;
        left.session = m_session;
        left.on_build = std::make_shared<std::vector<Instruction>>(std::move(m_on_build));
        const std::string index = std::to_string(m_recipe.stages.size() - 1);
        m_left[stage()->name.empty() ? index : stage()->name] = std::move(left);
    }

    // NAME=VALUE: the name's length; 0 = no such word
    static std::size_t named(std::string_view word) {
        const std::size_t length = length_of_name(word);
        return length > 0 && length < word.size() && word[length] == '=' ? length : 0;
    }

    void arg(const Instruction& one) {
        for (const Range& range : words_of(one)) {
            const std::string_view word = range.of(one.text.text);
            const std::size_t length = named(word);
            const std::string name(length ? word.substr(0, length) : word);
            if (!is_name(name)) continue;
            m_declared.insert(name);
            Written given = one.text.written(range.begin, "");
            given.known = false;
            if (length) given = value(one, {range.begin + length + 1, range.end}, variables());
            const Variable* global = m_global.find(name);
            if (!length && stage() && global) given.text = global->value.text;
            if (!length && stage() && global) given.known = global->value.known;
            given.fixed = false;
            const auto argument = m_arguments.values.find(name);
            const bool is_given = argument != m_arguments.values.end();
            if (is_given) given = argument->second;
            if (!is_given && !given.known && !length) {
                if (!m_beside) m_beside = arguments_beside(m_files, given);
                const auto beside = m_beside->find(name);
                if (beside != m_beside->end()) given = beside->second;
            }
            declare(name, std::move(given), length > 0 || is_given);
        }
    }

    void declare(const std::string& name, Written given, bool has_default) {
        if (!stage()) {
            if (given.known) m_global.set(name, {std::move(given)});
            return;
        }
        if (m_own_env.count(name) || m_env.find(name)) return;  // ENV wins
        if (!given.known && !has_default) return;
        stage()->steps.push_back(SetVariable{name, given});
        set_for_programs(name, given, m_shell.variables);
    }

    static void set_for_programs(const std::string& name, const Written& value, Variables& variables) {
        if (!value.known) return variables.erase(name);
        Variable variable{value};
        variable.exported = true;
        variables.set(name, std::move(variable));
    }

    void env(const Instruction& one) {
        auto words = words_of(one);
        if (words.empty()) return;
        const Variables before = m_shell.variables;
        if (!named(words[0].of(one.text.text))) {  // ENV NAME some words
            if (words.size() < 2) return;
            const std::string name(words[0].of(one.text.text));
            set_env(name, value(one, {words[1].begin, one.text.text.size()}, before));
            return;
        }
        for (const Range& range : words) {
            const std::string_view word = range.of(one.text.text);
            const std::size_t length = named(word);
            if (!length) continue;
            set_env(std::string(word.substr(0, length)),
                    value(one, {range.begin + length + 1, range.end}, before));
        }
    }

    void set_env(const std::string& name, const Written& given) {
        m_own_env.insert(name);
        stage()->steps.push_back(SetVariable{name, given});
        for (Variables* each : {&m_shell.variables, &m_env}) {
            follow_path(name, given, m_shell.folder, *each);
            set_for_programs(name, given, *each);
        }
    }

    void run(const Instruction& one) {
        const RunParts parts = run_parts(one);
        Shell shell = m_shell;
        ContextFiles context = m_context;
        for (const auto& mount : parts.mounts) context.add(mount);
        shell.files = m_files.instead([&](const std::string& path, const Written& by) {
            return context.read(path, m_shell.folder, by);
        });
        shell.in_image = true;
        shell.switches = m_switches;
        shell.starts_in = std::move(shell.folder);
        shell.folder.clear();
        bool is_list = false;
        auto words = json_words(one.text, parts.begin, is_list);
        if (is_list) {
            take(read_command(std::move(words), shell), shell);
            return;
        }
        if (m_session.reads_login && !m_session.login.empty()) activate(m_session.login, shell.variables);
        if (!m_session.environment.empty()) activate(m_session.environment, shell.variables);
        shell_form(one, parts.begin, shell);
    }

    void shell_form(const Instruction& one, std::size_t begin, Shell& shell) {
        const std::string_view rest = trimmed(std::string_view(one.text.text).substr(begin));
        // `RUN <<EOF`: the documents are the script.
        if (!one.heredocs.empty() && starts_with(rest, "<<") &&
            rest.find_first_of(" \t") == std::string::npos) {
            for (const DockerHeredoc& document : one.heredocs) {
                const std::string program = program_of_script(document.body.text);
                if (!program.empty() && !is_posix_shell(program)) continue;
                take(read_shell(document.body, shell), shell);
            }
            return;
        }
        PlacedText text = one.text.part(begin, one.text.text.size());
        for (const DockerHeredoc& document : one.heredocs) {
            const Place at = document.body.place(0);
            text.append("\n", at);
            const std::size_t size = document.body.text.size();
            for (std::size_t i = 0; i < size;) {
                const std::size_t end = std::min(document.body.text.find('\n', i), size);
                text.append(document.body.text.substr(i, end - i) + (end < size ? "\n" : ""),
                            document.body.place(i));
                i = end + 1;
            }
            text.append(document.name, at);
        }
        take(read_shell(text, shell), shell);
    }

    RunParts run_parts(const Instruction& one) {
        RunParts parts;
        parts.begin = one.rest;
        for (const Range& range : words_of(one)) {
            const std::string_view word = range.of(one.text.text);
            if (!is_option(word)) {
                parts.begin = range.begin;
                break;
            }
            if (auto mount = bound_files(option(word, "mount"), m_shell.folder))
                parts.mounts.push_back(std::move(*mount));
        }
        return parts;
    }

    void take(std::vector<Step> steps, Shell& shell) {
        for (Step& step : steps) {
            if (const std::string login = activated_at_login(step); !login.empty()) m_session.login = login;
            stage()->steps.push_back(std::move(step));
        }
        m_recipe.problems.take(shell.problems);
    }

    void copy(const Instruction& one) {
        Written from;
        std::vector<Written> paths;
        std::size_t begin = one.rest;
        for (const Range& range : words_of(one)) {
            const std::string_view word = range.of(one.text.text);
            if (!is_option(word)) break;
            const std::string_view stage_name = option(word, "from");
            if (!stage_name.empty())
                from = value(one, {range.end - stage_name.size(), range.end}, m_shell.variables);
            begin = range.end;
        }
        bool is_list = false;
        begin = std::min(one.text.text.find_first_not_of(" \t", begin), one.text.text.size());
        paths = json_words(one.text, begin, is_list);
        if (!is_list)
            for (const Range& range :
                 docker_words(one.text.text, {begin, one.text.text.size()}, m_lines.escape))
                paths.push_back(value(one, range, m_shell.variables));
        if (paths.size() < 2) return;
        Written to = std::move(paths.back());
        paths.pop_back();
        if (from) return copy_from(std::move(from), std::move(paths), std::move(to));
        // Of a file that programs of the image read, and of a download, it is known that it is there.
        if (to.text.find("/etc/apt") != npos || paths[0].text.find("://") != npos) {
            Command command;
            command.words = paths;
            command.words.insert(command.words.begin(), one.text.written(0, one.keyword));
            command.words.push_back(to);
            stage()->steps.push_back(std::move(command));
        }
        ContextFiles::Copy copied;
        for (const Written& path : paths) copied.sources.push_back(path.text);
        copied.destination = join_path(m_shell.folder, to.text);
        m_context.add(std::move(copied));
    }

    void copy_from(Written from, std::vector<Written> sources, Written to) {
        from.text = lower(from.text);
        const bool index = from.text.find_first_not_of("0123456789") == std::string::npos;
        const std::size_t number =
            index && from.text.size() < 5 ? static_cast<std::size_t>(std::stoi(from.text)) : 0;
        if (index && number + 1 < m_recipe.stages.size() && !m_recipe.stages[number].name.empty())
            from.text = m_recipe.stages[number].name;
        stage()->steps.push_back(CopyFrom{std::move(from), std::move(sources), std::move(to)});
    }

    void work_folder(const Instruction& one) {
        const Written to = value(one, {one.rest, one.text.text.size()}, m_shell.variables);
        m_shell.folder = folder_below(m_shell.folder, std::string(trimmed(to.text)));
    }

    void shell(const Instruction& one) {
        bool is_list = false;
        const auto words = json_words(one.text, one.rest, is_list);
        if (!is_list || words.empty()) return;
        m_shell.kind = shell_kind(words[0].text);
        m_session.reads_login = std::any_of(words.begin(), words.end(), [](const Written& word) {
            return word.text == "--login" || word.text == "-i" ||
                   (word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' &&
                    word.text.find('l') != std::string::npos);
        });
        const std::string environment = behind_prefixes(words, true).environment;
        m_session.environment = environment.empty() ? "" : environment_name(environment, m_shell.folder);
    }

    DockerLines m_lines;
    const ReadFile& m_files;
    BuildArguments m_arguments;
    std::optional<std::map<std::string, Written>> m_beside;  // values in files beside it, once needed
    Recipe m_recipe;
    Variables m_global;                // ARG before the first FROM
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
    std::map<std::string, Left> m_left;  // by name of a stage
};

}  // namespace

Recipe read_dockerfile(const std::string& file, std::string_view text, const ReadFile& files,
                       const BuildArguments& arguments, Place first) {
    return DockerfileReader(file, text, files, arguments, first).read();
}

}  // namespace ptxguard::recipes
