// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "host/demangled.hpp"
#include "model/text.hpp"

namespace ptxguard::own {

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    if (!text || status != 0) return name;
    const std::string readable = replace_all(
        text.get(), "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
        "std::string");
    return replace_all(readable, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                       "std::string (old ABI)");
}

}  // namespace ptxguard::own
