// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/poetry_dependencies.hpp"
#include "python/requirement.hpp"

#include "python/marker.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/installers/poetry.hpp"
#include "recipes/python/marker_places.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
namespace {

PoetryDependency read_one(const Tree& name, const Tree& value, const std::string& file) {
    PoetryDependency dependency;
    WrittenRequirement& requirement = dependency.requirement;
    requirement.name = canonical_package(name.text);
    if (value.is_scalar()) {
        requirement.specifier = poetry_specifier(value.text);
        requirement.whole = written(value, file);
    } else {
        const Tree& place = value["version"] ? value["version"] : value["url"] ? value["url"] : name;
        requirement.whole = written(place, file);
        for (const char* key : {"url", "path", "git", "file"})
            if (value[key]) take_from(written(value[key], file), requirement);
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

std::string poetry_source(const Tree& entry, const WrittenRequirement& requirement,
                          const std::vector<std::string>& extras, const std::string& file) {
    MarkerEnvironment place = usual_place(requirement.marker);
    for (const std::string& extra : extras) place.extras.push_back(canonical_package(extra));
    for (const Tree* each : entry.each()) {
        const PoetryDependency one = read_one({}, *each, file);
        if (!one.source.empty() && holds(one.requirement.marker, place) != Truth::no) return one.source;
    }
    return "";
}

Written required_python(const Tree& root, const std::string& file) {
    const Tree& own = root["project"]["requires-python"];
    if (own) return written(own, file);
    const Tree& of_poetry = root["tool"]["poetry"]["dependencies"]["python"];
    Written range = of_poetry.is_scalar() ? written(of_poetry, file) : Written{};
    range.text = poetry_specifier(range.text);
    return range;
}

bool is_primary_source(const Tree& source) {
    const std::string& priority = source["priority"].text;
    return priority.empty() ? !source["secondary"].truth() : priority == "default" || priority == "primary";
}

bool is_named_source(const Tree& source, const Tree& dependencies) {
    const std::string& priority = source["priority"].text;
    const auto is_local = [](const auto& one) {
        const Tree& version = one.second.is_map() ? one.second["version"] : one.second;
        return version.text.find('+') != npos;
    };
    return priority == "explicit" || (priority == "supplemental" && !any_of(dependencies.members, is_local));
}

}  // namespace ptxguard::recipes
