// Compiles the precompiled header: see precompiled.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "precompiled.hpp"
