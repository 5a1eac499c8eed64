// What a CMake file or setup.py requests from nvcc where CUDA has a certain release: its commands are
// followed with the values that the file itself determines. A branch whose condition is not known adds to
// what is requested.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "formats/cmake_commands.hpp"
#include "model/arch.hpp"
#include "model/truth.hpp"
#include "recipes/budget.hpp"
#include "recipes/placed_text.hpp"

namespace ptxguard::recipes {

// Of Python: physical lines joined while a bracket is open, without comments and long texts.
struct Statement {
    std::string text;
    std::size_t indentation = 0;
    int line = 0;
};

struct GatedScript {
    std::string file;
    std::vector<CMakeCommand> commands;
    std::vector<Statement> python;  // of a setup.py
};

// An architecture in a variable, or in the arguments of a command.
struct ArchRequest {
    std::string name;
    Arch arch;
};
inline bool operator<(const ArchRequest& a, const ArchRequest& b) {
    return std::tie(a.name, a.arch.number, a.arch.suffix) < std::tie(b.name, b.arch.number, b.arch.suffix);
}

struct ReleaseRequests {
    Version release;
    bool refused = false;                 // the file ends with an error for this release
    std::map<ArchRequest, Place> places;  // where each is written
    std::map<int, Truth> conditions;      // by line: those that compare the release
};

ReleaseRequests requests_for(const GatedScript& script, const Version& release, Budget& budget);
ReleaseRequests python_requests_for(const GatedScript& script, const Version& release, Budget& budget);
std::vector<Statement> statements_of(std::string_view python);
// Whether a branch of it compares the release of CUDA.
bool compares_release(const std::vector<Statement>& python);

}  // namespace ptxguard::recipes
