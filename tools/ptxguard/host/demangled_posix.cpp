// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "host/demangled.hpp"

namespace ptxguard::own {
namespace {

void replace_all(std::string& text, std::string_view longer, std::string_view shorter) {
    for (std::size_t at = text.find(longer); at != std::string::npos; at = text.find(longer, at))
        text.replace(at, longer.size(), shorter);
}

}  // namespace

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    if (!text || status != 0) return name;
    std::string readable = text.get();
    replace_all(readable, "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                "std::string");
    replace_all(readable, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                "std::string (old ABI)");
    return readable;
}

}  // namespace ptxguard::own
