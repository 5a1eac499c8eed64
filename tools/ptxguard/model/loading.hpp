// Which files a loader takes for a binary: for each library the resolved file, the rule that found it, and
// the skipped and shadowed files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class LoadHow { program, needed, dlopen, delay_load, preload, text };
// program: the file itself. text: a string in the file looks like the name of an NVIDIA library; it may be
// opened.
const char* to_string(LoadHow how);  // "program", "needed", "dlopen", "delay-load", "preload", "text"

// Why the loader does not take a file. other_name: the same library for another CUDA (cublas64_12.dll where
// cublas64_11.dll is requested); listed only if nothing is found.
enum class LoadLost { later, not_searched, other_machine, other_name, unreadable };
const char* to_string(LoadLost lost);  // "later", "not-searched", "other-machine", "other-name", "unreadable"

// Step of a loader's search that finds a file; no code depends on those under `other`.
enum class LoadStep {
    none,
    rpath,
    runpath,
    ld_library_path,
    ld_preload,
    import,
    call,  // of a function of the package, which a program may make
    preload,
    finder,
    path,
    current_folder,
    windows,
    other
};
struct LoadRule {
    LoadStep step = LoadStep::none;
    std::string text;  // as shown: "DT_RPATH of libx.so", "LD_LIBRARY_PATH", "System32"

    LoadRule() = default;
    LoadRule(LoadStep step, const std::string& of = {});  // {rpath, "libx.so"}
    LoadRule(std::string other);                          // a step without a value, "System32"
    LoadRule(const char* other) : LoadRule(std::string(other)) {}
    static LoadRule from_text(const std::string& text);  // as written in a report
    bool empty() const { return text.empty(); }
};
// LD_LIBRARY_PATH, LD_PRELOAD or PATH, if it decided; else empty.
std::string deciding_variable(const LoadRule& rule);

// The program that loads a DLL, if it changes the search.
enum class DllHost { python, store_python };
const char* to_string(DllHost host);  // "python", "store-python"

// A file of the same name that the loader does not take, in the order of the search.
struct LoadLoser {
    std::string path;
    LoadRule rule;  // that would have found it: "LD_LIBRARY_PATH", "DT_RUNPATH of libx.so" ...
    LoadLost lost = LoadLost::later;
    std::string why;  // "later in the search", "for another machine (x86)", "not in the searched folders"
    Known<Version> version;

    PTXGUARD_MEMBERS((path), (rule, lost, why, version))
};

// One library in the process. The first request for a name decides; later ones get the same file.
struct LoadedFile {
    std::string name;       // as requested: "libcublas.so.12", "cublas64_12.dll", or a path
    std::string needed_by;  // path of the file that requests it first
    LoadHow how = LoadHow::needed;
    bool optional = false;             // opened later, and not required
    std::string without;               // optional: what fails where it is not found; empty = nothing
    std::optional<std::string> taken;  // path of the resolved file; null = not found
    std::string real_path;             // after symlinks
    LoadRule rule;  // that found it: "DT_RPATH of libx.so", "LD_LIBRARY_PATH", "ld.so.cache", "System32" ...
    std::string rule_detail;  // the entry as written: "$ORIGIN/../../nvidia/cublas/lib"
    std::string because;      // if not found: where it was searched; else empty
    // Not found, but it may come from a place that is not available here: no System32 in the tree, or the
    // package that is imported first.
    bool undecided = false;
    bool path_unknown = false;      // undecided because the PATH of the checked system is not known
    std::vector<LoadLoser> losers;  // files of the same name that are not taken

    // NVIDIA library: "cublas", "cublasLt", "cudnn", "cudnn_graph", "nvrtc", "nvrtc-builtins", "nvJitLink";
    // empty = not NVIDIA's.
    std::string library;
    int cuda_major = 0;      // CUDA major in its name; 0 = none
    Known<Version> version;  // release of the library (cuBLAS 12.8.4.1)
    Known<Version> cuda;     // CUDA release that it belongs to ("12.8"), if known
    bool stub = false;       // the toolkit's stub, for linking only
    std::string machine;     // "x86_64", "aarch64", "x86"
    // The framework's metadata pins the package that contains it to exactly this release ("==12.5.1.3"):
    // releases pinned together were tested together.
    bool pinned = false;
    std::string package;  // whose record has the version: "nvidia-cublas-cu12"; empty = another source
    // The record lists this file with another size, and the file itself reports another release.
    std::string recorder;
    Known<Version> recorded;

    // Number of symbols that it needs and nothing in the process defines; null = not counted.
    std::optional<std::size_t> undefined;
    std::vector<std::string> undefined_names;  // at most 20, as "cublasLtMatmul@libcublasLt.so.12"
    // Missing symbol versions: "GLIBC_2.38 of libc.so.6", "libcublas.so.12 of libcublas.so.12".
    std::vector<std::string> missing_versions;
    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, name);
        PTXGUARD_FIELDS(v, needed_by, how, optional, without);
        PTXGUARD_ALWAYS(v, taken);
        PTXGUARD_FIELDS(v, real_path, rule, rule_detail, because, undecided, path_unknown, losers, library,
                        cuda_major, version, cuda, stub, machine, pinned, package, recorder, recorded,
                        undefined, undefined_names, missing_versions);
    }
};

// The framework for which a library was traced, and what its metadata says about NVIDIA's packages.
struct TracedFramework {
    std::string framework;         // whose library was traced: "PyTorch"; empty = no framework's
    std::string framework_folder;  // its Expectation::path, used by Scenario::framework_of
    // NVIDIA packages that the framework's metadata requires and that are not installed, as required:
    // "nvidia-cublas-cu12==12.4.5.8".
    std::vector<std::string> absent_packages;
    // Packages that pip lists as installed although a library in their record is missing
    // ("nvidia-cudnn-cu12==9.3.0.75").
    std::vector<std::string> half_removed;
    bool all_packages_absent = false;  // none of the required NVIDIA packages is installed
    // Some required NVIDIA packages are not installed, and most of the others are not the pinned releases:
    // another framework installed them.
    bool packages_of_others = false;

    bool empty() const { return framework.empty(); }

    PTXGUARD_MEMBERS_SET(framework, framework_folder, absent_packages, half_removed, all_packages_absent,
                         packages_of_others)
};

struct LoadTrace {
    std::string path;                   // the traced file
    bool is_program = false;            // has an interpreter / is an .exe
    std::string machine;                // "x86_64", "aarch64", "x86"
    std::vector<LoadedFile> libraries;  // in the order in which the loader maps them; without the file itself
    // All libraries, including those that are not NVIDIA's: shown, not judged. Empty = not requested.
    std::vector<LoadedFile> all;
    std::vector<std::string> searched;  // folders that are searched for this file, in order
    LoadedFile itself;  // the file itself, if it is an NVIDIA library; otherwise `library` is empty
    std::optional<std::size_t> undefined;  // number of undefined symbols of the file itself
    std::vector<std::string> undefined_names;
    std::vector<std::string> missing_versions;
    // Required files, itself among them, that request an executable stack, which this C library grants to
    // none that is opened later.
    std::vector<std::string> executable_stacks;
    // Package ("torch") whose libraries this extension needs and cannot find itself: it is loaded after that
    // package was imported. Empty = none, or the package was found and its libraries are listed.
    std::string missing_package;
    std::optional<DllHost> host;       // Windows: the program that loads the file; empty = another
    bool searches_path = false;        // Windows: PATH is searched for this file
    std::vector<std::string> remarks;  // unusual but harmless: a side-by-side assembly that it names
    bool of_other_machine = false;     // Linux: this system has no loader for its processor
    std::string trouble;               // why it could not be traced to the end

    std::optional<TracedFramework> traced_for;  // none = a file that the user named
    Origin origin;

    // "PyTorch"; empty = of no framework.
    const std::string& framework() const;
    const std::vector<LoadedFile>& shown() const { return all.empty() ? libraries : all; }
    const LoadedFile* library(const std::string& library_name) const;  // the first one; null = none

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, path);
        PTXGUARD_FIELDS(v, is_program, machine);
        PTXGUARD_ALWAYS(v, libraries);
        PTXGUARD_FIELDS(v, searched);
        v.when("itself", itself, !itself.library.empty());
        PTXGUARD_FIELDS(v, undefined, undefined_names, missing_versions, executable_stacks, missing_package,
                        host, searches_path, remarks, of_other_machine, trouble);
        v.inlined(traced_for);
        PTXGUARD_FIELDS(v, origin);
    }
};

}  // namespace ptxguard
