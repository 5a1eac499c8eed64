// Shared by the checking commands: which system is checked, with which tables, and the exit code.
// SPDX-License-Identifier: Apache-2.0
#include "commands/run.hpp"

#include "commands/cmake_words.hpp"
#include "commands/command.hpp"
#include "commands/deliver.hpp"
#include "commands/facts.hpp"
#include "commands/later.hpp"
#include "commands/locating.hpp"
#include "commands/node_types.hpp"
#include "commands/places.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "host/remembering_host.hpp"
#include "judge/framework_questions.hpp"
#include "judge/judge.hpp"
#include "model/arch.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "probe/compile.hpp"

namespace ptxguard {
namespace {

// The PATH that container engines set for an image without one.
constexpr const char* k_usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// A tree with a Windows folder or drive letters is a Windows tree.
System system_of_tree(const std::string& root) {
    auto machine = real_host();
    for (const char* sign : {"Windows", "windows", "C", "c", "Program Files", "Users"})
        if (machine->status(join_path(root, sign)).type == FileType::directory) return System::windows;
    return System::linux_;
}

Result<std::unique_ptr<Host>> host_for(const Settings& settings, bool of_machine_named) {
    auto environment = given_environment(settings);
    if (!settings.has("root")) {
        if (settings.has("os") && !of_machine_named) return Trouble{"--os", "needs --root", ""};
        return real_host(std::move(environment));
    }
    std::string root = settings.one("root");
    if (settings.one("os") == "macos") return Trouble{"--os", "macos has no CUDA; only plan knows it", ""};
    System system = settings.has("os") ? *from_word<System>(settings.one("os")) : system_of_tree(root);
    if (system == System::linux_) environment.emplace("PATH", k_usual_path);
    return root_host(root, system, std::move(environment));
}

// A file or option that the user named and that cannot be read is wrong usage, not a finding about the
// machine.
bool is_unreadable_input(const Finding& finding) {
    const Rule* const rule = find_rule(finding.code);
    return rule && rule->head.of_inputs && finding.level == Level::error && !finding.suppressed;
}

bool named_input_unreadable(const Judgement& judgement) {
    return any_of(judgement.findings, is_unreadable_input);
}

bool has_errors(const Judgement& judgement) {
    return any_of(judgement.findings, [](const Finding& finding) {
        return finding.level == Level::error && !finding.suppressed;
    });
}

// Option values that cannot be read, one line each like other wrong usage; JSON has them as findings.
bool report_bad_values(const char* command, const Judgement& judgement) {
    bool any = false;
    for (const Finding& finding : judgement.findings) {
        const bool of_option =
            !finding.found.empty() && finding.found.front().origin.kind == OriginKind::option;
        if (!of_option || !is_unreadable_input(finding)) continue;
        own::complain(std::string("ptxguard ") + command + ": " + finding.message);
        any = true;
    }
    return any;
}

// The fixes for cmd.exe instead of PowerShell.
void speak_cmd(Judgement& judgement) {
    const auto speak = [](std::vector<Fix>& fixes) {
        for (Fix& fix : fixes)
            if (!fix.in_cmd.empty()) fix.text = fix.in_cmd;
    };
    for (auto* findings : {&judgement.findings, &judgement.later})
        for (Finding& finding : *findings) speak(finding.fix);
    for (Plan& plan : judgement.plans) speak(plan.steps);
}

// Whether something was to be judged, so that "not checked" is not a valid result.
bool asks(const Settings& settings) {
    if (names_places(settings)) return false;  // the whole check has judged the rest
    for (const char* option :
         {"build", "framework", "toolkit", "arch", "gpu", "driver", "driver-libs", "require"})
        if (settings.has(option)) return true;
    return false;
}

}  // namespace

JudgeOptions judge_options(const Settings& settings, std::vector<Suppression> suppressions) {
    JudgeOptions options;
    options.suppressions = std::move(suppressions);
    std::string fail_on = settings.one("fail-on", "error");
    options.fail_never = fail_on == "never";
    if (auto level = from_word<Level>(fail_on)) options.fail_on = *level;
    if (settings.has("from-cmake")) options.elsewhere = rules_of_places();
    options.later = rules_for_later(settings);
    if (names_places(settings)) options.only = rules_of_places();
    options.select = selected_codes(settings);
    return options;
}

std::map<std::string, std::string> given_environment(const Settings& settings) {
    std::map<std::string, std::string> environment;
    for (const std::string& pair : settings.all("env")) {
        auto equals = pair.find('=');
        environment[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    // Flags of CMake's compile lines that decide whether nvcc accepts its host compiler.
    std::string flags;
    for (const std::string& named : settings.all("cmake-flags"))
        for (const std::string& flag : deciding_flags(named.substr(named.find('=') + 1))) flags += flag + " ";
    if (!flags.empty()) {
        const char* variable = "NVCC_PREPEND_FLAGS";
        environment[variable] = flags + real_host()->env(variable).value_or("");
    }
    return environment;
}

// With --root, an option may name a path on this machine that is inside the tree.
Request request_for(const Host& host, const Settings& settings) {
    Request request = request_from(settings);
    for (auto* places : {&request.toolkits, &request.driver_libs})
        for (std::string& place : *places) place = judged_path(host, place);
    return request;
}

std::string cache_folder(const Settings& settings) {
    return settings.has("no-cache") ? "" : own::cache_folder();
}

void describe_host(const Host& host, Scenario& scenario) {
    scenario.system = host.system();
    scenario.foreign = host.foreign();
}

void add_unusable_toolkits(Scenario& scenario) {
    for (const Selector& selector : scenario.selectors) {
        if (selector.kind != SelectorKind::option || !selector.toolkit.empty() ||
            selector.problem == PathProblem::none)
            continue;
        const std::string meant = selector.nearest.empty() ? "" : "; " + selector.nearest + " holds one";
        scenario.unreadable.push_back({selector.value, "contains no toolkit" + meant, true, selector.origin});
    }
}

std::optional<Trouble> check_files(const Host& host, const Settings& settings) {
    for (const std::string& path : named_files(host, settings)) {
        const FileType type = host.status(path).type;
        if (type == FileType::directory)
            return Trouble{path, "is a directory", "give files, for example " + path + "/*.so"};
        if (type == FileType::missing && path.find('*') != std::string::npos)
            return Trouble{path, "matches no file", ""};
    }
    return std::nullopt;
}

std::vector<std::string> named_files(const Host& host, const Settings& settings) {
    std::vector<std::string> paths;
    for (const std::string& path : settings.arguments) paths.push_back(judged_path(host, path));
    return paths;
}

Scenario scenario_of_files(const Host& host, const Settings& settings) {
    Scenario scenario;
    const std::vector<std::string>& named = settings.arguments;
    scenario.name = named.size() == 1 ? named.front() : std::to_string(named.size()) + " files";
    scenario.source = SourceKind::binary;
    scenario.probe_mode = ProbeMode::off;
    describe_host(host, scenario);
    return scenario;
}

int usage_error(const char* command, const Trouble& trouble) {
    own::complain(std::string("ptxguard ") + command + ": " + trouble.text());
    return exit_usage;
}

namespace {

// `--framework torch` without an installed torch; CMake decides by REQUIRED and --require.
bool lacks_a_named_framework(const Settings& settings, const Report& report) {
    if (!settings.has("framework") || settings.has("from-cmake")) return false;
    for (const Scenario& scenario : report.scenarios)
        for (const Expectation& one : scenario.expectations)
            if (one.required && !is_there(one)) return true;
    return false;
}

// `--framework torch==9.9.9`, which no table lists, and nothing else: what could not be compared is all that
// was named.
bool names_only_unlisted(const Settings& settings, const Report& report) {
    for (const char* option : {"build", "toolkit", "arch", "gpu", "driver", "driver-libs", "from-cmake"})
        if (settings.has(option)) return false;
    const auto is_unlisted = [](const Expectation& one) {
        return one.declared && !one.cuda && one.may_use_cuda();
    };
    const auto is_unchecked = [](const CheckedArea& area) {
        return area.area == "frameworks" && area.state == AreaState::not_checked;
    };
    return settings.has("framework") && report.scenarios.size() == 1 &&
           any_of(report.scenarios.front().expectations, is_unlisted) &&
           any_of(report.judgement.checklist, is_unchecked);
}

// The answers of a plan decide, where its findings do not. Of node types the row for all of them is no
// answer.
Verdict with_plan(Verdict verdict, const std::vector<PlannedSet>& sets, bool of_nodes, bool fail_never) {
    const auto any = [&](PlannedFit fit) {
        return any_of(sets, [&](const PlannedSet& set) { return set.fit == fit && !(of_nodes && set.all); });
    };
    if (sets.empty() || verdict == Verdict::fail) return verdict;
    if (any(PlannedFit::no)) return fail_never ? Verdict::unknown : Verdict::fail;
    if (any(PlannedFit::unknown)) return Verdict::unknown;
    return verdict == Verdict::not_checked ? Verdict::pass : verdict;
}

// Writes the report. `bad`: something was found; `unread`: something that the user named cannot be read.
int write_and_exit(const Run& run, const Settings& settings, const Report& report, bool bad, bool unread,
                   Print print = own::print) {
    if (auto trouble = deliver(settings, report, print)) return usage_error(report.command.c_str(), *trouble);
    if (report.judgement.rule_failed) return exit_own_failure;
    if (unread || has_unread_tables(run.facts)) return exit_usage;
    return bad && !format_of(settings).exit_zero ? exit_findings : exit_ok;
}

}  // namespace

Result<Run> prepare_run(const Settings& settings, bool of_machine_named) {
    if (auto trouble = check_own_places(settings)) return *trouble;
    auto host = host_for(settings, of_machine_named);
    if (!host) return host.trouble();
    if (auto trouble = check_places(**host, settings)) return *trouble;
    auto facts = facts_for(settings);
    if (!facts) return facts.trouble();
    if (auto trouble = check_gpus(settings, *facts)) return *trouble;
    const bool wanted = !format_of(settings).machine && !settings.has("quiet");
    return Run{std::move(*host), std::move(*facts), suppressions_from(settings),
               std::make_unique<own::Progress>(wanted)};
}

void show_counts(const Run& run, Asker& ask) {
    own::Progress* const progress = run.progress.get();
    if (!progress) return;
    ask.report_counts([progress](std::size_t done, std::size_t all, const std::string& about) {
        if (all > 1) progress->count(done, all, about);
    });
}

void add_limits(const RememberingHost& host, Scenario& scenario) {
    for (const Trouble& one : host.limits()) {
        auto& all = scenario.unreadable;
        auto* same = first_where(all, [&](const Unreadable& known) {
            return known.subject == one.subject || known.origin.path == one.subject;
        });
        if (!same)
            all.push_back({one.subject, one.what, false, Origin::from_file(one.subject), one.limit});
        else
            same->limit = one.limit;
    }
}

int finish_judged(Run& run, const Settings& settings, const Report& report, Print print) {
    run.progress.reset();
    return write_and_exit(run, settings, report, report.judgement.verdict == Verdict::fail, false, print);
}

int finish_run(const char* command, Run& run, const Settings& settings, Scenario scenario) {
    Report report;
    report.scenarios.push_back(std::move(scenario));
    return finish_run(command, run, settings, std::move(report));
}

namespace {

void judge_report(Run& run, const Settings& settings, Report& report) {
    JudgeOptions options = judge_options(settings, std::move(run.suppressions));
    // CMake asks again when it knows more.
    options.wishes = report.command == "plan" || settings.has("from-cmake");
    report.judgement = settings.has("later")
                           ? judge(judged_now(report.scenarios, settings), run.facts, options)
                           : judge(report.scenarios, run.facts, options);
    locate(settings, *run.host, report.judgement.findings);
    if (settings.has("from-cmake")) speak_cmake(report.judgement, settings.one("arch-origin"));
    if (settings.one("shell") == "cmd") speak_cmd(report.judgement);
    if (run.complete) run.complete(report.judgement.findings);
    if (run.located_text) count_characters(run.located_text, report.judgement.findings);
    if (report.command == "lint") sort_by_place(report.judgement.findings);
    // A table without cells is not a success.
    Verdict& verdict = report.judgement.verdict;
    if (report.matrix && report.matrix->cells.empty() && verdict == Verdict::pass) verdict = Verdict::unknown;
    verdict = with_plan(verdict, report.sets, settings.has("node"), options.fail_never);
}

// What was named and is not there; empty = all is.
std::string missing_of(const Settings& settings, const Report& report) {
    if ((report.judgement.verdict == Verdict::not_checked && asks(settings)) ||
        (report.command == "check" && names_only_unlisted(settings, report)))
        return "nothing that was named could be checked";
    return lacks_a_named_framework(settings, report) ? "what was named is not installed" : "";
}

}  // namespace

int finish_run(const char* command, Run& run, const Settings& settings, Report report) {
    run.progress.reset();
    report.command = command;
    report.root = root_file(settings, *real_host());
    report.named = settings.arguments;
    judge_report(run, settings, report);
    if (&format_of(settings) == &report_formats().front() && report_bad_values(command, report.judgement))
        return exit_usage;
    if (std::string missing = missing_of(settings, report); !missing.empty()) run.missing = missing;
    const bool missing = !run.missing.empty(), failed = report.judgement.verdict == Verdict::fail;
    run.found_errors = missing || failed || has_errors(report.judgement);
    const bool bad = failed || (missing && settings.one("fail-on") != "never");
    if (bad && !failed) report.why_exit = run.missing;
    return write_and_exit(run, settings, report, bad, named_input_unreadable(report.judgement));
}

namespace {

// "sm90" -> "sm_90".
std::string underscored(const std::string& name) {
    const std::size_t digit = name.find_first_of("0123456789");
    const std::string before = lower(name.substr(0, digit));
    return before == "sm" || before == "compute" ? before + "_" + name.substr(digit) : name;
}

}  // namespace

std::optional<Trouble> check_gpus(const Settings& settings, const Facts& facts) {
    std::vector<std::string> names = settings.all("gpu");
    for (const NodeType& node : node_types(settings)) append(names, node.gpus);
    for (const std::string& name : names) {
        if (parse_arch(name) || facts.gpu_by_name(name)) continue;
        const std::string other = underscored(name);
        const bool known = parse_arch(other).has_value();
        const std::string meant =
            known ? ", did you mean '" + other + "'?" : did_you_mean(name, facts.gpu_names());
        const char* option = settings.has("node") && !settings.has("gpu") ? "node" : "gpu";
        return Trouble{written(option, settings.origin(option)),
                       "names an unknown GPU '" + name + "'" + meant,
                       meant.empty() ? "a name such as RTX 3090, or its compute capability such as 8.6" : ""};
    }
    return std::nullopt;
}

}  // namespace ptxguard
