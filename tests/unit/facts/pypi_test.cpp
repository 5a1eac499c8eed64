// Rows of facts/pypi that say only what changes since the row before.
// SPDX-License-Identifier: Apache-2.0
#include "facts/pypi.hpp"

#include "facts/check.hpp"
#include "given.hpp"

namespace ptxguard {
namespace {

Facts with_engine(const std::string& rows) {
    return Facts::with({{"pypi/engine.json",
                         R"({ "package": "engine", "read": "2026-01-01", "rows": [)" + rows +
                             R"(], "sources": [{ "id": "m", "kind": "measured", "what": "made up" }] })"}});
}

std::string required(const PypiPackage* package, const char* version) {
    std::string all;
    for (const Requirement& one : package->row(*package->find(version)).required)
        all += one.name + one.specifier + (one.marker.empty() ? "" : ";" + one.marker) + " ";
    return all;
}

const std::string k_first =
    R"({ "releases": ["1.0"], "wheels": ["any"], "requires": ["torch==2.6.0", "xformers; extra == 'x'"], "source": "m" })";

}  // namespace

TEST_CASE("a row adds to the requirements of the row before, and drops from them") {
    const Facts facts = with_engine(
        k_first +
        R"(, { "releases": ["1.1"], "wheels": ["any"], "adds": ["torch==2.7.0"], "drops": ["torch==2.6.0"], "source": "m" },
            { "releases": ["1.2"], "wheels": ["any"], "yanked": true, "adds": [], "source": "m" },
            { "releases": ["1.3"], "wheels": [], "sdist": true, "source": "m" },
            { "releases": ["1.4"], "wheels": ["any"], "requires": [], "source": "m" })");
    const PypiPackage* package = facts.pypi("engine");
    CHECK(required(package, "1.0") == "torch==2.6.0 xformers;extra == 'x' ");
    CHECK(required(package, "1.1") == "torch==2.7.0 xformers;extra == 'x' ");
    CHECK(required(package, "1.2") == required(package, "1.1"));
    CHECK(required(package, "1.3").empty());
    CHECK_FALSE(package->row(*package->find("1.3")).described);
    CHECK(required(package, "1.4").empty());
    CHECK(package->row(*package->find("1.4")).described);
}

TEST_CASE("a change that does not fit the row before is reported") {
    const auto troubles = [](const std::string& rows) {
        std::string all;
        for (const auto& trouble : check_facts(with_engine(rows))) all += trouble.text() + "\n";
        return all;
    };
    CHECK_FALSE(has(troubles(k_first), "engine.json"));
    CHECK(has(troubles(k_first +
                       R"(, { "releases": ["1.1"], "wheels": ["any"], "drops": ["jax"], "source": "m" })"),
              "is not in the row before"));
    CHECK(has(troubles(R"({ "releases": ["1.1"], "wheels": ["any"], "adds": ["jax"], "source": "m" })"),
              "follows no row with requirements"));
}

}  // namespace ptxguard
