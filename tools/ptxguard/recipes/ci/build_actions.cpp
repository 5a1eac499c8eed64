// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/build_actions.hpp"

#include <vector>

#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

// The names of an action's inputs; null: it has none for that.
struct CMakeAction {
    const char* action;
    const char* source;
    const char* build;
    const char* arguments;
    const char* definitions;  // NAME=VALUE, one a line
    const char* generator;
    const char* c_compiler;
    const char* cxx_compiler;
    const char* preset;
};

// The inputs in action.yml of lukka/run-cmake v3 and v10, threeal/cmake-action v2, action-cmake-build v1.
constexpr CMakeAction k_actions[] = {
    {"lukka/run-cmake", "cmakeListsTxtPath", "buildDirectory", "cmakeAppendedArgs", nullptr, "cmakeGenerator",
     nullptr, nullptr, "configurePreset"},
    {"threeal/cmake-action", "source-dir", "build-dir", "args", "options", "generator", "c-compiler",
     "cxx-compiler", nullptr},
    {"ashutoshvarma/action-cmake-build", "source-dir", "build-dir", "configure-options", nullptr, nullptr,
     "cc", "cxx", nullptr},
};

class Words {
public:
    Words(const Written& uses, const ActionInput& input) : m_uses(uses), m_input(input) {}

    void add(const Written& at, const std::string& text) {
        m_command.words.push_back(at);
        m_command.words.back().text = text;
    }
    void add(const std::string& text) { add(m_uses, text); }

    Written input(const char* name) const { return name ? m_input(name) : Written{}; }

    // The option and the value of the input, if it is given.
    void add_value(const char* option, const char* name, const char* otherwise = nullptr) {
        Written value = input(name);
        const std::string file = "/CMakeLists.txt";
        if (ends_with(value.text, file)) value.text.erase(value.text.size() - file.size());
        if (!value && !otherwise) return;
        add(option);
        value ? add(value, value.text) : add(otherwise);
    }

    void add_split(const char* name, const char* separators, const std::string& start) {
        const Written value = input(name);
        for (const std::string& one : split(value.text, separators))
            if (!trim(one).empty()) add(value, start + trim(one));
    }

    void define(const char* variable, const char* name) {
        const Written value = input(name);
        if (value) add(value, std::string("-D") + variable + "=" + value.text);
    }

    Command take() { return std::move(m_command); }

private:
    const Written& m_uses;
    const ActionInput& m_input;
    Command m_command;
};

}  // namespace

std::optional<Command> cmake_of_action(const std::string& action, const Written& uses,
                                       const ActionInput& input) {
    for (const CMakeAction& one : k_actions) {
        if (action != one.action) continue;
        // CMakeSettings.json has generators and toolsets of its own.
        if (input("cmakeListsOrSettingsJson").text == "CMakeSettingsJson") return std::nullopt;
        Words words(uses, input);
        words.add("cmake");
        words.add_value("--preset", one.preset);
        words.add_value("-S", one.source, ".");
        words.add_value("-B", one.build, "build");
        words.add_value("-G", one.generator);
        words.define("CMAKE_C_COMPILER", one.c_compiler);
        words.define("CMAKE_CXX_COMPILER", one.cxx_compiler);
        words.add_split(one.definitions, "\n", "-D");
        words.add_split(one.arguments, " \t\n", "");
        return words.take();
    }
    return std::nullopt;
}

Command studio_of_action(const Written& uses, const ActionInput& input) {
    Command command;
    command.words = {uses};
    command.words[0].text = "vcvarsall";
    for (const char* name : {"toolset", "vsversion", "toolset_version", "vs-version"})
        if (Written chosen = input(name)) {
            chosen.text.insert(0, "-vcvars_ver=");
            command.words.push_back(chosen);
        }
    return command;
}

}  // namespace ptxguard::recipes
