// Boost.Process with groups and extensions: its first interface, which newer releases of Boost keep under v1.
// Included by the one file per system that starts processes.
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
