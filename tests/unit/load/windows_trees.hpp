// Windows trees made of tiny DLLs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "load/load.hpp"
#include "tiny_pe.hpp"

namespace ptxguard {

inline const Facts& facts() {
    static const Facts all = Facts::embedded();
    return all;
}

inline std::string dll() { return TinyPe{}.bytes(); }
inline std::string needing(const std::string& name) { return TinyPe{}.needs(name).bytes(); }

inline FakeHost windows() {
    FakeHost host(System::windows);
    host.foreign(true).file("C:/Windows/System32/kernel32.dll", dll()).env("PATH", "");
    return host;
}

inline LoadTrace trace(const FakeHost& host, const std::string& path, const LoadOptions& options = {}) {
    return trace_windows(host, facts(), path, options);
}

inline const LoadedFile& library(const LoadTrace& trace, const std::string& name) {
    for (const LoadedFile& file : trace.libraries)
        if (file.name == name) return file;
    static const LoadedFile k_none;
    FAIL_CHECK("not in the trace: " << name);
    return k_none;
}

inline bool lists(const LoadTrace& trace, const std::string& name) {
    for (const LoadedFile& file : trace.libraries)
        if (file.name == name) return true;
    return false;
}

// "C:/x/cublas64_12.dll by PATH"
inline std::string taken(const LoadTrace& trace, const std::string& name) {
    const LoadedFile& file = library(trace, name);
    return file.taken ? *file.taken + " by " + file.rule.text : "none";
}

inline std::string losers(const LoadTrace& trace, const std::string& name) {
    std::string text;
    for (const LoadLoser& loser : library(trace, name).losers)
        text += loser.path + " " + loser.rule.text + " " + to_string(loser.lost) + "; ";
    return text;
}

// A Python of that version with one extension module in site-packages.
inline FakeHost python(const std::string& digits, const std::string& imports) {
    FakeHost host = windows();
    host.file("C:/Python/python.exe", TinyPe{}.program().bytes())
        .file("C:/Python/python" + digits + ".dll", dll());
    host.file("C:/Python/Lib/site-packages/x-1.0.dist-info/METADATA", "Name: x\n");
    host.file("C:/Python/Lib/site-packages/x/_x.pyd",
              TinyPe{}.needs("python" + digits + ".dll").needs(imports).needs("KERNEL32.dll").bytes());
    return host;
}
constexpr const char* k_module = "C:/Python/Lib/site-packages/x/_x.pyd";
constexpr const char* k_cublas = "cublas64_12.dll";

}  // namespace ptxguard
