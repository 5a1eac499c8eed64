// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/dockerfile.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/containers/docker_builds.hpp"
#include "recipes/containers/dockerfile_neighbours.hpp"
#include "recipes/containers/dockerfile_reader.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {

void DockerfileReader::instruction(const Instruction& one) {
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

Written DockerfileReader::value(const Instruction& one, Range range, const Variables& by) {
    Written result = expand_whole(one.text, range, by, m_recipe.problems, m_lines.escape);
    m_files.budget().spend_bytes(result.text.size());
    return result;
}

// ARG NAME=VALUE, or the value of an ARG before the first FROM.
Written DockerfileReader::default_of(const Instruction& one, Range range, const std::string& name,
                                     std::size_t length) {
    Written given = one.text.written(range.begin, "");
    given.known = false;
    if (length) given = value(one, {range.begin + length + 1, range.end}, variables());
    const Variable* global = !length && stage() ? m_global.find(name) : nullptr;
    if (global) given.text = global->value.text, given.known = global->value.known;
    given.fixed = false;
    return given;
}

void DockerfileReader::arg(const Instruction& one) {
    for (const Range& range : words_of(one)) {
        const std::string_view word = range.of(one.text.text);
        const std::size_t length = named(word);
        const std::string name(length ? word.substr(0, length) : word);
        if (!is_name(name)) continue;
        m_declared.insert(name);
        Written given = default_of(one, range, name, length);
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

void DockerfileReader::declare(const std::string& name, Written given, bool has_default) {
    if (!stage()) {
        m_global_names.insert(name);
        if (given.known) m_global.set(name, {std::move(given)});
        return;
    }
    if (m_own_env.count(name) || m_env.find(name)) return;  // ENV wins
    if (!given.known && !has_default) return;
    stage()->steps.push_back(SetVariable{name, given});
    set_for_programs(name, given, m_shell.variables);
}

void DockerfileReader::set_for_programs(const std::string& name, const Written& value, Variables& variables) {
    if (!value.known) return variables.erase(name);
    Variable variable{value};
    variable.exported = true;
    variables.set(name, std::move(variable));
}

void DockerfileReader::env(const Instruction& one) {
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

void DockerfileReader::set_env(const std::string& name, const Written& given) {
    m_own_env.insert(name);
    stage()->steps.push_back(SetVariable{name, given});
    for (Variables* each : {&m_shell.variables, &m_env}) {
        follow_path(name, given, m_shell.folder, *each);
        set_for_programs(name, given, *each);
    }
}

void DockerfileReader::run(const Instruction& one) {
    const RunParts parts = run_parts(one);
    Shell shell = m_shell;
    ContextFiles context = m_context;
    for (const auto& mount : parts.mounts) context.add(mount);
    auto& mounted = m_mounts[m_recipe.stages.size() - 1];
    append(mounted, parts.stages);
    shell.files = m_files.instead(
        [&](const std::string& path, const Written& by) { return context.read(path, m_shell.folder, by); });
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

void DockerfileReader::shell_form(const Instruction& one, std::size_t begin, Shell& shell) {
    const std::string_view rest = trimmed(std::string_view(one.text.text).substr(begin));
    // `RUN <<EOF`: the documents are the script.
    if (!one.heredocs.empty() && starts_with(rest, "<<") && rest.find_first_of(" \t") == std::string::npos) {
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

RunParts DockerfileReader::run_parts(const Instruction& one) {
    RunParts parts;
    parts.begin = one.rest;
    for (const Range& range : words_of(one)) {
        const std::string_view word = range.of(one.text.text);
        if (!is_option(word)) {
            parts.begin = range.begin;
            break;
        }
        const std::string mount(option(word, "mount"));
        for (const std::string& item : split(mount, ","))
            if (starts_with(item, "from=")) parts.stages.push_back(lower(item.substr(5)));
        if (auto files = bound_files(mount, m_shell.folder)) parts.mounts.push_back(std::move(*files));
    }
    return parts;
}

void DockerfileReader::take(std::vector<Step> steps, Shell& shell) {
    for (Step& step : steps) {
        if (const std::string login = activated_at_login(step); !login.empty()) m_session.login = login;
        stage()->steps.push_back(std::move(step));
    }
    m_recipe.problems.take(shell.problems);
}

void DockerfileReader::shell(const Instruction& one) {
    bool is_list = false;
    const auto words = json_words(one.text, one.rest, is_list);
    if (!is_list || words.empty()) return;
    m_shell.kind = shell_kind(words[0].text);
    m_session.reads_login = any_of(words, [](const Written& word) {
        return word.text == "--login" || word.text == "-i" ||
               (word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' &&
                word.text.find('l') != std::string::npos);
    });
    const std::string environment = behind_prefixes(words, true).environment;
    m_session.environment = environment.empty() ? "" : environment_name(environment, m_shell.folder);
}

Recipe read_dockerfile(const std::string& file, std::string_view text, const ReadFile& files,
                       const BuildArguments& arguments, Place first) {
    return DockerfileReader(file, text, files, arguments, first).read();
}

}  // namespace ptxguard::recipes
