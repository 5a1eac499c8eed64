// SPDX-License-Identifier: Apache-2.0
#include "facts/cudnn.hpp"

#include "facts/forward_compat.hpp"
#include "given.hpp"

namespace ptxguard {
namespace {

bool holds(const CudnnCode& code, Arch arch) {
    return std::any_of(code.code.begin(), code.code.end(),
                       [&](const Target& target) { return target.real && target.arch == arch; });
}

bool allowed(const Facts& facts, const char* name, const char* arch = nullptr) {
    const Known<Arch> known = arch ? Known<Arch>{*parse_arch(arch), {}} : Known<Arch>{};
    const auto answer = compat_allowed(facts, name, known);
    return answer && *answer;
}

bool refused(const Facts& facts, const char* name, const char* arch = nullptr) {
    const Known<Arch> known = arch ? Known<Arch>{*parse_arch(arch), {}} : Known<Arch>{};
    const auto answer = compat_allowed(facts, name, known);
    return answer && !*answer;
}

}  // namespace

TEST_CASE("the complete set of a cuDNN grows with its releases") {
    const auto facts = Facts::embedded();
    const auto first = cudnn_files(facts, v("9.1.0"), System::linux_);
    CHECK(first.size() == 8);
    CHECK(first.front() == "libcudnn.so.9");
    CHECK(cudnn_files(facts, v("9.21.0.82"), System::linux_).size() == 9);
    CHECK(cudnn_files(facts, v("9.28.0"), System::linux_).size() == 10);
    const auto old = cudnn_files(facts, v("8.9.7.29"), System::windows);
    CHECK(old.size() == 7);
    CHECK(std::find(old.begin(), old.end(), "cudnn_ops_infer64_8.dll") != old.end());
    CHECK(cudnn_files(facts, v("9.99.0"), System::linux_).empty());
    CHECK(cudnn_files(facts, v("7.6.5"), System::linux_).empty());
}

TEST_CASE("the device code of a release is that of the release itself or of its neighbours") {
    const auto facts = Facts::embedded();
    const auto last = cudnn_code(facts, v("9.10.2"), 12);
    REQUIRE(last.before);
    REQUIRE(last.after);
    CHECK(last.before->version == last.after->version);
    CHECK(holds(*last.before, Arch{70, 0}));
    const auto first = cudnn_code(facts, v("9.11.0"), 12);
    REQUIRE(first.before);
    CHECK_FALSE(holds(*first.before, Arch{70, 0}));
    CHECK(holds(*first.before, Arch{75, 0}));
    CHECK(has(first.before->origin.text, "facts/cudnn/9.json"));
    const auto between = cudnn_code(facts, v("9.10.2.21"), 11);
    REQUIRE(between.before);
    CHECK(holds(*between.before, Arch{70, 0}));
    const auto newer = cudnn_code(facts, v("9.99.0"), 12);
    CHECK(newer.before);
    CHECK_FALSE(newer.after);
    CHECK_FALSE(cudnn_code(facts, v("9.10.2"), 10).before);
}

TEST_CASE("forward compatibility is for data-centre GPUs and Jetson boards, not for GeForce") {
    const auto facts = Facts::embedded();
    CHECK(allowed(facts, "NVIDIA A100-SXM4-80GB", "sm_80"));
    CHECK(allowed(facts, "Tesla T4", "sm_75"));
    CHECK(allowed(facts, "NVIDIA A10G"));
    CHECK(allowed(facts, "9.0", "sm_90"));
    CHECK(refused(facts, "NVIDIA GeForce RTX 3090 Ti", "sm_86"));
    CHECK(refused(facts, "RTX 4090", "sm_89"));
    CHECK(refused(facts, "NVIDIA TITAN V", "sm_70"));
    // One of several cards of that architecture, or a workstation card: unknown.
    for (const char* name : {"8.6", "NVIDIA RTX A6000", "Quadro RTX 4000", "NVIDIA RTX 4000 Ada", "sm_75"}) {
        CAPTURE(name);
        CHECK_FALSE(allowed(facts, name, "sm_86"));
        CHECK_FALSE(refused(facts, name, "sm_86"));
    }
}

TEST_CASE("a compatibility package names the driver branches that it supports") {
    const auto facts = Facts::embedded();
    const auto* package = compat_package(facts, v("12.4"));
    REQUIRE(package);
    CHECK(package->base_branches == std::vector<int>{535});
    REQUIRE(compat_package(facts, v("13.4")));
    CHECK(compat_package(facts, v("13.4"))->base_branches.size() == 6);
    CHECK(compat_package(facts, v("11.0")) == nullptr);
}

}  // namespace ptxguard
