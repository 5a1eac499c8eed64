// `ptxguard lint [PATH...]`: the CUDA stack that recipes (Dockerfiles, requirements, workflows ...) would
// create. Runs and downloads nothing; --fix writes into the recipes.
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "commands/command.hpp"
#include "commands/lint_fix.hpp"
#include "commands/lint_write.hpp"
#include "commands/linting.hpp"
#include "commands/run.hpp"
#include "formats/text_lines.hpp"
#include "host/input.hpp"
#include "host/output.hpp"
#include "judge/judge.hpp"
#include "model/ranges.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

// What a run reads.
struct Input {
    std::vector<std::string> paths;
    Texts given;  // of standard input, under the name that it stands for
    recipes::Excluded excluded;
};

Linting read_all(const recipes::AllowedFiles& files, const Input& input, Texts changed) {
    changed.insert(input.given.begin(), input.given.end());
    Linting linting(files, std::move(changed), input.excluded);
    for (const std::string& path : input.paths) linting.read(path);
    return linting;
}

// From the configuration and from the comments in the files.
std::vector<Suppression> suppressions_of(const Linting& linting, const Run& run) {
    std::vector<Suppression> all = run.suppressions;
    append(all, linting.suppressions());
    return all;
}

Judgement judged(Linting& linting, const Run& run, const Settings& settings) {
    JudgeOptions how = judge_options(settings, {});
    how.suppressions = suppressions_of(linting, run);
    return judge(linting.scenarios(run.facts, request_from(settings)), run.facts, how);
}

// The recipes before and after applying the fixes, and those with a fix that cannot be written.
struct Fixes {
    Texts before, after;
    std::map<std::string, std::optional<Trouble>> refused;  // nothing: may be written
    std::map<std::string, std::size_t> findings;            // that are fixed, by file
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
Trials trials_of(const Run& run, const Settings& settings, const recipes::AllowedFiles& files,
                 const Input& input, Fixes& fixes) {
    Trials trials;
    trials.read = [&](const Texts& changed) { return read_all(files, input, changed); };
    trials.judged = [&](Linting& linting) { return judged(linting, run, settings); };
    trials.may_change = [&](const std::string& file) {
        return input.given.count(file) != 0 || may_write(files, file, fixes);
    };
    return trials;
}

void apply(const Trials& trials, Fixes& fixes) {
    FixedTexts texts = fixed_texts(trials);
    fixes.before = std::move(texts.before);
    fixes.after = std::move(texts.after);
    fixes.findings = std::move(texts.findings);
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
        fixes.findings.erase(trouble.subject);
    }
    const bool all = report_refused(fixes);
    for (const auto& [file, text] : fixes.after)
        if (!all) own::complain("ptxguard lint: " + file + " is changed");
    return all;
}

// Each file is split once.
std::function<std::string(const Location&)> source_lines(const Linting& linting) {
    struct Text {
        std::string bytes;
        std::vector<std::string_view> lines;
    };
    auto texts = std::make_shared<std::map<std::string, Text>>();
    return [texts, &linting](const Location& at) {
        const auto [known, fresh] = texts->try_emplace(at.file);
        Text& text = known->second;
        if (fresh) {
            if (auto bytes = linting.text(at.file)) text.bytes = std::move(*bytes);
            text.lines = lines_of(text.bytes);
        }
        const auto line = static_cast<std::size_t>(at.line);
        return line > 0 && line <= text.lines.size() ? std::string(text.lines[line - 1]) : "";
    };
}

// All of standard input, which stands for the file of --stdin-filename.
Result<std::string> read_standard_input() {
    auto input = own::open_input("-");
    if (!input) return input.trouble();
    std::string text, piece(1 << 16, '\0');
    std::optional<Trouble> trouble;
    while (const std::size_t size = input->read(piece.data(), piece.size(), trouble)) {
        text.append(piece, 0, size);
        if (text.size() > recipes::k_largest_recipe) break;
    }
    if (!trouble) trouble = recipes::why_unreadable(text, "standard input");
    return trouble ? Result<std::string>(*trouble) : text;
}

Result<Input> input_of(const Settings& settings, const Host& host) {
    Input input;
    input.paths = settings.arguments;
    if (input.paths.empty()) input.paths = {"."};
    if (is_argument(settings, "stdin-filename") && !contains(input.paths, "-"))
        return Trouble{"--stdin-filename", "needs '-' as the input", "the text comes from standard input"};
    if (settings.has("exclude"))
        input.excluded = files_named(settings.all("exclude"), settings.origin("exclude"));
    for (std::string& path : input.paths) {
        if (path != "-") {
            if (host.status(path).type == FileType::missing) return Trouble{path, "does not exist", ""};
            continue;
        }
        if (input.paths.size() > 1) return Trouble{"-", "is the only input", "name no other files beside it"};
        if (!settings.has("stdin-filename"))
            return Trouble{"-", "needs --stdin-filename", "for example --stdin-filename docker/Dockerfile"};
        path = settings.one("stdin-filename");
        auto text = read_standard_input();
        if (!text) return text.trouble();
        input.given[path] = std::move(*text);
    }
    return input;
}

// The text of an editor, repaired: to standard output, instead of a report.
int print_fixed(const Input& input, const Fixes& fixes, const Judgement& judgement) {
    const auto& [file, text] = *input.given.begin();
    const auto fixed = fixes.after.find(file);
    own::print(fixed == fixes.after.end() ? text : fixed->second);
    return judgement.verdict == Verdict::fail ? exit_findings : exit_ok;
}

}  // namespace

int run_lint(const Settings& settings) {
    if (auto trouble = check_diff_options(settings)) return usage_error("lint", *trouble);
    auto run = prepare_run(settings);
    if (!run) return usage_error("lint", run.trouble());
    const auto input = input_of(settings, *run->host);
    if (!input) return usage_error("lint", input.trouble());
    run->progress->say("reading recipes");
    const recipes::AllowedFiles files(*run->host, input->paths);
    Fixes fixes;
    const Trials trials = trials_of(*run, settings, files, *input, fixes);
    if (settings.has("fix") || settings.has("diff")) {
        apply(trials, fixes);
        run->progress.reset();
    }
    if (settings.has("diff")) {
        report_refused(fixes);
        return print_diff(settings, fixes);
    }
    const bool of_editor = !input->given.empty();
    const bool written = !settings.has("fix") || of_editor || write_fixes(files, fixes);
    Linting linting = read_all(files, *input, fixes.after);
    if (settings.has("fix") && of_editor) return print_fixed(*input, fixes, judged(linting, *run, settings));
    if (settings.has("fix")) remove_leftovers(files, linting.files());
    run->suppressions = suppressions_of(linting, *run);
    run->located_text = [&](const std::string& file) { return linting.text(file); };
    run->complete = [&](std::vector<Finding>& findings) { add_edits(linting, trials, findings); };
    Report report;
    for (const auto& [file, count] : fixes.findings) report.fixed += count;
    report.files_read = linting.files().size();
    report.source_line = source_lines(linting);
    report.scenarios = linting.scenarios(run->facts, request_from(settings));
    const int code = finish_run("lint", *run, settings, std::move(report));
    return written || code == exit_own_failure ? code : exit_usage;
}

}  // namespace ptxguard
