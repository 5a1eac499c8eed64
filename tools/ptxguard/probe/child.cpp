// SPDX-License-Identifier: Apache-2.0
#include "probe/child.hpp"

#include <cstdio>

#include "model/text.hpp"
#include "probe/probe.hpp"

namespace ptxguard {

int child_main(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return 2;
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (arguments.front() == "driver") return child_driver(rest);
    if (arguments.front() == "cuda") return child_cuda(rest);
    return child_compiler(arguments.front(), rest).value_or(2);
}

// Lines to the parent process, arguments from it.

void say_line(const Json& line) {
    std::printf("%s\n", to_text(line, -1).c_str());
    std::fflush(stdout);
}

int say_trouble(const std::string& text) {
    say_line(Json::object().set("event", "trouble").set("text", text));
    return 0;
}

std::string bytes_of(void* handle, void* size_of, void* copy) {
    constexpr std::size_t k_longest_text = 32u << 20;
    const auto ask_size = reinterpret_cast<int (*)(void*, std::size_t*)>(size_of);
    const auto ask_text = reinterpret_cast<int (*)(void*, char*)>(copy);
    std::size_t size = 0;
    if (ask_size(handle, &size) != 0 || size == 0 || size > k_longest_text) return {};
    std::string bytes(size + 1, '\0');
    if (ask_text(handle, &bytes[0]) != 0) return {};
    bytes.resize(size);
    return bytes;
}

std::string text_of(void* handle, void* size_of, void* copy) {
    std::string text = bytes_of(handle, size_of, copy);
    text.resize(std::char_traits<char>::length(text.c_str()));
    return text;
}

std::string to_hex(const std::string& bytes) {
    constexpr const char* k_digits = "0123456789abcdef";
    std::string digits;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        digits += {k_digits[value >> 4], k_digits[value & 15]};
    }
    return digits;
}

std::string from_hex(const std::string& digits) {
    const std::string known = "0123456789abcdef";
    std::string bytes;
    for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
        const std::size_t high = known.find(digits[at]), low = known.find(digits[at + 1]);
        if (high == std::string::npos || low == std::string::npos) return {};
        bytes += static_cast<char>((high << 4) | low);
    }
    return bytes;
}

ChildArguments child_arguments(const std::vector<std::string>& arguments) {
    ChildArguments made;
    const std::string k_option = "--option=";
    for (const std::string& word : arguments) {
        if (word == "--limit")
            made.limit = true;
        else if (starts_with(word, k_option))
            made.options.push_back(word.substr(k_option.size()));
        else if (made.library.empty())
            made.library = word;
        else if (auto arch = parse_arch(word))
            made.archs.push_back(*arch);
    }
    return made;
}

}  // namespace ptxguard
