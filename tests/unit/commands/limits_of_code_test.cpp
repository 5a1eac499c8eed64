// Limits of Python code, of Makefiles that include others, and of bake files.
// SPDX-License-Identifier: Apache-2.0
#include "limits_table.hpp"

namespace limits_test {
namespace {

Files python(const std::string& text) { return {{"build.py", "import os\n" + text}}; }
Files bake(const std::string& text) {
    return {{"docker-bake.hcl", "target \"t\" {\n  dockerfile = \"node_modules/D\"\n" + text + "\n}\n"},
            {"node_modules/D", "FROM a\nARG P\nRUN pip install ${P}\n"}};
}

const std::vector<Row> k_code_rows = {
    {"64 rounds of a loop in Python code", 63, 64,
     [](std::size_t n) {
         return python("for i in [" + times(n, "'w@', ") + "'" + k_pin +
                       "']:\n    os.system('pip install ' + i)\n");
     }},
    {"200 brackets, blocks and calls in each other in Python code", 150, 210,
     [](std::size_t n) {
         return python("os.system(" + nested(n, "(", "'pip install " + k_pin + "'", ")") + ")\n");
     }},
    {"32 values that Python code distinguishes", 31, 32,
     [](std::size_t n) {
         return python("v = find()\nif v == 'w':\n    pass\n" + times(n - 1, "elif v == 'w@':\n    pass\n") +
                       "elif v == 'last':\n    os.system('pip install " + k_pin + "')\n");
     }},
    {"200 functions of Python code that nothing calls", 199, 200,
     [](std::size_t n) {
         return python(times(n, "def f@():\n    os.system('true')\n") +
                       "def z():\n    os.system('pip install " + k_pin + "')\n");
     }},
    {"16 values that a person may choose for inputs", 15, 16,
     [](std::size_t n) {
         return Files{{".github/workflows/a.yml",
                       "on: {workflow_dispatch: {inputs: {c: {type: choice, default: a, options: [" +
                           times(n, "w@, ") + "'" + k_pin +
                           "']}}}}\njobs: {a: {runs-on: ubuntu-22.04, steps: [{run: \"pip install ${{ "
                           "inputs.c }}\"}]}}\n"}};
     }},
    {"64 rounds of a loop of PowerShell", 63, 64,
     [](std::size_t n) {
         return Files{
             {"x.ps1", "foreach ($t in " + times(n, "'w@', ") + "'" + k_pin + "') { pip install $t }\n"}};
     }},
    {"12 calls of functions and scripts in each other", 10, 14,
     [](std::size_t n) {
         return Files{{"x.ps1", chain(n, "function f@ { f@next }\n",
                                      "function f@ { pip install " + k_pin + " }\nf0\n")}};
     }},
    {"10 Makefiles that include each other", 10, 11,
     [](std::size_t n) {
         Files files{{"Makefile", "include node_modules/0\n"}};
         for (std::size_t i = 1; i < n; ++i)
             files[unseen(i - 1)] = "include node_modules/" + std::to_string(i) + "\n";
         files[unseen(n - 1)] = "a:\n\t" + k_install;
         return files;
     }},
    {"64 rows of a target's matrix in a bake file", 63, 64,
     [](std::size_t n) {
         return bake("matrix = { p = [" + times(n, "\"w@\", ") + "\"" + k_pin +
                     "\"] }\nargs = { P = \"${p}\" }");
     }},
    {"30 blocks in each other in a bake file", 20, 35,
     [](std::size_t n) {
         return bake("x = " + nested(n, "[", "1", "]") + "\nargs = { P = \"" + k_pin + "\" }");
     }},
};

}  // namespace

TEST_CASE("limits of code that recipes run") { check(k_code_rows); }

}  // namespace limits_test
