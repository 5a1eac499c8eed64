// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/cibuildwheel.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "formats/text_lines.hpp"
#include "formats/toml.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
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

bool is_call(std::string_view line) {
    return line.find("cibuildwheel") != npos && line.find("install") == npos;
}

// The folder that `cibuildwheel --output-dir out FOLDER` builds; nothing if that or its settings are not
// known.
std::optional<std::string> folder_of_call(std::string_view text) {
    for (const std::string_view line : lines_of(text)) {
        if (!is_call(line)) continue;
        std::string folder;
        bool is_value = false;
        const std::vector<std::string> words = split(line.substr(line.find("cibuildwheel")), " \t\r");
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

std::optional<std::string> folder_of_step(const Tree& step, const std::string& file, const Scope& scope) {
    if (step["run"].is_scalar())
        return step["working-directory"] ? std::nullopt : folder_of_call(step["run"].text);
    if (step["with"]["config-file"]) return std::nullopt;
    const Written folder = filled(step["with"]["package-dir"], file, scope);
    return folder.known ? std::optional(folder.text) : std::nullopt;
}

// [tool.cibuildwheel] of the pyproject.toml.
Tree settings_of_project(const std::optional<std::string>& folder, const Written& by, const ReadFile& files,
                         std::string& project_file) {
    if (!folder || !files) return {};
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
    return file_name(uses) == "cibuildwheel" || any_of(lines_of(step["run"].text), is_call);
}

// A table of variables, or a list of arguments, as a shell's text.
PlacedText text_of_option(const Tree& option, const std::string& file) {
    PlacedText text(file);
    for (const auto& [name, value] : option.members)
        if (value.is_scalar())
            text.append(name.text + "=\"" + value.text + "\" ", {value.line, value.column});
    for (const auto& [name, value] : option.members)
        for (const Tree* item : value.is_list() ? value.each() : std::vector<const Tree*>{})
            text.append(item->text + " ", {item->line, item->column});
    return text;
}

std::optional<PlacedText> option_of_project(const Tree& tool, const std::string& name, const char* system,
                                            const std::string& file) {
    const Tree own = option_in(tool, name, system);
    if (own.is_map()) return text_of_option(own, file);
    return own.is_scalar() ? std::optional(PlacedText(written(own, file))) : std::nullopt;
}

// "2.19.2" of pypa/cibuildwheel@v2.19.2, of a requirement that the job has installed, of pipx run
// cibuildwheel==2.19.2; empty = the newest. Nothing: not known.
std::optional<std::string> release_of(const std::string& call, const Stage& stage) {
    const auto numbers_at = [&](std::size_t at) {
        return call.substr(at, call.find_first_not_of("0123456789.", at) - at);
    };
    if (const std::size_t pin = call.find("cibuildwheel=="); pin != npos) return numbers_at(pin + 14);
    if (const std::size_t at = call.find('@'); at != npos && call.find('\n') == npos)
        return call.substr(at + 1, 1) == "v"      ? std::optional(numbers_at(at + 2))
               : call.substr(at + 1, 4) == "main" ? std::optional<std::string>("")
                                                  : std::nullopt;
    std::optional<std::string> release;
    for (const Step& step : stage.steps)
        if (const auto* install = std::get_if<PipInstall>(&step))
            for (const WrittenRequirement& one : install->requirements)
                if (one.name == "cibuildwheel") {
                    const auto pin = exact_version(one.specifier);
                    release = pin                     ? std::optional(pin->text)
                              : one.specifier.empty() ? std::optional<std::string>("")
                                                      : std::nullopt;
                }
    return release;
}

// The image that it takes for a name, "manylinux_2_28"; empty = its default. The compilers of those that
// releases before 3.0 pin are older ones.
std::string image_named(const std::string& name, const std::optional<std::string>& release,
                        const std::string& machine) {
    const auto version = release && !release->empty() ? parse_version(*release) : std::nullopt;
    const bool is_old = !release || (version && version->major() < 3);
    const std::string base = !name.empty() ? name : is_old ? "manylinux2014" : "manylinux_2_28";
    return "quay.io/pypa/" + base + "_" + machine + (is_old ? ":2024" : "");
}

// Options by their names without the system: CIBW_BEFORE_ALL.
using Option = std::function<std::optional<PlacedText>(const std::string& name)>;

struct Call {
    PlacedText at;  // the text that starts it
    std::string folder;
    std::optional<std::string> release;
    bool windows = false, open = false;
};

// python -m build --wheel FOLDER, as it calls it for each Python.
PlacedText build_command(const Call& call, const Option& option) {
    const auto frontend = option("CIBW_BUILD_FRONTEND"), settings = option("CIBW_CONFIG_SETTINGS");
    const std::string given = frontend ? frontend->text : "";
    const bool pip = starts_with(given, "pip") || given.find("\"pip\"") != npos;
    PlacedText text(call.at.file);
    text.append(pip ? "python -m pip wheel --no-deps" : "python -m build --wheel", call.at.place(0));
    if (given.find("isolation") != npos)
        text.append(pip ? " --no-build-isolation" : " --no-isolation", call.at.place(0));
    text.append(" " + (call.folder.empty() ? "." : call.folder), call.at.place(0));
    if (!settings) return text;
    std::size_t at = 0;
    for (const std::string& one : split(settings->text, " \t\n")) {
        at = settings->text.find(one, at);
        text.append(" -C" + one, settings->place(at));
    }
    return text;
}

// The variables of the build, in front of each text.
PlacedText exports_of(const Call& call, const Option& option, const Variables& of_job) {
    PlacedText text(call.at.file);
    const auto passed = option("CIBW_ENVIRONMENT_PASS");
    for (const std::string& name : split(passed ? passed->text : "", " \t\n"))
        if (const Written* value = of_job.exported_value(name);
            value && value->known && value->text.find_first_of("'\n") == npos)
            text.append("export " + name + "='" + value->text + "'\n", {value->line, value->column});
    const auto environment = option("CIBW_ENVIRONMENT");
    if (!environment || trimmed(environment->text).empty()) return text;
    if (text.text.empty()) text.file = environment->file;
    text.append("export ", environment->place(0));
    for (std::size_t i = 0; i < environment->text.size(); ++i)
        text.append(environment->text[i] == '\n' ? " " : environment->text.substr(i, 1),
                    environment->place(i));
    text.append("\n", environment->place(0));
    return text;
}

// Each text with the variables of the build.
std::vector<PlacedText> with_exports(const PlacedText& exports, std::vector<PlacedText> texts) {
    for (PlacedText& text : texts) {
        PlacedText whole(exports.text.empty() ? text.file : exports.file);
        for (const PlacedText* part : std::initializer_list<const PlacedText*>{&exports, &text})
            for (std::size_t i = 0; i < part->text.size(); ++i)
                whole.append(part->text.substr(i, 1), part->place(i));
        text = std::move(whole);
    }
    return texts;
}

Written image_of(const Call& call, const Option& option, const std::string& platform) {
    const auto archs = option("CIBW_ARCHS");
    const bool arm = archs ? archs->text == "aarch64" : platform.find("arm") != npos;
    const auto chosen = option(arm ? "CIBW_MANYLINUX_AARCH64_IMAGE" : "CIBW_MANYLINUX_X86_64_IMAGE");
    Written image = chosen ? chosen->written(0, chosen->text) : call.at.written(0, "");
    image.known = image.text.find('$') == npos;
    // Without a registry: the name of one of PyPA's images.
    if (image.known && image.text.find('/') == npos)
        image.text = image_named(image.text, call.release, arm ? "aarch64" : "x86_64");
    return image;
}

void build_wheels(const Call& call, const Option& option, Job& job) {
    const PlacedText exports = exports_of(call, option, job.variables());
    std::vector<PlacedText> texts;
    for (const char* name : {"CIBW_BEFORE_ALL", "CIBW_BEFORE_BUILD"})
        if (const auto text = option(name); text && !text->text.empty()) texts.push_back(in_project(*text));
    if (call.windows) {
        for (const PlacedText& text : texts) job.run(text, "", ShellKind::cmd, call.open);
        texts.clear();
    }
    texts.push_back(build_command(call, option));
    texts = with_exports(exports, std::move(texts));
    if (call.windows) return job.run(texts.back(), "", ShellKind::posix, call.open);
    job.run_in_image(texts, image_of(call, option, job.stage.platform.text), call.open);
}

}  // namespace

void run_cibuildwheel(const Tree& step, const Tree& of_job, const Tree& of_workflow, const std::string& file,
                      const Scope& scope, bool open, const ReadFile& files, Job& job) {
    const bool windows = scope.runner == "Windows";
    if ((!windows && scope.runner != "Linux") || !calls_cibuildwheel(step)) return;
    const char* const system = windows ? "WINDOWS" : "LINUX";
    const Tree& by = step["run"] ? step["run"] : step["uses"];
    const auto folder = folder_of_step(step, file, scope);
    std::string project_file;
    const Tree tool = settings_of_project(folder, written(by, file), files, project_file);
    const Option option = [&](const std::string& name) -> std::optional<PlacedText> {
        if (const Tree* value = variable_in({&step["env"], &of_job, &of_workflow}, name, system))
            return script(*value, file, scope);
        return option_of_project(tool, name, system, project_file);
    };
    const PlacedText at(written(by, file));
    build_wheels({at, folder.value_or(""), release_of(by.text, job.stage), windows, open}, option, job);
}

void run_cibuildwheel(const PlacedText& script, bool windows, bool open, const ReadFile& files, Job& job) {
    if (none_of(lines_of(script.text), is_call)) return;
    const auto folder = folder_of_call(script.text);
    const Written by = script.written(script.text.find("cibuildwheel"), "cibuildwheel");
    std::string project_file;
    const Tree tool = settings_of_project(folder, by, files, project_file);
    const char* const system = windows ? "WINDOWS" : "LINUX";
    const Option option = [&](const std::string& name) -> std::optional<PlacedText> {
        for (const std::string& one : {name + "_" + system, name})
            if (const Written* value = job.variables().exported_value(one)) return PlacedText(*value);
        return option_of_project(tool, name, system, project_file);
    };
    build_wheels({PlacedText(by), folder.value_or(""), release_of(script.text, job.stage), windows, open},
                 option, job);
}

}  // namespace ptxguard::recipes
