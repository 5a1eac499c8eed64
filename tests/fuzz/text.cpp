// The readers of text: what other people wrote into Python, CMake, C headers, wheels and the strings of
// libraries.
// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "ask.hpp"
#include "formats/cmake_commands.hpp"
#include "formats/header_defines.hpp"
#include "formats/library_text.hpp"
#include "formats/python_assignments.hpp"
#include "formats/text_lines.hpp"
#include "formats/version_text.hpp"
#include "formats/wheel_metadata.hpp"

using namespace ptxguard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)read_python_assignments(text);
    (void)read_header_defines(text);
    (void)read_cmake_commands(text);
    (void)read_wheel_metadata(text);
    (void)string_abi(text, "3c10");
    (void)find_arch_flags(text, false);
    (void)banner_version(source_of(text));
    look_at(why_not_text(text));
    for (const std::string_view line : lines_of(without_mark(text))) {
        look_at(trimmed(line));
        (void)parse_requirement(line);
        (void)parse_version(line);
    }
    return 0;
}
