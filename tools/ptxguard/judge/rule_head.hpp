// What a rule says of itself in the head of its page (rule.md), as the other parts of the judge and the
// commands use it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.hpp"
#include "model/system.hpp"

namespace ptxguard {

// Two kinds of facts that are used together.
enum class Meeting {
    code_gpu,          // the code of a build, framework or file, and the GPU that has to run it
    code_driver,       // its PTX and its CUDA runtime, and the driver
    gpu_driver,        // whether the driver supports the GPU
    arch_compiler,     // the requested architectures, and nvcc
    compile,           // the components of a toolkit, its host compiler and headers: a test file
    compiler_headers,  // nvcc and the headers that it includes; these and the library that is linked
    compiler_host,     // nvcc and the host compiler
    library_set,       // a library of a process, and the other libraries of that process
    module_framework,  // packages of one framework; a native module, and the framework that it extends
    framework_tool,    // a framework that compiles at run time, and the tool that it finds: ptxas, libdevice,
                       // nvcc
    framework_toolkit,  // a framework, and the toolkit that compiles for it
    framework_python,   // a framework's build, and Python
    project_framework,  // the project's C++ ABI and standard, and a framework's headers
};

enum class LibraryFaultKind {
    missing,        // no file of that name
    not_searched,   // a matching file is in a folder that is not searched
    other_name,     // only the same library of another CUDA or major is installed
    wrong_machine,  // only a file for another machine, or a damaged one
    undecided,      // it may be in folders that are not available
    delayed,        // missing, and only its first call needs it
    incomplete,     // found, but not all libraries that it opens
    renamed,        // a link or copy with the name of another major
    stub,
    mixed,          // with a library of another release
    shadowed,       // another release than the file's own copy, which is searched later
    lacks_symbols,  // nothing in the process defines what it needs
    other_cuda      // for another CUDA than that of the process
};

// cudnn: a missing library counts only if the framework lacks nothing else.
enum class LibraryFamily { cudnn, cublas, nvrtc_builtins, driver, other };

// A kind of fault that a rule reports; one row per fault decides: the row with its family before the one for
// all.
struct ReportedFault {
    LibraryFaultKind kind;
    std::optional<LibraryFamily> family;
    std::optional<System> system;
};

// A rule whose findings make this rule's findings follow, if both are about the same toolkit, package or
// entry.
struct CauseOfFinding {
    std::string_view rule;
    std::string Finding::*shared;
};

// A line of the head is "name: value, value"; a line that is absent is empty or false.
struct RuleHead {
    std::vector<std::string_view>
        explained_by;                          // rules whose findings may explain a message about this fault
    std::vector<Meeting> pairs;                // refused pairs that it reports
    std::vector<ReportedFault> faults;         // "missing cudnn on linux"
    std::vector<CauseOfFinding> follows_from;  // "CC104 (toolkit)"
    // With --later NAME another run, which knows more, decides its findings. "toolkit" is said of rules
    // outside of the toolkit's areas, "never" of rules inside of them.
    std::vector<std::string_view> later;
    bool note_without_build = false;  // "without_build: note": harmless while no build uses the toolkit
    bool of_places = false;        // "places: yes": it judges each place of a CMake project that sets a list
    bool always_selected = false;  // "select: always": reported for any --select
    bool of_inputs = false;        // "inputs: yes": it reports inputs that cannot be read
    bool of_remaining_pairs = false;  // "remaining_pairs: yes": judged last, of what no other rule reports
    // "without_archs: open": left open for each build whose architectures no table lists, which a plan says
    // once for the build.
    bool open_without_archs = false;
    bool of_assembler = false;  // "consumer: ptxas": a message about it says which PTX its ptxas reads
};

}  // namespace ptxguard
