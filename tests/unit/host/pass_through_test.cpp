// SPDX-License-Identifier: Apache-2.0
#include "host/pass_through.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("of an output the first and the last bytes are kept, in their order") {
    for (const std::size_t portion : {std::size_t{1000}, std::size_t{65536}, std::size_t{9000000}}) {
        CAPTURE(portion);
        own::KeptOutput kept;
        std::string all;
        for (int i = 0; all.size() < 30000000; ++i) {
            const std::string part = std::to_string(i) + std::string(portion - 8, 'x') + "\n";
            kept.add(part.data(), part.size());
            all += part;
        }
        REQUIRE(kept.limit("make"));
        CHECK(kept.limit("make")->text().find("12582912 bytes of output") != std::string::npos);
        const std::string text = kept.text();
        const std::size_t gap = text.find("\n(");
        REQUIRE(gap != std::string::npos);
        CHECK(text.compare(0, gap, all, 0, gap) == 0);
        const std::size_t tail = text.find(")\n", gap) + 2, length = text.size() - tail;
        CHECK(text.compare(tail, length, all, all.size() - length, length) == 0);
        CHECK(length == (8u << 20));
    }
}

TEST_CASE("a short output is kept whole") {
    own::KeptOutput kept;
    kept.add("one ", 4);
    kept.add("two", 3);
    CHECK_FALSE(kept.limit("make"));
    CHECK(kept.text() == "one two");
}
