// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/cibuildwheel.hpp"

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "formats/text_lines.hpp"
#include "formats/toml.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

using Tables = std::initializer_list<const Tree*>;

constexpr Limit k_most_project_bytes{1u << 20, "bytes of a pyproject.toml", "this file"};

// CIBW_BEFORE_ALL_LINUX before CIBW_BEFORE_ALL; null = in none of the tables.
const Tree* variable_in(Tables tables, const std::string& name, const char* system) {
    for (const std::string& one : {name + "_" + system, name})
        for (const Tree* table : tables)
            if (const Tree& value = (*table)[one]; value.is_scalar()) return &value;
    return nullptr;
}

// `before-all` of [tool.cibuildwheel.linux] before that of [tool.cibuildwheel]; a list is joined by "&&".
Tree option_in(const Tree& tool, const std::string& name, const char* system) {
    std::string key;
    for (const char c : lower(name.substr(std::string_view("CIBW_").size()))) key += c == '_' ? '-' : c;
    const Tree* own = tool[lower(system)].find(key);
    Tree value = own ? *own : tool[key];
    if (!value.is_list()) return value;
    const std::vector<Tree> items = std::move(value.items);
    value = items.empty() ? Tree{} : items.front();
    for (std::size_t i = 1; i < items.size(); ++i) value.text += " && " + items[i].text;
    return value;
}

// The folder that `cibuildwheel --output-dir out FOLDER` builds; nothing if that or its settings are not
// known.
std::optional<std::string> package_folder(const Tree& step, const std::string& file, const Scope& scope) {
    if (!step["run"].is_scalar()) {
        if (step["with"]["config-file"]) return std::nullopt;
        const Written folder = filled(step["with"]["package-dir"], file, scope);
        return folder.known ? std::optional(folder.text) : std::nullopt;
    }
    if (step["working-directory"]) return std::nullopt;
    for (const std::string_view line : lines_of(step["run"].text)) {
        const std::size_t program = line.find("cibuildwheel");
        if (program == npos || line.find("install") != npos) continue;
        std::string folder;
        bool is_value = false;
        const std::vector<std::string> words = split(line.substr(program), " \t\r");
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (words[i].find_first_of("$;&|\\") != npos || starts_with(words[i], "--config-file"))
                return std::nullopt;
            const bool is_option = words[i][0] == '-';
            if (!is_option && !is_value) folder = words[i];
            is_value = is_option &&
                       is_one_of(words[i], {"--output-dir", "--platform", "--only", "--archs", "--enable"});
        }
        return folder;
    }
    return std::nullopt;
}

// [tool.cibuildwheel] of the pyproject.toml.
Tree settings_of_project(const Tree& step, const std::string& file, const Scope& scope, const ReadFile& files,
                         std::string& project_file) {
    const auto folder = files ? package_folder(step, file, scope) : std::nullopt;
    if (!folder) return {};
    const Written by = written(step["run"] ? step["run"] : step["uses"], file);
    const auto text = files(normal_path(join_path(*folder, "pyproject.toml"), System::linux_), by);
    const auto root = text ? read_toml(text->text, text->file, k_most_project_bytes) : Result<Tree>(Tree{});
    if (!text || !root) return {};
    project_file = text->file;
    return (*root)["tool"]["cibuildwheel"];
}

// {project} and {package}: its folder.
PlacedText in_project(const PlacedText& text) {
    if (text.text.find("{p") == npos) return text;
    PlacedText all(text.file);
    constexpr std::size_t k_length = std::string_view("{project}").size();
    for (std::size_t i = 0; i < text.text.size(); ++i) {
        const std::string_view word = std::string_view(text.text).substr(i, k_length);
        const bool folder = word == "{project}" || word == "{package}";
        all.append(folder ? "." : word.substr(0, 1), text.place(i));
        if (folder) i += k_length - 1;
    }
    return all;
}

bool calls_cibuildwheel(const Tree& step) {
    const std::string uses = step["uses"].text.substr(0, step["uses"].text.find('@'));
    return file_name(uses) == "cibuildwheel" || any_of(lines_of(step["run"].text), [](std::string_view line) {
               return line.find("cibuildwheel") != npos && line.find("install") == npos;
           });
}

}  // namespace

void run_cibuildwheel(const Tree& step, const Tree& of_job, const Tree& of_workflow, const std::string& file,
                      const Scope& scope, bool open, const ReadFile& files, Job& job) {
    const bool windows = scope.runner == "Windows";
    if ((!windows && scope.runner != "Linux") || !calls_cibuildwheel(step)) return;
    const char* const system = windows ? "WINDOWS" : "LINUX";
    std::string project_file;
    const Tree tool = settings_of_project(step, file, scope, files, project_file);
    const auto find = [&](const char* name) {
        if (const Tree* value = variable_in({&step["env"], &of_job, &of_workflow}, name, system))
            return std::pair(*value, file);
        return std::pair(option_in(tool, name, system), project_file);
    };
    std::vector<PlacedText> texts;
    for (const char* name : {"CIBW_BEFORE_ALL", "CIBW_BEFORE_BUILD"})
        if (const auto [text, of_file] = find(name); text.is_scalar() && !text.text.empty())
            texts.push_back(in_project(script(text, of_file, scope)));
    if (windows) {
        for (const PlacedText& text : texts) job.run(text, "", ShellKind::cmd, open);
        return;
    }
    if (texts.empty()) return;
    const auto [chosen, of_file] = find("CIBW_MANYLINUX_X86_64_IMAGE");
    Written image = chosen.is_scalar() ? filled(chosen, of_file, scope) : texts.front().written(0, "");
    // Without a registry: the name of one of PyPA's images.
    if (image.known && image.text.find('/') == std::string::npos)
        image.text = "quay.io/pypa/" + (image.text.empty() ? "manylinux_2_28" : image.text) + "_x86_64";
    job.run_in_image(texts, image, open);
}

}  // namespace ptxguard::recipes
