// A message whose meaning depends on its values, and the functions that answer. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/values.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {

using Suspects = std::vector<Suspect>;

struct LogQuestion {
    const FoundMessage& message;
    const FoundMessages& all;
    LogValues& values;
    const Facts& facts;
    Confidence confidence;  // of the row

    std::string value(const char* name) const {
        const auto found = values.find(name);
        return found == values.end() ? "" : found->second.text;
    }
    void set(const char* name, const std::string& text) { values[name] = {text, message.line}; }
    void forget(const char* name) { values.erase(name); }
    // Whether the log has a message with this cause, value or mark.
    bool has_cause(std::string_view cause) const {
        return any_of(all.messages, [&](const FoundMessage& one) {
            return !is_statement(*one.message) && any_of(one.message->suspects, [&](const Suspect& suspect) {
                return cause == suspect.cause;
            });
        });
    }
    bool has_value(std::string_view name, std::string_view part) const {
        return any_of(all.messages, [&](const FoundMessage& one) {
            const std::string* text = one.value(name);
            return text && text->find(part) != std::string::npos;
        });
    }
    bool has_value(std::string_view name) const {
        return any_of(all.messages, [&](const FoundMessage& one) { return one.value(name) != nullptr; });
    }
    // Whether such a line is a few lines before, as in one traceback.
    bool is_after_mark(std::string_view mark) const {
        constexpr std::int64_t k_near = 12;
        return any_of(all.messages, [&](const FoundMessage& one) {
            return mark == one.message->mark && one.line < message.line && one.line + k_near >= message.line;
        });
    }
    bool has_mark(std::string_view mark) const {
        return any_of(all.messages, [&](const FoundMessage& one) { return mark == one.message->mark; });
    }
};

// 1204 for a driver of CUDA 12.4; 0 = the log does not say.
inline int cuda_of_driver(const LogQuestion& q) {
    auto cuda = parse_version(q.value("driver_cuda"));
    if (!cuda)
        if (const auto driver = parse_version(q.value("driver")))
            if (const DriverBranch* branch = q.facts.driver_branch(*driver)) cuda = branch->cuda;
    return cuda ? 100 * static_cast<int>(cuda->major()) + static_cast<int>(cuda->minor()) : 0;
}

// Functions that each driver since CUDA 10.2 has (cuInit): where one is absent, another library is asked, or
// none.
bool is_of_every_driver(std::string symbol);

// For the cause library_not_linked: libcuda or libcudart.
inline void set_link(LogQuestion& q, bool of_driver) {
    q.set("library", of_driver ? "libcuda, the driver's library" : "libcudart, the CUDA runtime");
    q.set("link",
          of_driver ? "-lcuda, in CMake CUDA::cuda_driver (where no driver is, with -L$CUDA_HOME/lib64/stubs)"
                    : "-lcudart, in CMake CUDA::cudart, or link with nvcc");
}

inline Confidence at_most(Confidence one, Confidence limit) { return std::min(one, limit); }

struct Refinement {
    const char* id;
    Suspects (*suspects)(LogQuestion&);
};

std::vector<Refinement> refinements_of_libraries();  // which library or DLL
std::vector<Refinement> refinements_of_symbols();    // whose symbol
std::vector<Refinement> refinements_of_sources();    // whose header, name or function
std::vector<Refinement> refinements_of_builds();     // which program, option or device code
std::vector<Refinement> refinements_of_packages();   // which requirement
std::vector<Refinement> refinements_of_python();     // which module
std::vector<Refinement> refinements_of_statements();
std::vector<Refinement>
refinements_of_versions();  // which of two versions, which error number, which toolkit

// A DLL that the message names and that is not NVIDIA's or a framework's says little about CUDA.
Suspects weighed_by_owner(LogQuestion& q, const Suspects& suspects);
// The suspects of a statement, as its line and the lines before it let them count.
Suspects weighed_statement(const LogQuestion& q, const Suspects& suspects);
// At most possible on a line of a program's source.
Suspects weighed_by_line(const FoundMessage& message, Suspects suspects);

}  // namespace ptxguard
