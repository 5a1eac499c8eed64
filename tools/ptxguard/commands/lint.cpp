// `ptxguard lint [PATH...]`: the CUDA stack that recipes (Dockerfiles, requirements, workflows ...) would
// create. Runs and downloads nothing; --fix writes into the recipes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands/command.hpp"
#include "commands/lint_fix.hpp"
#include "commands/lint_trials.hpp"
#include "commands/lint_write.hpp"
#include "commands/linting.hpp"
#include "commands/run.hpp"
#include "host/output.hpp"
#include "judge/judge.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

Linting read_all(const recipes::AllowedFiles& files, const std::vector<std::string>& paths,
                 const Texts& changed) {
    Linting linting(files, changed);
    for (const std::string& path : paths) linting.read(path);
    return linting;
}

// From the configuration and from the comments in the files.
std::vector<Suppression> suppressions_of(const Linting& linting, const Run& run,
                                         const std::set<std::string>& only) {
    std::vector<Suppression> all = run.suppressions;
    for (const Suppression& one : linting.suppressions()) {
        const Rule* rule = find_rule(one.code);
        if (only.empty() || !rule || only.count(rule->code) != 0) all.push_back(one);
    }
    return all;
}

Judgement judged(Linting& linting, const Run& run, const Settings& settings) {
    JudgeOptions how = judge_options(settings, {});
    how.suppressions = suppressions_of(linting, run, how.only);
    return judge(linting.scenarios(run.facts, request_from(settings)), run.facts, how);
}

// The recipes before and after applying the fixes, and those with a fix that cannot be written.
struct Fixes {
    Texts before, after;
    std::map<std::string, std::optional<Trouble>> refused;  // nothing: may be written
};

bool may_write(const recipes::AllowedFiles& files, const std::string& file, Fixes& fixes) {
    const auto [known, is_new] = fixes.refused.try_emplace(file);
    if (is_new) {
        const auto path = writable_path(files, file);
        if (!path) known->second = path.trouble();
    }
    return !known->second;
}

// Whether there was nothing to report.
bool report_refused(const Fixes& fixes) {
    bool none = true;
    for (const auto& [file, trouble] : fixes.refused) {
        if (!trouble) continue;
        own::complain("ptxguard lint: " + trouble->text());
        none = false;
    }
    return none;
}

// A change that causes more errors is not applied.
Fixes fixes_of(const Run& run, const Settings& settings, const recipes::AllowedFiles& files,
               const std::vector<std::string>& paths) {
    Fixes fixes;
    Trials trials;
    trials.read = [&](const Texts& changed) { return read_all(files, paths, changed); };
    trials.judged = [&](Linting& linting) { return judged(linting, run, settings); };
    trials.may_change = [&](const std::string& file) { return may_write(files, file, fixes); };
    FixedTexts texts = fixed_texts(trials);
    fixes.before = std::move(texts.before);
    fixes.after = std::move(texts.after);
    return fixes;
}

bool is_argument(const Settings& settings, const char* option) {
    return settings.has(option) && settings.origin(option).kind == OriginKind::option;
}

// What --diff would have to ignore.
std::optional<Trouble> check_diff_options(const Settings& settings) {
    if (!settings.has("diff")) return std::nullopt;
    for (const char* option : {"format", "fix"})
        if (is_argument(settings, option))
            return Trouble{std::string("--") + option, "cannot be combined with --diff", ""};
    return std::nullopt;
}

// Prints what --fix would change, or writes it to the file of -o. Of a file that contains what may not leave
// (visible.hpp) the diff is for people only: its escapes match no line of the file.
int print_diff(const Settings& settings, const Fixes& fixes) {
    std::string all;
    for (const auto& [file, text] : fixes.after) {
        const std::string diff = unified_diff(file, fixes.before.at(file), text),
                          shown = visible_source(diff);
        if (shown != diff)
            own::complain("ptxguard lint: " + file +
                          ": the diff cannot be applied: it shows control characters, invalid UTF-8 and "
                          "commands to a CI system as escapes; use --fix");
        all += shown;
    }
    if (!is_argument(settings, "output"))
        own::print(all);
    else if (auto trouble = own::write_output(settings.one("output"), all))
        return usage_error("lint", *trouble);
    return fixes.after.empty() ? exit_ok : exit_findings;
}

// Writes the fixes. If a file is not changed, reports which were and which were not, and why.
bool write_fixes(const recipes::AllowedFiles& files, Fixes& fixes) {
    RecipeWriter writer(files);
    for (const auto& [file, text] : fixes.after) writer.prepare({file, fixes.before.at(file), text});
    for (const Trouble& trouble : writer.finish()) {
        fixes.refused[trouble.subject] = trouble;
        fixes.after.erase(trouble.subject);
    }
    const bool all = report_refused(fixes);
    for (const auto& [file, text] : fixes.after)
        if (!all) own::complain("ptxguard lint: " + file + " is changed");
    return all;
}

}  // namespace

int run_lint(const Settings& settings) {
    if (auto trouble = check_diff_options(settings)) return usage_error("lint", *trouble);
    auto run = prepare_run(settings);
    if (!run) return usage_error("lint", run.trouble());
    std::vector<std::string> paths = settings.arguments;
    if (paths.empty()) paths = {"."};
    for (const std::string& path : paths)
        if (run->host->status(path).type == FileType::missing)
            return usage_error("lint", {path, "does not exist", ""});
    run->progress->say("reading recipes");
    const recipes::AllowedFiles files(*run->host, paths);
    Fixes fixes;
    if (settings.has("fix") || settings.has("diff")) {
        fixes = fixes_of(*run, settings, files, paths);
        run->progress.reset();
    }
    if (settings.has("diff")) {
        report_refused(fixes);
        return print_diff(settings, fixes);
    }
    const bool written = !settings.has("fix") || write_fixes(files, fixes);
    Linting linting = read_all(files, paths, fixes.after);
    if (settings.has("fix")) remove_leftovers(files, linting.files());
    run->suppressions = suppressions_of(linting, *run, selected_codes(settings));
    run->located_text = [&](const std::string& file) { return linting.text(file); };
    Report report;
    report.scenarios = linting.scenarios(run->facts, request_from(settings));
    const int code = finish_run("lint", *run, settings, std::move(report));
    return written || code == exit_own_failure ? code : exit_usage;
}

}  // namespace ptxguard
