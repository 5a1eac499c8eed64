// Nothing that a recipe may repeat makes lint worse than linear: twice the input costs about twice the time.
// The time of the processor is compared, and the least of several runs, as other programs run beside this.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>

#include "commands/lint_fix.hpp"
#include "host/fake_host.hpp"
#include "judge/judge.hpp"
#include "lint_inputs.hpp"

using namespace ptxguard;
using namespace ptxguard::tests;

namespace {

constexpr double k_most = 2.6;
constexpr double k_noise = 0.001;    // seconds
constexpr double k_enough = 0.03;    // seconds that can be compared: costly inputs are not repeated further
constexpr std::size_t k_many = 500;  // smaller counts nest, up to a limit that fewer would not reach
constexpr int k_attempts = 12;       // a machine under load

const Facts& scaling_facts() {
    static const Facts all = Facts::embedded();
    return all;
}

void lint_once(const Host& host, bool fix) {
    const std::vector<std::string> paths = {"/p"};
    const recipes::AllowedFiles files(host, paths);
    const auto read = [&](const Texts& changed) {
        Linting linting(files, changed);
        for (const std::string& path : paths) linting.read(path);
        return linting;
    };
    const auto judged = [](Linting& linting) {
        JudgeOptions how;
        const std::vector<Scenario> scenarios = linting.scenarios(scaling_facts());
        how.suppressions = linting.suppressions();
        return judge(scenarios, scaling_facts(), how);
    };
    Texts changed;
    if (fix) changed = fixed_texts({read, judged, [](const std::string&) { return true; }}).after;
    Linting linting = read(changed);
    judged(linting);
}

double seconds_of(const Host& host, bool fix) {
    const std::clock_t begin = std::clock();
    lint_once(host, fix);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

FakeHost scaling_host(const Files& files) {
    FakeHost host;
    for (const auto& [path, text] : files) host.file("/p/" + path, text);
    return host;
}

}  // namespace

// On Windows std::clock() counts the time on the wall; a sanitizer has costs of its own.
#if defined(_WIN32) || defined(__SANITIZE_ADDRESS__)
constexpr bool k_measures = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool k_measures = false;
#else
constexpr bool k_measures = true;
#endif
#else
constexpr bool k_measures = true;
#endif
TEST_CASE("twice as much of anything costs lint at most 2.6 times the time" * doctest::skip(!k_measures)) {
    scaling_facts();
    for (const LintInput& input : lint_inputs()) {
        std::size_t count = input.count < k_many ? input.count : input.count / 8;
        FakeHost once = scaling_host(input.make(count));
        double one = seconds_of(once, input.fix);
        while (count < input.count && one < k_enough) {
            count = std::min(2 * count, input.count);
            once = scaling_host(input.make(count));
            one = seconds_of(once, input.fix);
        }
        const FakeHost twice = scaling_host(input.make(2 * count));
        double two = seconds_of(twice, input.fix);
        const auto is_linear = [&] { return two <= k_most * one + k_noise; };
        for (int attempt = 1; attempt < k_attempts && !is_linear(); ++attempt) {
            one = std::min(one, seconds_of(once, input.fix));
            two = std::min(two, seconds_of(twice, input.fix));
        }
        CAPTURE(std::string(input.name));
        CAPTURE(one);
        CAPTURE(two);
        CHECK(is_linear());
    }
}
