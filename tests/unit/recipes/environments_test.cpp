// Several environments of one recipe are several scenarios.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/activation.hpp"

#include <doctest/doctest.h>

#include "judged.hpp"
#include "recipe_words.hpp"
#include "recipes/find/find.hpp"
#include "recipes/meaning/meaning.hpp"

namespace ptxguard::recipes {
namespace {

std::vector<Scenario> scenarios(const std::string& name, const std::string& text, const Files& files = {}) {
    const Recipe recipe = read_recipe({name, *recipe_kind(name)}, text, reader_of(files));
    return scenarios_of({recipe}, Facts::embedded());
}

// "a: torch==1; b: jax==2", without the file's name
std::string shown_in(const std::string& name, const std::string& text, const Files& files = {}) {
    std::string result;
    for (const Scenario& one : scenarios(name, text, files)) {
        result += (result.empty() ? "" : "; ") + one.name.substr(name.size()) + ":";
        for (const RecipePin& pin : one.recipe.pins) result += " " + pin.package + pin.specifier;
        for (const CompileStep& step : one.recipe.compiles) result += " (" + step.what + ")";
    }
    return result;
}
std::string docker(const std::string& text, const Files& files = {}) {
    return shown_in("Dockerfile", "FROM ubuntu:22.04\n" + text, files);
}

}  // namespace

TEST_CASE("conda environments by name") {
    CHECK(docker("RUN conda create -n a pytorch=1.13 && conda create -n b tensorflow=2.4\n") ==
          " environment a: pytorch1.13.*;  environment b: tensorflow2.4.*");
    CHECK(docker("RUN conda create -n a python=3.10\nRUN conda install -n a pytorch=2.1\n"
                 "RUN conda run -n b pip install torch==1.13.1\n") ==
          " environment a: python3.10.* pytorch2.1.*;  environment b: torch==1.13.1");
    // activate applies to its own RUN
    CHECK(docker(
              "RUN conda create -n a python=3.10 && . /opt/conda/bin/activate a && pip install torch==1.1\n"
              "RUN pip install torch==2.5.1\n") == ": torch==2.5.1;  environment a: python3.10.* torch==1.1");
    CHECK(docker("RUN (conda activate a && pip install torch==1.1); pip install jax==0.4.1; "
                 "conda activate b; conda deactivate; pip install keras==3\n") ==
          ": jax==0.4.1 keras==3;  environment a: torch==1.1");
    CHECK(docker("RUN /opt/conda/envs/a/bin/pip install torch==1.1\n"
                 "RUN conda install -p /opt/conda/envs/a triton=2 && conda install -n base jax=1\n") ==
          ": jax1.*;  environment a: torch==1.1 triton2.*");
    CHECK(shown_in("install.sh", "conda env create -f a.yml && conda env create -f b.yml -n c\n",
                   {{"a.yml", "name: a\ndependencies: [pytorch=1]\n"},
                    {"b.yml", "name: b\ndependencies: [pytorch=2, {pip: [triton==2]}]\n"}}) ==
          " environment a: pytorch1.*;  environment c: pytorch2.* triton==2");
}

TEST_CASE("conda create removes the environment of that name, with what pip put there") {
    const std::string first = "RUN conda create -n a python=3.10 && conda run -n a pip install torch==2.1\n";
    CHECK(docker(first + "RUN conda create -y -n a python=3.14 && conda run -n a pip install jax==1\n") ==
          " environment a: python3.10.* torch==2.1;  environment a 2: python3.14.* jax==1");
    CHECK(docker(first + "RUN conda install -n a python=3.14\n") == ": python3.10.* torch==2.1 python3.14.*");
    // Branches that create it each: one of them runs.
    CHECK(shown_in("x.sh",
                   "if [ $A = b ]; then conda create -n a python=3.10; else conda create -n a "
                   "python=3.11; fi\nconda run -n a pip install torch==2.1\n") ==
          ": python3.10.* python3.11.* torch==2.1");
}

TEST_CASE("files that pip's list of an environment names are beside it") {
    CHECK(docker("COPY env /x/env\nRUN conda env create -n a -f /x/env/a.yml\n",
                 {{"env/a.yml", "dependencies: [{pip: [--requirement b.txt]}]\n"},
                  {"env/b.txt", "jax==1\n"}}) == ": jax==1");
}

TEST_CASE("a folder of an environment has no drive letter, and one below envs is its name") {
    CHECK(environment_folder("C:\\python\\env", "/x") == "/python/env");
    CHECK(environment_folder("C:", "/x") == "/x");
    CHECK(environment_folder("env", "/x") == "/x/env");
    CHECK(environment_folder("env", "") == "./env");
    CHECK(environment_folder("/opt/conda/envs/a", "") == "a");
    CHECK(environment_folder("/opt/conda/envs/a/b", "") == "/opt/conda/envs/a/b");
    CHECK(environment_name("a", "/x") == "a");
    CHECK(environment_name("./a", "/x") == "/x/a");
    CHECK(environment_name("..", "/x/y") == "/x");
}

TEST_CASE("one environment only: everything belongs to it") {
    CHECK(docker("RUN conda create -n a python=3.10\nRUN conda run -n a pip install torch==2.5.1\n") ==
          ": python3.10.* torch==2.5.1");
    CHECK(docker("RUN python3 -m venv /opt/venv && /opt/venv/bin/pip install torch==2.5.1\n"
                 "RUN pip install -U pip\nENV PATH=/opt/venv/bin:$PATH\nRUN pip install triton==3.1.0\n") ==
          ": torch==2.5.1 pip triton==3.1.0");
    // not created here: programs of the image
    CHECK(docker("RUN /opt/app/bin/pip install torch==2.5.1\nRUN pip install triton==3.1.0\n") ==
          ": torch==2.5.1 triton==3.1.0");
    CHECK(docker("RUN python3 -m venv --system-site-packages v && v/bin/pip install torch==2.5.1\n"
                 "RUN pip install triton==3.1.0\n") == ": torch==2.5.1 triton==3.1.0");
}

TEST_CASE("venvs") {
    const std::string two = ": torch==1.1;  environment /opt/venv: torch==2.5.1";
    CHECK(docker("RUN python3 -m venv /opt/venv\nRUN pip install torch==1.1\n"
                 "RUN /opt/venv/bin/pip install torch==2.5.1\n") == two);
    CHECK(docker("RUN pip install torch==1.1 && virtualenv -p python3.10 /opt/venv\n"
                 "RUN . /opt/venv/bin/activate && pip install torch==2.5.1\n") == two);
    CHECK(docker("RUN pip install torch==1.1 && python3 -m venv /opt/venv\nENV VIRTUAL_ENV=/opt/venv\n"
                 "ENV PATH=/usr/local/cuda/bin:$VIRTUAL_ENV/bin:$PATH\nRUN pip install torch==2.5.1\n") ==
          two);
    CHECK(docker("RUN pip install torch==1.1 && uv venv /opt/venv\n"
                 "RUN VIRTUAL_ENV=/opt/venv uv pip install torch==2.5.1\n") == two);
    CHECK(
        docker("WORKDIR /opt\nRUN pip install torch==1.1 && uv venv venv && uv pip install torch==2.5.1\n") ==
        two);
    CHECK(docker("RUN uv venv /opt/venv && uv pip install --system torch==1.1\n"
                 "RUN cd /opt && uv pip install --python venv/bin/python torch==2.5.1\n") == two);
    CHECK(
        shown_in(
            "install.sh",
            "pip install torch==1.1\npython -m venv v\nsource v/bin/activate\n"
            "pip install torch==2.5.1\npython setup.py install --cuda_ext\ndeactivate\npip install jax==1\n",
            {}) ==
        ": torch==1.1 jax==1;  environment ./v: torch==2.5.1 (python setup.py install --cuda_ext)");
    CHECK(shown_in(".github/workflows/a.yml",
                   "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
                   "      - run: pip install torch==1.1 && python -m venv v\n"
                   "      - run: |\n          . v/bin/activate\n          pip install torch==2.5.1\n"
                   "      - run: pip install jax==1\n") ==
          " stage job a: torch==1.1 jax==1;  stage job a environment ./v: torch==2.5.1");
}

TEST_CASE("the shell and the login file of a Dockerfile") {
    CHECK(
        docker(
            "RUN conda create -n a python=3.9 && conda create -n b pytorch=1.1\n"
            "SHELL [\"conda\", \"run\", \"-n\", \"a\", \"/bin/bash\", \"-c\"]\nRUN pip install torch==2\n") ==
        " environment a: python3.9.* torch==2;  environment b: pytorch1.1.*");
    CHECK(docker("RUN conda create -n a python=3.9 && conda create -n b pytorch=1.1\n"
                 "RUN echo 'conda activate a' >> ~/.bashrc\nSHELL [\"/bin/bash\", \"--login\", \"-c\"]\n"
                 "RUN pip install torch==2\n") ==
          ":;  environment a: python3.9.* torch==2;  environment b: pytorch1.1.*");
    // A later SHELL ends both, a RUN with a list does not use it.
    for (const char* shell :
         {R"(["conda", "run", "-n", "a", "/bin/bash", "-c"])", R"(["/bin/bash", "--login", "-c"])"}) {
        const std::string first =
            "RUN conda create -n a python=3.9 && echo 'conda activate a' >> ~/.bashrc\nSHELL " +
            std::string(shell) + "\n";
        CHECK(docker(first +
                     "RUN pip install jax==1\nSHELL [\"/bin/bash\", \"-c\"]\nRUN pip install torch==2\n") ==
              ": torch==2;  environment a: python3.9.* jax==1");
        CHECK(docker(first + "RUN pip install jax==1\nRUN [\"pip\", \"install\", \"torch==2\"]\n") ==
              ": torch==2;  environment a: python3.9.* jax==1");
    }
}

TEST_CASE("many activations and ONBUILDs end") {
    std::string script, dockerfile = "FROM x AS b\n";
    for (int i = 0; i < 3000; ++i)
        script += "conda activate e" + std::to_string(i) + "\nPATH=/v" + std::to_string(i) + "/bin:$PATH\n";
    CHECK(shown_in("install.sh", script + "pip install torch==2.5.1\n") == ": torch==2.5.1");
    for (int i = 0; i < 300; ++i) dockerfile += "ONBUILD ENV A=1\n";
    for (int i = 0; i < 300; ++i) dockerfile += "FROM b AS c" + std::to_string(i) + "\n";
    std::size_t steps = 0;
    for (const Stage& stage : read_recipe({"Dockerfile", RecipeKind::dockerfile}, dockerfile, {}).stages)
        steps += stage.steps.size();
    CHECK(steps == 5000);
}

TEST_CASE("what is shared") {
    const auto both = scenarios("Dockerfile",
                                "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nENV TORCH_CUDA_ARCH_LIST=8.0\n"
                                "RUN conda create -n a pytorch=1.13 && conda create -n b pytorch=2.5\n"
                                "RUN apt-get install -y libcudnn8\n");
    REQUIRE(both.size() == 2);
    for (const Scenario& one : both) {
        CHECK(one.recipe.image.tag == "12.4.1-devel-ubuntu22.04");
        CHECK(one.toolkits.size() == 1);
        CHECK(one.recipe.unread_lists.size() == 1);
        CHECK(one.recipe.libraries_cudnn);
    }
    // An environment does not have the packages of the image's Python.
    const auto image =
        scenarios("Dockerfile",
                  "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel\nRUN pip install numpy==1.26\n"
                  "RUN python -m venv /v && /v/bin/pip install torch==2.5.1\n");
    REQUIRE(image.size() == 2);
    CHECK(image[0].expectations.size() == 1);
    CHECK(image[1].expectations.size() == 1);
}

TEST_CASE("python3 of systems of dnf, unless something brings another Python") {
    const auto gets = [](const std::string& image, const std::string& commands) {
        return image_gets(image, "RUN " + commands);
    };
    const std::string eight = "nvidia/cuda:12.2.2-devel-rockylinux8", torch = " && pip3 install torch==2.1.0";
    CHECK(gets(eight, "dnf install -y python3-pip" + torch) == "CC613");
    CHECK(gets("nvidia/cuda:12.2.2-devel-ubi8", "yum install -y python3" + torch) == "CC613");
    CHECK(gets("almalinux:9", "dnf install -y python3-pip && pip3 install torch==2.9.0") == "CC613");
    CHECK(gets("amazonlinux:2023", "dnf install -y python3-pip && pip3 install torch==2.9.0") == "CC613");
    CHECK(gets("redhat/ubi9:9.4", "dnf install -y python3-pip && pip3 install torch==2.9.0") == "CC613");
    CHECK(gets("almalinux:9", "dnf install -y python3-pip && pip3 install torch==2.8.0") == k_silent);
    CHECK(gets("ubi9/python-311", "pip install torch==2.9.0") == k_silent);
    CHECK(gets(eight, "dnf install -y python39 python39-pip" + torch) == k_silent);
    CHECK(gets(eight, "dnf module install -y python38 && dnf install -y python3-pip" + torch) == k_silent);
    CHECK(gets(eight, "dnf install -y python3.11-pip" + torch) == k_silent);
    CHECK(gets("rockylinux:10", "dnf install -y python3-pip && pip3 install torch==2.0.1") == k_silent);
    CHECK(gets("ubuntu:20.04",
               "apt-get install -y python3-pip && tar xf Python-3.11.4.tgz && cd Python-3.11.4 "
               "&& ./configure && make install && pip3 install torch==2.9.0") == k_silent);
}

}  // namespace ptxguard::recipes
