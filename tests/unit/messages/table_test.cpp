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
            text += is(":version") ? "12.4" : is(":number") ? "7" : is(":arch") ? "sm_90" : "value";
            i = close;
        } else {
            text += pattern[i];
        }
    }
    return text;
}

}  // namespace

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
