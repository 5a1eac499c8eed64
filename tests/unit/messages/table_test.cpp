// The tables themselves: every row can be found, and is found in its own words.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "messages/error_codes.hpp"
#include "messages/find_messages.hpp"

using namespace ptxguard;

namespace {

// The pattern with a value in each place.
std::string example_of(std::string_view pattern) {
    std::string text;
    if (!pattern.empty() && pattern.front() == '^') pattern.remove_prefix(1);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool doubled = i + 1 < pattern.size() && pattern[i + 1] == pattern[i];
        if ((pattern[i] == '{' || pattern[i] == '*') && doubled) {
            text += pattern[i++];
        } else if (pattern[i] == '*') {
            text += "xyz";
        } else if (pattern[i] == '{') {
            const std::size_t close = pattern.find('}', i);
            const std::string_view inner = pattern.substr(i, close - i);
            const auto is = [&](const char* type) { return inner.find(type) != std::string_view::npos; };
            const std::size_t colon = inner.find(':'), bar = inner.find('|');
            if (bar != std::string_view::npos)
                text += inner.substr(colon + 1, bar - colon - 1);
            else
                text += is(":library")   ? "libcudart.so.12"
                        : is(":version") ? "12.4"
                        : is(":number")  ? "7"
                        : is(":arch")    ? "sm_90"
                                         : "value";
            i = close;
        } else {
            text += pattern[i];
        }
    }
    return text;
}

std::vector<std::string> texts_of(const Cause& cause) {
    std::vector<std::string> texts{cause.sentence, cause.decide};
    texts.insert(texts.end(), cause.fix.begin(), cause.fix.end());
    return texts;
}

// The names that would leave a hole. What stands for a missing value is one word, never a part of a sentence.
std::string bare_names(const std::string& text) {
    std::string bare;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        // Not so the bracket of "@name[", which may begin with another one.
        const std::size_t word = text.find_last_not_of("abcdefghijklmnopqrstuvwxyz_", i ? i - 1 : 0);
        const bool is_condition = text[i] == '[' && word != std::string::npos && text[word] == '@';
        const bool doubled = depth == 0 && !is_condition && i + 1 < text.size() && text[i + 1] == text[i];
        if ((text[i] == '[' || text[i] == ']') && doubled)
            ++i;
        else if (text[i] == '[')
            ++depth;
        else if (text[i] == ']')
            --depth;
        if (text[i] != '{') continue;
        const std::string inner = text.substr(i + 1, text.find('}', i) - i - 1);
        const std::size_t bar = inner.find('|');
        const bool is_word = bar != std::string::npos && inner.find(' ', bar) == std::string::npos;
        if (bar == std::string::npos ? depth == 0 : !is_word) bare += (bare.empty() ? "" : ", ") + inner;
    }
    return depth == 0 ? bare : "unbalanced";
}

}  // namespace

TEST_CASE("what may be wrong depends on what a log calls absent, in letters of any case") {
    REQUIRE(suspects_of_absent("nvcc").size() == 2);
    CHECK(std::string_view(suspects_of_absent("NVCC").at(0).cause) == "no_toolkit");
    CHECK(std::string_view(suspects_of_absent("nvidia driver").at(0).cause) == "no_driver");
    for (const char* other : {"", "nvc", "nvccs", "zlib"})
        CHECK_MESSAGE(suspects_of_absent(other).empty(), other);
}

TEST_CASE("every row has eight characters to search for, and is found in its own words") {
    for (const Message& message : all_messages()) {
        CAPTURE(std::string(message.pattern));
        CHECK(Pattern(message.pattern).has_anchor());
        const FoundMessages found = find_messages("before\n" + example_of(message.pattern) + "\nafter\n");
        bool is_found = false;
        for (const FoundMessage& one : found.messages)
            is_found =
                is_found || (one.message->pattern == std::string_view(message.pattern) && one.line == 2);
        CHECK(is_found);
    }
}

TEST_CASE("rows are unique, and only faults have suspects") {
    std::set<std::string> patterns;
    for (const Message& message : all_messages()) {
        CAPTURE(std::string(message.pattern));
        CHECK(patterns.insert(message.pattern).second);
        CHECK((message.role == Role::fault) == !message.suspects.empty());
    }
}

TEST_CASE("causes have distinct names, and all but others' faults have a command that decides") {
    std::set<std::string> ids;
    for (const Cause& cause : causes()) {
        CAPTURE(std::string(cause.id));
        CHECK(ids.insert(cause.id).second);
        CHECK(std::string(cause.sentence).back() != '.');
        CHECK((*cause.code != 0) == (*cause.decide != 0));
    }
}

// A value that a log does not name must not leave a hole: names stand in brackets, which are dropped without
// it, or have a placeholder.
TEST_CASE("no sentence, command or fix has a name outside of brackets") {
    for (const Cause& cause : causes())
        for (const std::string& text : texts_of(cause)) {
            CAPTURE(text);
            CHECK(bare_names(text) == "");
        }
}

TEST_CASE("error numbers have one row each") {
    std::set<int> numbers;
    for (const ErrorCode& code : error_codes()) {
        CAPTURE(code.number);
        CHECK(numbers.insert(code.number).second);
    }
    REQUIRE(find_error_code(222));
    CHECK(std::string(find_error_code(222)->driver_name) == "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    CHECK(find_error_code(12345) == nullptr);
}
