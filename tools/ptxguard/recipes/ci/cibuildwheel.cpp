// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/cibuildwheel.hpp"

#include <initializer_list>
#include <vector>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

using Tables = std::initializer_list<const Tree*>;

// CIBW_BEFORE_ALL_LINUX before CIBW_BEFORE_ALL; null = in none of the tables.
const Tree* setting(Tables tables, const std::string& name, const char* system) {
    for (const std::string& one : {name + "_" + system, name})
        for (const Tree* table : tables)
            if (const Tree& value = (*table)[one]; value.is_scalar()) return &value;
    return nullptr;
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
                      const Scope& scope, bool open, Job& job) {
    const bool windows = scope.runner == "Windows";
    if ((!windows && scope.runner != "Linux") || !calls_cibuildwheel(step)) return;
    const auto find = [&](const char* name) {
        return setting({&step["env"], &of_job, &of_workflow}, name, windows ? "WINDOWS" : "LINUX");
    };
    std::vector<PlacedText> texts;
    for (const char* name : {"CIBW_BEFORE_ALL", "CIBW_BEFORE_BUILD"})
        if (const Tree* text = find(name)) texts.push_back(in_project(script(*text, file, scope)));
    if (windows) {
        for (const PlacedText& text : texts) job.run(text, "", ShellKind::cmd, open);
        return;
    }
    if (texts.empty()) return;
    const Tree* chosen = find("CIBW_MANYLINUX_X86_64_IMAGE");
    Written image = chosen ? filled(*chosen, file, scope) : texts.front().written(0, "");
    // Without a registry: the name of one of PyPA's images.
    if (image.known && image.text.find('/') == std::string::npos)
        image.text = "quay.io/pypa/" + (image.text.empty() ? "manylinux_2_28" : image.text) + "_x86_64";
    job.run_in_image(texts, image, open);
}

}  // namespace ptxguard::recipes
