// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/setuptools_project.hpp"

#include <algorithm>
#include <set>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/placed_text.hpp"
#include "recipes/python/setup_requirements.hpp"

namespace ptxguard::recipes {
namespace {

// Its python_requires, if that is a string literal.
Written python_of_script(const std::string& file, std::string_view text) {
    for (std::size_t at = 0; (at = text.find("python_requires", at)) != npos; ++at) {
        const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
        if (starts_with(trimmed(text.substr(line, at - line)), "#")) continue;
        const std::size_t equals = text.find_first_not_of(" ", at + 15);
        if (equals == npos || text[equals] != '=') continue;
        const std::size_t quote = text.find_first_not_of(" ", equals + 1);
        if (quote == npos || (text[quote] != '"' && text[quote] != '\'')) continue;
        const std::size_t end = text.find_first_of("\"'\n", quote + 1);
        Written range;
        range.text = std::string(text.substr(quote + 1, std::min(end, text.size()) - quote - 1));
        range.file = file;
        range.line = 1 + static_cast<int>(
                             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        return range;
    }
    return {};
}

void add_setup_file(const FileText& file, const ReadFile& files, const std::vector<std::string>& extras,
                    PipInstall& into) {
    const SetupRequirements required = ends_with(file.file, ".cfg")
                                           ? requirements_of_cfg({file.file, without_mark(file.text)})
                                           : requirements_of_script(file, files);
    std::set<std::string> chosen;
    for (const std::string& extra : extras) chosen.insert(canonical_package(extra));
    const auto add = [&](const std::vector<WrittenRequirement>& more) { append(into.requirements, more); };
    add(required.always);
    for (const auto& [name, more] : required.extras)
        if (chosen.count(canonical_package(name)) != 0) add(more);
}

}  // namespace

bool is_left_to_setuptools(const Tree& pyproject) {
    const Tree &project = pyproject["project"], &tool = pyproject["tool"];
    if (!project) return !tool["poetry"] && !tool["pdm"] && !tool["flit"] && !tool["pixi"];
    const auto& dynamic = project["dynamic"].items;
    return any_of(dynamic, [](const Tree& one) { return one.text == "dependencies"; });
}

void add_setuptools_project(const std::string& folder, const Written& project, const ReadFile& files,
                            const std::vector<std::string>& extras, PipInstall& into) {
    for (const char* name : {"setup.py", "setup.cfg"}) {
        const auto file = files(normal_path(join_path(folder, name), System::linux_), project);
        if (!file) continue;
        if (const Written python = python_of_script(file->file, file->text)) into.pythons.push_back(python);
        add_setup_file(*file, files, extras, into);
    }
}

}  // namespace ptxguard::recipes
