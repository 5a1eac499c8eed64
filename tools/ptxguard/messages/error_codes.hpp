// Error numbers of the CUDA driver and runtime. They share their numbers from 34; below only a few mean the
// same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "messages/message.hpp"

namespace ptxguard {

struct ErrorCode {
    int number;
    const char* driver_name;        // "CUDA_ERROR_NO_DEVICE"; "" = none
    const char* runtime_name;       // "cudaErrorNoDevice"
    const char* text;               // of cudaGetErrorString; "" if the words are too common to search for
    std::vector<Suspect> suspects;  // none: it only follows from another error
};

const std::vector<ErrorCode>& error_codes();
const ErrorCode* find_error_code(int number);  // null if it is not listed

}  // namespace ptxguard
