// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "given.hpp"

namespace ptxguard {
namespace {

const KnownBad* bad_row(const Facts& facts, const std::string& id) {
    for (const auto& bad : facts.known_bad())
        if (bad.id == id) return &bad;
    return nullptr;
}

}  // namespace

TEST_CASE("known bad versions name component, range, consumer, effect and fix") {
    const auto facts = Facts::embedded();
    const auto* ptxas = bad_row(facts, "xla-ptxas-miscompiles-sm_90");
    REQUIRE(ptxas);
    CHECK(ptxas->component == "ptxas");
    CHECK(text_of(ptxas->from) == "12.0.0");
    CHECK(text_of(ptxas->below) == "12.6.85");
    CHECK(ptxas->consumer == "XLA");
    CHECK(ptxas->min_arch == Arch{90, 0});
    CHECK_FALSE(ptxas->max_arch);
    CHECK(has(ptxas->effect, "4826023"));
    CHECK(has(ptxas->origin.text, "third-party: d-xla"));
}

TEST_CASE("a bad_row may apply to single versions, to everything below one, or only with another component") {
    const auto facts = Facts::embedded();
    const auto* exact = bad_row(facts, "xla-ptxas-12.3.103");
    REQUIRE(exact);
    REQUIRE(exact->exactly.size() == 1);
    CHECK(exact->exactly.front() == v("12.3.103"));
    const auto* old = bad_row(facts, "xla-ptxas-too-old");
    REQUIRE(old);
    CHECK_FALSE(old->from);
    CHECK(text_of(old->below) == "11.8");
    const auto* beside = bad_row(facts, "jax-cudnn-multi-gpu-matmul");
    REQUIRE(beside);
    CHECK(beside->with_component == "cublas");
    CHECK(text_of(beside->with_from) == "12.9");
    const auto* range = bad_row(facts, "jax-cublas-frees-tensor-memory-twice");
    REQUIRE(range);
    CHECK(range->max_arch == Arch{119, 0});
}

TEST_CASE("every known bad bad_row applies to a listed consumer or to all, and no bad_row is duplicated") {
    const auto facts = Facts::embedded();
    std::vector<std::string> ids;
    for (const auto& bad : facts.known_bad()) ids.push_back(bad.id);
    CHECK(ids.size() >= 6);
    std::sort(ids.begin(), ids.end());
    CHECK(std::unique(ids.begin(), ids.end()) == ids.end());
}

}  // namespace ptxguard
