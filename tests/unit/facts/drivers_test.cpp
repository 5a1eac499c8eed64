// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

namespace ptxguard {

TEST_CASE("a driver's first number gives its branch") {
    const auto facts = Facts::embedded();
    const auto* branch = facts.driver_branch(v("535.104.05"));
    REQUIRE(branch);
    CHECK(branch->branch == 535);
    CHECK(text_of(branch->cuda) == "12.2");
    CHECK(text_of(branch->ptx_max) == "8.2");
    CHECK(branch->origin.text ==
          "facts/drivers.json, branch 535 (measured with the JIT of driver 535.261.03)");
    CHECK(facts.driver_branch(v("535"))->branch == 535);
}

TEST_CASE("a Windows driver between two branches belongs to the lower one") {
    const auto facts = Facts::embedded();
    CHECK(facts.driver_branch(v("537.13"))->branch == 535);
    CHECK(text_of(facts.driver_branch(v("566.14"))->cuda) == "12.7");
    CHECK(text_of(facts.driver_branch(v("572.16"))->cuda) == "12.8");
    CHECK(text_of(facts.driver_branch(v("581.80"))->cuda) == "13.0");
}

TEST_CASE("drivers outside the table are unknown, except those that were seen with their release") {
    const auto facts = Facts::embedded();
    CHECK(text_of(facts.driver_branch(v("617.42"))->cuda) == "13.4");
    CHECK_FALSE(facts.driver_branch(v("618.10")));
    CHECK_FALSE(facts.driver_branch(v("900")));
    CHECK_FALSE(facts.driver_branch(v("340.108")));
}

TEST_CASE("the lowest driver of a CUDA major is known per system, or marked as unknown") {
    const auto facts = Facts::embedded();
    CHECK(text_of(facts.minimum_driver(11, System::linux_)) == "450.80.02");
    CHECK(text_of(facts.minimum_driver(12, System::linux_)) == "525.60.13");
    CHECK(text_of(facts.minimum_driver(12, System::windows)) == "527.41");
    CHECK(text_of(facts.minimum_driver(13, System::linux_)) == "580.65.06");
    const auto unknown = facts.minimum_driver(13, System::windows);
    CHECK_FALSE(unknown);
    CHECK(has(unknown.origin.text, "minimum driver of CUDA 13"));
    CHECK_FALSE(facts.minimum_driver(10, System::linux_));
    CHECK_FALSE(facts.minimum_driver(14, System::linux_));
}

TEST_CASE("the first driver for a PTX version is the lowest branch whose JIT reads it") {
    const auto facts = Facts::embedded();
    CHECK(text_of(facts.first_driver_for_ptx({8, 4}, System::linux_)) == "550.54.14");
    CHECK(text_of(facts.first_driver_for_ptx({8, 4}, System::windows)) == "551.61");
    CHECK(text_of(facts.first_driver_for_ptx({9, 0}, System::linux_)) == "580.65.06");
    CHECK(text_of(facts.first_driver_for_ptx({5, 0}, System::linux_)) == "384.81");
}

TEST_CASE(
    "if the first driver's version is unlisted, its branch is given; PTX that no driver reads is unknown") {
    const auto facts = Facts::embedded();
    const auto branch = facts.first_driver_for_ptx({8, 6}, System::linux_);
    CHECK(text_of(branch) == "565");
    CHECK(has(branch.origin.text, "not listed"));
    CHECK(text_of(facts.first_driver_for_ptx({9, 0}, System::windows)) == "580");
    const auto none = facts.first_driver_for_ptx({9, 9}, System::linux_);
    CHECK_FALSE(none);
    CHECK(has(none.origin.text, "no listed driver reads PTX 9.9"));
}

}  // namespace ptxguard
