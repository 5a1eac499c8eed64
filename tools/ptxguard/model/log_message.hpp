// A message that was found in a log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct LogMessage {
    std::string cause;  // what it shows, a cause of messages/causes.cpp: "cublas_failed"
    // Both sides of a refusal, if the message names them and is about nothing else.
    std::optional<PtxVersion> made, read;  // PTX version of the code, and the newest that was accepted
    std::optional<Arch> arch;              // architecture that was refused
    std::string library;                   // "cuDNN", "libcudnn_ops.so.9": what `loaded` and `built` are of
    std::optional<Version> loaded,
        built;                    // its release that is in use, and the one that the user was built with
    std::optional<Version> cuda;  // CUDA release that it is for, or that a container image requires
    Origin origin;                // its line, and the line's text

    PTXGUARD_MEMBERS((cause), (made, read, arch, library, loaded, built, cuda, origin))
};

}  // namespace ptxguard
