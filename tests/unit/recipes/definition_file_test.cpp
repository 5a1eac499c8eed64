// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/definition_file.hpp"

#include "recipe_words.hpp"
#include "steps.hpp"

using namespace ptxguard::recipes;

namespace {

std::string shown_definition(const std::string& text, const Files& files = {}) {
    std::string result;
    for (const Stage& stage : read_definition_file("a.def", text, reader_of(files)).stages)
        result += "[" + stage.name + " " + shown(stage.image) + (stage.last ? "" : " not last") + "]\n" +
                  lines_of_steps(stage.steps);
    return result;
}

}  // namespace

TEST_CASE("definition file: the image, %post, then %environment") {
    CHECK(shown_definition(
              "BootStrap: docker\nFrom: nvidia/cuda:11.8.0-devel-ubuntu22.04\n\n%environment\n"
              "    export CUDA_HOME=/usr/local/cuda\n%labels\n    Author x\n%post -c /bin/bash\n"
              "    CU=cu118\n    pip install torch==2.0.0+$CU # why\n%runscript\n    pip install x\n") ==
          "[ nvidia/cuda:11.8.0-devel-ubuntu22.04]\n10:5 pip: torch==2.0.0+cu118@10:17\n"
          "5:22 CUDA_HOME=/usr/local/cuda\n");
    CHECK(shown_definition("Bootstrap: library\nFrom: x:1\n%post\n  pip install a\n") ==
          "[ ]\n4:3 pip: a@4:15\n");
    CHECK(shown_definition("Bootstrap: docker\nFrom: nvidia/cuda:{{ VERSION }}\n") ==
          "[ nvidia/cuda:{{ VERSION }}?]\n");
    CHECK(shown_definition("Bootstrap: docker\nRegistry: nvcr.io\nNamespace: nvidia\n"
                           "From: pytorch:24.05-py3  # newest\n") == "[ nvcr.io/nvidia/pytorch:24.05-py3]\n");
}

TEST_CASE("definition file: %arguments are defaults of their stage, above them too") {
    CHECK(shown_definition(
              "Bootstrap: docker\nFrom: nvidia/cuda:{{ CUDA }}-devel-ubuntu22.04\n%post\n"
              "  pip install torch=={{TORCH}} \\\n  numpy==1.26\n  pip install a=={{ OTHER }}\n"
              "%arguments\n  # TORCH=1.0\n  CUDA = 11.8.0\n  TORCH=\"2.5.1\"\n\nBootstrap: docker\n"
              "From: b:{{ CUDA }}\n") ==
          "[ nvidia/cuda:11.8.0-devel-ubuntu22.04~ not last]\n4:3 pip: torch==2.5.1~@4:15 numpy==1.26@5:3\n"
          "6:3 pip: a==${OTHER}?@6:15\n[ b:{{ CUDA }}?]\n");
}

TEST_CASE("definition file: an image in a file starts from the definition with its name") {
    const Files files{{"base.def",
                       "Bootstrap: docker\nFrom: nvidia/cuda:11.8.0-devel-ubuntu22.04\n"
                       "%post\n  pip install a\n"},
                      {"a.def", "Bootstrap: localimage\nFrom: a.sif\n"}};
    CHECK(shown_definition("Bootstrap: localimage\nFrom: base.sif\nStage: app\n%post\n  make\n", files) ==
          "[base base.sif nvidia/cuda:11.8.0-devel-ubuntu22.04~ not last]\n4:3 pip: a@4:15\n"
          "[app ]\n5:3 make\n");
    CHECK(shown_definition("Bootstrap: localimage\nFrom: a.sif\n", files) == "[ ]\n");
    CHECK(shown_definition("Bootstrap: localimage\nFrom: other.sif\n", files) == "[ ]\n");
}

TEST_CASE("definition file: stages and %files") {
    CHECK(shown_definition(
              "Bootstrap: docker\nFrom: a:1\nStage: Build\n%post\n  make\n\nBootstrap: docker\nFrom: b:2\n"
              "Stage: final\n%files from build\n  /x requirements.txt\n%files\n  requirements.txt\n"
              "%post\n  pip install -r requirements.txt\n",
              {{"requirements.txt", "torch==2.0.0\n"}}) ==
          "[build a:1 not last]\n5:3 make\n[final b:2]\n15:3 pip: torch==2.0.0@1:1\n");
}

TEST_CASE("definition file: other files of that name have no stage") {
    CHECK(shown_definition("LIBRARY x\nEXPORTS\n  f @1\n") == "");
    CHECK(shown_definition("") == "");
    CHECK(shown_definition("%post\n  pip install a\n") == "");
}
