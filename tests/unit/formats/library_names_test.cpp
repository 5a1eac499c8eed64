// SPDX-License-Identifier: Apache-2.0
#include "formats/library_text.hpp"

#include <doctest/doctest.h>

#include "build_elf.hpp"

using namespace ptxguard;

namespace {

std::vector<std::string> names_in(std::string text, const char* section = ".rodata",
                                  bool with_paths = false) {
    built::Elf elf;
    elf.sections = {{section, std::move(text)}};
    const std::string bytes = elf.build();
    const Source source = source_of(bytes);
    const auto file = read_elf(source);
    REQUIRE(file);
    return library_names_in_text(source, *file, with_paths);
}
using Texts = std::vector<std::string>;
using namespace std::string_literals;

}  // namespace

TEST_CASE("complete texts that are names of libraries are found, each once") {
    CHECK(names_in("libnvrtc.so.12\0other\0libcuda.so\0libnvrtc.so.12\0libcublas.so.12.8.4\0"s) ==
          Texts{"libnvrtc.so.12", "libcuda.so", "libcublas.so.12.8.4"});
}

TEST_CASE("absolute paths of libraries, where they are asked for") {
    const std::string text =
        "\0/usr/local/cuda/lib64/libcudart.so.12\0libnvrtc.so.12\0relative/libcufft.so.11\0"s;
    CHECK(names_in(text) == Texts{"libnvrtc.so.12"});
    CHECK(names_in(text, ".rodata", true) ==
          Texts{"/usr/local/cuda/lib64/libcudart.so.12", "libnvrtc.so.12"});
    CHECK(names_in("cannot open /opt/libcudart.so.12\0"s, ".rodata", true).empty());
}

TEST_CASE("parts of longer texts are not names") {
    CHECK(names_in("/usr/lib/libcuda.so.1\0libcuda.so.%d\0cannot open libcuda.so.1\0libcuda.so.1 is "
                   "missing\0nolib.so\0"
                   "lib.so\0libcuda.so.1x\0"s)
              .empty());
    CHECK(names_in("libcuda.so.1"s).empty());  // without an end
}

TEST_CASE("names across the boundary of two chunks are found") {
    for (std::size_t before : {(256u << 10) - 20, (256u << 10) - 8, (256u << 10) - 1, 256u << 10}) {
        CHECK(names_in(std::string(before, '\0') + "libcuda.so.1\0"s) == Texts{"libcuda.so.1"});
    }
}

TEST_CASE("other sections are ignored") { CHECK(names_in("libcuda.so.1\0"s, ".data").empty()); }

TEST_CASE("the shortest name has one character between lib and .so, the longest 128 before .so") {
    CHECK(names_in("libm.so.6\0lib.so\0lib.so.6\0"s) == Texts{"libm.so.6"});
    const std::string longest = "lib" + std::string(125, 'x') + ".so";
    CHECK(names_in("\0"s + longest + "\0"s) == Texts{longest});
    CHECK(names_in("\0libx"s + longest.substr(3) + "\0"s).empty());
}

TEST_CASE("more than 256 names are not listed") {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "lib" + std::to_string(i) + ".so" + '\0';
    CHECK(names_in(text).size() == 256);
}
