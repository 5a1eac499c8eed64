// The report as text: what was found, what is wrong, what could not be determined, and the verdict last.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

std::string counted(int number, const char* one, const char* many) {
    return number == 0 ? "" : std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string word_of(Verdict verdict) {
    return verdict == Verdict::unknown       ? "undecided"
           : verdict == Verdict::not_checked ? "not checked"
                                             : to_string(verdict);
}

const char* color_of(Verdict verdict) {
    return verdict == Verdict::pass ? "\x1b[1;32m" : verdict == Verdict::fail ? "\x1b[1;31m" : "\x1b[1;35m";
}

// The check list has the unknowns; --verbose the rest. Of a note, a brief report has the headline.
bool is_shown(const Finding& finding, const ReportOptions& options) {
    const bool counts =
        finding.level >= Level::warning || (finding.required && !(options.brief && options.failed));
    return options.quiet ? counts && !finding.suppressed : counts || finding.suppressed || !options.brief;
}

std::string blocks(const std::vector<Finding>& findings, const ReportOptions& options) {
    std::string text, notes;
    for (const Finding& finding : findings) {
        if (finding.caused_by) continue;
        if (is_shown(finding, options))
            text += finding_block(finding, options, consequences_of(finding, findings)) + "\n";
        else if (options.brief && finding.level == Level::note)
            notes += finding_head(finding, options);
    }
    return text + notes + (notes.empty() ? "" : "\n");
}

// "libx.a(member.o)": shown if it has entries, otherwise only its archive is.
bool is_listed_separately(const BinaryFile& file, const Scenario& scenario) {
    const std::size_t open = file.path.find_last_of('(');
    if (open == std::string::npos || file.path.back() != ')' || !file.trouble.empty()) return true;
    const std::string whole = file.path.substr(0, open);
    return none_of(scenario.binaries, [&](const BinaryFile& other) {
        return other.format == FileFormat::archive && other.path == whole;
    });
}

std::string seen_text(const std::string& command, const Scenario& scenario, const ReportOptions& options) {
    std::string text;
    if (command == "check") return inventory_text(scenario, options);
    if (command == "plan") return text;
    for (const BinaryFile& file : scenario.binaries) {
        const bool entries = options.entries && file.format != FileFormat::archive;
        if (options.entries || is_listed_separately(file, scenario))
            text += binary_text(file, entries) + "\n";
    }
    for (const LoadTrace& trace : scenario.traces) text += trace_text(trace) + "\n";
    return text;
}

std::string why_a_build(const Project& project, const ReportOptions& options) {
    if (!project.built_by) return "";
    const int at = project.built_by.origin.line;
    return folded_line(visible(*project.built_by) + (at ? " (line " + std::to_string(at) + ")" : "") +
                           ", so the build is checked too",
                       2, options.width) +
           "\n";
}

// "fail (1 error), see --verbose"
std::string verdict_line(const Report& report, const ReportOptions& options) {
    const std::vector<Finding>& all = report.judgement.findings;
    const bool hides = options.brief && any_of(all, [&](const Finding& finding) {
                           const bool whole = is_shown(finding, options) && finding.level == Level::error;
                           return !finding.caused_by && !whole;
                       });
    std::string verdict = verdict_text(report.judgement);
    if (hides) verdict.insert(verdict.size() - (verdict.back() == ')'), ", see --verbose");
    const std::size_t end = std::min({verdict.find(" ("), verdict.find(','), verdict.size()});
    if (options.color) verdict = color_of(report.judgement.verdict) + verdict.insert(end, "\x1b[0m");
    return verdict;
}

// What was found, before the findings.
std::string facts_text(const Report& report, const ReportOptions& options) {
    std::string text;
    if (report.command == "check") {
        for (const Scenario& scenario : report.scenarios) text += why_a_build(scenario.project, options);
        text += check_list_text(report.judgement.checklist, options);
    }
    for (const Scenario& scenario : report.scenarios) {
        if (report.scenarios.size() > 1 && report.sets.empty()) text += line("== " + scenario.name) + "\n";
        text += folded(seen_text(report.command, scenario, options), options.width);
    }
    return text;
}

// What was found, judged: `text` is before it.
std::string judged_text(const Report& report, const ReportOptions& options, std::string text) {
    const std::string findings = report.sets.size() > 1 ? "" : blocks(report.judgement.findings, options);
    // CMake has reported once what is not checked; a build does not repeat it after each link.
    const Counts& counts = report.judgement.counts;
    const bool has_problem = counts.error + counts.warning > 0 || report.judgement.verdict == Verdict::fail;
    if (options.only_findings && (!has_problem || findings.empty())) return "";
    text += findings;
    if (options.planned) text += plan_text(report.judgement.plans, options);
    if (report.matrix && findings.empty()) return text;  // a table, not a verdict
    text += "verdict: " + verdict_line(report, options) + "\n";
    return report.why_exit.empty() ? text : text + "exit code 1: " + report.why_exit + "\n";
}

std::string whole_text(const Report& report, ReportOptions options) {
    if (report.explanation) return explanation_text(*report.explanation, options);
    std::string text;
    options.planned =
        shows_plan(report.judgement) && report.sets.size() < 2;  // each pair has a complete line
    options.failed = report.judgement.verdict == Verdict::fail;
    options.brief = report.command == "check" && !options.quiet && !options.verbose;
    if (!options.quiet && !options.configuration.empty())
        text = line("configuration: " + options.configuration) + "\n";
    if (report.command == "lint") return text + lint_text(report, options);
    if (!options.quiet) text += facts_text(report, options);
    if (!report.sets.empty()) text += sets_text(report.sets, options);
    if (report.matrix && !options.quiet) text += matrix_text(*report.matrix, options);
    return judged_text(report, options, std::move(text));
}

}  // namespace

std::string findings_text(const Report& report, ReportOptions options) {
    options.quiet = true;
    options.planned = shows_plan(report.judgement);
    std::string text = blocks(report.judgement.findings, options);
    if (options.planned) text += plan_text(report.judgement.plans, options);
    return visible_lines(text, false);
}

std::string counts_text(const Counts& counts, int following, int ignored) {
    std::string text;
    const std::string of = counts.error == 1 ? " from it" : " from them";
    for (const std::string& part :
         {counted(counts.error, "error", "errors"),
          counted(following, ("that follows" + of).c_str(), ("that follow" + of).c_str()),
          counted(counts.warning, "warning", "warnings"), counted(counts.note, "note", "notes"),
          counted(counts.unknown, "unknown", "unknown"), counted(ignored, "ignored", "ignored")})
        if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string verdict_text(const Judgement& judgement) {
    Counts causes = judgement.counts;
    int following = 0, ignored = 0;
    for (const Finding& finding : judgement.findings) {
        if (finding.suppressed) ++ignored;
        if (!finding.caused_by || finding.suppressed) continue;
        ++following;
        --(finding.level == Level::error ? causes.error : causes.warning);
    }
    const std::string counts = counts_text(causes, following, ignored);
    if (judgement.verdict == Verdict::pass) return "ok, " + (counts.empty() ? "no problems found" : counts);
    return word_of(judgement.verdict) + (counts.empty() ? "" : " (" + counts + ")");
}

// Each line was made visible when it was created (table.hpp); this removes whatever a renderer missed, such
// as a command to a CI system.
std::string text_report(const Report& report, const ReportOptions& options) {
    return visible_lines(whole_text(report, options), options.color);
}

// What a loader resolves for a binary, as text: by folder with the rule that found it, then shadowed files
// of the same name, and what is missing.

namespace {

constexpr std::size_t k_names_shown = 3;

std::string folder_of(const LoadedFile& library) {
    const std::string path = shown_path(*library.taken, library.real_path);
    const auto end = path.find_last_of("/\\");
    return end == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(end, 1));
}

std::string version_text(const Known<Version>& version, bool of_nvidia) {
    if (version) return version->text;
    return of_nvidia ? "version unknown" : "";
}

// Why a library is loaded that the file's lists do not contain.
std::string asker_text(const LoadedFile& library, const LoadTrace& trace) {
    const std::string by = library.needed_by.empty() ? "" : file_of(library.needed_by);
    const bool itself = library.needed_by == trace.path || by.empty();
    switch (library.how) {
        case LoadHow::dlopen: return itself ? "opened later" : "opened later by " + by;
        case LoadHow::delay_load: return itself ? "delay-loaded" : "delay-loaded by " + by;
        case LoadHow::preload: return "preloaded";
        case LoadHow::text:
            return library.taken || library.undecided ? "named in the file"
                                                      : "named in the file: opening it would fail";
        case LoadHow::program:
        case LoadHow::needed: break;
    }
    return itself ? "" : "needed by " + by;
}

void add_faults(const LoadedFile& library, std::vector<Row>& rows) {
    for (const std::string& missing : library.missing_versions) rows.push_back({"  lacks", missing});
    if (!library.undefined || *library.undefined == 0) return;
    std::string names;
    for (std::size_t i = 0; i < library.undefined_names.size() && i < k_names_shown; ++i)
        names += (i == 0 ? "" : ", ") + library.undefined_names[i];
    if (*library.undefined > k_names_shown) names += " ...";
    rows.push_back({"  undefined", std::to_string(*library.undefined), names});
}

std::string taken_text(const LoadTrace& trace) {
    std::vector<std::pair<std::string, std::vector<Row>>> folders;
    for (const LoadedFile& library : trace.shown()) {
        if (!library.taken) continue;
        const std::string name = folder_of(library);
        auto folder =
            std::find_if(folders.begin(), folders.end(), [&](const auto& one) { return one.first == name; });
        if (folder == folders.end()) folder = folders.insert(folders.end(), {name, {}});
        const std::string stub = library.stub ? "a stub, not the real library" : "",
                          by = asker_text(library, trace);
        folder->second.push_back({file_of(library.name),
                                  version_text(library.version, !library.library.empty()), library.rule.text,
                                  stub + (stub.empty() || by.empty() ? "" : ", ") + by});
        add_faults(library, folder->second);
    }
    std::string text;
    for (const auto& [name, rows] : folders) text += line("  from " + name) + table(rows, 4);
    return text;
}

std::string losers_text(const LoadTrace& trace) {
    std::vector<Row> rows;
    for (const LoadedFile& library : trace.shown())
        for (const LoadLoser& loser : library.losers) {
            const bool same =
                library.version && loser.version && library.version->text == loser.version->text;
            rows.push_back(
                {file_of(library.name),
                 same ? "same version" : version_text(loser.version, !library.library.empty()),
                 shown_path(loser.path, ""),
                 loser.rule.text + (loser.why.empty() || loser.rule.empty() ? "" : ", ") + loser.why});
        }
    return rows.empty() ? "" : "  skipped\n" + table(rows, 4);
}

// Prints the searched folders only if it matters: not for a library that is not required.
std::string missing_text(const LoadTrace& trace) {
    std::vector<Row> missing, undecided, optional;
    for (const LoadedFile& library : trace.shown()) {
        if (library.taken) continue;
        const bool matters = !library.optional && library.how != LoadHow::text;
        auto& rows = library.undecided ? undecided : matters ? missing : optional;
        rows.push_back({file_of(library.name), asker_text(library, trace)});
        if (matters || library.undecided) rows.push_back({"  " + library.because});
        add_faults(library, rows);
    }
    std::string text;
    if (!missing.empty()) text += "  missing\n" + table(missing, 4);
    if (!undecided.empty())
        text += "  undecided: it may be in folders that are not here\n" + table(undecided, 4);
    if (!optional.empty()) text += "  not found, and not needed to start\n" + table(optional, 4);
    return text;
}

}  // namespace

std::string shown_path(const std::string& path, const std::string& real) {
    if (path.find("/../") == std::string::npos) return path;
    if (!real.empty() && file_of(real) == file_of(path)) return real;
    std::string shown = path;
    for (auto up = shown.find("/../"); up != std::string::npos && up > 0; up = shown.find("/../")) {
        const auto before = shown.rfind('/', up - 1);
        if (before == std::string::npos || shown.compare(before, up - before, "/..") == 0) return path;
        shown.erase(before, up + 3 - before);
    }
    return shown;
}

std::string trace_text(const LoadTrace& trace) {
    std::vector<Row> others;
    for (const std::string& remark : trace.remarks) others.push_back({"note", remark});
    if (!trace.trouble.empty()) others.push_back({"error", trace.trouble});
    std::string head = trace.path + (trace.machine.empty() ? "" : ": " + trace.machine);
    if (trace.shown().empty() && trace.trouble.empty()) head += ", needs no NVIDIA library";
    return line(head) + taken_text(trace) + losers_text(trace) + missing_text(trace) + table(others);
}

// The check list: what was found right, what is wrong and what was not checked, one line per area.

namespace {

constexpr std::size_t k_names = 3;

struct Mark {
    AreaState state;
    const char *word, *symbol, *color;
};
const Mark k_marks[] = {{AreaState::ok, "ok", "\xE2\x9C\x93", "\x1b[1;32m"},
                        {AreaState::warning, "warning", "!", "\x1b[1;33m"},
                        {AreaState::error, "error", "\xE2\x9C\x97", "\x1b[1;31m"},
                        {AreaState::not_checked, "-", "-", "\x1b[2m"}};

std::string blanks_after(const char* word, std::size_t width) {
    const std::size_t length = std::char_traits<char>::length(word);
    return std::string(width > length ? width - length : 0, ' ');
}

// What is wrong is read first; the others keep the order of a build and then a run.
std::vector<CheckedArea> worst_first(std::vector<CheckedArea> checklist) {
    const auto rank = [](const CheckedArea& area) {
        return area.state == AreaState::error ? 0 : area.state == AreaState::warning ? 1 : 2;
    };
    std::stable_sort(checklist.begin(), checklist.end(),
                     [&](const CheckedArea& a, const CheckedArea& b) { return rank(a) < rank(b); });
    return checklist;
}

}  // namespace

std::string check_list_text(const std::vector<CheckedArea>& checklist, const ReportOptions& options) {
    std::size_t names = 0;
    for (const CheckedArea& area : checklist) names = std::max(names, area.area.size());
    std::string text;
    for (const CheckedArea& area : worst_first(checklist)) {
        const Mark& mark = *std::find_if(std::begin(k_marks), std::end(k_marks),
                                         [&](const Mark& one) { return one.state == area.state; });
        std::string line =
            options.symbols ? std::string(mark.symbol) + " " : mark.word + blanks_after(mark.word, 9);
        const std::size_t hang = (options.symbols ? 2 : 9) + names + 2;
        if (options.color) line = mark.color + line + "\x1b[0m";
        line += area.area + std::string(names - area.area.size() + 2, ' ');
        if (area.state == AreaState::not_checked) line += "not checked: ";
        line += visible(area.text);
        if (!area.not_compared.empty())
            line += "; not compared: " + visible(some_of(area.not_compared, k_names));
        text += folded_line(line, hang, options.width) + "\n";
    }
    return text.empty() ? "" : text + "\n";
}

}  // namespace ptxguard
