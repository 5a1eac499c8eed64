// What a loader gives a binary: for each library the file that is taken, the rule that won and the files that
// lost.
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
// program: the file itself. text: a name was found in the file that looks like an NVIDIA library; it may be
// opened.
const char* to_string(LoadHow how);  // "program", "needed", "dlopen", "delay-load", "preload", "text"

// Why the loader does not take a file. other_name: the same library for another CUDA (cublas64_12.dll,
// cublas64_11.dll is wanted); only listed where nothing is taken.
enum class LoadLost { later, not_searched, other_machine, other_name, unreadable };
const char* to_string(LoadLost lost);  // "later", "not-searched", "other-machine", "other-name", "unreadable"

// The step of a loader's search that finds a file; `other` are those that nothing depends on.
enum class LoadStep {
    none,
    rpath,
    runpath,
    ld_library_path,
    ld_preload,
    import,
    preload,
    finder,
    path,
    current_folder,
    windows,
    other
};
struct LoadRule {
    LoadStep step = LoadStep::none;
    std::string text;  // for people: "DT_RPATH of libx.so", "LD_LIBRARY_PATH", "System32"

    LoadRule() = default;
    LoadRule(LoadStep step, const std::string& of = {});  // {rpath, "libx.so"}
    LoadRule(std::string other);                          // a step without a value of its own, "System32"
    LoadRule(const char* other) : LoadRule(std::string(other)) {}
    static LoadRule from_text(const std::string& text);  // as written in a report
    bool empty() const { return text.empty(); }
};
// LD_LIBRARY_PATH, LD_PRELOAD or PATH, if that decided; else empty.
std::string deciding_variable(const LoadRule& rule);

// Which program loads a DLL, as far as it changes the search.
enum class DllHost { python, store_python };
const char* to_string(DllHost host);  // "python", "store-python"

// A file of that name that the loader does not take, in the order in which it would come.
struct LoadLoser {
    std::string path;
    LoadRule rule;  // by which it would have been found: "LD_LIBRARY_PATH", "DT_RUNPATH of libx.so" ...
    LoadLost lost = LoadLost::later;
    std::string why;  // "later in the search", "for another machine (x86)", "not in the searched folders"
    Known<Version> version;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, path);
        PTXGUARD_FIELDS(v, rule, lost, why, version);
    }
};

// One library in the process. The first request for a name decides; later ones get the same file.
struct LoadedFile {
    std::string name;       // as asked for: "libcublas.so.12", "cublas64_12.dll", or a path
    std::string needed_by;  // path of the file that asks first
    LoadHow how = LoadHow::needed;
    bool optional = false;             // opened later, and done without where it is missing
    std::optional<std::string> taken;  // path; nothing = the loader finds none
    std::string real_path;             // after links
    LoadRule rule;  // "DT_RPATH of libtorch_cuda.so", "LD_LIBRARY_PATH", "ld.so.cache", "System32" ...
    std::string rule_detail;  // the entry as written: "$ORIGIN/../../nvidia/cublas/lib"
    std::string because;      // of a missing one: where was looked; of one that is taken: empty
    // Not taken, but where it may come from is not here: no System32 in the tree, or the package that is
    // imported first.
    bool undecided = false;
    bool path_unknown = false;  // undecided, because the PATH of the checked system is not known
    std::vector<LoadLoser> losers;

    // What it is. Empty `library`: none of NVIDIA's.
    std::string
        library;  // "cublas", "cublasLt", "cudnn", "cudnn_graph", "nvrtc", "nvrtc-builtins", "nvJitLink"
    int cuda_major = 0;      // that it belongs to by its name; 0 = its name tells none
    Known<Version> version;  // of the library (cuBLAS 12.8.4.1), with where from
    Known<Version> cuda;     // CUDA release that it belongs to ("12.8"), where known
    bool stub = false;       // the toolkit's stub, which only satisfies a linker
    std::string machine;     // "x86_64", "aarch64", "x86"
    // The framework's metadata requires exactly this release of the package that brought it ("==12.5.1.3"):
    // what is pinned together was tested together.
    bool pinned = false;
    std::string package;  // whose record gives the version: "nvidia-cublas-cu12"; empty = another source

    // Names that it needs from others and nobody in the process defines. Nothing = was not counted.
    std::optional<std::size_t> undefined;
    std::vector<std::string> undefined_names;  // at most 20, as "cublasLtMatmul@libcublasLt.so.12"
    std::vector<std::string>
        missing_versions;  // "GLIBC_2.38 of libc.so.6", "libcublas.so.12 of libcublas.so.12"

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, name);
        PTXGUARD_FIELDS(v, needed_by, how, optional);
        PTXGUARD_ALWAYS(v, taken);
        PTXGUARD_FIELDS(v, real_path, rule, rule_detail, because, undecided, path_unknown, losers, library,
                        cuda_major, version, cuda, stub, machine, pinned, package, undefined, undefined_names,
                        missing_versions);
    }
};

struct LoadTrace {
    std::string path;         // the file that was asked about
    bool is_program = false;  // has an interpreter / is an .exe
    std::string machine;
    std::vector<LoadedFile> libraries;  // in the order in which the loader maps them; without the file itself
    // The same with those that are none of NVIDIA's: to be shown, not judged. Empty = was not asked for.
    std::vector<LoadedFile> all;
    std::vector<std::string> searched;  // folders that count for this file, in order, for people
    LoadedFile itself;  // where the file is one of NVIDIA's libraries: what it is; else `library` is empty
    std::optional<std::size_t> undefined;  // of the file itself, as above
    std::vector<std::string> undefined_names;
    std::vector<std::string> missing_versions;
    // An extension of this package ("torch"): it needs the package's own libraries and has no way to them, so
    // it comes into a process in which the package was imported. Empty: none, or the package was found and
    // its libraries are listed.
    std::string missing_package;
    std::optional<DllHost> host;       // Windows: the program that loads the file; nothing = another
    bool searches_path = false;        // Windows: PATH counts for this file
    std::vector<std::string> remarks;  // what is odd and harms nobody: a side-by-side assembly that it names
    std::string trouble;               // why it could not be traced to its end

    // Where it is a framework's library that was traced for the framework's sake.
    std::string framework;         // "PyTorch"
    std::string framework_folder;  // its Expectation::path, by which Scenario::framework_of finds it
    // NVIDIA's packages that the framework's metadata requires and that are not installed, as required:
    // "nvidia-cublas-cu12==12.4.5.8"; whether that is all of them.
    std::vector<std::string> absent_packages;
    bool all_packages_absent = false;
    // Some are not, and most of the others are not the releases that it pins: another framework brought them.
    bool packages_of_others = false;
    // Those whose record lists a library that is missing: installed says pip, gone are their files
    // ("nvidia-cudnn-cu12==9.3.0.75").
    std::vector<std::string> half_removed;
    Origin origin;

    const std::vector<LoadedFile>& shown() const { return all.empty() ? libraries : all; }
    const LoadedFile* library(const std::string& library_name) const;  // by `library`, the first; null = none

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, path);
        PTXGUARD_FIELDS(v, is_program, machine);
        PTXGUARD_ALWAYS(v, libraries);
        PTXGUARD_FIELDS(v, searched);
        v.when("itself", itself, !itself.library.empty());
        PTXGUARD_FIELDS(v, undefined, undefined_names, missing_versions, missing_package, host, searches_path,
                        remarks, trouble, framework, framework_folder, absent_packages, half_removed,
                        all_packages_absent, packages_of_others, origin);
    }
};

}  // namespace ptxguard
