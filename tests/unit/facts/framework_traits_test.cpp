// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"

#include "facts/check.hpp"
#include "given.hpp"

namespace ptxguard {
namespace {

std::vector<std::string> names(const std::vector<const FrameworkTraits*>& all) {
    std::vector<std::string> found;
    for (const FrameworkTraits* one : all) found.push_back(one->framework);
    return found;
}

std::string troubles_of(const Facts& facts) {
    std::string all;
    for (const Trouble& trouble : check_facts(facts)) all += trouble.text() + "\n";
    return all;
}

}  // namespace

TEST_CASE("a framework's traits are those of its row, an unlisted one has the strictest") {
    const auto facts = Facts::embedded();
    const FrameworkTraits& triton = framework_traits(facts, "Triton");
    CHECK_FALSE(triton.cxx_interface);
    CHECK_FALSE(triton.cuda_runtime);
    CHECK_FALSE(triton.cudnn);
    CHECK(has(triton.origin.text, "framework_traits.json, Triton (measured: m-wheels, m-triton"));
    CHECK(triton.compiles_from == 70);
    CHECK(framework_traits(facts, "ONNXRuntime").cuda_is_plugin);
    CHECK(framework_traits(facts, "PyTorch").named_as == "torch==VERSION+cuXXX");
    const FrameworkTraits& other = framework_traits(facts, "Other");
    CHECK(other.cxx_interface);
    CHECK(other.cuda_runtime);
    CHECK(other.cudnn);
    CHECK_FALSE(other.cuda_is_plugin);
    CHECK(other.packages.empty());
}

TEST_CASE("a consumer is a framework, or every framework that contains a compiler of that name") {
    const auto facts = Facts::embedded();
    CHECK(names(consumers_named(facts, "XLA")) == std::vector<std::string>{"TensorFlow", "JAX"});
    CHECK(names(consumers_named(facts, "JAX")) == std::vector<std::string>{"JAX"});
    CHECK(consumers_named(facts, "Nobody").empty());
    CHECK(consumers_named(facts, "").empty());
}

TEST_CASE("a malformed row is reported, and the embedded table is used") {
    const auto facts = Facts::with({{"framework_traits.json",
                                     R"({"rows": [{"framework": "JAX", "cudnn": "yes", "source": "m"}],
                                         "sources": [{"id": "m", "kind": "measured", "what": "w"}]})"}});
    CHECK(framework_traits(facts, "Triton").packages.size() == 1);
    std::string all;
    for (const Trouble& trouble : facts.troubles()) all += trouble.text() + "\n";
    CHECK(has(all, "'yes' is neither true nor false"));
    CHECK(has(all, "names no packages"));
}

TEST_CASE("consumers and rows that another table lacks are reported") {
    auto text = *Facts::embedded().text("known_bad.json");
    const std::string good = "\"consumer\": \"Triton\"";
    text.replace(text.find(good), good.size(), "\"consumer\": \"Trident\"");
    CHECK(has(troubles_of(Facts::with({{"known_bad.json", text}})), "Trident"));
    text = *Facts::embedded().text("tool_search/tensorflow.json");
    const std::string id = "xla-ptxas-12.3.103";
    text.replace(text.find(id), id.size(), "xla-nothing");
    CHECK(has(troubles_of(Facts::with({{"tool_search/tensorflow.json", text}})), "xla-nothing"));
}

}  // namespace ptxguard
