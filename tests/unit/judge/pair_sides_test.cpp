// Every kind of pair with each of its sides missing, in no table or unreadable: none may end as an "ok" that
// names both, and what the user named never passes without having met anything. The damage is done by a
// program, not by hand.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "judge/judge.hpp"
#include "judge/ptx_questions.hpp"
#include "judged_lines.hpp"

using namespace ptxguard;

namespace {

using Damage = std::pair<const char*, std::function<void(Scenario&)>>;

Version unlisted(const char* text) { return *parse_version(text); }

Part* part_of(Scenario& scenario, PartKind kind) {
    for (Part& part : scenario.toolkits.front().parts)
        if (part.kind == kind) return &part;
    return nullptr;
}

const Damage k_no_driver_version = {"driver without a version", [](Scenario& s) {
                                        s.drivers.front().version = {};
                                        s.drivers.front().cuda = {};
                                    }};
const Damage k_unlisted_gpu = {"GPU in no table", [](Scenario& s) {
                                   s.gpus.front().arch = {Arch{1990, 0}, Origin{}};
                               }};
const Damage k_no_code = {"framework without known code",
                          [](Scenario& s) { s.expectations.front().archs = {}; }};
const Damage k_no_cuda = {"framework without known CUDA",
                          [](Scenario& s) { s.expectations.front().cuda = {}; }};
const Damage k_unlisted_cuda = {"framework of a CUDA in no table", [](Scenario& s) {
                                    s.expectations.front().cuda = {unlisted("99.0"), Origin{}};
                                }};
const Damage k_no_cudnn = {"framework without known cuDNN",
                           [](Scenario& s) { s.expectations.front().cudnn = {}; }};

Damage without_version_of(const char* library) {
    return {library, [library](Scenario& s) {
                for (LoadedFile& file : s.traces.front().libraries)
                    if (file.library == library) file.version = file.cuda = {};
            }};
}
Damage without_version_of(PartKind kind) {
    return {to_string(kind), [kind](Scenario& s) { part_of(s, kind)->version = {}; }};
}
Damage unlisted_version_of(PartKind kind) {
    return {to_string(kind), [kind](Scenario& s) {
                part_of(s, kind)->version = {unlisted("99.0.1"), Origin{}};
            }};
}
const Damage k_tool_without_version = {"a tool without a version",
                                       [](Scenario& s) { s.picks.front().version = {}; }};
const Damage k_unlisted_tool = {"a tool in no table", [](Scenario& s) {
                                    s.picks.front().version = {unlisted("99.0.1"), Origin{}};
                                }};

const Damage k_module_without_code = {"module without known code",
                                      [](Scenario& s) { s.modules.front().archs = {}; }};
const Damage k_module_of_unlisted_code = {"module with code in no table", [](Scenario& s) {
                                              s.modules.front().archs = {{{Arch{1990, 0}, true, false}}, {}};
                                          }};
const Damage k_no_runtime = {"module without a known runtime",
                             [](Scenario& s) { s.modules.front().cuda = {}; }};
const Damage k_unlisted_runtime = {"module with a runtime in no table", [](Scenario& s) {
                                       s.modules.front().cuda = {unlisted("99.0"), Origin{}};
                                   }};
const Damage k_unread_companion = {"companion without a version", [](Scenario& s) {
                                       s.expectations.front().companions.front().version = {};
                                   }};
const Damage k_companion_of_unknown = {"companion built for an unknown release", [](Scenario& s) {
                                           InstalledCompanion& one =
                                               s.expectations.front().companions.front();
                                           one.built_for = {};
                                           one.cuda = {};
                                       }};
const Damage k_unlisted_companion = {
    "companion built for a release in no table", [](Scenario& s) {
        s.expectations.front().companions.front().built_for = {unlisted("99.0"), Origin{}};
    }};

// `left` and `right`: what an "ok" must not name together; empty = whatever it names.
struct Kind {
    const char* what;
    const char* area;
    std::string left, right;
    std::vector<std::string> lines;
    std::vector<Damage> damages;
};

const std::string
    k_idle = "build - - unwanted",
    k_gpu = "gpu H100 sm_90", k_driver = "driver 580.95.05",
    k_torch =
        "framework PyTorch torch 2.9.1 12.8 how=wheel path=/site/torch cpu_only=false vendor=cuda "
        "cudnn=9.10.2 archs=80-real,90-real",
    k_trace = "trace /site/torch/lib/libtorch_cuda.so framework=PyTorch framework_folder=/site/torch\n";

std::vector<Kind> kinds() {
    const std::string toolkit = "toolkit /c 13.0.88", build = "build toolkit1";
    return {
        {"GPU x driver", "GPU", "H100", "580.95.05", {k_idle, k_gpu, k_driver}, {k_unlisted_gpu}},
        {"GPU x driver", "GPU", "H100", "driver", {k_idle, k_gpu, k_driver}, {k_no_driver_version}},
        {"GPU x device code", "GPU", "H100", "PyTorch", {k_idle, k_gpu, k_torch}, {k_no_code}},
        {"GPU x device code", "frameworks", "PyTorch", "H100", {k_idle, k_gpu, k_torch}, {k_no_code}},
        {"framework x driver",
         "driver",
         "",
         "PyTorch",
         {k_idle, k_driver, k_torch},
         {k_no_cuda, k_unlisted_cuda, k_no_driver_version}},
        {"framework x driver",
         "frameworks",
         "PyTorch",
         "driver 580",
         {k_idle, k_driver, k_torch},
         {k_no_cuda, k_unlisted_cuda}},
        {"build x GPU",
         "GPU",
         "H100",
         "this build",
         {toolkit, build, k_gpu},
         {unlisted_version_of(PartKind::nvcc)}},
        {"build x driver",
         "driver",
         "580.95.05",
         "this build (PTX",
         {toolkit, build, k_driver, "gpu L4 sm_89", "arch 80-virtual"},
         {without_version_of(PartKind::cicc), unlisted_version_of(PartKind::cicc)}},
        {"build x driver",
         "driver",
         "",
         "this build",
         {toolkit, build, k_driver, "gpu L4 sm_89", "arch 80-virtual"},
         {k_no_driver_version}},
        {"native module x GPU",
         "GPU",
         "H100",
         "mypkg",
         {k_idle, k_gpu, "module /site/mypkg/_C.abi3.so mypkg 1.2 archs=80-real,90-real"},
         {k_module_without_code, k_module_of_unlisted_code, k_unlisted_gpu}},
        {"static runtime x driver",
         "driver",
         "",
         "mypkg",
         {k_idle, k_driver, "module /site/mypkg/_C.abi3.so mypkg 1.2 cuda=13"},
         {k_no_runtime, k_unlisted_runtime, k_no_driver_version}},
        {"companion x framework",
         "frameworks",
         "PyTorch",
         "torchvision",
         {k_idle, k_gpu, k_torch + "\n  companion torchvision 0.24.1 2.9.1 12.8"},
         {k_unread_companion, k_companion_of_unknown, k_unlisted_companion}},
        {"nvcc x ptxas",
         "PTX",
         "PTX",
         "assembled by its ptxas",
         {toolkit, build},
         {without_version_of(PartKind::ptxas)}},
        {"architectures x nvcc",
         "architectures",
         "90",
         "",
         {toolkit, build, "arch 90"},
         {unlisted_version_of(PartKind::nvcc)}},
        {"framework x cuDNN",
         "libraries",
         "PyTorch",
         "cudnn",
         {k_idle, k_torch,
          k_trace +
              "  opens libcudnn.so.9 /site/nvidia/cudnn/lib/libcudnn.so.9 library=cudnn version=9.10.2"},
         {k_no_cudnn, without_version_of("cudnn")}},
        {"framework x CUDA runtime",
         "libraries",
         "PyTorch",
         "cudart",
         {k_idle, k_torch,
          k_trace + "  needs libcudart.so.12 /site/nvidia/cuda_runtime/lib/libcudart.so.12 library=cudart "
                    "cuda_major=12 version=12.8.90"},
         {k_no_cuda, without_version_of("cudart")}},
        {"tool x GPU",
         "run-time tools",
         "ptxas",
         "triton",
         {k_idle, k_gpu,
          "pick \"Triton 3.5.1\" ptxas /site/triton/backends/nvidia/bin/ptxas because=\"its own\" "
          "package=triton "
          "release=3.5.1 version=12.8.93 when_none=error"},
         {k_tool_without_version, k_unlisted_tool}},
        {"run-time compiler x driver",
         "driver",
         "580.95.05",
         "Numba",
         {k_idle, k_driver,
          "pick \"Numba 0.61.2\" libNVVM /c/nvvm/lib64/libnvvm.so.4 because=CUDA_HOME package=numba "
          "release=0.61.2 version=12.8.93"},
         {k_tool_without_version, k_unlisted_tool}},
    };
}

Scenario scenario_of(const Kind& kind) {
    std::vector<std::string> lines;
    for (const std::string& block : kind.lines)
        for (std::size_t at = 0; at <= block.size();) {
            const std::size_t end = std::min(block.find('\n', at), block.size());
            lines.push_back(block.substr(at, end - at));
            at = end + 1;
        }
    return scenario_of_lines(lines);
}

// The text of the area, if it is ok.
std::string ok_text(const Judgement& judgement, const std::string& area) {
    for (const CheckedArea& one : judgement.checklist)
        if (one.area == area && one.state == AreaState::ok) return one.text;
    return "";
}

bool names_both(const std::string& text, const Kind& kind) {
    return text.find(kind.left) != std::string::npos && text.find(kind.right) != std::string::npos;
}

}  // namespace

TEST_CASE("a pair is not ok once one of its sides is missing, in no table or unreadable") {
    for (const Kind& kind : kinds())
        for (const Damage& damage : kind.damages) {
            INFO(std::string(kind.what), ", ", std::string(damage.first));
            Scenario scenario = scenario_of(kind);
            damage.second(scenario);
            const std::string text = ok_text(judge({scenario}, tables(), {}), kind.area);
            INFO(text);
            CHECK(!(!text.empty() && names_both(text, kind)));
        }
}

TEST_CASE("the same pairs are ok while nothing is damaged") {
    for (const Kind& kind : kinds()) {
        INFO(std::string(kind.what));
        const std::string text = ok_text(judge({scenario_of(kind)}, tables(), {}), kind.area);
        INFO(text);
        CHECK((text.find(kind.left) != std::string::npos || std::string(kind.what) == "nvcc x ptxas"));
    }
}

TEST_CASE("a framework with only PTX for a GPU is not ok there once the driver does not read it") {
    const std::string framework =
        "framework CTranslate2 ctranslate2 4.8.5 12.8 how=wheel path=/site/ctranslate2 cpu_only=false "
        "vendor=cuda archs=80-real,86";
    const auto frameworks_of = [&](const std::string& driver) {
        return ok_text(judge({scenario_of_lines({k_idle, k_gpu, driver, framework})}, tables(), {}),
                       "frameworks");
    };
    CHECK(frameworks_of("driver 570.86.15").find("H100") != std::string::npos);
    CHECK(frameworks_of("driver 535.183.01").find("H100") == std::string::npos);
}

TEST_CASE("a named GPU, driver or framework that the damage leaves alone never passes") {
    const std::vector<std::string> facts = {k_gpu, k_driver, k_torch + " required"};
    const std::vector<Damage> damages = {k_no_driver_version, k_unlisted_gpu, k_no_code, k_no_cuda};
    for (std::size_t left = 0; left < facts.size(); ++left)
        for (std::size_t right = left; right < facts.size(); ++right)
            for (const Damage& first : damages)
                for (const Damage& second : damages) {
                    std::vector<std::string> lines = {k_idle, facts[left]};
                    if (right != left) lines.push_back(facts[right]);
                    Scenario scenario = scenario_of_lines(lines);
                    const auto applies = [&](const Damage& damage) {
                        const bool of_driver = &damage == &damages[0], of_gpu = &damage == &damages[1];
                        return of_driver ? !scenario.drivers.empty()
                               : of_gpu  ? !scenario.gpus.empty()
                                         : !scenario.expectations.empty();
                    };
                    for (const Damage* one : {&first, &second})
                        if (applies(*one)) one->second(scenario);
                    const Judgement judgement = judge({scenario}, tables(), {});
                    INFO(facts[left], " | ", facts[right], " | ", std::string(first.first), " | ",
                         std::string(second.first));
                    // A pair of the two that is left whole may pass.
                    bool any_ok = false;
                    for (const CheckedArea& one : judgement.checklist) any_ok |= one.state == AreaState::ok;
                    CHECK((judgement.verdict != Verdict::pass || any_ok));
                    for (const CheckedArea& one : judgement.checklist)
                        if (one.state == AreaState::ok) CHECK(one.text.find(": ") != std::string::npos);
                }
}
