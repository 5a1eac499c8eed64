// A message that was found in a log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/fields.hpp"
#include "model/origin.hpp"

namespace ptxguard {

struct LogMessage {
    std::string cause;  // what it shows, a cause of messages/causes.cpp: "cublas_failed"
    Origin origin;      // its line, and the line's text

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, cause);
        PTXGUARD_FIELDS(v, origin);
    }
};

}  // namespace ptxguard
