// A scenario from its JSON, by the field lists that write it (model/serialize.hpp); only tests need this.
// Unknown members are ignored, missing ones keep the default of the struct; a value that cannot be read is an
// error that names the member.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/json.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

Result<Scenario> scenario_from_json(const Json& json);

}  // namespace ptxguard
