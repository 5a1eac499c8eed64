// What is wrong with the libraries of a process. Each fault is found here once, and the heads of the rules
// say which one reports it, so no fault is reported twice. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/cudnn_questions.hpp"
#include "judge/rule.hpp"
#include "judge/rule_head.hpp"

namespace ptxguard {

struct LibraryFault {
    LibraryFaultKind kind = LibraryFaultKind::missing;
    LibraryFamily family = LibraryFamily::other;
    const LoadTrace* trace = nullptr;
    const Expectation* framework = nullptr;  // of the trace; null = none, or not read
    std::vector<LoadedFile> libraries;       // with one cause; never empty
    // Files that the loader does not take and that explain the fault: the near misses, the shadowed copies.
    std::vector<LoadLoser> near;
    // Libraries in conflict with it: the other library of a mixed set, those that lack its symbols, the
    // runtime of another CUDA. For other_name: the library that `near` would be.
    std::vector<LoadedFile> others;
    std::vector<std::string> symbols;  // undefined symbols: "cublasLtMatmul of libcublasLt.so.12"
    const CudnnCopy* copy = nullptr;   // a copy of cuDNN that is not searched, or of another major
    Known<Version> wanted;             // the major in the name, the CUDA of the process
    int major = 0;                     // of the file with another name
    bool proven = false;               // mixed, shadowed: symbols are missing
    bool open = false;                 // mixed: from another folder, with an unreadable release
    std::string_view rule;             // that reports it, by its head; empty = none
    std::vector<Entity> about;         // the process and its libraries

    const LoadedFile& library() const { return libraries.front(); }
};

// The framework's package if the fault is about CUDA libraries; empty = not a framework's, or no such
// library.
std::string package_without_cuda(const LibraryFault& fault);

// refused: the process cannot use it. unknown: nothing shows whether it can.
Outcome outcome_of(const LibraryFault& fault);

// The faults of a scenario, found when a rule first asks for them, so that its guard catches an exception.
class LibraryFaults {
public:
    LibraryFaults(const Scenario& scenario, const Facts& facts) : m_scenario(scenario), m_facts(facts) {}

    const std::vector<LibraryFault>& all() const;
    std::vector<std::reference_wrapper<const LibraryFault>> reported_by(std::string_view rule) const;
    // The worst one of that library in that process; null = none.
    const LibraryFault* of(const LoadTrace& trace, const LoadedFile& library) const;

private:
    const Scenario& m_scenario;
    const Facts& m_facts;
    mutable std::optional<std::vector<LibraryFault>> m_all;
};

// The loader finds none, and the process needs one.
bool is_absent(const LoadedFile& library);
bool is_taken(const LoadedFile& library);
// The process requires it: needed or preloaded, not only named in a string or opened if it exists.
bool is_needed_to_start(const LoadedFile& library);
bool is_cudnn(const LoadedFile& library);
bool is_of_driver(const LoadedFile& library, const Facts& facts);
// Missing libraries that the process needs to start, otherwise those that it opens later. Without the
// driver's, and without NVRTC's builtins.
std::vector<LoadedFile> missing_libraries(const LoadTrace& trace, const Facts& facts);

// The two halves of library_faults.cpp: what a process lacks, and what is wrong with what it finds.
struct Process {
    const Scenario& scenario;
    const Facts& facts;
    const LoadTrace& trace;
    const Expectation* framework;
    const CudnnInUse cudnn = cudnn_of(scenario, trace);
};
using Faults = std::vector<LibraryFault>;

LibraryFault& add_fault(const Process& process, LibraryFaultKind kind, LibraryFamily family,
                        std::vector<LoadedFile> libraries, Faults& faults);
void add_faults_of_found(const Process& process, Faults& faults);

}  // namespace ptxguard
