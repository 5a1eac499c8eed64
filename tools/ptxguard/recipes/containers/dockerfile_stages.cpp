// The stages of a Dockerfile: FROM, COPY --from, what one passes to another.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/containers/docker_builds.hpp"
#include "recipes/containers/dockerfile_neighbours.hpp"
#include "recipes/containers/dockerfile_reader.hpp"
#include "recipes/shell/shell_pipeline.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_docker_stages{1000, "Docker stages", "later stages"};
constexpr Limit k_most_triggered{5000, "instructions that ONBUILD adds", "later ones"};

// Images that set variables of programs that are in them, and no others.
bool has_known_variables(const std::string& image) {
    const std::string name = image.substr(0, image.find_first_of(":@"));
    return is_one_of(name, {"ubuntu", "debian", "python", "alpine", "fedora", "centos", "almalinux",
                            "rockylinux", "nvidia/cuda", "nvcr.io/nvidia/cuda", "docker.io/nvidia/cuda",
                            "pytorch/pytorch", "continuumio/miniconda3", "continuumio/anaconda3",
                            "condaforge/miniforge3", "condaforge/mambaforge", "mambaorg/micromamba"});
}

// CUDA_VERSION, PYTHON_VERSION, NCCL_VERSION, LANG ...
bool may_be_set_by_images(const std::string& name) {
    static const char* const k_starts[] = {"CUDA_V", "NV",     "NCCL", "PYTHON", "PYTORCH", "TORCH_CUDA",
                                           "LANG",   "LC_",    "PATH", "LD_",    "LIBRARY", "CONDA",
                                           "MAMBA",  "GPG",    "HOME", "USER",   "UV_",     "PIP_",
                                           "DEBIAN", "TARGET", "BUILD"};
    return any_of(k_starts, [&](const char* start) { return starts_with(name, start); });
}

// `RUN pip install a==$Env:A`: the image from which it starts has a SHELL of its own, which no file says.
bool is_for_powershell(const DockerLines& lines) {
    return any_of(lines.instructions, [](const Instruction& one) {
        return one.keyword == "RUN" && lower(one.text.text).find("$env:") != npos;
    });
}

}  // namespace

Recipe DockerfileReader::read() {
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
    for (std::size_t i = 0; i < m_recipe.stages.size(); ++i)
        if (m_recipe.stages[i].name.empty() && m_recipe.stages.size() > 1)
            m_recipe.stages[i].name = std::to_string(i);
    if (!m_arguments.target.empty()) keep_needed(lower(m_arguments.target));
    for (Stage& stage : m_recipe.stages) stage.last = &stage == &m_recipe.stages.back();
    return std::move(m_recipe);
}

// BuildKit and buildah build the target, and of the other stages those from which it starts or takes files.
void DockerfileReader::keep_needed(const std::string& target) {
    std::vector<Stage>& stages = m_recipe.stages;
    std::vector<bool> needed(stages.size());
    const auto need = [&](const std::string& name, std::size_t before) {
        for (std::size_t i = std::min(before, stages.size()); i-- > 0;)
            if (stages[i].name == name || std::to_string(i) == name) return void(needed[i] = true);
    };
    if (stages.empty() || target.empty()) return;
    need(target, stages.size());
    const auto last = std::find(needed.begin(), needed.end(), true);
    if (last == needed.end()) return;
    for (std::size_t i = static_cast<std::size_t>(last - needed.begin()) + 1; i-- > 0;) {
        if (!needed[i]) continue;
        if (!stages[i].base.empty()) need(stages[i].base, i);
        for (const std::string& name : m_mounts[i]) need(name, i);
        for (const Step& step : stages[i].steps)
            if (const auto* copy = std::get_if<CopyFrom>(&step)) need(copy->stage.text, i);
    }
    std::size_t at = 0;
    stages.erase(std::remove_if(stages.begin(), stages.end(), [&](const Stage&) { return !needed[at++]; }),
                 stages.end());
}

void DockerfileReader::from(const Instruction& one) {
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
    next.image = value(one, words[i], seen_by_from());
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

// An ARG of a stage has no value in a later FROM.
Variables DockerfileReader::seen_by_from() const {
    Variables seen = m_global;
    for (const std::string& name : m_declared)
        if (m_global_names.count(name) == 0 && !may_be_set_by_images(name))
            seen.set(name, {{"", m_recipe.file}});
    return seen;
}

// Of an image that another command of the same recipe builds, or another file with its name.
std::optional<Recipe> DockerfileReader::base_of(const Written& image) {
    if (m_arguments.built)
        if (auto built = m_arguments.built(image)) return built;
    const auto file = m_arguments.linked ? std::nullopt : dockerfile_of_image(image, m_files, m_recipe.file);
    if (!file) return std::nullopt;
    BuildArguments arguments;
    arguments.linked = true;
    Recipe built = read_dockerfile(file->file, file->text, m_files, arguments);
    for (Stage& stage : built.stages) stage.image.fixed = false;  // only the names belong together
    return built;
}

void DockerfileReader::link_base(Stage& next) {
    auto built = base_of(next.image);
    if (!built) return;
    const std::size_t first = m_recipe.stages.size();
    for (Stage& stage : built->stages) m_recipe.stages.push_back(std::move(stage));
    if (m_recipe.stages.size() == first) return;
    prefix_stages(m_recipe, first, "base " + next.image.text);
    next.base = m_recipe.stages.back().name;
    next.image = {};
}

void DockerfileReader::start_stage(Stage& next) {
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
        m_shell.variables = earlier->second.variables;  // since BuildKit those of ARG too
        m_env = earlier->second.env;
        m_shell.folder = earlier->second.folder;
        m_shell.kind = earlier->second.shell;
        *m_shell.checkouts = earlier->second.checkouts;
        *m_shell.settings = earlier->second.settings;
        m_context = earlier->second.files;
        m_session = earlier->second.session;
        return;
    }
    add_env_of_image(next.image);
    hide_global_arguments(next.image);
    const bool windows = m_lines.escape == '`' || next.image.text.find("windows") != std::string::npos ||
                         starts_with(next.platform.text, "windows");
    const bool open = !next.image || !next.image.known;
    const bool powershell = !windows && open && is_for_powershell(m_lines);
    if (!windows && !powershell) return;
    m_shell.kind = powershell ? ShellKind::powershell : ShellKind::cmd;
    if (!next.platform) next.platform = {"windows", m_recipe.file};
}

void DockerfileReader::add_env_of_image(const Written& image) {
    const auto release = cuda_version_variable(image);
    for (Variables* each : {&m_shell.variables, &m_env}) {
        if (release) set_for_programs("CUDA_VERSION", *release, *each);
        set_release_of_system(image, *each);
    }
}

// An ARG before the first FROM has no value in a stage that does not repeat it, unless the image sets the
// name.
void DockerfileReader::hide_global_arguments(const Written& image) {
    if (!image.known || !has_known_variables(image.text)) return;
    for (const std::string& name : m_global_names)
        if (!m_shell.variables.find(name) && !may_be_set_by_images(name))
            m_shell.variables.set(name, {{"", image.file, image.line, image.column}});
}

void DockerfileReader::finish_stage() {
    if (!stage()) return;
    Left left;
    left.variables = m_shell.variables;
    left.env = std::move(m_env);
    left.folder = m_shell.folder;
    left.shell = m_shell.kind;
    left.checkouts = *m_shell.checkouts;
    left.settings = *m_shell.settings;
    left.files = m_context;
    left.session = m_session;
    left.on_build = std::make_shared<std::vector<Instruction>>(std::move(m_on_build));
    const std::string index = std::to_string(m_recipe.stages.size() - 1);
    m_left[stage()->name.empty() ? index : stage()->name] = std::move(left);
}

void DockerfileReader::copy(const Instruction& one) {
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
        for (const Range& range : docker_words(one.text.text, {begin, one.text.text.size()}, m_lines.escape))
            paths.push_back(value(one, range, m_shell.variables));
    if (paths.size() < 2) return;
    Written to = std::move(paths.back());
    paths.pop_back();
    if (from) return copy_from(std::move(from), std::move(paths), std::move(to));
    // Of a file that programs of the image read, and of a download, it is known that it is there.
    if (to.text.find("/etc/apt") != npos || to.text.find("/etc/yum.repos") != npos ||
        paths[0].text.find("://") != npos) {
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

void DockerfileReader::copy_from(Written from, std::vector<Written> sources, Written to) {
    from.text = lower(from.text);
    const bool index = from.text.find_first_not_of("0123456789") == std::string::npos;
    const std::size_t number =
        index && from.text.size() < 5 ? static_cast<std::size_t>(std::stoi(from.text)) : 0;
    if (index && number + 1 < m_recipe.stages.size() && !m_recipe.stages[number].name.empty())
        from.text = m_recipe.stages[number].name;
    stage()->steps.push_back(CopyFrom{std::move(from), std::move(sources), std::move(to)});
}

}  // namespace ptxguard::recipes
