// Headers that nearly every source includes, compiled once (cmake/Rooms.cmake). Sources still include what
// they use: a build with CMAKE_DISABLE_PRECOMPILE_HEADERS must also pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "host/paths.hpp"
#include "model/scenario.hpp"
