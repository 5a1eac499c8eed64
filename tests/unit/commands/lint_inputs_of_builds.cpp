// SPDX-License-Identifier: Apache-2.0
#include "lint_input_words.hpp"

namespace ptxguard::tests {

const std::vector<LintInput> k_build_inputs = {
    {"variables of a Makefile", 1000,
     [](auto n) {
         return makefile_of(numbered(n, "V~ = value~\n") + "all:\n" + numbered(n, "\tpip install a$(V~)\n"));
     }},
    {"exported variables of a Makefile", 300,
     [](auto n) {
         return makefile_of(numbered(n, "export V~ = value~\n") + "all:\n" +
                            numbered(n, "\tpip install a~\n"));
     }},
    {"variables in variables of a Makefile", 20,
     [](auto n) {
         std::string text = "V0 = \n";
         for (int level = 1; level < 9; ++level)
             text += "V" + std::to_string(level) + " = " +
                     repeated(n, "$(V" + std::to_string(level - 1) + ")") + "\n";
         return makefile_of(text + "all:\n\tpip install a $(V8)\n");
     }},
    {"targets", 1000, [](auto n) { return makefile_of(numbered(n, "t~: a b\n\tpip install torch==2.~\n")); }},
    {"needs of a target", 3000,
     [](auto n) { return makefile_of("all: " + numbered(n, "t~ ") + "\n\tpip install a\n"); }},
    {"commands of a target", 1000,
     [](auto n) { return makefile_of("all:\n" + numbered(n, "\tpip install a~\n")); }},
    {"appended variables of a Makefile", 1000,
     [](auto n) { return makefile_of("V = x\n" + numbered(n, "V += y~\n") + "all:\n\tpip install $(V)\n"); }},
    {"functions of make", 1000,
     [](auto n) {
         return makefile_of("V = 80 90 100\nall:\n" +
                            numbered(n, "\tpip install a$(subst 0,~,$(firstword $(V)))\n"));
     }},
    {"conditions of make", 1000,
     [](auto n) {
         return makefile_of(numbered(n, "ifeq ($(V),~)\nV = ~\nendif\n") + "all:\n\tpip install $(V)\n");
     }},
    {"loops in loops of make", 30,
     [](auto n) {
         const std::string words = repeated(n, "a ");
         return makefile_of("all:\n\tpip install $(foreach a," + words + ",$(foreach b," + words +
                            ",$(foreach c," + words + ",$(a)$(b)$(c))))\n");
     }},
    {"statements of Python", 1000,
     [](auto n) {
         return Files{{"build.py", numbered(n, "v~ = 'a'\nos.system(f'pip install {v~}')\n")}};
     }},
    {"blocks in blocks of Python", 50,
     [](auto n) {
         std::string text, indentation;
         for (std::size_t i = 0; i < n; ++i, indentation += " ") text += indentation + "if a:\n";
         return Files{{"build.py", text + indentation + "os.system('pip install a')\n"}};
     }},
    {"functions of Python", 1000,
     [](auto n) {
         return Files{{"build.py", numbered(n, "def f~():\n    os.system('pip install a~')\n")}};
     }},
    {"functions of Python that call each other twice", 100,
     [](auto n) {
         std::string text;
         for (std::size_t i = 0; i < n; ++i)
             text += "def f" + std::to_string(i) + "():\n" +
                     repeated(2, "    f" + std::to_string(i + 1) + "()\n");
         return Files{{"build.py", text + "def f" + std::to_string(n) + "():\n    os.system('a')\nf0()\n"}};
     }},
    {"lists of Python that grow", 500,
     [](auto n) {
         return Files{{"build.py", "v = []\n" + numbered(n, "v.append('a~')\n") + "subprocess.run(v)\n"}};
     }},
    {"texts of Python that double", 500,
     [](auto n) {
         return Files{{"build.py", "v = 'a'\n" + repeated(n, "v = v + v\n") + "os.system(v)\n"}};
     }},
    {"loops in loops of Python", 45,
     [](auto n) {
         const std::string items = "[" + repeated(n, "'a',") + "]:\n";
         return Files{{"build.py", "for a in " + items + " for b in " + items + "  for c in " + items +
                                       "   os.system('pip install ' + a + b + c)\n"}};
     }},
    {"targets of a bake file", 300,
     [](auto n) {
         return Files{
             {"docker-bake.hcl",
              numbered(n, "target \"t~\" {\n  inherits = [\"a\", \"a\"]\n  args = { A = \"~\" }\n}\n")}};
     }},
    {"recipes of a justfile", 500,
     [](auto n) {
         return Files{{"justfile", numbered(n, "v~ := 'a'\nr~:\n    pip install {{v~}}\n")}};
     }},
    {"set() of CMake", 1000,
     [](auto n) {
         return Files{{"CMakeLists.txt", numbered(n, "set(V~ value~)\nset(CUDA_V~ ${V~})\n")}};
     }},
    {"list(APPEND) of CMake", 1000,
     [](auto n) {
         return Files{{"CMakeLists.txt",
                       numbered(n, "list(APPEND CUDA_NVCC_FLAGS -gencode arch=compute_80,code=sm_80)\n")}};
     }},
    {"long variables of CMake", 1000,
     [](auto n) {
         return Files{{"CMakeLists.txt", "set(V 12345678)\n" + repeated(12, "set(V ${V}${V})\n") +
                                             numbered(n, "set(CUDA_V~ ${V})\n")}};
     }},
    {"presets", 300,
     [](auto n) {
         return Files{{"CMakePresets.json",
                       "{\"configurePresets\": [{\"name\": \"p\"}" +
                           numbered(n,
                                    ", {\"name\": \"p~\", \"inherits\": \"p\", \"cacheVariables\": "
                                    "{\"CMAKE_CUDA_ARCHITECTURES\": \"80\"}}") +
                           "]}"}};
     }},
    {"strings of setup.py", 3000,
     [](auto n) {
         return Files{{"setup.py", "x = [\n" + numbered(n, "    '-gencode', 'a~',\n") + "]\n"}};
     }},
    {"strings in one line of setup.py", 3000,
     [](auto n) {
         return Files{{"setup.py", "x = [" + numbered(n, "'-gencode=a~', ") + "]\n"}};
     }},
    {"extensions of setup.py", 1000,
     [](auto n) {
         return Files{{"setup.py", "x = [\n" + numbered(n, "  'a~', # CUDAExtension(\n") + "]\n"}};
     }},
    {"lists of setup.py", 1000,
     [](auto n) {
         return Files{{"setup.py", numbered(n, "install_requires=['a~']\n")}};
     }},
    {"lines of setup.cfg", 2000,
     [](auto n) {
         return Files{{"setup.cfg", "[options]\ninstall_requires =\n" + numbered(n, "  a~==1\n")}};
     }},
    {"definition file", 1000,
     [](auto n) {
         return Files{
             {"Singularity", "Bootstrap: docker\nFrom: ubuntu\n%post\n" + numbered(n, "pip install a~\n")}};
     }},
    {"files of a definition file", 500,
     [](auto n) {
         return Files{{"Singularity", "Bootstrap: docker\nFrom: ubuntu\n%files\n" + numbered(n, "f~ /f~\n") +
                                          "%post\n" + numbered(n, "pip install -r /f~\n")}};
     }},
    {"stages of a definition file", 45,
     [](auto n) {
         return Files{
             {"Singularity",
              numbered(n, "Bootstrap: docker\nFrom: ubuntu\nStage: s~\n%post\npip install torch==2.~\n")}};
     }},
};

const std::vector<LintInput> k_workflow_inputs = {
    {"jobs of GitHub", 200,
     [](auto n) {
         return github_of("jobs:\n" + numbered(n, "  j~:\n    steps:\n    - run: pip install torch==2.~\n"));
     }},
    {"steps of GitHub", 1000,
     [](auto n) {
         return github_of("jobs:\n  j:\n    steps:\n" + numbered(n, "    - run: pip install a~\n"));
     }},
    {"variables of GitHub", 500,
     [](auto n) {
         return github_of("env:\n" + numbered(n, "  V~: value~\n") + "jobs:\n  j:\n    steps:\n" +
                          numbered(n, "    - run: pip install a~\n"));
     }},
    {"variables of steps of GitHub", 500,
     [](auto n) {
         return github_of("jobs:\n  j:\n    steps:\n" +
                          numbered(n, "    - run: pip install a~\n      env: {V~: 1}\n"));
     }},
    {"rows of GitHub", 60,
     [](auto n) {
         return github_of("jobs:\n  j:\n    strategy: {matrix: {v: [" + numbered(n, "'2.~',") +
                          "]}}\n    steps:\n    - run: pip install torch==${{ matrix.v }}\n");
     }},
    {"included rows of GitHub", 120,
     [](auto n) {
         return github_of("jobs:\n  j:\n    strategy: {matrix: {include: [" + numbered(n, "{v: '2.~'},") +
                          "]}}\n    steps:\n    - run: pip install torch==${{ matrix.v }}\n");
     }},
    {"excluded rows of GitHub", 500,
     [](auto n) {
         return github_of("jobs:\n  j:\n    strategy: {matrix: {v: ['1','2'], exclude: [" +
                          numbered(n, "{v: '~x'},") +
                          "]}}\n    steps:\n    - run: pip install torch==${{ matrix.v }}\n");
     }},
    {"expressions of GitHub", 1000,
     [](auto n) {
         return github_of("jobs:\n  j:\n    steps:\n    - run: pip install" + numbered(n, " a${{ env.V~ }}") +
                          "\n");
     }},
    {"one expression of GitHub", 8,
     [](auto n) {
         return github_of("jobs:\n  j:\n    steps:\n    - if: " + repeated(n, "a == 'b' && ") +
                          "true\n      run: pip install a\n");
     }},
    {"actions of a repository", 300,
     [](auto n) {
         return Files{{".github/workflows/ci.yml",
                       "on: push\njobs:\n  j:\n    steps:\n" + numbered(n, "    - uses: ./a\n")},
                      {"a/action.yml", "runs:\n  using: composite\n  steps:\n  - run: pip install a\n"}};
     }},
    {"inputs of actions", 5,
     [](auto n) {
         Files files = github_of("jobs:\n  j:\n    steps:\n    - uses: ./a0\n      with: {x: '12345678'}\n");
         for (int i = 0; i < 6; ++i)
             files["a" + std::to_string(i) + "/action.yml"] =
                 "inputs: {x: {default: a}}\nruns:\n  using: composite\n  steps:\n  - uses: ./a" +
                 std::to_string(i + 1) + "\n    with: {x: '" + repeated(n, "${{ inputs.x }}") + "'}\n";
         return files;
     }},
    {"called workflows", 300,
     [](auto n) {
         return Files{{".github/workflows/ci.yml",
                       "on: push\njobs:\n" + numbered(n, "  j~: {uses: ./.github/workflows/w.yml}\n")},
                      {".github/workflows/w.yml",
                       "on: workflow_call\njobs:\n  j:\n    steps:\n    - run: pip install a\n"}};
     }},
    {"jobs of GitLab", 200,
     [](auto n) { return gitlab_of(numbered(n, "j~:\n  script: [pip install torch==2.~]\n")); }},
    {"bases of GitLab", 200,
     [](auto n) {
         return gitlab_of(numbered(n, ".b~:\n  script: [pip install torch==2.~]\nj~:\n  extends: .b~\n"));
     }},
    {"variables of GitLab", 500,
     [](auto n) {
         return gitlab_of("variables:\n" + numbered(n, "  V~: value~\n") + "j:\n  script:\n" +
                          numbered(n, "  - pip install a~\n"));
     }},
    {"variables in variables of GitLab", 500,
     [](auto n) {
         return gitlab_of("variables:\n  V: '12345678'\n" + repeated(1, "") +
                          numbered(12, "  V~: 12345678\n") + numbered(n, "  W~: $V$V\n") +
                          "j:\n  script: [pip install a]\n");
     }},
    {"lines of a script of GitLab", 1000,
     [](auto n) { return gitlab_of("j:\n  script:\n" + numbered(n, "  - pip install a~\n")); }},
    {"rows of GitLab", 60,
     [](auto n) {
         return gitlab_of("j:\n  parallel: {matrix: [{V: [" + numbered(n, "'2.~',") +
                          "]}]}\n  script: ['pip install torch==$V']\n");
     }},
    {"includes of GitLab", 70,
     [](auto n) {
         Files files =
             gitlab_of("include: [" + numbered(n, "i~.yml,") + "]\nj:\n  script: [pip install a]\n");
         for (std::size_t i = 0; i < n; ++i)
             files["i" + std::to_string(i) + ".yml"] =
                 "k" + std::to_string(i) + ":\n  script: [pip install torch]\n";
         return files;
     }},
    {"references of GitLab", 500,
     [](auto n) {
         return gitlab_of(".b:\n  script: [pip install a]\nj:\n  script:\n" +
                          repeated(n, "  - !reference [.b, script]\n"));
     }},
    {"anchors", 1000,
     [](auto n) {
         return gitlab_of(numbered(n, ".a~: &a~ [pip install a~]\n") + "j:\n  script: [" +
                          numbered(n, "*a~,") + "]\n");
     }},
    {"merged maps", 1000,
     [](auto n) { return gitlab_of(".a: &a {image: b}\n" + numbered(n, "j~:\n  <<: *a\n  stage: x\n")); }},
    {"jobs of CircleCI", 200,
     [](auto n) {
         return circleci_of("jobs:\n" + numbered(n, "  j~:\n    steps: [{run: pip install torch==2.~}]\n") +
                            "workflows:\n  w:\n    jobs:\n" + numbered(n, "    - j~: {x: a}\n"));
     }},
    {"commands of CircleCI", 300,
     [](auto n) {
         return circleci_of("commands:\n" + numbered(n, "  c~:\n    steps: [{run: pip install a~}]\n") +
                            "jobs:\n  j:\n    steps:\n" + numbered(n, "    - c~\n"));
     }},
    {"parameters of CircleCI", 4,
     [](auto n) {
         std::string text = "commands:\n";
         for (int i = 0; i < 7; ++i)
             text += "  c" + std::to_string(i) + ":\n    parameters: {a: {default: x}}\n    steps:\n    - c" +
                     std::to_string(i + 1) + ": {a: '" + repeated(n, "<< parameters.a >>") + "'}\n";
         text +=
             "  c7:\n    parameters: {a: {default: x}}\n    steps: [{run: pip install << parameters.a "
             ">>}]\n";
         return circleci_of(text + "jobs:\n  j:\n    steps: [{c0: {a: '12345678'}}]\n");
     }},
    {"services", 70,
     [](auto n) {
         return Files{{"compose.yml", "services:\n" + numbered(n, "  s~: {build: .}\n")},
                      {"Dockerfile", "FROM ubuntu\nRUN pip install torch==2.5.1\n"}};
     }},
    {"variables of services", 500,
     [](auto n) {
         return Files{{"compose.yml",
                       "services:\n  s:\n    image: a\n    environment:\n" + numbered(n, "      V~: 1\n")}};
     }},
    {"features of a container", 500,
     [](auto n) {
         return Files{{".devcontainer/devcontainer.json", "{\"image\": \"ubuntu\", \"features\": {" +
                                                              numbered(n, "\"f~\": {},") + "\"x\": {}}}"}};
     }},
    {"commands of a container", 300,
     [](auto n) {
         return Files{{".devcontainer/devcontainer.json", "{\"image\": \"ubuntu\", \"postCreateCommand\": {" +
                                                              numbered(n, "\"c~\": \"pip install a~\",") +
                                                              "\"x\": \"y\"}}"}};
     }},
};

}  // namespace ptxguard::tests
