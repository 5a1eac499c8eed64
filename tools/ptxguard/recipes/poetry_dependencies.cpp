// SPDX-License-Identifier: Apache-2.0
#include "recipes/poetry_dependencies.hpp"
#include "python/requirement.hpp"

#include "recipes/poetry.hpp"
#include "recipes/requirements.hpp"
#include "recipes/tree_places.hpp"

namespace ptxguard::recipes {
namespace {

PoetryDependency read_one(const Tree& name, const Tree& value, const std::string& file) {
    PoetryDependency dependency;
    WrittenRequirement& requirement = dependency.requirement;
    if (value.is_scalar()) {
        requirement.specifier = poetry_specifier(value.text);
        requirement.whole = written(value, file);
    } else {
        requirement.whole = written(value["version"] ? value["version"] : name, file);
        for (const char* key : {"url", "path", "git", "file"})
            if (value[key]) {
                if (std::string_view(key) == "url") requirement = read_requirement(written(value[key], file));
                requirement.url = written(value[key], file);
            }
        if (value["version"]) requirement.specifier = poetry_specifier(value["version"].text);
        for (const Tree* extra : value["extras"].each())
            requirement.extras.push_back(canonical_package(extra->text));
        requirement.marker = value["markers"].text;
        const auto also = [&](const std::string& condition) {
            requirement.marker =
                requirement.marker.empty() ? condition : "(" + requirement.marker + ") and " + condition;
        };
        if (value["platform"]) also("sys_platform == '" + value["platform"].text + "'");
        // `python`: the first bound is enough.
        const std::string python = poetry_specifier(value["python"].text);
        const std::size_t digits = python.find_first_of("0123456789");
        if (digits != std::string::npos && digits > 0 && python.find(',') == std::string::npos)
            also("python_version " + python.substr(0, digits) + " '" + python.substr(digits) + "'");
        // Pipfile's names for the same.
        if (value["sys_platform"]) also("sys_platform " + value["sys_platform"].text);
        dependency.source = value["source"] ? value["source"].text : value["index"].text;
        dependency.optional = value["optional"].truth();
    }
    requirement.name = canonical_package(name.text);
    return dependency;
}

}  // namespace

std::vector<PoetryDependency> read_poetry_dependencies(const Tree& table, const std::string& file) {
    std::vector<PoetryDependency> result;
    for (const auto& [name, value] : table.members)
        if (name.text != "python")
            for (const Tree* one : value.each()) result.push_back(read_one(name, *one, file));
    return result;
}

}  // namespace ptxguard::recipes
