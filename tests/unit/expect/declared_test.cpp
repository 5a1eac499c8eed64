// SPDX-License-Identifier: Apache-2.0
#include "expect/declared.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "world.hpp"

using namespace ptxguard;

TEST_CASE("torch==2.5.1+cu121 was published and is built with CUDA 12.1") {
    const auto torch = named("torch==2.5.1+cu121");
    CHECK(torch.declared);
    CHECK(torch.required);
    CHECK(torch.how == Installation::declared);
    CHECK(torch.version->text == "2.5.1+cu121");
    CHECK(torch.cuda->text == "12.1");
    CHECK(torch.cuda.origin.certainty == Certainty::declared);
    REQUIRE(torch.published);
    CHECK(*torch.published);
    CHECK(torch.cudnn->text == "9.1.0.70");
    REQUIRE(torch.archs);
    CHECK(torch.archs->front() == Target{{50, 0}, true, false});
    CHECK(torch.archs->back() == Target{{90, 0}, true, false});
    CHECK(torch.archs.origin.certainty == Certainty::predicted);
    CHECK(*torch.cxx_abi == 0);
}

TEST_CASE("every name that reports print is accepted, in any case") {
    for (const FrameworkReader& reader : framework_readers()) {
        CAPTURE(reader.component);
        const auto wanted = parse_framework(reader.component);
        REQUIRE(wanted);
        CHECK(wanted->reader == &reader);
        CHECK(wanted->build.build.empty());
        CHECK_FALSE(wanted->declares);
    }
    for (const char* name : {"numba", "onnx runtime", "ONNX Runtime", "pytorch", "TENSORFLOW", "cupy"})
        CHECK_MESSAGE(parse_framework(name), name);
    CHECK(parse_framework("ONNX Runtime==1.20.1")->build.version->text == "1.20.1");
    CHECK(parse_framework("paddlepaddle")->build.build == "cpu");  // pip's package of that name
    const auto other = parse_framework("numba==0.60.0");
    REQUIRE_FALSE(other);
    CHECK(other.trouble().text() ==
          "--framework numba==0.60.0 names no release of its CUDA package: give numba-cuda==VERSION");
}

TEST_CASE("builds of one release for several CUDA releases have different architectures") {
    const auto newest = [](const char* text, System system = System::linux_) {
        const auto torch = named(text, system);
        return torch.archs ? torch.archs->back() : Target{};
    };
    CHECK(newest("torch==2.7.1+cu118") == Target{{90, 0}, true, false});
    CHECK(newest("torch==2.7.1+cu126") == Target{{90, 0}, true, false});
    CHECK(newest("torch==2.7.1+cu128") == Target{{120, 0}, true, false});
    CHECK(newest("torch==2.8.0+cu128") == Target{{120, 0}, true, false});
    CHECK(*named("torch==2.6.0+cu124").cxx_abi == 0);
    CHECK(*named("torch==2.6.0+cu126").cxx_abi == 1);
    // On Windows the oldest architecture is included as PTX, which any newer GPU's driver compiles.
    CHECK(named("torch==2.0.1+cu118", System::windows).archs->front() == Target{{37, 0}, true, true});
    CHECK(named("torch==2.0.1+cu118").archs->front() == Target{{37, 0}, true, false});
    CHECK_FALSE(named("torch==2.8.0+cu128", System::windows).archs);  // its contents were never published
    CHECK_FALSE(named("torch==1.7.1+cu110").archs);
}

TEST_CASE("torch==2.0.0+cu121 was never published, and the published builds are listed") {
    const auto torch = named("torch==2.0.0+cu121");
    REQUIRE(torch.published);
    CHECK_FALSE(*torch.published);
    const auto& variants = torch.published_variants;
    for (const char* build : {"cu117", "cu118"})
        CHECK(std::count(variants.begin(), variants.end(), build) == 1);
    CHECK(std::count(variants.begin(), variants.end(), "cu121") == 0);
}

TEST_CASE("without a build tag the default is used: CUDA on Linux, CPU on Windows") {
    const auto linux_torch = named("pytorch==2.0.0");
    CHECK(linux_torch.cuda->text == "11.7");
    CHECK(linux_torch.archs);
    CHECK(*linux_torch.cxx_abi == 0);
    const auto windows_torch = named("torch==2.0.0", System::windows);
    CHECK_FALSE(windows_torch.cuda);
    CHECK(*windows_torch.cpu_only);
}

TEST_CASE("CPU, ROCm and unknown builds; one missing from a table of CUDA builds is still possible") {
    CHECK(*named("torch==2.5.1+cpu").cpu_only);
    CHECK(*named("torch==2.5.1+rocm6.77").vendor == Vendor::rocm);
    CHECK_FALSE(named("torch==2.5.1+rocm6.77").published);
    const auto site = named("torch==2.5.1+computecanada");
    CHECK_FALSE(site.vendor);
    CHECK_FALSE(site.cuda);
    CHECK_FALSE(site.published);
}

TEST_CASE("a release that no table lists has only the CUDA of its build tag") {
    CHECK(named("torch==77.1+cu130").cuda->text == "13.0");
    CHECK_FALSE(named("torch==77.1+cu130").published);
    CHECK_FALSE(named("torch==77.1").cuda);
    CHECK(named("torch+cu121").cuda->text == "12.1");
    CHECK_FALSE(named("torch+cu121").version);
}

TEST_CASE("a build tag far beyond any CUDA is ignored; the next major is accepted") {
    CHECK_FALSE(named("torch==9.9.9+cu199").cuda);
    CHECK(named("torch==9.9.9+cu140").cuda->release() == "14.0");
}

TEST_CASE("TensorFlow by version, by platform, and its CPU packages") {
    CHECK(named("tensorflow==2.4.1").cuda->release() == "11.0");
    CHECK(named("TensorFlow==2.4.1", System::windows).cuda->release() == "11.0");
    CHECK(*named("tensorflow-cpu==2.4.1").cpu_only);
    CHECK(*named("tensorflow_intel").cpu_only);
    CHECK_FALSE(named("tensorflow==0.1").cuda);
}

TEST_CASE("extras in brackets are read as pip reads them") {
    const Scenario scenario = look(FakeHost(), framework("tensorflow[and-cuda]==2.15.0"));
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].version->text == "2.15.0");
}

TEST_CASE("an unknown name or another form is an error that quotes the value") {
    for (const char* bad :
         {"tourch==2.0", "", "==2.0", "torch>=2.0", "torch==", "torch==2.*", "torch==latest", "torch=2.0",
          "torch 2.0", "torch==2.0===1", "torch+CU 1", "torch[x==1"}) {
        CAPTURE(bad);
        const Scenario scenario = look(FakeHost(), framework(bad));
        CHECK(scenario.expectations.empty());
        REQUIRE(scenario.unreadable.size() == 1);
        CHECK(scenario.unreadable[0].named_by_user);
        CHECK(scenario.unreadable[0].subject == std::string("--framework ") + bad);
    }
    CHECK(look(FakeHost(), framework("tourch==2.0")).unreadable[0].why.find("did you mean 'torch'?") !=
          std::string::npos);
}

namespace {

bool never_was(const char* named_framework) {
    const auto framework = named(named_framework);
    return framework.published && !*framework.published;
}

}  // namespace

TEST_CASE("a version that was never released is recognized for each package of a framework") {
    for (const char* never : {"cupy-cuda12x==13.9.0",
                              "cupy-cuda13x==12.0.0",
                              "cupy-cuda11x==14.0.0",
                              "cupy-cuda117==12.0.0",
                              "cupy==13.7.0",
                              "tensorflow-gpu==2.15.0",
                              "tensorflow-gpu==2.1.9",
                              "tensorflow==2.16.0",
                              "tf==2.16.0",
                              "torch==2.5.2",
                              "pytorch==2.0.7+cu117",
                              "jax-cuda12-plugin==0.5.2",
                              "jax-cuda13-plugin==0.6.0",
                              "jaxlib==0.4.37",
                              "paddlepaddle-gpu==2.3.3",
                              "paddle==2.3.3",
                              "mxnet-cu112==1.7.0",
                              "mxnet==1.6.7",
                              "triton-windows==3.4.1",
                              "triton==3.4.7"})
        CHECK_MESSAGE(never_was(never), std::string(never));
}

TEST_CASE("a release that is listed, newer than the list or uncertain is not reported as never released") {
    for (const char* name : {"cupy-cuda12x==13.6.0",
                             "cupy-cuda12x==99.9",
                             "cupy-cuda12x==13.0.0rc1",
                             "cupy-cuda111==9.1.0",
                             "cupy-cuda92==8.0.0",
                             "cupy==14.2.0",
                             "cupy==1.0.0",
                             "tensorflow-gpu==2.12.0",
                             "tensorflow-gpu==1.15.0",
                             "tensorflow-gpu==2.99.0",
                             "tensorflow-cpu==2.16.0",
                             "tf-nightly==2.16.0",
                             "torch==1.4.0",
                             "torch==1.8.2",
                             "torch==2.99.0",
                             "torch==2.14.9",
                             "tensorflow==2.20.9",
                             "jax==0.11.9",
                             "torch==2.5.1+cu121.with.pypi.cudnn",
                             "jax-cuda12-plugin==0.6.0",
                             "jaxlib==0.4.14",
                             "jaxlib==0.4.7+cuda12.cudnn88",
                             "paddlepaddle-gpu==3.0.0",
                             "paddlepaddle-gpu==2.4.2.post117",
                             "mxnet-cu112==1.8.0",
                             "mxnet-cu92==1.7.0",
                             "onnxruntime-gpu==1.16.1",
                             "triton-windows==3.2.0.post14"})
        CHECK_FALSE_MESSAGE(never_was(name), std::string(name));
}

TEST_CASE("for a release that a package never had, the packages that had it are listed") {
    const auto cupy = named("cupy-cuda11x==14.0.0");
    CHECK(cupy.other_packages == std::vector<std::string>{"cupy", "cupy-cuda12x", "cupy-cuda13x"});
    CHECK(cupy.near_releases == std::vector<std::string>{"13.5.0", "13.5.1", "13.6.0"});
    CHECK(cupy.named_package.empty());
    const auto tensorflow = named("tensorflow-gpu==2.15.0");
    CHECK(tensorflow.named_package == "tensorflow-gpu");
    CHECK(tensorflow.successor == "tensorflow");
    // jax is not a package that stands for its plugin.
    CHECK(named("jax-cuda12-plugin==0.5.2").other_packages.empty());
}
