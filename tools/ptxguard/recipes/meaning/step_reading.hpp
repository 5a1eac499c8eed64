// What the steps of one environment mean, one after another. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "model/scenario.hpp"
#include "recipes/meaning/cmake_here.hpp"
#include "recipes/meaning/host_compilers.hpp"
#include "recipes/meaning/named_archs.hpp"
#include "recipes/meaning/package_managers.hpp"
#include "recipes/meaning/python_here.hpp"
#include "recipes/meaning/source_parts.hpp"
#include "recipes/meaning/stages.hpp"
#include "recipes/meaning/system_pythons.hpp"
#include "recipes/meaning/toolkit_requests.hpp"
#include "recipes/meaning/toolkits.hpp"
#include "recipes/meaning/unseen_installs.hpp"
#include "recipes/meaning/used_names.hpp"
#include "recipes/resolution/pins.hpp"

namespace ptxguard::recipes {

struct StepReading {
    const Facts& facts;
    const Stages& stages;
    Scenario scenario = {};
    std::vector<BroughtToolkit> toolkits = {};
    RunfileNames runfiles = {};
    std::vector<SetVariable> variables = {};
    SharedMap<Written> unread_lists = {};    // variables that list architectures, by name
    std::vector<CompileStep> projects = {};  // built by pip; whether they contain device code is not known
    std::size_t last_projects = 0;           // those of the last command
    bool names_archs = false;                // a variable that only builders of device code read
    int group = 0;
    int unread_from = 0;              // the group of the first command whose requirements are not known
    SharedMap<Written> exports = {};  // and own variables of the last command
    PythonHere here = {};
    HostCompilers host_compilers = {};
    ToolkitRequests requests = {};
    PackageManagers managers = {};
    SystemPythons system_pythons = {};
    NamedImages images = {};
    NvccSources nvcc = {};
    CMakeHere cmake = {};
    SourceParts sources = {};
    Standards standards = {};
    NamedArchs named_archs = {};
    UsedNames used_names = {};

    void take(const SetVariable& step);
    void take(const PipInstall& written);
    void refuse_apart(const PipInstall& step);
    void take(const CondaInstall& step);
    void take(const AptInstall& step);
    void take(const DeviceExtension& step);
    void take(const Command& step);
    void take(const InOtherStage&) {}  // judged as a stage of its own
    // What the tools that are there depend on.
    template <class Any>
    void look(const Any& step) {
        constexpr bool k_variable = std::is_same_v<Any, SetVariable>,
                       k_command = std::is_same_v<Any, Command>;
        constexpr bool k_extension = std::is_same_v<Any, DeviceExtension>;
        if constexpr (!k_extension && !std::is_same_v<Any, InOtherStage>) {
            nvcc.take(step);
            cmake.take(step);
        }
        if constexpr (k_variable || k_command || k_extension) standards.take(step);
    }
    // Its own, and the exports that are not those of the command before.
    std::vector<SetVariable> new_variables(const Command& step);
    void take(const CopyFrom& step);
    void take_copied(const Step& install);
    std::string extension = {};  // the file of the last one
    std::set<const Step*> copied_steps = {};
    std::vector<int> copied = {};  // groups of packages that another stage has installed
    bool copies = false;           // files of other stages may be copied into it
    bool others = false;           // a command may have installed packages that no pin names
    bool listed = false;           // the system's installer gets packages of a list that is not known
};

}  // namespace ptxguard::recipes
