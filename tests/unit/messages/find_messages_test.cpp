// SPDX-License-Identifier: Apache-2.0
#include "messages/find_messages.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

const FoundMessage* first_with(const FoundMessages& found, std::string_view pattern_part) {
    for (const FoundMessage& one : found.messages)
        if (std::string_view(one.message->pattern).find(pattern_part) != std::string_view::npos) return &one;
    return nullptr;
}

}  // namespace

TEST_CASE("a message is found in a wrapped, coloured line with its number") {
    const FoundMessages found = find_messages(
        "-- x\n\x1b[31m  The detected CUDA version (10.1) mismatches the version that was used to compile\n"
        "  PyTorch (11.3). Please make sure\x1b[0m\n");
    const FoundMessage* one = first_with(found, "detected CUDA version");
    REQUIRE(one);
    CHECK(one->line == 2);
    CHECK(*one->value("toolkit") == "10.1");
    CHECK(*one->value("built") == "11.3");
    CHECK(one->value("nothing") == nullptr);
}

TEST_CASE("a message is found where a terminal of fixed width broke its words") {
    const std::string line =
        "RuntimeError: The detected CUDA version (10.1) mismatches the version that was used to compile "
        "PyTorch (11.3).";
    for (const std::size_t width : {60u, 63u, 70u, 80u}) {
        CAPTURE(width);
        std::string text;
        for (std::size_t at = 0; at < line.size(); at += width) text += line.substr(at, width) + "\n";
        const FoundMessages found = find_messages(text);
        CHECK(first_with(found, "detected CUDA version"));
    }
}

TEST_CASE("the words that a message needs are found where a line or a piece ends in one of them") {
    const std::string line = "error: the NVIDIA driver library could not be located";
    for (std::size_t lead = 0; lead < 200; ++lead)
        for (const std::size_t width : {50u, 17u, 11u, 9u}) {
            std::string text(lead, '.');
            if (lead % 2 == 0) text += "\n";
            for (std::size_t at = 0; at < line.size(); at += width) text += line.substr(at, width) + "\n";
            CAPTURE(lead);
            CAPTURE(width);
            CHECK(first_with(find_messages(text), "could not be "));
        }
    CHECK(!first_with(find_messages("error: the NVlDlA door could not be located"), "could not be "));
}

TEST_CASE("many equal messages in one piece cost no more than linear time") {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += "CUDA error 222 at x, after connection broken by 'y'\n";
    const FoundMessages found = find_messages(text);
    const FoundMessage* one = first_with(found, "after connection broken by");
    REQUIRE(one);
    CHECK(one->times == 200000);
}

TEST_CASE("equal messages are counted, others are kept") {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "nvcc fatal   : Unsupported gpu architecture 'compute_120'\n";
    text += "nvcc fatal   : Unsupported gpu architecture 'compute_20'\n";
    const FoundMessages found = find_messages(text);
    const FoundMessage* one = first_with(found, "nvcc fatal : Unsupported gpu");
    REQUIRE(one);
    CHECK(one->times == 1000);
    CHECK(one->line == 1);
    CHECK(found.messages.back().line == 1001);
}

TEST_CASE("a message across the border of two pieces is found once, with its line") {
    for (std::size_t before = (1u << 20) - 200; before < (1u << 20) + 20; before += 13) {
        const std::string text = std::string(before - 1, 'x') +
                                 "\nnvcc fatal   : Unsupported gpu architecture 'compute_120'\n" +
                                 std::string(100000, 'y');
        const FoundMessages found = find_messages(text);
        const FoundMessage* one = first_with(found, "nvcc fatal : Unsupported gpu");
        REQUIRE(one);
        CHECK(one->times == 1);
        CHECK(one->line == 2);
    }
}

TEST_CASE("a long line is shown around its message") {
    const FoundMessages found =
        find_messages(std::string(5000, 'x') + " CUDA error 222 at main.cu " + std::string(5000, 'y'));
    const FoundMessage* one = first_with(found, "CUDA error {error:number} ");
    REQUIRE(one);
    CHECK(one->text.size() < 400);
    CHECK(one->text.find("CUDA error 222") != std::string::npos);
}

TEST_CASE("too many different messages are reported as a limit") {
    std::string text;
    for (int i = 0; i < 6000; ++i) text += "CUDA error " + std::to_string(i) + " at\n";
    const FoundMessages found = find_messages(text);
    REQUIRE(found.limits.size() == 1);
    CHECK(found.limits.front().limit == "5000 different messages of a log");
}
