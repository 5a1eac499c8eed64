// What Python code writes. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "recipes/python/python_values.hpp"

namespace ptxguard::recipes {

// json.dumps(VALUE), on one line; open if a part is not known.
PythonValue json_of(const PythonValue& value);

}  // namespace ptxguard::recipes
