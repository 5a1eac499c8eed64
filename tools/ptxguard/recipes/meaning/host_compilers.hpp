// The host compiler of a recipe's nvcc: named by the recipe, else the default one of its system or runner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/recipe_tables.hpp"
#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

class HostCompilers {
public:
    // Whether that variable names a host compiler.
    static bool is_named_by(const std::string& variable);
    void take(const SetVariable& variable);
    void take(const AptInstall& step);
    void take(const CondaInstall& step);
    void take(const Command& command);
    // `defaults`: of the system, may be null. After the toolkit of the build is chosen.
    // `system`: the text that names it.
    void fill(const SystemCompiler* defaults, const Written& system, Scenario& scenario) const;

private:
    static std::optional<HostCompiler> compiler_of(const std::string& program, const Written& at,
                                                   const std::string& by);
    void name_cxx(const std::string& program, const Written& at, const std::string& by);
    void name(const std::string& program, const Written& at, const std::string& by);
    void read_flags(const Written& flags, const std::string& by);
    void note_switch(const std::string& text, const Written& at);
    // -DCMAKE_CXX_COMPILER=g++-12, -DCMAKE_CUDA_FLAGS="-ccbin g++-12"
    void read_definition(const Written& word);
    void read_definitions(const Written& words);  // of CMAKE_ARGS
    void read_studio(const Written& word);
    void read_generator(const Command& command, const std::string& program);
    void name_studio(const Written& named);
    bool is_missing_studio(const SystemCompiler& defaults, const Toolkit& toolkit) const;
    void read_prompt(const Command& command, const std::string& program);
    void follow_default(const Command& command);
    void enable_toolset(const Written& value);
    void load_module(const Written& word);
    const HostCompiler* given(const Toolkit& toolkit, const Scenario& scenario) const;
    bool takes(const SystemCompiler& one, const Toolkit& toolkit, const Scenario& scenario) const;
    bool builds(const Scenario& scenario) const;
    // What compiles device code uses no framework.
    bool compiles_alone(const Scenario& scenario) const;
    bool is_unchecked(const SystemCompiler* defaults) const;
    void take_default(const SystemCompiler& defaults, const Written& system, Scenario& scenario) const;
    void take_missing_studio(const SystemCompiler& defaults, Project& project) const;
    bool fits_generator(const SystemCompiler& defaults) const;
    static bool is_installed(const Toolkit& toolkit, bool windows);
    static bool finds_another_studio(const Command& command, const std::string& program);

    HostCompiler m_named;
    HostCompiler m_default;       // that a command makes the default one
    int m_priority = -1;          // of `m_default`
    HostCompiler m_of_conda;      // installed beside the nvcc of conda
    HostCompiler m_of_cc;         // CC
    HostCompiler m_of_cxx;        // CC, CXX: nvcc does not read them, builds may pass them to it
    bool m_installs = false;      // a package with another compiler, which does not replace the default one
    Written m_switch;             // nvcc does not check it
    bool m_without = false;       // another compiler compiles device code
    bool m_open = false;          // another than the default may be used
    bool m_clang = false;         // it is installed
    bool m_checked = false;       // NVIDIA's installer runs, which checks the default gcc
    bool m_prompt = false;        // cl.exe may be on PATH
    Written m_bare;               // the first command that needs it there
    std::string m_generator;      // the year of a Visual Studio that is named
    Written m_needed;             // where a command ends with an error without that Visual Studio
    bool m_needs_folder = false;  // a command is in the folder of that Visual Studio
    bool m_adds_studio = false;   // the job installs one
    bool m_bazel = false;         // it runs; which toolchain it takes elsewhere than on Windows is not known
    bool m_by_nvcc = false;       // an nvcc that runs names the compiler
    bool m_builds = false;        // a build tool runs, which may compile with any toolkit that is there
};

}  // namespace ptxguard::recipes
