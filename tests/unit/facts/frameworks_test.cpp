// SPDX-License-Identifier: Apache-2.0
#include "facts/variants.hpp"
#include "given.hpp"

namespace ptxguard {

TEST_CASE("a torch release has its default build and the variants that were published") {
    const auto facts = Facts::embedded();
    const auto* release = facts.framework_release("torch", v("2.0.0+cu121"));
    REQUIRE(release);
    CHECK(release->version.text == "2.0.0");
    CHECK(text_of(release->cuda) == "11.7");
    CHECK(text_of(release->cudnn) == "8.5.0.96");
    CHECK(release->cxx_abi == 0);
    CHECK(release->cxx_standard == 17);
    CHECK(release->variants == std::vector<std::string>{"cu117", "cu118", "cpu"});
    CHECK(release->cudnn_by_cuda.at("11.8").text == "8.7.0.84");
    REQUIRE(release->archs.size() == 7);
    CHECK(release->archs.back() == Target{{86, 0}, true, false});
    CHECK(release->cpu_only_windows);
    CHECK_FALSE(release->cuda_windows);
    CHECK(release->origin.text == "facts/frameworks/torch.json, torch 2.0.0 (measured: m-torch, m-meta)");
}

TEST_CASE("cuDNN comes from the wheel for PyPI's build, from the release notes for the others") {
    const auto facts = Facts::embedded();
    const auto* release = facts.framework_release("torch", v("2.11.0"));
    REQUIRE(release);
    CHECK(text_of(cudnn_of_build(*release, System::linux_, v("13.0"))) == "9.19.0.56");
    CHECK(text_of(cudnn_of_build(*release, System::linux_, v("12.6"))) == "9.10.2.21");
    CHECK(text_of(cudnn_of_build(*release, System::windows, v("13.0"))) == "9.17.1.4");
    CHECK_FALSE(cudnn_of_build(*release, System::linux_, v("11.8")));
}

TEST_CASE("builds missing from the vendor's list but pinned by hash by users are published, too") {
    const auto facts = Facts::embedded();
    CHECK(facts.framework_release("torch", v("1.10.1"))->variants ==
          std::vector<std::string>{"cu102", "cu111", "cu113", "cpu"});
    CHECK(facts.framework_release("torch", v("2.9.1"))->variants ==
          std::vector<std::string>{"cu126", "cu128", "cu129", "cu130", "cpu"});
    CHECK(facts.framework_release("torch", v("2.15.0"))->variants.empty());
}

TEST_CASE("a row about builds for one CUDA applies to all patches of its releases, ends included") {
    const auto facts = Facts::embedded();
    const auto cuda = v("12.1");
    for (const char* release : {"2.1.0", "2.1.2", "2.5.1"}) {
        const auto* build = facts.framework_release("torch", v(release))->build_for(System::linux_, cuda);
        REQUIRE(build);
        CHECK(build->archs.back() == Target{{90, 0}, true, false});
    }
    CHECK_FALSE(facts.framework_release("torch", v("2.6.0"))->build_for(System::linux_, cuda));
    CHECK_FALSE(facts.framework_release("torch", v("2.0.1"))->build_for(System::linux_, cuda));
    // 1.10 is newer than 1.8 and older than 1.11.
    CHECK(facts.framework_release("torch", v("1.10.2"))->build_for(System::windows, v("11.1")));
    const auto* measured = facts.framework_release("torch", v("2.4.0"))->build_for(System::linux_, cuda);
    CHECK(has(measured->origin.text, "measured: m-torch"));  // the default build's own files come first
}

TEST_CASE("TensorFlow's Windows spelling of versions is read") {
    const auto facts = Facts::embedded();
    const auto* release = facts.framework_release("tensorflow", v("2.4.1"));
    REQUIRE(release);
    CHECK(text_of(release->cuda) == "11.0");
    CHECK(text_of(release->cuda_windows) == "11.0");
    CHECK(text_of(release->cudnn_windows) == "8");
    CHECK(text_of(facts.framework_release("tensorflow", v("2.3.0"))->cuda_windows) == "10.1");
    CHECK(text_of(facts.framework_release("tensorflow", v("2.10.1"))->cuda_windows) == "11.2");
}

TEST_CASE("a compute_ entry of TensorFlow is PTX next to the cubin") {
    const auto facts = Facts::embedded();
    const auto& archs = facts.framework_release("tensorflow", v("2.17.0"))->archs;
    REQUIRE(archs.size() == 5);
    CHECK(archs.front() == Target{{60, 0}, true, false});
    CHECK(archs.back() == Target{{90, 0}, true, true});
}

TEST_CASE("a TensorFlow Windows wheel without CUDA is distinguished from an unknown one") {
    const auto facts = Facts::embedded();
    CHECK(facts.framework_release("tensorflow", v("2.19.0"))->cpu_only_windows);
    CHECK(facts.framework_release("tensorflow", v("2.0.0"))->cpu_only);
    CHECK_FALSE(facts.framework_release("tensorflow", v("2.0.0"))->cuda);
    CHECK(facts.framework_release("tensorflow-gpu", v("2.0.0"))->cuda->text == "10.0");
    CHECK(facts.framework_release("tensorflow", v("2.12.0"))->cpu_only_windows);
    CHECK_FALSE(facts.framework_release("tensorflow", v("2.12.0"))->cuda_windows);
}

TEST_CASE("the CUDA builds of TensorFlow 1 are separate packages, except 1.15.0") {
    const auto facts = Facts::embedded();
    CHECK(text_of(facts.framework_release("tensorflow-gpu", v("1.4.0"))->cudnn) == "6");
    CHECK(text_of(facts.framework_release("tensorflow-gpu", v("1.12.0"))->cuda) == "9.0");
    CHECK(text_of(facts.framework_release("tensorflow", v("1.15.0"))->cuda) == "10.0");
    CHECK(facts.framework_release("tensorflow", v("1.15.5"))->cpu_only);
}

TEST_CASE("the other frameworks are listed under the names of their packages") {
    const auto facts = Facts::embedded();
    CHECK(text_of(facts.framework_release("jax-cuda12-plugin", v("0.6.1"))->cuda) == "12.8");
    CHECK(text_of(facts.framework_release("jax_cuda12_plugin", v("0.6.1"))->cudnn) == "9.8.0");
    CHECK(text_of(facts.framework_release("jax-cuda12-plugin", v("0.4.22"))->cudnn) == "8.9.4");
    CHECK(text_of(facts.framework_release("onnxruntime-gpu", v("1.20.0"))->cuda_windows) == "12.2.128");
    CHECK(text_of(facts.framework_release("cupy-cuda12x", v("13.4.0"))->cuda) == "12");
    CHECK(text_of(facts.framework_release("paddlepaddle-gpu", v("2.6.2"))->cuda) == "11.8");
    CHECK(facts.framework_release("triton", v("3.9.0")));
    CHECK(facts.framework_release("mxnet-cu112", v("1.9.1")));
    CHECK(facts.troubles().empty());
}

TEST_CASE("if a build could not be read its documented CUDA is given, marked as documented") {
    const auto facts = Facts::embedded();
    const auto* release = facts.framework_release("onnxruntime-gpu", v("1.11.0"));
    REQUIRE(release);
    CHECK(text_of(release->cuda) == "11.4");
    CHECK(has(release->origin.text, "documented: d-ort"));
}

TEST_CASE("releases with the same numbers are distinguished by their text") {
    const auto facts = Facts::embedded();
    CHECK(facts.framework_release("tensorflow", v("2.15.0"))->version.text == "2.15.0");
    CHECK(facts.framework_release("tensorflow", v("2.15.0.post1"))->version.text == "2.15.0.post1");
}

TEST_CASE("an unlisted package or release is unknown") {
    const auto facts = Facts::embedded();
    CHECK_FALSE(facts.framework_release("torch", v("9.9.9")));
    CHECK_FALSE(facts.framework_release("torch", v("2.5.0rc1")));
    CHECK_FALSE(facts.framework_release("no-such-package", v("1.0")));
    CHECK(facts.framework_releases("no-such-package").empty());
    CHECK(facts.troubles().empty());
    const auto releases = facts.framework_releases("torch");
    REQUIRE(releases.size() == 50);
    CHECK(releases.front().text == "1.2.0");
    CHECK(releases.back().text == "2.15.0");
}

}  // namespace ptxguard
