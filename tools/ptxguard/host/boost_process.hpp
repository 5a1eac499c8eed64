// Boost.Process with groups and extensions: its first interface, which newer releases of Boost keep as v1.
// Only the one file per system that starts processes includes it.
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
