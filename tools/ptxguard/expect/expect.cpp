// The named frameworks, or all in the selected Python environment. Values that their files lack and the
// tables have for exactly that build are added as predicted.
// SPDX-License-Identifier: Apache-2.0
#include "expect/expect.hpp"

#include "expect/companions.hpp"
#include "expect/completing.hpp"
#include "expect/declared.hpp"
#include "expect/filling.hpp"
#include "expect/native_places.hpp"
#include "expect/pins.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

void note(Scenario& scenario, const Trouble& trouble, const char* option) {
    const std::string why = trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
    scenario.unreadable.push_back({trouble.subject, why, true, Origin::from_option(option)});
}

std::vector<WantedFramework> wanted_frameworks(const Request& request, Scenario& scenario) {
    std::vector<WantedFramework> wanted;
    for (const std::string& value : request.frameworks) {
        const bool optional = request.from_cmake && ends_with(value, "?");
        const auto parsed = parse_framework(optional ? value.substr(0, value.size() - 1) : value);
        if (parsed) {
            wanted.push_back(*parsed);
            wanted.back().optional = optional;
        } else {
            note(scenario, parsed.trouble(), "--framework");
        }
    }
    return wanted;
}

// A build as published by the project, not rebuilt by others: the archives of TensorFlow's C package contain
// its licences and are built like the wheels.
bool is_published(const Host& host, const Expectation& expectation) {
    return expectation.how == Installation::wheel ||
           (expectation.how == Installation::libtensorflow &&
            is_file(host, join_path(expectation.path, "THIRD_PARTY_TF_C_LICENSES")));
}

// The first place with the framework is the one that an import (or find_package) would use.
std::vector<Expectation> installed(const Host& host, const Facts& facts, const FrameworkReader& reader,
                                   const PythonEnvironment& python) {
    for (const SitePlace& place : python.places) {
        auto found = reader.read(host, place);
        for (Expectation& expectation : found) {
            expectation.python = python.path;
            expectation.python_because = python.because;
            const bool is_package =
                expectation.how != Installation::libtorch && expectation.how != Installation::libtensorflow;
            if (is_package) expectation.site = place.folder;
            check_platform(host, place, reader, expectation);
            if (!expectation.trouble.empty()) distrust(expectation, std::string(expectation.trouble));
            complete_from_tables(facts, host.system(), is_published(host, expectation), expectation);
            add_way_to_cudnn(host, facts, expectation);
            compare_with_record(host, expectation);
            find_companions(host, facts, expectation);
            find_shared_files(host, expectation);
            find_unmet_pins(host, expectation);
        }
        if (!found.empty()) return found;
    }
    return {};
}

// Frameworks whose files were removed, but not their records.
std::vector<Expectation> remains(const Host& host, const FrameworkReader& reader,
                                 const PythonEnvironment& python) {
    if (reader.distributions.empty()) return {};
    for (const SitePlace& place : python.places) {
        auto found = half_removed(host, place, reader);
        for (Expectation& expectation : found) {
            expectation.python = python.path;
            expectation.python_because = python.because;
        }
        if (!found.empty()) return found;
    }
    return {};
}

// An installed 2.5.1+cu124 satisfies torch==2.5.1 but not torch==2.5.1+cu121. An installed cupy-cuda12x
// 13.6.0 satisfies cupy==13.6.0 but not cupy-cuda11x==13.6.0.
bool meets(const Expectation& found, const DeclaredBuild& build, const std::string& package) {
    if (!found.trouble.empty() || !found.version || (build.version && *build.version != *found.version))
        return false;
    const bool one_of_several = found.package != package && build.name != package;
    if (one_of_several && build.name != found.package) return false;
    return build.build.empty() || build.build == found.version->local();
}

Expectation missing(const FrameworkReader& reader, const PythonEnvironment& python) {
    Expectation expectation;
    expectation.framework = reader.component;
    expectation.package = reader.package;
    expectation.python = python.path;
    expectation.python_because = python.because;
    expectation.trouble =
        python.path.empty() ? std::string(reader.package) + " was not found: there is no Python to look into"
                            : std::string(reader.package) + " is not installed in " + python.path;
    return expectation;
}

// "tensorflow-gpu" and "cupy-cuda12x" are separate packages; "pytorch" and "tf" are aliases.
std::string package_named(const WantedFramework& wanted) {
    return names_package(wanted.reader->distributions, wanted.build.name) ? wanted.build.name
                                                                          : wanted.reader->package;
}

std::vector<Expectation> answer(const Host& host, const Facts& facts, const WantedFramework& wanted,
                                std::vector<Expectation> found, const PythonEnvironment& python) {
    if (!wanted.declares)
        return found.empty() ? std::vector<Expectation>{missing(*wanted.reader, python)} : found;
    if (!found.empty() && meets(found.front(), wanted.build, wanted.reader->package)) return found;
    Expectation expectation = wanted.reader->declared(facts, host.system(), wanted.build);
    add_way_to_cudnn(host, facts, expectation);
    judge_existence(facts, package_named(wanted), expectation);
    for (const Expectation& other : found) {
        const std::string version = other.version ? other.version->text : "of an unknown version";
        expectation.version.origin.text =
            "--framework " + wanted.build.text + " (installed: " + version + " in " + other.path + ")";
    }
    return {expectation};
}

// Places without Python; `used` becomes the one that has the framework.
std::vector<Expectation> in_places(const Host& host, const Facts& facts, const FrameworkReader& reader,
                                   const std::vector<NativePlace>& places, PythonEnvironment& used) {
    for (const NativePlace& place : places) {
        const PythonEnvironment here{place.root, place.because, "", "", {{place.site, false}}};
        auto found = installed(host, facts, reader, here);
        if (found.empty()) continue;
        used = here;
        return found;
    }
    return {};
}

// find_package(Torch) reads CMake's variables, not Python's; outside CMake, Python comes first. The system's
// prefixes come last: a project that uses Python's torch sets CMAKE_PREFIX_PATH later.
std::vector<Expectation> find_one(const Host& host, const Facts& facts, const Request& request,
                                  const FrameworkReader& reader, PythonEnvironment& used) {
    const bool native = request.python.empty();
    std::vector<Expectation> found;
    if (native && request.from_cmake)
        found = in_places(host, facts, reader, native_places(host, reader), used);
    if (found.empty()) found = installed(host, facts, reader, used);
    if (found.empty() && native && !request.from_cmake)
        found = in_places(host, facts, reader, native_places(host, reader), used);
    if (found.empty() && native) found = in_places(host, facts, reader, system_places(host, reader), used);
    if (found.empty()) found = remains(host, reader, used);
    return found;
}

// An unreadable framework that was not named is reported, but does not affect the verdict.
void report_troubles(Scenario& scenario) {
    for (const Expectation& expectation : scenario.expectations) {
        if (expectation.trouble.empty() || expectation.path.empty() || expectation.required) continue;
        scenario.unreadable.push_back({expectation.framework + " in " + expectation.path,
                                       "cannot be read: " + expectation.trouble, false,
                                       Origin::from_file(expectation.path)});
    }
}

}  // namespace

void expect(const Host& host, const Facts& facts, const Request& request, Scenario& scenario) {
    const auto wanted = wanted_frameworks(request, scenario);
    PythonEnvironment python = scenario.python;
    if (!python.prefix.empty()) python.places.push_back({python.prefix});  // where conda puts libtorch
    for (const FrameworkReader& reader : framework_readers()) {
        PythonEnvironment used = python;
        const bool asked = any_of(wanted, [&](const WantedFramework& one) { return one.reader == &reader; });
        if (!request.frameworks.empty() && !asked) continue;
        const auto found = find_one(host, facts, request, reader, used);
        if (!asked) append(scenario.expectations, found);
        for (const WantedFramework& one : wanted) {
            if (one.reader != &reader || (one.optional && found.empty())) continue;
            for (Expectation expectation : answer(host, facts, one, found, used)) {
                expectation.required = !one.optional;
                scenario.expectations.push_back(std::move(expectation));
            }
        }
    }
    report_troubles(scenario);
}

}  // namespace ptxguard
