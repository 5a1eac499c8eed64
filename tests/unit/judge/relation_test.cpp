// Which pairs a scenario has. That each kind of pair is accepted in some case and refused in another is
// checked for the cases of the rules.
// SPDX-License-Identifier: Apache-2.0
#include "judge/relation.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "judge/judge.hpp"
#include "judged_lines.hpp"

using namespace ptxguard;

namespace {

std::vector<Obligation> pairs(Meeting kind, const std::vector<std::string>& lines) {
    const Scenario scenario = scenario_of_lines(lines);
    std::vector<Obligation> all = relation(scenario, tables(), LibraryFaults(scenario, tables()));
    all.erase(
        std::remove_if(all.begin(), all.end(), [&](const Obligation& pair) { return pair.kind != kind; }),
        all.end());
    return all;
}

std::vector<std::string> compiled(const std::vector<std::string>& more) {
    std::vector<std::string> lines{"toolkit /usr/local/cuda 13.0.88", "build toolkit1"};
    lines.insert(lines.end(), more.begin(), more.end());
    std::vector<std::string> rights;
    for (const Obligation& pair : pairs(Meeting::compile, lines)) rights.push_back(pair.right.name);
    return rights;
}

using Rights = std::vector<std::string>;

}  // namespace

TEST_CASE("a test compile is a pair if its target was requested, or if it has none") {
    CHECK(compiled({"arch 80", "probe ptx accepted 9.0 sm_80", "probe ptx accepted 9.0 sm_90"}) ==
          Rights{"sm_80"});
    CHECK(compiled({"arch 80", "probe ptx refused"}) == Rights{"its default target"});
    CHECK(compiled({"probe ptx accepted 9.0 sm_90"}) == Rights{"sm_90"});
}

TEST_CASE("an architecture that nobody requested need not compile, unless nvcc's own flags name it") {
    CHECK(compiled({"probe ptx refused - sm_60 failure=architecture"}).empty());
    CHECK(compiled({"probe ptx refused - sm_60 failure=host-compiler"}) == Rights{"sm_60"});
}

TEST_CASE("a compile of another toolkit, a prediction and a list of architectures are no pairs") {
    CHECK(compiled({"probe ptx accepted 9.0 sm_80 toolkit=toolkit2"}).empty());
    CHECK(compiled({"probe ptx accepted 9.0 sm_80 basis=predicted"}).empty());
    CHECK(compiled({"probe list-archs accepted archs=75,80"}).empty());
    CHECK(compiled({"probe ptx unknown - sm_80"}).empty());
    CHECK(pairs(Meeting::compile, {"toolkit /usr/local/cuda 13.0.88", "build toolkit1 - unwanted",
                                   "probe ptx accepted 9.0 sm_80"})
              .empty());
}

// For each kind of pair, facts with one side missing, unlisted or unreadable. Nothing of it may end as "ok".
namespace {

struct Incomplete {
    const char* what;
    const char* area;
    std::vector<std::string> lines;
};

std::vector<Incomplete> incomplete_facts() {
    const std::string gpu = "gpu \"RTX 5090\" sm_120", driver = "driver 580.95.05", build = "build toolkit1",
                      idle = "build - - unwanted";
    const std::string installed = " how=wheel path=/site/x cpu_only=false vendor=cuda";
    return {
        {"a GPU by itself", "GPU", {idle, gpu}},
        {"a driver by itself", "driver", {idle, driver}},
        {"a driver beside a toolkit that is only installed", "driver", {"toolkit /c 13.0.88", idle, driver}},
        {"a GPU beside a framework without a row",
         "GPU",
         {idle, gpu, "framework PyTorch torch 99.0 -" + installed}},
        {"a framework without a row, and a GPU",
         "frameworks",
         {idle, gpu, "framework PyTorch torch 99.0 -" + installed}},
        {"a framework without known CUDA, and a driver",
         "driver",
         {idle, driver, "framework PaddlePaddle paddlepaddle-gpu 99.0 -" + installed}},
        {"a framework of an unlisted CUDA that compiles at run time",
         "GPU",
         {idle, gpu, "framework CuPy cupy 99.0 99.0" + installed}},
        {"a framework that compiles, without known CUDA",
         "frameworks",
         {idle, gpu, "framework CuPy cupy 99.0 -" + installed}},
        {"a framework by itself",
         "frameworks",
         {idle, "framework PyTorch torch 99.0 - required" + installed}},
        {"a GPU in no table", "GPU", {idle, driver, "gpu X sm_199"}},
        {"a driver beyond the tables, and a new GPU", "driver", {idle, "driver 999.10", "gpu X sm_199"}},
        {"a build whose nvcc has no version, and a GPU", "GPU", {"toolkit /c - nvcc=none", build, gpu}},
        {"a build by an nvcc that no table lists", "architectures", {"toolkit /c 99.0.1", build, gpu}},
    };
}

std::string state_of(const Judgement& judgement, const std::string& area) {
    for (const CheckedArea& one : judgement.checklist)
        if (one.area == area) return to_string(one.state);
    return "none";
}

}  // namespace

TEST_CASE("what met nothing is never ok, and a named one makes the verdict unknown") {
    for (const Incomplete& one : incomplete_facts()) {
        INFO(std::string(one.what));
        const Judgement judgement = judge({scenario_of_lines(one.lines)}, tables(), {});
        CHECK(state_of(judgement, one.area) != "ok");
        CHECK((judgement.verdict == Verdict::unknown || judgement.verdict == Verdict::fail));
    }
}

TEST_CASE("what was compared is ok, with what it was compared with") {
    const Judgement judgement =
        judge({scenario_of_lines(
                  {"build - - unwanted", "driver 580.95.05", "gpu H100 sm_90",
                   "framework PyTorch torch 2.9.1 12.8 how=wheel path=/site/x cpu_only=false vendor=cuda "
                   "archs=90-real"})},
              tables(), {});
    CHECK(judgement.verdict == Verdict::pass);
    for (const char* area : {"GPU", "driver", "frameworks"}) {
        CAPTURE(area);
        CHECK(state_of(judgement, area) == "ok");
    }
    for (const CheckedArea& one : judgement.checklist)
        if (one.area == "GPU")
            CHECK(one.text == "H100 (sm_90): PyTorch 2.9.1 (cubin sm_90) and driver 580.95.05");
}

TEST_CASE("a ptxas that knows the GPU, and not the form that its package asks for, is no pair that holds") {
    for (const bool knows : {false, true}) {
        CAPTURE(knows);
        const std::string version = knows ? "12.4.131" : "11.8.89";
        const Judgement judgement = judge(
            {scenario_of_lines(
                {"build - - unwanted", "driver 580.95.05", "gpu H100 sm_90",
                 "framework Triton triton 3.6.0 - how=wheel path=/site/triton cpu_only=false vendor=cuda",
                 "pick \"Triton 3.6.0 up to sm_99\" ptxas /opt/cuda/bin/ptxas because=TRITON_PTXAS_PATH "
                 "package=triton setting=TRITON_PTXAS_PATH max_arch=sm_99 specific_from=sm_90 "
                 "when_none=error version=" +
                     version})},
            tables(), {});
        for (const CheckedArea& one : judgement.checklist)
            if (one.area == "GPU") CHECK((one.text.find("Triton") != std::string::npos) == knows);
    }
}
