// SPDX-License-Identifier: Apache-2.0
#include "formats/yaml.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

Tree document(std::string_view text) {
    const auto documents = read_yaml(text, "x.yml");
    REQUIRE_MESSAGE(documents, documents.trouble().text());
    REQUIRE(!documents->empty());
    return documents->front();
}

std::string why_not(std::string_view text) {
    const auto documents = read_yaml(text, "x.yml");
    return documents ? "" : documents.trouble().text();
}

}  // namespace

TEST_CASE("values keep their form and their position") {
    const Tree root = document(
        "# first\r\nname: gpu\r\nversion: 3.10\r\n\"on\": 'it''s'\r\nlist:\r\n  - a\r\n  - {b: c, d: "
        "[e]}\r\nempty:\r\nname: again\r\n");
    CHECK(root["version"].text == "3.10");
    CHECK(root["version"].line == 3);
    CHECK(root["version"].column == 10);
    CHECK(root["on"].text == "it's");
    CHECK(root["on"].column == 8);
    CHECK(root["on"].quoted);
    REQUIRE(root["list"].items.size() == 2);
    CHECK(root["list"].items[1]["d"].items[0].text == "e");
    CHECK(root["list"].items[1]["d"].items[0].column == 16);
    CHECK(!root["empty"]);
    CHECK(root.find("empty") != nullptr);
    CHECK(root["name"].text == "again");
    CHECK(!root["nothing"]["below"]);
    CHECK(root["name"].each().size() == 1);
    CHECK(document("a: ü  \nß: {ä: b}")["ß"]["ä"].column == 10);  // bytes
    CHECK(read_yaml("", "x.yml")->empty());
    CHECK(read_yaml("a\n---\nb\n", "x.yml")->size() == 2);
    CHECK(!document("--- \n"));
}

TEST_CASE("block texts have the position of their first line") {
    const Tree literal = document("run: |\n\n    a b\n      c\nx: 1\n")["run"];
    CHECK(literal.text == "\na b\n  c\n");
    CHECK(literal.line == 2);
    CHECK(literal.column == 5);
    const Tree comment = document("run: |  # why\n  a\n")["run"];
    CHECK(comment.line == 2);
    CHECK(comment.column == 3);
    const Tree folded =
        document("- run: >-\n    pip install\n    torch\n\n    nvcc\n      -ptx\n").items[0]["run"];
    CHECK(folded.text == "pip install torch\nnvcc\n  -ptx");
    CHECK(folded.lines == "pip install \\\ntorch\n\nnvcc\n  -ptx\n");
    CHECK(folded.line == 2);
    const Tree deeper = document("run: |2\n    a\n  b\n")["run"];
    CHECK(deeper.text == "  a\nb\n");
    CHECK(deeper.column == 3);
    CHECK(document("run: |\nx: 1")["run"].text.empty());
}

TEST_CASE("aliases and merged maps") {
    const Tree root = document(
        "base: &b {image: cuda, tag: 1}\njob:\n  <<: *b\n  tag: 2\nother: {<<: [*b, {x: 3}], tag: 4}\nsame: "
        "*b\n");
    CHECK(root["job"]["image"].text == "cuda");
    CHECK(root["job"]["tag"].text == "2");
    CHECK(root["other"]["x"].text == "3");
    CHECK(root["other"]["tag"].text == "4");
    CHECK(root["same"]["image"].line == 1);
}

TEST_CASE("invalid YAML, or too much of it, is an error with its line") {
    CHECK(why_not("a: b\n  c: d\n") ==
          "x.yml:2 is not valid YAML: mapping values are not allowed in this context");
    CHECK(why_not("a: [\n").find("x.yml:2 is not valid YAML") == 0);
    CHECK(why_not("a: *b\n") == "x.yml:1 was not read: an alias names nothing before it");
    CHECK(why_not("a: &a [*a]\n") == "x.yml:1 was not read: an alias names nothing before it");
    CHECK(why_not("a:\n\tb: 1\n").find("x.yml:2") == 0);
    CHECK(why_not("a: \x01\n").find("x.yml:1 is not valid YAML") == 0);
    CHECK(why_not(std::string(100000, '[')).find("exceeds the limit of 64 values in values") !=
          std::string::npos);
    CHECK(why_not(std::string(9u << 20, 'a')) ==
          "x.yml exceeds the limit of 8388608 bytes of a YAML file: ptxguard did not read the file");
    std::string bomb = "a0: &a0 [lol, lol]\n";
    for (int i = 1; i < 40; ++i)
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
                ", *a" + std::to_string(i - 1) + "]\n";
    CHECK(why_not(bomb).find("exceeds the limit of 500000 values of a YAML file with its aliases") !=
          std::string::npos);
    // One long text, repeated.
    std::string wide = "a: &a " + std::string(1u << 20, 'x') + "\nb: [";
    for (int i = 0; i < 100; ++i) wide += "*a, ";
    CHECK(why_not(wide + "]\n").find("exceeds the limit of 33554432 bytes of values") != std::string::npos);
    std::string cut = "run: |\n  a\n  b\nl: [1, {a: b}]\nq: \"x\"\n";
    for (std::size_t i = 0; i < cut.size(); ++i) (void)read_yaml(std::string_view(cut).substr(0, i), "x.yml");
}

TEST_CASE("maps that merge a map many times end") {
    std::string text = "a: &a {x: 1}\nb: {<<: [";
    for (int i = 0; i < 100000; ++i) text += "*a,";
    CHECK(document(text + "]}\n")["b"]["x"].text == "1");
}
