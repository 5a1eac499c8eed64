// The two halves of library_faults.cpp: what a process lacks, and what is wrong with what it finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/library_faults.hpp"

namespace ptxguard {

struct Process {
    const Scenario& scenario;
    const Facts& facts;
    const LoadTrace& trace;
    const Expectation* framework;
};
using Faults = std::vector<LibraryFault>;

LibraryFault& add_fault(const Process& process, LibraryFaultKind kind, LibraryFamily family,
                        std::vector<LoadedFile> libraries, Faults& faults);
void add_faults_of_found(const Process& process, Faults& faults);

}  // namespace ptxguard
