// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pip_reading.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/builds/projects.hpp"
#include "recipes/installers/pip_options.hpp"
#include "recipes/installers/pyproject.hpp"
#include "recipes/python/requirements.hpp"
#include "recipes/shell/shell_wrappers.hpp"

namespace ptxguard::recipes {

void add_names(std::vector<std::string>& names, const std::string& list) {
    for (const std::string& name : split(list, ", ")) {
        if (name == ":none:")
            names.clear();
        else
            names.push_back(name);
    }
}

namespace {

constexpr Limit k_most_pip_files{50, "files of one pip command", "later files"};

}  // namespace

void PipReading::file(const Written& name, bool constraints) {
    // uv pip sync pyproject.toml
    if (install.tool == "uv" &&
        is_one_of(file_name(name.text), {"pyproject.toml", "setup.py", "setup.cfg"})) {
        sources.push_back(name);
        sources.back().text = parent_path(name.text);
        return;
    }
    if (inherited.problems.exceeds(k_most_pip_files, ++count, name)) return;
    const auto text = files && name.known ? files(name.text, name) : std::nullopt;
    install.unread = install.unread || !text || !text->known;
    if (text && text->known)
        read_requirements(name.text, *text, constraints, files, inherited, install);
    else if (!text && inherited.checkout_at(name.text).empty() && name.text.find("://") == npos)
        inherited.problems.push_back(not_in_repository(name));
}

void PipReading::file_of_arguments(const Written& name) {
    const std::size_t first = install.requirements.size();
    file(name, false);
    for (std::size_t i = first; i < install.requirements.size(); ++i)
        install.requirements[i].behind_option = false;
    append(install.extra_indexes, install.ignored_indexes);
    install.ignored_indexes.clear();
}

namespace {

// The folder of the project whose build puts its wheels there: "app" of "app/dist/*.whl".
std::optional<std::string> project_of_wheels(const std::string& pattern) {
    const std::string folder = parent_path(pattern);
    const bool built = ends_with(pattern, ".whl") && pattern.find('*') != npos && file_name(folder) == "dist";
    if (!built) return std::nullopt;
    const std::string above = parent_path(folder);
    return above.empty() ? "." : above;
}

}  // namespace

void PipReading::operand(const Written& word) {
    if (const auto built = project_of_wheels(word.text); built && word.known) {
        sources.push_back(word);
        sources.back().text = *built;
    }
    if (is_project(word.text))
        project(word);
    else
        install.requirements.push_back(read_requirement(word));
}

void PipReading::project(const Written& word) {
    install.projects.push_back(word);
    if (auto cloned = cloned_project(word, inherited)) install.checkouts.push_back(std::move(*cloned));
}

void PipReading::editable(const Written& value) {
    if (value.text.find(':') == std::string::npos && value.text.find('@') == std::string::npos)
        project(value);
    else
        operand(value);
}

bool PipReading::option(const std::string& name, const Written& given) {
    struct Row {
        std::vector<std::string_view> names;
        void (*take)(PipReading& reading, const Written& value);
    };
    using Reading = PipReading;
    static const std::vector<Row> k_options = {
        {{"--requirement", "--requirements", "--with-requirements"},
         [](Reading& to, const Written& value) { to.file(value, false); }},
        {{k_file_of_arguments}, [](Reading& to, const Written& value) { to.file_of_arguments(value); }},
        {{"--constraint", "--constraints", "--overrides"},
         [](Reading& to, const Written& value) { to.file(value, true); }},
        {{"--editable", "--with-editable"}, [](Reading& to, const Written& value) { to.editable(value); }},
        {{"--index-url", "--default-index"},
         [](Reading& to, const Written& value) { to.install.index = value; }},
        {{"--extra-index-url"},
         [](Reading& to, const Written& value) { to.install.extra_indexes.push_back(value); }},
        {{"--index"}, [](Reading& to, const Written& value) { to.add_named_index(value); }},
        {{"--find-links"}, [](Reading& to, const Written& value) { to.install.find_links.push_back(value); }},
        {{"--torch-backend"}, [](Reading& to, const Written& value) { to.install.torch_backend = value; }},
        {{"--index-strategy"},
         [](Reading& to, const Written& value) { to.install.index_strategy = value.text; }},
        {{"--no-index"}, [](Reading& to, const Written&) { to.install.no_index = true; }},
        {{"--pre"}, [](Reading& to, const Written&) { to.install.pre = true; }},
        {{"--prerelease"}, [](Reading& to, const Written& value) { to.install.pre = value.text == "allow"; }},
        {{"--inexact"}, [](Reading& to, const Written&) { to.install.exact = false; }},
        {{"--no-deps"}, [](Reading& to, const Written&) { to.install.no_deps = true; }},
        {{"--upgrade", "--force-reinstall", "--ignore-installed", "--reinstall"},
         [](Reading& to, const Written&) { to.install.upgrade = true; }},
        {{"--no-build-isolation"}, [](Reading& to, const Written&) { to.install.no_build_isolation = true; }},
        {{"--no-build-isolation-package"},
         [](Reading& to, const Written& value) {
             to.install.not_isolated.push_back(canonical_package(value.text));
         }},
        {{"--no-binary", "--no-binary-package"},
         [](Reading& to, const Written& value) { add_names(to.install.no_binary, value.text); }},
        {{"--python", "--python-version"}, [](Reading& to, const Written& value) { to.python(value.text); }},
        {{"--extra", "--extras", "--group", "--only-group"},
         [](Reading& to, const Written& value) { add_names(to.extras, value.text); }},
    };
    const Row* row = first_where(k_options, [&](const Row& one) { return contains(one.names, name); });
    if (row) row->take(*this, given);
    return row != nullptr;
}

// uv: "URL" or "NAME=URL".
void PipReading::add_named_index(const Written& value) {
    const std::size_t equals = value.text.find('=');
    const std::size_t scheme = value.text.find("://");
    const bool named = equals != std::string::npos && equals < scheme;
    install.extra_indexes.push_back(named ? part_of(value, equals + 1) : value);
}

// "3.11", "cpython-3.11", "/usr/bin/python3.11", "3.14t" without the GIL; an environment's folder does not
// show the version.
void PipReading::python(const std::string& text) {
    if (text.size() > 1 && text.size() < 4 && text[0] == '3' && all_digits(text)) {  // "310"
        install.python = "3." + text.substr(1);
        return;
    }
    const std::size_t at = text.find("3.");
    if (at != std::string::npos &&
        (at == 0 || text.find_last_of("/\\") == std::string::npos || text.find_last_of("/\\") < at))
        install.python = text.substr(at);
    if (ends_with(install.python, "t")) install.python.pop_back();
}

void PipReading::unknown_option(const Written& word) {
    if (!word.known || !starts_with(word.text, "--") || meant_option(word.text).empty()) return;
    WrittenRequirement requirement;
    requirement.name = word.text.substr(0, word.text.find('='));
    requirement.whole = word;
    install.requirements.push_back(std::move(requirement));
}

void PipReading::variable(const char* name, const char* option_name) {
    const Written* value = inherited.variable(name);
    if (!value || !*value) return;
    const std::string_view option_text = option_name;
    const bool several = option_text != "--index-url" && option_text != "--torch-backend";
    std::size_t at = 0;
    while (several && at < value->text.size()) {
        const std::size_t start = value->text.find_first_not_of(" \t\n", at);
        if (start == std::string::npos) return;
        const std::size_t end = std::min(value->text.find_first_of(" \t\n", start), value->text.size());
        option(option_name, part_of(*value, start, end - start));
        at = end;
    }
    if (!several) option(option_name, *value);
}

bool PipReading::truth(const char* name) const {
    const Written* value = inherited.variable(name);
    if (!value || !*value) return false;
    const std::string text = lower(value->text);
    return text == "1" || text == "true" || text == "yes" || text == "on" || text == "y" || text == "t";
}

void PipReading::add_here(const Command& command) {
    Written here = command.words.front();
    here.text = ".";
    install.projects.push_back(here);
}

std::string text_at(const std::vector<const Argument*>& operands, std::size_t at) {
    return at < operands.size() ? operands[at]->value.text : std::string();
}

std::optional<PipInstall> read_uninstall(const std::vector<Argument>& arguments, std::size_t verb,
                                         PipReading& reading) {
    for (const Argument& argument : arguments)
        if (argument.option.empty() && argument.index > verb && argument.value.known)
            reading.install.removed.push_back(canonical_package(argument.value.text));
    if (reading.install.removed.empty()) return std::nullopt;
    return std::move(reading.install);
}

}  // namespace ptxguard::recipes
