// Steps that change an entry of a search path or a variable, in plans of the real rules.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged_lines.hpp"

using namespace ptxguard;

namespace {

using Texts = std::vector<std::string>;

const char* const k_without_old =
    R"-(export LD_LIBRARY_PATH="$(printf %s "$LD_LIBRARY_PATH" | tr : '\n' | grep -vxF /old | paste -sd: -)")-";

}  // namespace

TEST_CASE("an entry of LD_LIBRARY_PATH that shadows a library is removed") {
    const std::vector<std::string> lines = {
        "scenario source=binary", "trace /app/x is_program undefined=1 undefined_names=new@libcublas.so.12",
        "  needs libcublas.so.12 /old/libcublas.so.12 library=cublas rule=LD_LIBRARY_PATH version=12.4.5.8",
        "    not /own/libcublas.so.12 later \"DT_RUNPATH of /app/x\" \"later in the search\" "
        "version=12.8.4.1"};
    const Judgement judgement = judged(lines);
    REQUIRE(find(judgement, "CC403"));
    REQUIRE(judgement.plans.size() == 1);
    CHECK(texts(judgement.plans[0].steps) == Texts{k_without_old});
    CHECK(judgement.plans[0].costs == "another LD_LIBRARY_PATH");
    // A copy of unknown release has no known dependencies.
    auto unknown = lines;
    unknown.back() = "    not /own/libcublas.so.12 later \"DT_RUNPATH of /app/x\" \"later in the search\"";
    CHECK(judged(unknown).plans.empty());
}

TEST_CASE("an entry that the process needs is not removed") {
    const Judgement judgement = judged(
        {"scenario source=binary", "trace /app/x is_program undefined=1 undefined_names=new@libcublas.so.12",
         "  needs libcublas.so.12 /old/libcublas.so.12 library=cublas rule=LD_LIBRARY_PATH version=12.4.5.8",
         "    not /own/libcublas.so.12 later \"DT_RUNPATH of /app/x\" \"later in the search\" "
         "version=12.8.4.1",
         "  needs libnvrtc.so.12 /old/libnvrtc.so.12 library=nvrtc rule=LD_LIBRARY_PATH version=12.4.127"});
    REQUIRE(find(judgement, "CC403"));
    CHECK(judgement.plans.empty());
}

TEST_CASE("an entry is removed as it is written in the variable") {
    const Judgement judgement = judged(
        {"scenario source=binary", "trace /app/x is_program undefined=1 undefined_names=new@libcublas.so.12",
         "  needs libcublas.so.12 /old/libcublas.so.12 library=cublas rule=LD_LIBRARY_PATH rule_detail=/old/ "
         "version=12.4.5.8",
         "    not /own/libcublas.so.12 later \"DT_RUNPATH of /app/x\" \"later in the search\" "
         "version=12.8.4.1"});
    REQUIRE(judgement.plans.size() == 1);
    CHECK(judgement.plans[0].steps[0].text.find("grep -vxF /old/ ") != std::string::npos);
}

TEST_CASE("a file in LD_PRELOAD is removed, not its folder") {
    const Judgement judgement = judged(
        {"scenario source=binary", "trace /app/x is_program undefined=1 undefined_names=new@libcublas.so.12",
         "  library /old/libcublas.so.12 /old/libcublas.so.12 how=preload library=cublas rule=LD_PRELOAD "
         "version=12.4.5.8",
         "    not /own/libcublas.so.12 later \"DT_RUNPATH of /app/x\" \"later in the search\" "
         "version=12.8.4.1"});
    REQUIRE(find(judgement, "CC403"));
    REQUIRE(find(judgement, "CC403")->fix.size() == 1);
    CHECK(find(judgement, "CC403")->fix[0].text ==
          R"(export LD_PRELOAD="$(printf %s "$LD_PRELOAD" | tr ': ' '\n\n' | )"
          R"-(grep -vxF /old/libcublas.so.12 | paste -sd: -)")-");
    REQUIRE(judgement.plans.size() == 1);
}

TEST_CASE("an entry of PATH is removed on Windows if it has no compiler") {
    const auto plans_with = [](const std::string& selector) {
        return judged(
                   {"scenario source=binary system=windows", selector,
                    "trace C:/app/x.dll searched=\"C:/app (application folder)\" searches_path",
                    "  needs cublas64_12.dll C:/own/cublas64_12.dll library=cublas rule=\"folder of the "
                    "file\" version=12.8.4.1 cuda=12.8",
                    "  needs cublasLt64_12.dll C:/old/cublasLt64_12.dll library=cublasLt rule=PATH "
                    "rule_detail=C:\\old version=12.4.5.8 cuda=12.4",
                    "    not C:/own/cublasLt64_12.dll later \"folder of the file\" \"later in the search\" "
                    "version=12.8.4.1"})
            .plans;
    };
    const auto plans = plans_with("entry PATH C:/gone missing");
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].steps[0].text ==
          "$env:PATH = ($env:PATH -split ';' | Where-Object { $_ -ne 'C:\\old' }) -join ';'");
    CHECK(plans_with("selector search-path PATH C:\\old toolkit1 position=1").empty());
}

TEST_CASE("what a replaced library opens is known only if it is of the same release") {
    const auto plans_with = [](const std::string& version) {
        return judged({"scenario source=binary", "trace /app/x is_program",
                       "  needs libcudnn.so.9 /own/libcudnn.so.9 library=cudnn rule=\"DT_RPATH of x\" "
                       "version=9.19.0.56",
                       "  opens libcudnn_graph.so.9 /old/libcudnn_graph.so.9 library=cudnn_graph "
                       "rule=LD_LIBRARY_PATH "
                       "version=9.12.0",
                       "    not /own/libcudnn_graph.so.9 later \"DT_RUNPATH of x\" - version=9.19.0",
                       "  opens libcudnn_heuristic.so.9 /lib/libcudnn_heuristic.so.9 library=cudnn_heuristic "
                       "rule=ld.so.cache needed_by=/old/libcudnn_graph.so.9 version=" +
                           version})
            .plans;
    };
    REQUIRE(plans_with("9.19.0.56").size() == 1);
    CHECK(plans_with("9.19.0.56")[0].steps[0].text == k_without_old);
    CHECK(plans_with("9.12.0").empty());
}

TEST_CASE("what one entry of LD_LIBRARY_PATH breaks is one cause") {
    const Judgement judgement = judged({"scenario source=binary", "trace /app/x is_program",
                                        "  needs libcublas.so.12 /own/libcublas.so.12 library=cublas "
                                        "rule=\"DT_RUNPATH of x\" version=12.8.4.1 cuda=12.8",
                                        "  needs libcublasLt.so.12 /old/libcublasLt.so.12 library=cublasLt "
                                        "rule=LD_LIBRARY_PATH version=12.4.5.8 cuda=12.4",
                                        "    not /own/libcublasLt.so.12 later \"DT_RUNPATH of x\" \"later in "
                                        "the search\" version=12.8.4.1"});
    const Finding *cause = find(judgement, "CC402"), *effect = find(judgement, "CC403");
    REQUIRE((cause && effect));
    CHECK_FALSE(cause->caused_by);
    REQUIRE(effect->caused_by);
    CHECK(effect->caused_by->code == "CC402");
    REQUIRE(judgement.plans.size() == 1);
    CHECK(texts(judgement.plans[0].steps) == Texts{k_without_old});
}

TEST_CASE("a misspelt entry of LD_LIBRARY_PATH is replaced by the folder that has what is missing") {
    const Judgement judgement = judged(
        {"entry LD_LIBRARY_PATH /opt/cudda/lib64 missing position=1 nearest=/opt/cuda/lib64",
         "gpu A100 sm_80",
         "framework TensorFlow tensorflow 2.18.0 12.5 path=/s/tensorflow how=wheel required archs=80-real",
         "trace /s/tensorflow/libtensorflow_cc.so.2 framework=TensorFlow framework_folder=/s/tensorflow",
         "  opens libcublas.so.12 library=cublas cuda_major=12",
         "    not /opt/cuda/lib64/libcublas.so.12 not-searched - \"not searched\" version=12.5.3.2"});
    REQUIRE(find(judgement, "CC401"));
    REQUIRE(find(judgement, "CC102"));
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(texts(judgement.plans[0].steps) == Texts{find(judgement, "CC102")->fix[0].text});
}

TEST_CASE("the toolkit that a misspelt variable meant is selected") {
    const Judgement judgement = judged(
        {"toolkit /usr/local/cuda 13.0.88 whole", "build - CUDA_HOME",
         "selector variable CUDA_HOME /usr/local/cudda - problem=missing nearest=/usr/local/cuda decides",
         "selector default-folder /usr/local/cuda /usr/local/cuda toolkit1"});
    REQUIRE(find(judgement, "CC101"));
    REQUIRE_FALSE(judgement.plans.empty());
    CHECK(texts(judgement.plans[0].steps) == Texts{"export CUDA_HOME=/usr/local/cuda"});
}
