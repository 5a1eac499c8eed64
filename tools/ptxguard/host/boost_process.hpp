// Boost.Process with groups and extensions: its first interface, v1 in newer releases of Boost. Only one file
// per system, the one that starts processes, includes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<boost/process/v1.hpp>)
#include <boost/process/v1.hpp>
#include <boost/process/v1/extend.hpp>
namespace ptxguard::platform {
namespace bp = boost::process::v1;
}
#else
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
namespace ptxguard::platform {
namespace bp = boost::process;
}
#endif
