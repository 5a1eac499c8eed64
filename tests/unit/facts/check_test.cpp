// SPDX-License-Identifier: Apache-2.0
#include "facts/check.hpp"
#include "given.hpp"

namespace ptxguard {
namespace {

// The problems in the embedded files with `good` replaced by `bad` in one of them, one per line.
std::string troubles_with(const std::string& path, const std::string& good, const std::string& bad) {
    auto text = *Facts::embedded().text(path);
    REQUIRE(has(text, good));
    text.replace(text.find(good), good.size(), bad);
    std::string all;
    for (const auto& trouble : check_facts(Facts::with({{path, text}}))) all += trouble.text() + "\n";
    return all;
}

}  // namespace

TEST_CASE("every embedded file is well-formed, has sources and agrees with the others") {
    for (const auto& trouble : check_facts(Facts::embedded())) FAIL_CHECK(trouble.text());
    CHECK(Facts::embedded().files().size() > 60);
}

TEST_CASE("a row whose source is not listed is reported") {
    const auto troubles =
        troubles_with("cuda/12.4.json", "\"source\": \"m-hostcfg\"", "\"source\": \"m-nowhere\"");
    CHECK(has(troubles, "facts/cuda/12.4.json line"));
    CHECK(has(troubles, "source 'm-nowhere' is not in the file's sources"));
    CHECK(has(troubles, "'m-hostcfg' is a source that nothing names"));
}

TEST_CASE("a row without a source is reported") {
    const auto troubles = troubles_with("known_bad.json", "\"source\": \"d-xla\"", "\"note\": \"d-xla\"");
    CHECK(has(troubles, "facts/known_bad.json line"));
    CHECK(has(troubles, "'xla-ptxas-too-old' is a row without a source"));
}

TEST_CASE("a source of an unknown kind is reported") {
    CHECK(has(troubles_with("drivers.json", "\"kind\": \"measured\"", "\"kind\": \"heard\""),
              "'heard' is not a kind of source"));
}

TEST_CASE("an architecture list that does not fit the previous release is reported") {
    const auto troubles = troubles_with("cuda/13.0.json", "\"added\": [\"sm_88\", ", "\"added\": [");
    CHECK(has(troubles, "facts/cuda/13.0.json names other added architectures"));
    const auto gone = troubles_with("cuda/13.4.json", "\"sm_75\", ", "");
    CHECK(has(gone, "facts/cuda/13.4.json names other removed architectures"));
    CHECK(has(gone, "facts/cuda/13.5.json names other added architectures"));
}

TEST_CASE("an architecture outside its toolkits is reported") {
    CHECK(has(troubles_with("cuda/13.0.json", "\"sm_75\", ", "\"sm_70\", \"sm_75\", "),
              "names sm_70 outside its toolkits"));
    CHECK(has(troubles_with("cuda/13.0.json", "\"sm_75\", ", "\"sm_77\", \"sm_75\", "),
              "names sm_77, which architectures.json lacks"));
}

TEST_CASE("a PTX version that decreases with a newer release is reported") {
    const auto troubles = troubles_with("cuda/12.9.json", "\"max\": \"8.8\"", "\"max\": \"8.2\"");
    CHECK(has(troubles, "facts/cuda/12.9.json has an older PTX version than the release before"));
    CHECK(has(troubles, "branch 575"));
}

TEST_CASE("a driver branch that disagrees with a measurement is reported") {
    CHECK(has(troubles_with("drivers.json", "\"ptx_max\": \"8.2\"", "\"ptx_max\": \"8.3\""),
              "disagrees with what driver 535.261.03 accepted"));
}

TEST_CASE("an empty range of host compilers and an update of another release are reported") {
    CHECK(has(troubles_with("cuda/13.0.json", "\"msvc_ver_below\": 1950", "\"msvc_ver_below\": 1900"),
              "empty range of MSVC versions"));
    CHECK(has(troubles_with("cuda/13.0.json", "\"release\": \"13.0.1\"", "\"release\": \"13.1.1\""),
              "lists the update 13.1.1 of another release"));
}

}  // namespace ptxguard
