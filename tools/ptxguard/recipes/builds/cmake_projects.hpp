// Projects that CMake configures: the steps of their files. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/version.hpp"
#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// A release of the toolkit, and whether nobody may override it.
struct NamedRelease {
    Version version;
    bool fixed = true;
    bool operator==(const NamedRelease& other) const {
        return version == other.version && fixed == other.fixed;
    }
};

// CUDA_VERSION, which images set, is "12.4.1"; CUDA_PATH ends with cuda-12.4 or v12.4.
std::optional<NamedRelease> release_named_by(const Inherited& inherited);

// The files of a project by their paths in it.
ReadFile files_below(const std::string& folder, const ReadFile& files);

// `given`: what the command line sets.
void add_cmake_lists(const FileText& lists, const std::map<std::string, std::string>& given,
                     const ReadFile& files, const std::optional<NamedRelease>& cuda,
                     std::vector<Step>& steps);
// What the words of a CMake command name.
struct ConfiguredProject {
    Written source;                 // its folder; without text, at the command: the working folder
    std::string preset;             // empty = none
    bool builds_elsewhere = false;  // -B
};
ConfiguredProject configured_project(const Command& command);
// A command of CMake, if it configures.
void add_cmake_project(const Command& command, const ReadFile& files, const Inherited& inherited,
                       std::vector<Step>& steps);

}  // namespace ptxguard::recipes
