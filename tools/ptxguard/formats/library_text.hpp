// What the bytes of libraries show: the std::string that they export, the architectures that they were
// compiled for, the libraries that they may open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/elf.hpp"
#include "formats/pe.hpp"
#include "model/arch.hpp"
#include "model/source.hpp"

namespace ptxguard {

// _GLIBCXX_USE_CXX11_ABI of a library from its exported names: those in namespace `scope` (mangled: "3c10")
// with std::string. 1 for std::__cxx11::basic_string, 0 for std::basic_string ("Ss"); nothing if there is
// none.
std::optional<int> string_abi(std::string_view names, std::string_view scope);

// "sm_75 sm_80 compute_90": the one constant that lists architectures and nothing else. `ptx_is_both`:
// compute_90 means PTX besides a cubin. Nothing if there is none, or if several differ.
std::optional<std::vector<Target>> find_arch_flags(std::string_view bytes, bool ptx_is_both);

// One list of such words.
std::optional<std::vector<Target>> parse_arch_words(const std::vector<std::string>& words, bool ptx_is_both);

// C++ names as GCC and Clang mangle them.

// The outermost namespace or class of a function, variable, vtable or type: "c10" for
// _ZN3c104cuda9SetDeviceEi and _ZTVN3c105ErrorE; empty for C names, and for names without a namespace.
std::string_view mangled_scope(std::string_view name);

// Strings in a file's constants that look like shared libraries: what it may dlopen.

// Complete strings of .rodata such as "libnvrtc.so.12", each once, in file order.
// `with_paths`: also "/usr/local/cuda/lib64/libcudart.so.12".
std::vector<std::string> library_names_in_text(const Source& source, const ElfFile& file,
                                               bool with_paths = false);
// "cublas64_12.dll", also in UTF-16.
std::set<std::string> dll_names_in_text(const Source& source, const PeFile& pe);

}  // namespace ptxguard
