// Limits of Dockerfiles, shells, Makefiles, CMake files and folders.
// SPDX-License-Identifier: Apache-2.0
#include "limits_table.hpp"

namespace limits_test {
namespace {

const std::vector<Row> k_docker_rows = {
    {"1000 Docker stages", 1000, 1001,
     [](std::size_t n) {
         return Files{{"Dockerfile", times(n, "FROM a\n") + "RUN " + k_install}};
     }},
    {"5000 instructions that ONBUILD adds", 4999, 5000,
     [](std::size_t n) {
         return Files{{"Dockerfile", "FROM a AS b\n" + times(n, "ONBUILD ENV A=1\n") + "ONBUILD RUN " +
                                         k_install + "FROM b\n"}};
     }},
    {"100 here-documents of one instruction", 99, 100,
     [](std::size_t n) {
         return Files{{"Dockerfile", "FROM a\nRUN bash" + times(n, " <<E@") + " <<LAST\n" + times(n, "E@\n") +
                                         k_install + "LAST\n"}};
     }},
    {"100 stages of a definition file", 100, 101,
     [](std::size_t n) {
         return Files{{"a.def", times(n, "Bootstrap: docker\nFrom: a\n") + "%post\n" + k_install}};
     }},
    {"300 services", 299, 300,
     [](std::size_t n) {
         return Files{{"compose.yml", "services:\n" + times(n, "  s@: {image: a}\n") +
                                          "  last: {build: {dockerfile: node_modules/D}}\n"},
                      {"node_modules/D", "FROM a\nRUN " + k_install}};
     }},
    {"4194304 bytes of Dockerfiles, counted for each build", 1, 5,
     [](std::size_t n) {
         return Files{
             {"compose.yml", "services:\n" + times(n, "  s@: {build: {dockerfile: node_modules/L}}\n") +
                                 "  last: {build: {dockerfile: node_modules/D}}\n"},
             {"node_modules/L", "FROM a\n" + lines(1000000, "#")},
             {"node_modules/D", "FROM a\nRUN " + k_install}};
     }},
    {"200 commands that build Dockerfiles", 199, 200,
     [](std::size_t n) {
         return Files{{"build.sh", times(n, "docker build --build-arg A=@ -f none .\n") +
                                       "docker build --build-arg A=1 -f node_modules/D .\n"},
                      {"node_modules/D", "FROM a\nRUN " + k_install}};
     }},
    {"4194304 bytes of Dockerfiles, counted for each command", 1, 5,
     [](std::size_t n) {
         return Files{{"build.sh", times(n, "docker build --build-arg A=@ -f node_modules/L .\n") +
                                       "docker build --build-arg A=1 -f node_modules/D .\n"},
                      {"node_modules/L", "FROM a\n" + lines(1000000, "#")},
                      {"node_modules/D", "FROM a\nRUN " + k_install}};
     }},
    {"8 services that extend each other", 8, 9,
     [](std::size_t n) {
         return Files{{"compose.yml", "services:\n" + chain(n, "  s@: {extends: s@next}\n",
                                                            "  s@: {build: {dockerfile: node_modules/D}}\n")},
                      {"node_modules/D", "FROM a\nRUN " + k_install}};
     }},
    {"300 files of services that others extend", 149, 151,
     [](std::size_t n) {
         Files files{{"node_modules/D", "FROM a\nRUN " + k_install}};
         std::string text = "services:\n";
         for (std::size_t i = 0; i < n; ++i) {
             const std::string name = std::to_string(i);
             text += "  t" + name + ": {extends: {file: node_modules/" + name + ".yml, service: s}}\n";
             files[unseen(i) + ".yml"] = "services: {s: {extends: {file: b" + name + ".yml, service: s}}}\n";
             files["node_modules/b" + name + ".yml"] = "services: {s: {image: a}}\n";
         }
         files["compose.yml"] = text + "  last: {build: {dockerfile: node_modules/D}}\n";
         return files;
     }},
    {"1048576 bytes of a compose file", 0, 1050000,
     [](std::size_t n) {
         return Files{
             {"compose.yml", "services:\n  last: {build: {dockerfile: node_modules/D}}\n" + lines(n, "#")},
             {"node_modules/D", "FROM a\nRUN " + k_install}};
     }},
};

const std::vector<Row> k_shell_rows = {
    {"256 rounds of a loop over values", 255, 256,
     [](std::size_t n) { return script("for i in " + words(n) + k_pin + "; do pip install $i; done\n"); }},
    {"64 rounds of a loop", 62, 64,
     [](std::size_t n) {
         return script("set -- " + words(n) + k_pin +
                       "\nwhile [ $# -gt 0 ]; do pip install $1; shift; done\n");
     }},
    {"12 calls of functions and shells in each other", 11, 12,
     [](std::size_t n) {
         return script(chain(n, "f@() { f@next; }\n", "f@() { " + k_install + "}\n") + "f0\n");
     }},
    {"10000 words from one expansion", 9999, 10000,
     [](std::size_t n) { return script("V='" + times(n, "w ") + k_pin + "'\npip install $V\n"); }},
    {"65536 bytes of one word", 9000, 70000,
     [](std::size_t n) { return script("V='" + std::string(n, 'w') + " " + k_pin + "'\npip install $V\n"); }},
    {"20000 steps of a shell text", 19998, 20002,
     [](std::size_t n) { return script(times(n, "w\n") + k_install); }},
    {"50000 commands of one text", 49998, 50002,
     [](std::size_t n) { return script(times(n, "X=1\n") + k_install); }},
    {"65536 comparisons with a pattern", 30000, 33000,
     [](std::size_t n) {
         return script("V=" + k_pin + "-" + std::string(n, 'x') + "\npip install ${V%-*}\n");
     }},
    {"4096 items of an array", 4095, 4096,
     [](std::size_t n) { return script("A=(" + words(n) + k_pin + ")\npip install \"${A[@]}\"\n"); }},
    {"40 compound commands in each other", 38, 45,
     [](std::size_t n) { return script(nested(n, "if x; then\n", k_install, "fi\n")); }},
    {"60 quotes and expansions in each other", 20, 70,
     [](std::size_t n) { return script("pip install " + nested(n, "${A:-", k_pin, "}") + "\n"); }},
    {"65536 bytes of a value", 60000, 70000,
     [](std::size_t n) {
         return Files{{"Makefile", "all:\n\ttrue " + std::string(n, 'x') + " $(E); " + k_install}};
     }},
    {"10 variables in variables", 9, 10,
     [](std::size_t n) {
         return Files{{"Makefile",
                       chain(n, "V@ = $(V@next)\n", "V@ = " + k_pin + "\n") + "all:\n\tpip install $(V0)\n"}};
     }},
};

const std::vector<Row> k_file_rows = {
    {"60 folders in folders", 59, 61,
     [](std::size_t n) {
         return Files{{times(n, "d/") + "requirements.txt", k_pin + "\n"}};
     }},
    {"20000 rules of .gitignore", 19990, 20001,
     [](std::size_t n) {
         return Files{{".gitignore", "*.txt\n" + times(n, "x@\n") + "!requirements.txt\n"},
                      {"requirements.txt", k_pin + "\n"}};
     }},
    {"1048576 bytes of a line", 1000, 1050000,
     [](std::size_t n) {
         return Files{{"requirements.txt", "#" + std::string(n, 'x') + "\n" + k_pin + "\n"}};
     }},
    {"16777216 bytes", 1000, 16800000,
     [](std::size_t n) {
         return Files{{"requirements.txt", lines(n, "#") + k_pin + "\n"}};
     }},
};

// Limits of files without Python packages.
const std::vector<Row> k_other_rows = {
    {"1000 variables of a template", 0, 1001,
     [](std::size_t n) {
         return Files{{"meta.yaml", times(n, "{% set v@ = \"1\" %}\n") +
                                        "{% set v = \"2.5.1\" %}\nrequirements:\n  run:\n    - a {{ v }}\n"}};
     }},
    {"65536 bytes of values in a text", 6, 7,
     [](std::size_t n) {
         return Files{{"meta.yaml", "{% set v = \"" + std::string(10000, 'x') +
                                        "\" %}\nrequirements:\n  run:\n    - a " + times(n, "{{ v }}") +
                                        "\n"}};
     }},
    {"16 conditions in conditions", 1, 20,
     [](std::size_t n) {
         return Files{{"recipe.yaml",
                       "requirements:\n  run: [" + nested(n, "{if: linux, then: [", "a", "]}") + "]\n"}};
     }},
    {"65536 bytes of a value", 1, 70000,
     [](std::size_t n) {
         return Files{{"CMakeLists.txt",
                       "enable_language(CUDA)\nset(A " + std::string(n, 'x') + ")\nset(B ${A}${A})\n"}};
     }},
    {"100 presets that inherit each other", 99, 110,
     [](std::size_t n) {
         std::string text;
         for (std::size_t i = 0; i < n; ++i)
             text += "{\"name\": \"p" + std::to_string(i) + "\", \"inherits\": \"p" + std::to_string(i + 1) +
                     "\"},";
         return Files{{"CMakePresets.json",
                       "{\"configurePresets\": [" + text + "{\"name\": \"p" + std::to_string(n) + "\"}]}"}};
     }},
    {"100000 values of presets", 10, 400,
     [](std::size_t n) {
         std::string text, variables;
         for (std::size_t i = 0; i < 300; ++i) variables += "\"V" + std::to_string(i) + "\": \"x\",";
         for (std::size_t i = 1; i < n; ++i)
             text += ",{\"name\": \"p" + std::to_string(i) + "\", \"inherits\": \"p0\"}";
         return Files{{"CMakePresets.json",
                       "{\"configurePresets\": [{\"name\": \"p0\", \"hidden\": true, \"cacheVariables\": {" +
                           variables + "\"Z\": \"x\"}}" + text + "]}"}};
     }},
};

}  // namespace

TEST_CASE("limits of Dockerfiles and compose files") { check(k_docker_rows); }
TEST_CASE("limits of shells and Makefiles") { check(k_shell_rows); }
TEST_CASE("limits of files and folders") { check(k_file_rows); }
TEST_CASE("limits of files without Python packages") { check(k_other_rows, false); }

}  // namespace limits_test
