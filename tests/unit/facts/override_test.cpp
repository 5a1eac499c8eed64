// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include "given.hpp"

namespace ptxguard {
namespace {

const char* const k_next_release = R"({
  "release": "13.6",
  "ptx": { "max": "9.6", "source": "own" },
  "ptxas_archs": { "values": ["sm_75", "sm_130"], "added": [], "removed": [], "source": "own" },
  "updates": [],
  "host_compilers": { "gcc_max": 17, "source": "own" },
  "sources": [{ "id": "own", "kind": "measured", "what": "our own machine" }]
})";

std::string only_trouble(const Facts& facts) {
    const auto troubles = facts.troubles();
    REQUIRE(troubles.size() == 1);
    return troubles.front().text();
}

}  // namespace

TEST_CASE("The program contains the files of the source folder byte for byte") {
    const auto facts = Facts::embedded();
    int compared = 0;
    for (const auto& path : facts.files()) {
        CAPTURE(path);
        std::ifstream file("tools/ptxguard/facts/" + path, std::ios::binary);
        if (!file) continue;  // run from elsewhere, without the sources
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        CHECK(text == facts.text(path));
        ++compared;
    }
    MESSAGE(compared << " files compared");
    CHECK_FALSE(facts.text("cuda/99.9.json"));
}

TEST_CASE("a separate file adds a release that is not embedded") {
    const auto facts = Facts::with({{"cuda/13.6.json", k_next_release}});
    CHECK(facts.cuda_releases().back().text == "13.6");
    CHECK(text_of(facts.cuda(v("13.6"))->ptx_max) == "9.6");
    CHECK(text_of(facts.newest_cuda_for_ptx({10, 0})) == "13.6");
    CHECK(text_of(facts.cuda(v("13.5"))->ptx_max) == "9.5");
    CHECK(facts.troubles().empty());
}

TEST_CASE("a separate file replaces an embedded one, whatever slashes its path has") {
    const std::string text = R"({"package": "torch", "releases": [{"version": "9.9.9", "source": "own",
        "builds": {"linux": {"cuda": "14.1", "source": "own"}}}],
        "sources": [{"id": "own", "kind": "measured", "what": "ours"}]})";
    const auto facts = Facts::with({{"frameworks\\torch.json", text}});
    CHECK(text_of(facts.framework_release("torch", v("9.9.9"))->cuda) == "14.1");
    CHECK_FALSE(facts.framework_release("torch", v("2.5.1")));
    CHECK(facts.troubles().empty());
}

TEST_CASE("a file that is not JSON is reported with its line and the embedded row is used") {
    const auto facts = Facts::with({{"cuda/13.0.json", "{\n  \"release\": \"13.0\",\n  broken\n}"}});
    CHECK(facts.troubles().empty());  // not requested yet
    CHECK(text_of(facts.cuda(v("13.0"))->ptx_max) == "9.0");
    const auto trouble = only_trouble(facts);
    CAPTURE(trouble);
    CHECK(has(trouble, "facts/cuda/13.0.json"));
    CHECK(has(trouble, "3"));
    facts.cuda(v("13.0"));
    CHECK(facts.troubles().size() == 1);
}

TEST_CASE("a malformed value is reported with its line, key and text and the embedded row is used") {
    std::string text = *Facts::embedded().text("cuda/13.0.json");
    const std::string good = "\"max\": \"9.0\"";
    REQUIRE(has(text, good));
    text.replace(text.find(good), good.size(), "\"max\": \"nine\"");
    const auto facts = Facts::with({{"cuda/13.0.json", text}});
    CHECK(text_of(facts.cuda(v("13.0"))->ptx_max) == "9.0");
    CHECK(only_trouble(facts) == "facts/cuda/13.0.json line 4: max 'nine' is not a PTX version");
}

TEST_CASE("a new release with a malformed value is ignored") {
    std::string text = k_next_release;
    text.replace(text.find("sm_130"), 6, "sm_xyz");
    const auto facts = Facts::with({{"cuda/13.6.json", text}});
    CHECK_FALSE(facts.cuda(v("13.6")));
    CHECK(only_trouble(facts) == "facts/cuda/13.6.json line 4: values 'sm_xyz' is not an architecture");
}

TEST_CASE("a file that describes another release is ignored") {
    const auto facts = Facts::with({{"cuda/13.0.json", k_next_release}});
    CHECK(text_of(facts.cuda(v("13.0"))->ptx_max) == "9.0");
    CHECK(has(only_trouble(facts), "'13.6' does not agree with the file's name"));
}

TEST_CASE("an unused file is reported at once") {
    const auto facts =
        Facts::with({{"cuda13.0.json", "{}"}, {"cuda/13.0.1.json", "{}"}, {"README.md", "text"}});
    CHECK(facts.troubles().size() == 2);
    CHECK(has(facts.troubles().front().text(), "is not the name of a fact file"));
    CHECK(facts.cuda_releases().size() == 30);
}

TEST_CASE("damaged files of every kind leave the embedded rows in use") {
    const auto facts = Facts::with({{"drivers.json", ""},
                                    {"architectures.json", "[1,2"},
                                    {"known_bad.json", "{\"rows\": [{}]}"},
                                    {"frameworks/torch.json", "null"}});
    CHECK(facts.driver_branch(v("535.54.03"))->branch == 535);
    CHECK(text_of(facts.gpu_by_name("H100")) == "sm_90");
    CHECK(facts.known_bad().size() >= 6);
    CHECK(facts.framework_release("torch", v("2.5.1")));
    const auto troubles = facts.troubles();
    for (const char* file :
         {"drivers.json", "architectures.json", "known_bad.json", "frameworks/torch.json"}) {
        CAPTURE(file);
        CHECK(std::any_of(troubles.begin(), troubles.end(),
                          [&](const Trouble& t) { return has(t.text(), file); }));
    }
}

}  // namespace ptxguard
