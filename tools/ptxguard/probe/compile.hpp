// Command lines of nvcc and ptxas, and parsers of their outputs. Runs nothing itself. All file names are
// relative to the work folder, because nvcc does not quote paths correctly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// One toolkit's programs as the build calls them.
struct Compiler {
    std::string nvcc;
    std::string ptxas;               // empty = not in this toolkit
    std::string cicc, libdevice;     // likewise
    std::string host_compiler;       // for -ccbin; empty = nvcc's own choice
    std::vector<std::string> flags;  // project flags that affect acceptance
    bool lists_headers = true;       // -MD, 10.2 and newer
    bool forwards = true;            // -forward-unknown-to-host-compiler, likewise
    System system = System::linux_;
    std::chrono::milliseconds time_limit{60000};
};

// `nvcc` is the path that the build uses (a wrapper, for example), otherwise the component's own path.
// Variables that nvcc reads itself are not repeated.
Compiler compiler_of(const Host& host, const Scenario& scenario, const Toolkit& toolkit);

constexpr const char* k_source_file = "probe.cu";
const char* object_file(System system);
std::string stem_of(std::optional<Arch> arch);  // "compute_80", "default"

Command list_command(const Compiler& compiler);
Command help_command(const Compiler& compiler);
// What nvcc would run without an architecture; prints it only.
Command dry_command(const Compiler& compiler);
// The same with all flags of a project, as CMake passes them: unknown ones are for the host compiler.
Command dry_command(const Compiler& compiler, std::string_view flags);
// The one architecture that the lines of a dry run compile for.
std::optional<Arch> dry_arch(std::string_view lines);
// Without an arch: nvcc's default target.
Command ptx_command(const Host& host, const Compiler& compiler, std::optional<Arch> arch);
// Makes this compile write the headers that it read to STEM.d; takes a quarter longer.
void add_header_list(Command& command, const std::string& stem);
// Keeps the PTX that nvcc writes for an object with code for one target.
Command object_command(const Compiler& compiler, std::optional<Target> target);
constexpr const char* k_kept_ptx = "probe.ptx";
// On Windows, cicc.exe without nvcc, which compiles nothing where it finds no cl.exe.
Command cicc_command(const Compiler& compiler, Arch arch);
constexpr const char* k_preprocessed_file = "probe.ii";
// Links a C++ file that calls the runtime; it needs no header and no device code.
Command link_command(const Host& host, const Compiler& compiler, bool shared_runtime);
constexpr const char* k_link_source_file = "link.cpp";
// Any ptxas on any file.
Command ptxas_command(const std::string& ptxas, Arch arch, const std::string& input,
                      const std::string& output, std::chrono::milliseconds limit);
// clang as a CUDA compiler, with our own kernel, because clang needs NVIDIA's headers only for NVIDIA's
// declarations.
Command clang_command(const std::string& clang, const std::string& cuda, Arch arch, const std::string& output,
                      std::chrono::milliseconds limit);
constexpr const char* k_clang_source_file = "clang.cu";
extern const char* const k_clang_source;

// As shown: blanks quoted.
std::string command_line(const Command& command);

// NVCC_APPEND_FLAGS without -arch, -code, -gencode: those for a complete build stop `nvcc -ptx` ("not allowed
// when compiling for multiple GPU architectures") although they are correct.
std::string without_arch_flags(std::string_view flags);
std::string arch_flags_of(std::string_view flags);          // only these flags
std::string without_runtime_flags(std::string_view flags);  // without -cudart

// The flags in a project's CMAKE_CUDA_FLAGS that affect whether a toolchain is accepted: -std and
// -allow-unsupported-compiler. The others concern the project's own files, and may not fit ours.
std::vector<std::string> deciding_flags(std::string_view flags);
std::string host_compiler_in(std::string_view flags);  // from the last -ccbin; empty = none

// sm_ names of --list-gpu-code, or of the allowed values in --help if there is no such list.
std::vector<Arch> listed_archs(std::string_view text);

// The directives and comment lines at the start of a PTX text.
struct PtxHead {
    std::optional<PtxVersion> version;
    std::optional<Arch> target;
    std::optional<Version> compiler;  // "Cuda compilation tools, release 13.5, V13.5.37": its cicc
    std::string words;                // the lines with that version
};
PtxHead read_ptx_head(std::string_view ptx);

// Absolute paths of a make dependency file, plus the headers that only nvcc's generated code includes.
std::vector<std::string> headers_of(std::string_view dependencies, System system);

}  // namespace ptxguard
