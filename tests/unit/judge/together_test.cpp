// SPDX-License-Identifier: Apache-2.0
#include "judge/together.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

Step step_of(const char* subject, const char* package, const char* version, const char* cuda) {
    Step step{StepKind::framework};
    step.subject = subject;
    step.package = package;
    step.version = *parse_version(version);
    step.cuda = *parse_version(cuda);
    return step;
}

std::string conflict(const Step& one, const Step& other) {
    static const Facts facts = Facts::embedded();
    return conflict_between(one, other, facts);
}

}  // namespace

TEST_CASE("builds for one CUDA major whose requirements have a common release fit together") {
    // pip installs this pair: torch pins nvidia-cudnn-cu12==9.10.2.21, JAX requires >=9.8.
    CHECK(conflict(step_of("torch", "torch", "2.9.1", "12.8"),
                   step_of("jax", "jax-cuda12-plugin", "0.8.0", "12.9")) == "");
}

TEST_CASE("a pin that the other's range excludes is a conflict, and named with both requirements") {
    const std::string words = conflict(step_of("torch", "torch", "2.5.1", "12.4"),
                                       step_of("jax", "jax-cuda12-plugin", "0.8.0", "12.9"));
    CHECK(words.find("torch 2.5.1 requires nvidia-") != std::string::npos);
    CHECK(words.find("and jax 0.8.0 requires nvidia-") != std::string::npos);
}

TEST_CASE("packages of two CUDA majors that are unpacked into one folder are a conflict") {
    const std::string words = conflict(step_of("torch", "torch", "2.15.0", "13.2"),
                                       step_of("jax", "jax-cuda12-plugin", "0.12.0.1", "12.9"));
    CHECK(words.find("overwrite each other's files") != std::string::npos);
}

TEST_CASE("ranges of one package conflict if no release that is known is in both") {
    const auto tables = [](const std::string& left, const std::string& right, const char* listed) {
        const auto package = [](const std::string& name, const std::string& required) {
            return "{\"package\": \"" + name +
                   "\", \"read\": \"2026-01-01\", \"rows\": [{\"releases\": [\"1.0\", \"2.0\"], "
                   "\"wheels\": [\"linux-x86_64\"], \"requires\": [" +
                   (required.empty() ? "" : "\"shared" + required + "\"") +
                   "], \"source\": \"m\"}], \"sources\": [{\"id\": \"m\", \"kind\": \"measured\", \"what\": "
                   "\"made up\"}]}";
        };
        const Facts facts = Facts::with({{"pypi/one.json", package("one", left)},
                                         {"pypi/other.json", package("other", right)},
                                         {std::string("pypi/") + listed + ".json", package(listed, "")}});
        Step one = step_of("one", "one", "1.0", "12.0"), other = step_of("other", "other", "1.0", "12.0");
        one.cuda = other.cuda = std::nullopt;
        return conflict_between(one, other, facts);
    };
    CHECK(tables(">=1.5", ">=1", "shared") == "");
    CHECK(tables(">=1.5", "<2", "shared") == "one 1.0 requires shared>=1.5 and other 1.0 requires shared<2");
    CHECK(tables(">=1.5", "<2", "unused") == "");  // no table has its releases
}
