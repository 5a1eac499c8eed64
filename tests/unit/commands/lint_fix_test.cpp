// SPDX-License-Identifier: Apache-2.0
#include "commands/lint_fix.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace ptxguard;

namespace {

std::string fixed(const std::string& text, int line, int column, const std::string& fix) {
    Finding finding;
    finding.location = Location{"f", line, column};
    finding.fix = {{FixKind::edit, fix}};
    const TextWithLines lines(text);
    const auto one = rewrite_of(finding, [&](const std::string&) { return &lines; });
    return one ? rewritten(text, {*one}) : "";
}

}  // namespace

TEST_CASE("a pin is replaced if its name and operator match") {
    CHECK(fixed("# c\ntorch==2.0.0+cu121  # why\r\nx\n", 2, 1, "torch==2.0.0+cu118") ==
          "# c\ntorch==2.0.0+cu118  # why\r\nx\n");
    CHECK(fixed("a 'torch[opt]==2.0.0+cu121';b", 1, 3, "torch==2.0.0+cu118") ==
          "a 'torch[opt]==2.0.0+cu118';b");
    CHECK(fixed("\xEF\xBB\xBFtorch==2.0", 1, 1, "torch==2.1") == "\xEF\xBB\xBFtorch==2.1");
    CHECK(fixed("  - pytorch-cuda=12.0", 1, 5, "pytorch-cuda=12.1") == "  - pytorch-cuda=12.1");
    CHECK(fixed("RUN pip install Flash_Attn==1 x", 1, 17, "flash-attn==2") ==
          "RUN pip install Flash_Attn==2 x");
}

TEST_CASE("an image is replaced in FROM") {
    CHECK(fixed("FROM --platform=linux/amd64 nvidia/cuda:12.1.1-runtime AS a\n", 1, 29,
                "FROM nvidia/cuda:12.1.1-devel") ==
          "FROM --platform=linux/amd64 nvidia/cuda:12.1.1-devel AS a\n");
    CHECK(fixed("FROM a:$V\n", 1, 6, "FROM b") == "");
    CHECK(fixed("RUN a b\n", 1, 5, "FROM b") == "");
}

TEST_CASE("anything but a plain pin is left unchanged") {
    for (const char* text : {"torch>=2.0", "torch==2.0,<3", "torch==${V}", "torchvision==2.0", "torch == 2.0",
                             "torch", "torch==2.1", "", "torch==*"}) {
        CAPTURE(text);
        CHECK(fixed(text, 1, 1, "torch==2.1") == "");
    }
    CHECK(fixed("torch==2.0", 1, 1, "choose another release of torch") == "");
    CHECK(fixed("torch==2.0", 2, 1, "torch==2.1") == "");
    CHECK(fixed("torch==2.0", 1, 50, "torch==2.1") == "");
    Finding two;
    two.location = Location{"f", 1, 1};
    two.fix = {{FixKind::edit, "torch==2.1"}, {FixKind::edit, "torch==2.2"}};
    const TextWithLines lines(std::string("torch==2.0"));
    CHECK_FALSE(rewrite_of(two, [&](const std::string&) { return &lines; }));
}

TEST_CASE("the pin of the fix may be in another file than the finding") {
    const std::map<std::string, TextWithLines> files = {
        {"Dockerfile", std::string("FROM a\nRUN pip install -r r\n")},
        {"r", std::string("torch==2.0\nx==1\ntorch==2.0\n")}};
    const auto text_of = [&](const std::string& file) {
        const auto found = files.find(file);
        return found == files.end() ? nullptr : &found->second;
    };
    const auto value_at = [](const char* file, int line) {
        Origin origin = Origin::from_file(file, line);
        origin.column = 1;
        return Evidence{"package", "torch 2.0", origin};
    };
    Finding finding;
    finding.location = Location{"Dockerfile", 2, 5};
    finding.fix = {{FixKind::edit, "torch==2.1"}};
    finding.found = {value_at("gone", 1), value_at("r", 1), value_at("r", 2)};
    const auto one = rewrite_of(finding, text_of);
    REQUIRE(one);
    CHECK(one->at.file == "r");
    CHECK(one->at.line == 1);
    CHECK(one->at.column == 8);
    CHECK(rewritten(files.at("r").text, {*one}) == "torch==2.1\nx==1\ntorch==2.0\n");
    finding.found.push_back(value_at("r", 3));  // which of them?
    CHECK_FALSE(rewrite_of(finding, text_of));
}

TEST_CASE("rewrites of the same bytes must agree") {
    CHECK(rewritten("abcdef", {{1, 2, "X"}, {4, 5, "Y"}, {1, 2, "X"}}) == "aXcdYf");
    CHECK(rewritten("abcdef", {{1, 2, "X"}, {1, 2, "Z"}}) == "abcdef");
}

TEST_CASE("the diff of changed lines") {
    CHECK(unified_diff("f", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nX\n6\n") ==
          "--- f\n+++ f\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+X\n 6\n");
    CHECK(unified_diff("f", "a\nb", "a\nc") ==
          "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of "
          "file\n");
}

TEST_CASE("the name of a file forges no head of a diff") {
    const auto head = [](const std::string& file) {
        const std::string diff = unified_diff(file, "1\n", "2\n");
        return diff.substr(4, diff.find('\n') - 4);
    };
    CHECK(head("a b/\xc3\xa4\\#.txt") == "a b/\xc3\xa4\\#.txt");
    CHECK(head("n\n+++ b/\"x\\") == "\"n\\012+++ b/\\\"x\\\\\"");
    CHECK(head("\"a") == "\"\\\"a\"");
    CHECK(head("##vso[x]\xe2\x80\xae\xff\x1b") == "\"\\043#vso[x]\\342\\200\\256\\377\\033\"");
}
