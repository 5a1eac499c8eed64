// The table of `plan`: a row for each machine, a column for each build. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/planned.hpp"
#include "report/table.hpp"

namespace ptxguard {

// The sets of one framework: those of single machines, then that of all together.
using SetGroup = std::vector<const PlannedSet*>;
std::vector<SetGroup> groups_of(const std::vector<PlannedSet>& sets);

// The first row has the framework and its builds; empty if only one machine was named. A cell is "runs", "?"
// or the rules that refuse the build.
std::vector<Row> grid_of(const SetGroup& group);

std::string name_of(const PlannedSet& set);            // "h100 (driver 580, H100 (sm_90))", "on all of these"
std::string answer_of(const PlannedSet& set);          // one line
std::string answer_with_notes(const PlannedSet& set);  // with what it depends on

}  // namespace ptxguard
