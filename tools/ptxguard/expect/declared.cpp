// Only "==" is accepted: a range does not select a build.
// SPDX-License-Identifier: Apache-2.0
#include "expect/declared.hpp"

#include <algorithm>
#include <iterator>

#include "expect/expect.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/requirement.hpp"

namespace ptxguard {
namespace {

std::vector<std::string> known_names() {
    std::vector<std::string> names;
    for (const FrameworkReader& reader : framework_readers())
        for (const auto* list : {&reader.aliases, &reader.cpu_aliases})
            std::copy_if(list->begin(), list->end(), std::back_inserter(names),
                         [](const char* alias) { return !ends_with(alias, "*"); });
    return names;
}

std::string judged_frameworks() {
    std::string all;
    for (const FrameworkReader& reader : framework_readers())
        all += (all.empty() ? "" : ", ") + std::string(reader.component);
    return all;
}

bool among(const std::vector<const char*>& names, const std::string& name) {
    return any_of(names, [&](const std::string_view known) {
        return ends_with(known, "*") ? starts_with(name, known.substr(0, known.size() - 1)) : name == known;
    });
}

// The name that reports print: "ONNXRuntime", "ONNX Runtime", "numba". Of "PaddlePaddle" the exact one, since
// its lower case is the package for CPUs.
const FrameworkReader* printed_as(const std::string& given) {
    std::string name = given;
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    for (const FrameworkReader& reader : framework_readers())
        if (name == reader.component ||
            (lower(name) == lower(reader.component) && !among(reader.cpu_aliases, lower(name))))
            return &reader;
    return nullptr;
}

std::size_t end_of_name_in(const std::string& text) {
    return std::min(text.find_first_of("=<>~!+ @[("), text.size());
}

std::string name_in(const std::string& text) {
    return canonical_package(text.substr(0, end_of_name_in(text)));
}

Trouble bad_form(const std::string& value) {
    return {"--framework " + value, "is not NAME[==VERSION][+cuXXX]", "for example torch==2.5.1+cu121"};
}

// cupy-cuda12x, mxnet-cu112: the name contains the CUDA of the build, even if no version follows.
bool names_build(const std::string& name) { return name.find_first_of("0123456789") != std::string::npos; }

bool is_build_tag(const std::string& text) {
    return !text.empty() && text == lower(text) &&
           all_of(text, [](char c) { return is_word_character(c, "._-"); });
}

// "[cuda12]" at the start of `rest`.
void take_extras(std::string& rest, DeclaredBuild& build) {
    const std::size_t end = rest.find(']');
    if (!starts_with(rest, "[") || end == std::string::npos) return;
    build.extras = lower(rest.substr(1, end - 1));
    rest.erase(0, end + 1);
}

// "==2.5.1+cu124", "+cu124"; false if it is neither.
bool take_release(const std::string& rest, DeclaredBuild& build) {
    std::string tag;
    if (starts_with(rest, "==") && !starts_with(rest, "===")) {
        build.version = parse_version(trim(rest.substr(2)));
        if (!build.version) return false;
        tag = lower(build.version->local());
    } else if (rest[0] == '+') {
        tag = lower(rest.substr(1));
        if (!is_build_tag(tag)) return false;
    } else {
        return false;
    }
    if (!tag.empty()) build.build = tag;
    return true;
}

}  // namespace

bool is_other_package(const std::string& value) {
    const std::string text = trim(value), name = name_in(text);
    DeclaredBuild build;
    std::string rest = text.substr(end_of_name_in(text));
    take_extras(rest, build);
    const bool package = !name.empty() && all_of(name, [](char c) { return is_word_character(c, "-"); });
    return package && (rest.empty() || take_release(rest, build)) &&
           did_you_mean(name, known_names()).empty();
}

Result<WantedFramework> parse_framework(const std::string& value) {
    const std::string text = trim(value);
    const std::string name = name_in(text);
    if (name.empty()) return bad_form(value);
    WantedFramework wanted;
    wanted.build.text = text;
    wanted.build.name = name;
    for (const FrameworkReader& reader : framework_readers()) {
        if (!among(reader.aliases, name) && !among(reader.cpu_aliases, name)) continue;
        wanted.reader = &reader;
        if (among(reader.cpu_aliases, name)) wanted.build.build = "cpu";
    }
    std::size_t end_of_name = end_of_name_in(text);
    if (const std::size_t end = std::min(text.find_first_of("=<>~!+@[("), text.size());
        const FrameworkReader* reader = printed_as(trim(text.substr(0, end)))) {
        const std::string package = lower(reader->component);
        // "numba==0.60.0" is a release of another package, which has no CUDA of its own.
        if (!among(reader->aliases, package) && !among(reader->cpu_aliases, package) && end < text.size())
            return Trouble{"--framework " + value, "names no release of its CUDA package",
                           "give " + std::string(reader->package) + "==VERSION"};
        wanted.reader = reader;
        wanted.build.build.clear();
        wanted.build.name = among(reader->aliases, package) ? package : reader->package;
        end_of_name = end;
    }
    if (!wanted.reader)
        return Trouble{
            "--framework " + value,
            "is not a supported framework (" + judged_frameworks() + ")" + did_you_mean(name, known_names()),
            ""};
    std::string rest = text.substr(end_of_name);
    take_extras(rest, wanted.build);
    if (rest.empty()) {
        const bool by_name = wanted.build.name != wanted.reader->package && names_build(wanted.build.name);
        wanted.declares = !wanted.build.build.empty() || by_name;
        return wanted;
    }
    wanted.declares = true;
    if (!take_release(rest, wanted.build)) return bad_form(value);
    return wanted;
}

}  // namespace ptxguard
