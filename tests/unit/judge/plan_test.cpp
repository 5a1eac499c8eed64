// Fixes are tried on a copy of the facts, and the plan: with rules made up for the test, then with the real
// ones.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judge/fitting_builds.hpp"
#include "judge/judge.hpp"
#include "judge/plan.hpp"
#include "judge/rule.hpp"
#include "judged_lines.hpp"

using namespace ptxguard;

namespace {

Fix cxx(int standard, const char* text) {
    Step step{StepKind::cxx_standard};
    step.number = standard;
    return {FixKind::edit, text, step};
}
Fix abi(int number, const char* text) {
    Step step{StepKind::cxx_abi};
    step.number = number;
    return {FixKind::edit, text, step};
}

int standard_of(const Scenario& scenario) { return scenario.project.cxx_standard.value.value_or(14); }
int abi_of(const Scenario& scenario) { return scenario.project.cxx_abi.value.value_or(0); }

// 17 fixes it, 14 does not, 20 fixes it and breaks `too_new`, 23 makes `undecided` unknown.
void too_old(const Scenario& scenario, const Facts&, const LibraryFaults&, Findings& findings) {
    if (standard_of(scenario) >= 17) return;
    add(findings, "CC901", Level::error, "standard", "it is too old")->fix = {
        cxx(14, "14"), cxx(20, "20"), cxx(23, "23"), cxx(17, "17"), {FixKind::manual, "by hand"}};
}
void too_new(const Scenario& scenario, const Facts&, const LibraryFaults&, Findings& findings) {
    if (standard_of(scenario) == 20) add(findings, "CC902", Level::error, "standard", "it is too new");
}
void left_undecided(const Scenario& scenario, const Facts&, const LibraryFaults&, Findings& findings) {
    if (standard_of(scenario) == 23)
        add(findings, "CC903", Level::unknown, "standard", "nobody knows").required();
}
// Independent of the standard.
void wrong_abi(const Scenario& scenario, const Facts&, const LibraryFaults&, Findings& findings) {
    if (abi_of(scenario) == 0)
        add(findings, "CC904", Level::error, "abi", "it is the old one")->fix = {abi(1, "abi 1")};
}
void hopeless(const Scenario&, const Facts&, const LibraryFaults&, Findings& findings) {
    add(findings, "CC905", Level::error, "all", "it is broken")->fix = {{FixKind::manual, "by hand"}};
}

const Rule k_too_old{"CC901", "too_old", "", too_old}, k_too_new{"CC902", "too_new", "", too_new},
    k_left_undecided{"CC903", "undecided", "", left_undecided}, k_abi{"CC904", "wrong_abi", "", wrong_abi},
    k_hopeless{"CC905", "hopeless", "", hopeless};

Judgement run_steps(const std::vector<Rule>& table) {
    return judge_with(table, {Scenario()}, Facts::with({}), {});
}

using Texts = std::vector<std::string>;

const char* const k_torch =
    "framework PyTorch torch 2.11.0+cu130 13.0 how=declared declared required "
    "archs=75-real,80-real,86-real,90-real,100-real,120-real";

}  // namespace

TEST_CASE("a fix that keeps its finding, causes another error or an unknown is not offered") {
    const Judgement judgement = run_steps({k_too_old, k_too_new, k_left_undecided});
    REQUIRE(find(judgement, "CC901"));
    CHECK(texts(find(judgement, "CC901")->fix) == Texts{"17", "by hand"});
}

TEST_CASE("without the rule that rejects it a fix is offered") {
    const Judgement judgement = run_steps({k_too_old});
    CHECK(texts(find(judgement, "CC901")->fix) == Texts{"20", "23", "17", "by hand"});
}

TEST_CASE("a plan is one step if one is enough, and otherwise a step for each cause") {
    Judgement judgement = run_steps({k_too_old, k_too_new, k_left_undecided});
    REQUIRE(judgement.plans.size() == 1);
    CHECK(texts(judgement.plans[0].steps) == Texts{"17"});

    judgement = run_steps({k_too_old, k_too_new, k_left_undecided, k_abi});
    REQUIRE(judgement.plans.size() == 1);
    CHECK(judgement.plans[0].steps.size() == 2);
    CHECK(judgement.plans[0].costs == "other compiler options, other compiler options");
    CHECK(texts(find(judgement, "CC904")->fix) == Texts{"abi 1"});
}

TEST_CASE("there is no plan if an error would remain, and none without an error") {
    const Judgement judgement = run_steps({k_too_old, k_hopeless});
    CHECK(judgement.plans.empty());
    CHECK(texts(find(judgement, "CC905")->fix) == Texts{"by hand"});
    CHECK(run_steps({k_too_new}).plans.empty());
}

TEST_CASE("a suppressed error needs no plan") {
    JudgeOptions options;
    options.suppressions = {{"CC905", "known", Origin::from_option("--ignore")}};
    CHECK(judge_with({k_hopeless}, {Scenario()}, Facts::with({}), options).plans.empty());
}

TEST_CASE("a framework too new for the driver: the newest release that runs there, or the driver") {
    const Judgement judgement = judged({k_torch, "driver 470.256.02", "gpu A100 sm_80"});
    REQUIRE(judgement.plans.size() == 2);
    CHECK(judgement.plans[0].costs == "another release of torch");
    CHECK(texts(judgement.plans[0].steps) == Texts{"python3 -m pip install 'torch==2.7.1+cu118' --index-url "
                                                   "https://download.pytorch.org/whl/cu118"});
    CHECK(texts(judgement.plans[1].steps) == Texts{"install driver 580.65.06 or newer"});
    CHECK(find(judgement, "CC208")->fix.size() == 2);
}

TEST_CASE("the same release for an older CUDA comes before another release") {
    const Judgement judgement = judged({k_torch, "driver 535.104.05", "gpu A100 sm_80"});
    REQUIRE(judgement.plans.size() == 2);
    CHECK(judgement.plans[0].costs == "another build of the same release");
    CHECK(texts(judgement.plans[0].steps) == Texts{"python3 -m pip install 'torch==2.11.0+cu128' --index-url "
                                                   "https://download.pytorch.org/whl/cu128"});
}

TEST_CASE("of two builds for the driver the one with code for the GPU is offered") {
    const Judgement judgement = judged({k_torch, "driver 535.104.05", "gpu V100 sm_70"});
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(texts(judgement.plans[0].steps) == Texts{"python3 -m pip install 'torch==2.11.0+cu126' --index-url "
                                                   "https://download.pytorch.org/whl/cu126"});
    // A newer driver leaves CC607, and is not a plan of its own.
    for (const Plan& plan : judgement.plans)
        for (const Fix& fix : plan.steps) CHECK(fix.step->kind == StepKind::framework);
}

TEST_CASE("a GPU newer than driver and framework needs both replaced") {
    const Judgement judgement =
        judged({"framework PyTorch torch 2.5.1+cu121 12.1 how=declared declared required "
                "archs=50-real,60-real,70-real,75-real,80-real,86-real,90-real",
                "driver 535.104.05", "gpu \"RTX 5090\" sm_120"});
    REQUIRE_FALSE(judgement.plans.empty());
    REQUIRE(judgement.plans[0].steps.size() == 2);
    Texts steps = texts(judgement.plans[0].steps);
    CHECK(steps[0] != steps[1]);
    CHECK(find(judgement, "CC607"));
    CHECK(find(judgement, "CC204"));
}

TEST_CASE("an error in a framework's libraries is not fixed by dropping them from the facts") {
    const Judgement judgement =
        judged({"framework PyTorch torch 2.11.0+cu130 13.0 how=wheel path=/s/torch archs=80-real",
                "  shared nvidia-nccl-cu12 2.27.3 nvidia-nccl-cu11 2.14.3 nvidia/nccl/lib/libnccl.so.2 "
                "owner=nvidia-nccl-cu11",
                "driver 470.256.02", "gpu A100 sm_80"});
    REQUIRE(find(judgement, "CC612"));
    REQUIRE(find(judgement, "CC208"));
    CHECK(judgement.plans.empty());
}

TEST_CASE("a package built for this release rules out another release and another CUDA") {
    for (const char* driver : {"driver 470.256.02", "driver 535.104.05"}) {
        const Judgement judgement =
            judged({k_torch, "  companion torchvision 0.26.0 2.11.0 13.0", driver, "gpu A100 sm_80"});
        REQUIRE(judgement.plans.size() == 1);
        CHECK(judgement.plans[0].steps[0].step->kind == StepKind::driver);
    }
}

TEST_CASE("what pip takes with a build is bounded for the GPU, whichever table has the requirement") {
    const Scenario old = scenario_of_lines({"gpu \"GTX 1080\" sm_61"});
    const Scenario new_one = scenario_of_lines({"gpu A100 sm_80"});
    const auto bounds = [&](const char* package, const char* version, const char* cuda, const Scenario& on) {
        Step step{StepKind::framework};
        step.subject = step.package = package;
        step.version = *parse_version(version);
        step.cuda = parse_version(cuda);
        return bounds_for_gpus(step, on, tables());
    };
    const Texts bound{"nvidia-cudnn-cu12<9.11"};
    CHECK(bounds("tensorflow", "2.20.0", "12.5", old) == bound);       // the framework's own table
    CHECK(bounds("onnxruntime-gpu", "1.22.0", "12.8", old) == bound);  // PyPI's, by an extra
    CHECK(bounds("onnxruntime-gpu", "1.22.0", "12.8", new_one).empty());
    CHECK(bounds("torch", "2.7.1+cu126", "12.6", old).empty());  // it pins one
}

TEST_CASE("a list of architectures is offered only if its compiler supports all of it") {
    const Judgement judgement =
        judged({"toolkit /usr/local/cuda 13.0.88 whole", "build toolkit1", "arch 50 80", "driver 580.65.06"});
    REQUIRE(find(judgement, "CC203"));
    CHECK(texts(find(judgement, "CC203")->fix).front() == "set(CMAKE_CUDA_ARCHITECTURES \"80\")");
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(texts(judgement.plans[0].steps) == Texts{"set(CMAKE_CUDA_ARCHITECTURES \"80\")"});
}

TEST_CASE("each driver and each GPU is accepted, refused or undecided, with the codes") {
    const Judgement judgement = judged(
        {"driver 535.104.05", "driver 580.65.06", "gpu A100 sm_80", "gpu \"Tesla V100\" sm_70", k_torch});
    REQUIRE(judgement.drivers.size() == 2);
    CHECK(judgement.drivers[0].accepts == std::optional<bool>(false));
    CHECK(judgement.drivers[0].because == Texts{"CC208"});
    CHECK(judgement.drivers[1].accepts == std::optional<bool>(true));
    CHECK(judgement.drivers[1].because.empty());
    REQUIRE(judgement.gpus.size() == 2);
    CHECK(judgement.gpus[0].accepts == std::optional<bool>(true));
    CHECK(judgement.gpus[1].accepts == std::optional<bool>(false));
    CHECK(judgement.gpus[1].because == Texts{"CC607"});

    const Judgement lonely = judged({"driver 535.104.05"});
    REQUIRE(lonely.drivers.size() == 1);
    CHECK(!lonely.drivers[0].accepts);
}

TEST_CASE("a build without code for the GPU is one cause with its cuBLAS and its ptxas") {
    const auto judged_with = [](const std::string& ptxas) {
        return judged(
            {"driver 580.65.06", "gpu V100 sm_70",
             ("framework JAX jax 0.9.2 13.0 required how=wheel path=/s/jax site=/s "
              "archs=75-real,80-real,90-real build_package=jax-cuda13-plugin build_version=0.9.2"),
             ("  jax 0.9.2 0.9.2 0.9.2 plugin=jax-cuda13-plugin pjrt=jax-cuda13-pjrt pjrt_version=0.9.2 "
              "has_modules has_library"),
             "pick \"XLA in JAX (CUDA 13)\" ptxas " + ptxas +
                 " version=13.0.88 package=jax-cuda13-pjrt when_none=error"});
    };
    const Judgement own = judged_with("/s/nvidia/cu13/bin/ptxas");
    REQUIRE((find(own, "CC607") && find(own, "CC203")));
    REQUIRE(find(own, "CC203")->caused_by);
    CHECK(find(own, "CC203")->caused_by->code == "CC607");
    REQUIRE_FALSE(own.plans.empty());
    CHECK(texts(own.plans[0].steps) ==
          Texts{"python3 -m pip uninstall -y jax-cuda13-plugin jax-cuda13-pjrt && python3 -m pip install "
                "'jax[cuda12]==0.9.2' 'nvidia-cudnn-cu12<9.11'"});  // newer cuDNNs have no sm_70
    CHECK(texts(find(own, "CC607")->fix).front() == texts(own.plans[0].steps)[0]);
    // A variable would still select it.
    const Judgement other = judged_with("/opt/cuda/bin/ptxas");
    REQUIRE(find(other, "CC203"));
    CHECK_FALSE(find(other, "CC203")->caused_by);
    CHECK(other.plans.empty());
}

TEST_CASE("another release of torch replaces the Triton that it pins") {
    const Judgement judgement =
        judged({"driver 580.65.06 | gpu \"RTX 5090\" sm_120",
                "framework PyTorch torch 2.5.1+cu124 12.4 path=/s/torch site=/s how=wheel "
                "archs=50-real,60-real,70-real,75-real,80-real,86-real,90-real",
                "framework Triton triton 3.1.0 path=/s/triton site=/s how=wheel",
                "pick \"Triton 3.1.0\" ptxas /s/triton/backends/nvidia/bin/ptxas because=bundled "
                "package=triton release=3.1.0 version=12.4.99 when_none=error"});
    REQUIRE(find(judgement, "CC607"));
    REQUIRE(find(judgement, "CC203"));
    CHECK(find(judgement, "CC203")->package == "triton");
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(judgement.plans[0].costs == "another release of torch");
}

TEST_CASE("a Triton that torch does not pin stays") {
    const Judgement judgement =
        judged({"driver 580.65.06 | gpu \"RTX 5090\" sm_120",
                "framework PyTorch torch 2.5.1+cu124 12.4 path=/s/torch site=/s how=wheel "
                "archs=50-real,60-real,70-real,75-real,80-real,86-real,90-real",
                "framework Triton triton 3.1.0 path=/other/triton site=/other how=wheel",
                "pick \"Triton 3.1.0\" ptxas /other/triton/backends/nvidia/bin/ptxas because=bundled "
                "package=triton release=3.1.0 version=12.4.99 when_none=error"});
    REQUIRE(find(judgement, "CC203"));
    CHECK(judgement.plans.empty());
}

TEST_CASE("the package for another CUDA replaces the installed one, and a driver comes last") {
    const auto fixes_with = [](const std::string& more) {
        const Judgement judgement =
            judged({"driver 535.104.05", "framework CuPy cupy-cuda13x 14.2.0 13 required how=" + more});
        REQUIRE(find(judgement, "CC208"));
        return texts(find(judgement, "CC208")->fix);
    };
    CHECK(fixes_with("wheel") == Texts{"python3 -m pip uninstall -y cupy-cuda13x && python3 -m pip install "
                                       "'cupy-cuda12x[ctk]==14.2.0'",
                                       "install driver 580.65.06 or newer"});
    CHECK(fixes_with("conda") == Texts{"install driver 580.65.06 or newer"});
}

TEST_CASE("libraries of the old CUDA that a search would find are removed with the package") {
    const std::string found = " rule=\"found by cuda-pathfinder\"";
    const Judgement judgement = judged(
        {"driver 535.104.05", "framework CuPy cupy-cuda13x 14.2.0 13 required how=wheel path=/s/cupy site=/s",
         "trace /s/cupy_backends/cublas.so framework=CuPy framework_folder=/s/cupy",
         "  opens libcublas.so.13 /s/nvidia/cu13/lib/libcublas.so.13 version=13.0.2" + found,
         "  opens libcurand.so.10 /s/nvidia/cu13/lib/libcurand.so.10" + found,
         "  opens libnvrtc.so.13 /usr/lib/libnvrtc.so.13 rule=ld.so.cache"});
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(
        texts(judgement.plans[0].steps) ==
        Texts{
            "python3 -m pip uninstall -y cupy-cuda13x nvidia-cublas nvidia-curand && python3 -m pip install "
            "'cupy-cuda12x[ctk]==14.2.0'"});
}

TEST_CASE("JAX's plugin for another CUDA replaces both packages of the installed one") {
    const Judgement judgement = judged({"driver 535.104.05",
                                        "framework JAX jax 0.9.2 13.0 required how=wheel "
                                        "build_package=jax-cuda13-plugin build_version=0.9.2",
                                        "  jax 0.9.2 0.9.2 0.9.2 plugin=jax-cuda13-plugin "
                                        "pjrt=jax-cuda13-pjrt pjrt_version=0.9.2 has_modules has_library"});
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(texts(judgement.plans[0].steps) ==
          Texts{"python3 -m pip uninstall -y jax-cuda13-plugin jax-cuda13-pjrt && python3 -m pip install "
                "'jax[cuda12]==0.9.2'"});
    CHECK(judgement.plans[0].costs == "another build of the same release");
}

TEST_CASE("a setting comes before another build of the same release") {
    // One of the two is enough; the rule names the dearer one first.
    const auto either = [](const Scenario& scenario, const Facts&, const LibraryFaults&, Findings& findings) {
        const bool for_12 = scenario.expectations[0].cuda->major() == 12;
        if (for_12 || !scenario.project.toolkit.empty()) return;
        Step setting{StepKind::toolkit}, build{StepKind::framework};
        setting.subject = "toolkit1";
        build.subject = build.package = "torch";
        build.version = *parse_version("2.11.0+cu128");
        build.cuda = parse_version("12.8");
        add(findings, "CC906", Level::error, "torch", "it is of another CUDA")->fix = {
            {FixKind::command, "build", build}, {FixKind::setting, "setting", setting}};
    };
    const Scenario scenario = scenario_of_lines({k_torch, "toolkit /usr/local/cuda 13.0.88"});
    const Judgement judgement = judge_with({Rule{"CC906", "either", "", either}}, {scenario}, tables(), {});
    REQUIRE(judgement.plans.size() == 2);
    CHECK(judgement.plans[0].costs == "another setting");
    CHECK(judgement.plans[1].costs == "another build of the same release");
}

TEST_CASE("the search for a plan ends after sixty trials") {
    // 17 leads to a hundred more steps, none of which helps.
    const auto judge_one = [](const Scenario& scenario) {
        Findings findings;
        Finding& finding =
            add(findings, standard_of(scenario) == 17 ? "CC902" : "CC901", Level::error, "all", "");
        if (standard_of(scenario) != 17) finding.fix = {cxx(17, "17")};
        for (int i = 1; standard_of(scenario) == 17 && i <= 100; ++i) finding.fix.push_back(abi(i, "abi"));
        return findings;
    };
    int calls = 0;
    const auto counted = [&](const Scenario& scenario) {
        ++calls;
        return judge_one(scenario);
    };
    std::vector<Finding> findings = judge_one(Scenario());
    CHECK(prove_fixes(Scenario(), tables(), counted, findings).empty());
    CHECK(calls == 60);
}

TEST_CASE("a toolkit of a plan is judged with the PTX and the default target of its release") {
    // CUDA 12.9 runs on driver 535, which does not read its PTX 8.8, and an A100 has no cubin of its default.
    Scenario scenario = scenario_of_lines(
        {"toolkit /usr/local/cuda 13.0.88 whole", "build toolkit1 CUDA_HOME", "driver 535.104.05",
         "gpu A100 sm_80", "probe ptx accepted 9.0 sm_75", "probe assemble accepted 9.0 sm_75"});
    scenario.project.archs.targets = {{Arch{75, 0}, true, true}};  // as the test compile shows
    const Judgement judgement = judge({scenario}, tables(), {});
    REQUIRE(find(judgement, "CC202"));
    REQUIRE(find(judgement, "CC208"));
    for (const Plan& plan : judgement.plans)
        for (const Fix& step : plan.steps)
            CHECK_MESSAGE(step.text.find("12.9") == std::string::npos, step.text);
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(judgement.plans.front().steps.front().text == "build with CUDA 12.2 or older (PTX up to 8.2)");
}
