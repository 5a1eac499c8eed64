// What `plan` answers where a table has no build for the system.
// SPDX-License-Identifier: Apache-2.0
#include "commands/planner.hpp"

#include <doctest/doctest.h>

#include "expect/expect.hpp"
#include "facts/plan_table.hpp"
#include "host/fake_host.hpp"
#include "model/text.hpp"

using namespace ptxguard;

namespace {

const Facts& tables_of_plans() {
    static const Facts facts = Facts::embedded();
    return facts;
}

PlannedSet planned(const std::string& framework, const std::string& driver, System system) {
    static const auto words = read_plan_table(tables_of_plans());
    REQUIRE(words);
    const FakeHost host;
    Settings settings;
    set_option(settings, "framework", {framework}, Origin::from_option("--framework"));
    const auto wishes = wishes_from(settings, host, tables_of_plans(), *words);
    REQUIRE(wishes);
    Wish wish = wishes->front();
    wish.system = system;
    if (!driver.empty()) wish.request.drivers = {driver};
    return Planner(host, tables_of_plans(), *words).plan(wish).set;
}

bool says_something(const PlannedSet& set) {
    return !set.says.empty() || !set.because.empty() || !set.without.empty() || !set.builds.empty() ||
           (!set.unproven.empty() && !set.unknown.empty() && !set.install.empty());
}

}  // namespace

TEST_CASE("each framework has words or a command for each old driver on each system") {
    for (const FrameworkReader& reader : framework_readers())
        for (const std::string name : reader.aliases) {
            if (name.find('*') != std::string::npos) continue;
            for (const char* driver : {"566.36", "526.98", "512.15", "471.41", "452.39", "441.66", "390.65"})
                for (const System system : {System::windows, System::linux_}) {
                    CAPTURE(name);
                    CAPTURE(driver);
                    CAPTURE(to_string(system));
                    CHECK(says_something(planned(name, driver, system)));
                }
        }
}

TEST_CASE("a build that pip leaves without its CUDA is planned on Windows as on Linux") {
    const PlannedSet set = planned("cupy", "471.41", System::windows);
    CHECK(starts_with(set.unproven, "cupy-cuda11x "));
    REQUIRE(set.unknown.size() == 2);
    CHECK(starts_with(set.unknown[0], "its build for Windows"));
    CHECK(starts_with(set.unknown[1], "whether CUDA 11"));
    CHECK(starts_with(set.install.front().text, "python -m pip install 'cupy-cuda11x=="));
    CHECK(set.says.empty());
}

TEST_CASE("a driver for Windows is compared with what CUDA needs on Windows") {
    // CUDA 12 needs 525.60.13 on Linux, 527.41 on Windows.
    CHECK(starts_with(planned("cupy", "526.98", System::windows).unproven, "cupy-cuda11x "));
    CHECK(starts_with(planned("cupy", "527.41", System::windows).unproven, "cupy-cuda12x "));
    CHECK(planned("cupy", "526.98", System::linux_).builds.front().find("cupy-cuda12x ") == 0);
}

TEST_CASE("a driver that is too old for each build with a wheel for Windows") {
    const PlannedSet set = planned("cupy", "390.65", System::windows);
    CHECK(set.unproven.empty());
    REQUIRE(!set.without.empty());
    CHECK(set.without.back().needs == "driver 452.39 or newer");
}

TEST_CASE("without a wheel for Windows the build for WSL2 is named") {
    const PlannedSet set = planned("mxnet", "560.94", System::windows);
    CHECK(set.settled);
    REQUIRE(set.says.size() == 2);
    CHECK(set.says[0] == "no listed build of mxnet is for Windows");
    CHECK(starts_with(set.says[1], "use WSL2, for example with mxnet-cu"));
    CHECK(starts_with(set.install.front().text, "python3 -m pip install 'mxnet-cu"));
}
