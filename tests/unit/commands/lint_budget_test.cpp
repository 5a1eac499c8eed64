// Recipes that say much more than they are long: lint ends after a number of steps that grows with the size
// of its input, says where, and its verdict is unknown.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "commands/lint_fix.hpp"
#include "host/fake_host.hpp"
#include "judge/judge.hpp"
#include "lint_inputs.hpp"

using namespace ptxguard;
using namespace ptxguard::tests;

namespace {

const char* const k_over = "steps for recipes of this size: ptxguard did not read the rest";

std::string repeat(int count, const std::string& text) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}
std::string nested_loops() {
    const std::string words = repeat(64, " w");
    return "for a in" + words + "; do for b in" + words + "; do for c in" + words +
           "; do x=$a$b$c; done; done; done\n";
}

Judgement judged_recipes(const Files& files) {
    static const Facts facts = Facts::embedded();
    FakeHost host;
    for (const auto& [path, text] : files) host.file("/p/" + path, text);
    const recipes::AllowedFiles allowed(host, {"/p"});
    Linting linting(allowed);
    linting.read("/p");
    return judge(linting.scenarios(facts), facts, {});
}

int count_of(const Judgement& judgement, const std::string& text) {
    int count = 0;
    for (const Finding& finding : judgement.findings)
        count += finding.message.find(text) != std::string::npos;
    return count;
}
std::string place_over_budget(const Judgement& judgement) {
    for (const Finding& finding : judgement.findings)
        if (finding.message.find(k_over) != std::string::npos && finding.location)
            return finding.location->file + ":" + std::to_string(finding.location->line);
    return "";
}

}  // namespace

TEST_CASE("all files of a run share its steps") {
    Files files;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
        files[name + std::string(".sh")] = "true\n" + nested_loops();
    const Judgement judgement = judged_recipes(files);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(place_over_budget(judgement) == "/p/b.sh:2");
    CHECK(count_of(judgement, k_over) == 1);
    CHECK(count_of(judgement, "/p/c.sh and the recipes after it were not read") == 1);
    CHECK(count_of(judgement, "/p/d.sh") == 0);
}

TEST_CASE("values of values end, and the place is reported") {
    std::string makefile = "V0 =\n";
    for (int i = 1; i < 9; ++i)
        makefile += "V" + std::to_string(i) + " = " + repeat(20, "$(V" + std::to_string(i - 1) + ")") + "\n";
    std::string cmake = "set(V 12345678)\n" + repeat(12, "set(V ${V}${V})\n");
    for (int i = 0; i < 3000; ++i) cmake += "set(CUDA_V" + std::to_string(i) + " ${V})\n";
    const std::string doubled = "12345678\n";
    const struct {
        const char* file;
        std::string text;
    } rows[] = {
        {"Makefile", makefile + "all:\n\tpip install a $(V8)\n"},
        {"CMakeLists.txt", cmake},
        {"Dockerfile", "FROM a\nENV V=" + doubled + repeat(13, "ENV V=$V$V\n") + repeat(4000, "ENV W=$V\n")},
        {"x.sh", "v=" + doubled + repeat(13, "v=$v$v\n") + repeat(4000, "echo $v\n")},
        {"x.bat", "set V=" + doubled + repeat(40, "set V=%V%%V%\n") + repeat(4000, "echo %V%\n")},
        {".gitlab-ci.yml", "variables:\n  A: " + repeat(8000, "12345678") + "\nj:\n  script:\n" +
                               repeat(3000, "  - echo $A\n")},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.file));
        const Judgement judgement = judged_recipes({{row.file, row.text}});
        CHECK(judgement.verdict == Verdict::unknown);
        const std::string place = place_over_budget(judgement), file = "/p/" + std::string(row.file) + ":";
        CHECK(place.substr(0, file.size()) == file);
        CHECK(place != file + "0");
    }
}

TEST_CASE("values of values that are only long are cut, not followed without end") {
    const auto ends = [](const Files& files) { return judged_recipes(files).verdict != Verdict::fail; };
    CHECK(ends({{"Dockerfile", "FROM a\nENV V=" + repeat(20000, "${A:-") + repeat(20000, "}") + "\n"}}));
    CHECK(ends({{"requirements.txt", "-" + repeat(200000, "q") + "\n"}}));
    for (const LintInput& input : lint_inputs())
        if (std::string(input.name) == "parameters of CircleCI" ||
            std::string(input.name) == "inputs of actions")
            CHECK(ends(input.make(200)));
}

TEST_CASE("a script of usual size is far from the limit") {
    std::string text;
    for (int i = 0; i < 500; ++i) text += "for v in 1 2 3 4; do echo $v; pip install a$v; done\n";
    const Judgement judgement = judged_recipes({{"x.sh", text}});
    CHECK(judgement.verdict == Verdict::pass);
    CHECK(count_of(judgement, k_over) == 0);
}

TEST_CASE("a script that each step of each job reads is parsed once") {
    std::string functions, steps;
    for (int i = 0; i < 2000; ++i) functions += "f" + std::to_string(i) + "() { echo a; echo b; echo c; }\n";
    for (int i = 0; i < 12; ++i) steps += "      - run: . ci/all.sh; f" + std::to_string(i) + "\n";
    const std::string workflow =
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    strategy:\n      matrix:\n        row: [" +
        repeat(11, "1, ") + "1]\n    steps:\n" + steps;
    const auto verdict = [&](const std::string& last) {
        return judged_recipes({{"ci/all.sh", functions}, {".github/workflows/a.yml", workflow + last}});
    };
    CHECK(count_of(verdict(""), k_over) == 0);
    CHECK(verdict("").verdict == Verdict::pass);
    CHECK(verdict("      - run: . ci/all.sh; pip install torch==2.0.0+cu121\n").verdict == Verdict::fail);
}

TEST_CASE("a fix for many files is judged once, and only harmful ones are left out") {
    static const Facts facts = Facts::embedded();
    FakeHost host;
    for (int i = 0; i < 40; ++i)
        host.file("/p/f" + std::to_string(i) + "/requirements.txt", "torch==2.5.1+cu125\n");
    const recipes::AllowedFiles files(host, {"/p"});
    int trials = 0;
    Trials by;
    by.read = [&](const Texts& changed) {
        Linting linting(files, changed);
        linting.read("/p");
        return linting;
    };
    by.may_change = [](const std::string&) { return true; };
    const auto fixes = [&](const std::string& harmful) {
        trials = 0;
        by.judged = [&](Linting& linting) {
            ++trials;
            Judgement judgement = judge(linting.scenarios(facts), facts, {});
            const bool is_changed = !harmful.empty() && *linting.text(harmful) != "torch==2.5.1+cu125\n";
            if (is_changed) judgement.counts.error += 100;
            return judgement;
        };
        return fixed_texts(by).after;
    };
    CHECK(fixes("").size() == 40);
    CHECK(trials < 5);
    const Texts without = fixes("/p/f7/requirements.txt");
    CHECK(without.size() == 39);
    CHECK(without.count("/p/f7/requirements.txt") == 0);
    CHECK(trials < 40);
}
