// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/shared_map.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "recipes/shell/shell_variables.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

using Numbers = SharedMap<int>;
using Plain = std::map<std::string, int>;

Plain plain(const Numbers& numbers) {
    Plain all;
    std::string last;
    numbers.each([&](const std::string& name, int number) {
        CHECK(last <= name);
        last = name;
        all[name] = number;
    });
    return all;
}

}  // namespace

TEST_CASE("a shared map behaves as a map, and a copy does not change with it") {
    Numbers shared;
    Plain expected;
    std::vector<std::pair<Numbers, Plain>> copies;
    unsigned state = 1;
    for (int i = 0; i < 3000; ++i) {
        state = state * 1103515245 + 12345;
        const std::string name = "v" + std::to_string(state / 65536 % 200);
        if (state / 65536 % 3 == 0) {
            shared.erase(name);
            expected.erase(name);
        } else {
            shared.set(name, i);
            expected[name] = i;
        }
        CHECK(shared.has(name) == (expected.count(name) != 0));
        if (i % 500 == 0) copies.emplace_back(shared, expected);
    }
    CHECK(plain(shared) == expected);
    for (const auto& [copy, then] : copies) {
        CHECK(plain(copy) == then);
        Plain changed;
        shared.each_change_since(copy, [&](const std::string& name, int number) { changed[name] = number; });
        for (const auto& [name, number] : expected) {
            const auto before = then.find(name);
            CHECK((changed.count(name) != 0) == (before == then.end() || before->second != number));
        }
    }
    shared.clear();
    CHECK(shared.empty());
    CHECK(shared.find("v1") == nullptr);
}

TEST_CASE("programs inherit the exported variables of a shell") {
    Variables shell;
    Variable variable{{"1"}};
    shell.set("PLAIN", variable);
    variable.exported = true;
    shell.set("ENV", variable);
    variable.assigned_here = true;
    shell.set("OWN", variable);
    const Variables inner = shell.inherited();
    CHECK(inner.find("PLAIN") == nullptr);
    CHECK(inner.find("ENV") != nullptr);
    CHECK(shell.exported_value("PLAIN") == nullptr);
    CHECK(shell.exported_value("OWN")->text == "1");
    std::string own;
    shell.own_exports().each([&](const std::string& name, const Written&) { own += name; });
    CHECK(own == "OWN");
    CHECK(shell.take("OWN").value.text == "1");
    CHECK(shell.find("OWN") == nullptr);
    CHECK(shell.own_exports().empty());
    CHECK(inner.find("OWN")->value.text == "1");
    CHECK(shell.take("OWN").value.text.empty());
}
