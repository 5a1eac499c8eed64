// `ptxguard run -- COMMAND...`: passes a program through untouched and, only if it fails, explains what it
// wrote.
// SPDX-License-Identifier: Apache-2.0
#include "ask/asker.hpp"
#include "commands/command.hpp"
#include "commands/deliver.hpp"
#include "commands/explain_log.hpp"
#include "commands/run.hpp"
#include "host/once.hpp"
#include "host/output.hpp"
#include "host/pass_through.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// As the launcher of a compiler we run once per source: each cause is explained once in a build. False:
// nothing is left of it.
bool keep_new_causes(const Settings& settings, Explanation& explanation) {
    const std::string cache = cache_folder(settings);
    if (cache.empty() || format_of(settings).machine) return true;
    const std::string build = own::build_among(own::callers());
    const auto is_known = [&](const std::string& cause) {
        return !own::first_to_mark(join_path(cache, "explained"), digest(build + '\n' + cause));
    };
    const std::size_t before = explanation.diagnoses.size() + explanation.others.size();
    erase_if(explanation.diagnoses, [&](const LogDiagnosis& one) {
        return is_known(one.code + '\n' + one.fingerprint + '\n' + one.cause);
    });
    erase_if(explanation.others, [&](const OtherFault& one) { return is_known(one.cause); });
    return before == 0 || explanation.diagnoses.size() + explanation.others.size() > 0;
}

// To standard error: standard output belongs to the program.
void explain_failure(const own::PassedThrough& result, const std::string& name, Settings settings) {
    // A failed build asks what is wrong here; test compiles would take longer than most builds that fail.
    settings.options.emplace("here", Setting{{"1"}, Origin::from_option("--here"), {}});
    settings.options.emplace("probe", Setting{{"off"}, Origin::from_option("--probe"), {}});
    settings.arguments.clear();
    auto run = prepare_run(settings);
    if (!run) return own::complain("ptxguard run: " + run.trouble().text());
    const std::string log = "output of " + name;
    FoundMessages found = find_messages(result.output.text());
    if (auto limit = result.output.limit(log)) found.limits.push_back(*limit);
    Report report = explained("run", log, found, *run, settings);
    Explanation& explanation = *report.explanation;
    if (explanation.diagnoses.empty() && explanation.others.empty() && found.limits.empty()) return;
    if (!keep_new_causes(settings, explanation)) return;
    own::complain("ptxguard: why " + name + " failed:");
    finish_judged(*run, settings, report, own::print_error);
}

}  // namespace

int run_program(const Settings& settings) {
    const std::vector<std::string>& command = settings.arguments;
    if (command.empty()) return usage_error("run", {"COMMAND", "is missing", "ptxguard run -- make"});
    const auto result = own::pass_through(command);
    if (!result) {
        own::complain("ptxguard run: " + result.trouble().text());
        constexpr int k_not_found = 127;  // as a shell ends
        return k_not_found;
    }
    if (result->failed()) explain_failure(*result, command.front(), settings);
    if (result->signal) own::end_by_signal(result->signal);
    return result->exit_code;
}

}  // namespace ptxguard
