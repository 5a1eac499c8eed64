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
