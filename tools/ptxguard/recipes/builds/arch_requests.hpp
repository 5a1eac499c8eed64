// What a CMake file or setup.py requests from nvcc where CUDA has a certain release: its commands are
// followed with the values that the file itself determines. A branch whose condition is not known adds to
// what is requested.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "formats/cmake_commands.hpp"
#include "model/arch.hpp"
#include "model/truth.hpp"
#include "recipes/base/budget.hpp"
#include "recipes/base/placed_text.hpp"

namespace ptxguard::recipes {

class PythonFollower;

struct GatedScript {
    std::string file;
    std::vector<CMakeCommand> commands;
    std::shared_ptr<const PythonFollower> python;  // of a setup.py
};

// An architecture in a variable, or in the arguments of a command.
struct ArchRequest {
    std::string name;
    Arch arch;
};
inline bool operator<(const ArchRequest& a, const ArchRequest& b) {
    return std::tie(a.name, a.arch.number, a.arch.suffix) < std::tie(b.name, b.arch.number, b.arch.suffix);
}
struct ArchUse {
    Place place;
    bool is_passed = false;  // to nvcc, as it is: a flag, or a variable that nvcc's callers read
};

struct ReleaseRequests {
    Version release;
    bool refused = false;    // the file requires another release
    std::set<int> failures;  // lines that end with an error
    std::map<ArchRequest, ArchUse> uses;
    std::map<int, std::vector<Truth>> conditions;  // by line
};

ReleaseRequests requests_for(const GatedScript& script, const Version& release, Budget& budget);
ReleaseRequests python_requests_for(const GatedScript& script, const Version& release, Budget& budget);

}  // namespace ptxguard::recipes
