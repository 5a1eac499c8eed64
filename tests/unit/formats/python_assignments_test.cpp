// SPDX-License-Identifier: Apache-2.0
#include "formats/python_assignments.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ptxguard;
using Kind = PythonValue::Kind;

namespace {

PythonAssignment only(const std::string& text) {
    const auto all = read_python_assignments(text);
    REQUIRE(all.size() == 1);
    return all.front();
}

}  // namespace

TEST_CASE("plain and annotated assignments are read with their lines") {
    const auto all = read_python_assignments(
        "from typing import Optional\n\n__version__ = '2.0.0'\ncuda: Optional[str] = \"11.7\"\nhip: "
        "Optional[str] = None\ndebug = False\n");
    REQUIRE(all.size() == 4);
    CHECK(all[0].name == "__version__");
    CHECK(all[0].value.text == "2.0.0");
    CHECK(all[0].line == 3);
    CHECK(all[1].name == "cuda");
    CHECK(all[1].value.text == "11.7");
    CHECK(all[1].value.line == 4);
    CHECK(all[2].value.is_none());
    CHECK(all[3].value.kind == Kind::boolean);
    CHECK_FALSE(all[3].value.truth);
}

TEST_CASE("CRLF, a byte order mark and a missing last line end change nothing") {
    const auto all = read_python_assignments(
        "\xEF\xBB\xBF"
        "a = '1'\r\nb = '2'");
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "a");
    CHECK(all[1].line == 2);
}

TEST_CASE("strings may have prefixes, escapes, triple quotes and neighbours") {
    CHECK(only("a = r'C:\\x'").value.text == "C:\\x");
    CHECK(only("a = 'it\\'s'").value.text == "it's");
    CHECK(only("a = \"\"\"two\nlines\"\"\"").value.text == "two\nlines");
    CHECK(only("a = '11' '.7'").value.text == "11.7");
    CHECK(only("a = f'{x}'").value.kind == Kind::other);
}

TEST_CASE("computed or unfinished values and those inside a function are not read") {
    CHECK(only("a = get()").value.kind == Kind::other);
    CHECK(only("a = '1' + b").value.kind == Kind::other);
    CHECK(only("a = 'unfinished\n").value.kind == Kind::other);
    CHECK(only("a = ['1', ").value.kind == Kind::other);
    CHECK(read_python_assignments("def f():\n    cuda = '1'\n").empty());
    CHECK(read_python_assignments("if x == '1':\n  pass\n").empty());
    CHECK(read_python_assignments("# cuda = '1'\n\"\"\"\ncuda = '2'\n\"\"\"\n").empty());
    CHECK(read_python_assignments("a == '1'").empty());
}

TEST_CASE("an ordered dict of tuples gives its pairs") {
    const auto info = only(
        "info = collections.OrderedDict([('cuda_version', '64_110'), ('archs', ['sm_35', 'compute_80']), "
        "('is_cuda_build', True)])");
    REQUIRE(info.find("cuda_version"));
    CHECK(info.find("cuda_version")->text == "64_110");
    REQUIRE(info.find("archs")->items.size() == 2);
    CHECK(info.find("archs")->items[1].text == "compute_80");
    CHECK(info.find("is_cuda_build")->truth);
    CHECK(info.find("absent") == nullptr);
}

TEST_CASE("a dict over several lines gives its pairs, the last value of a key counts") {
    const auto info = only("info = {\n  'a': '1',  # one\n  \"b\": None,\n  'a': '2',\n}\n");
    CHECK(info.find("a")->text == "2");
    CHECK(info.find("a")->line == 4);
    CHECK(info.find("b")->is_none());
}

TEST_CASE("deep nesting and stray brackets end") {
    CHECK(read_python_assignments("a = " + std::string(5000, '[')).size() == 1);
    CHECK(read_python_assignments(std::string(5000, '(')).empty());
    CHECK(read_python_assignments("a = )]}\nb = '1'\n").back().value.text == "1");
}
