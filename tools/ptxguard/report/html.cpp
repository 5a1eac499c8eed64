// One page for a browser, a wiki or a printer: no script, nothing from other servers. Every text passes
// escaped().
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "model/file_names.hpp"
#include "report/findings.hpp"
#include "report/matrix_view.hpp"
#include "report/sets.hpp"

#ifndef PTXGUARD_VERSION
#error "PTXGUARD_VERSION comes from the build"
#endif

namespace ptxguard {
namespace {

constexpr const char* k_style = R"(
:root{color-scheme:light dark;--back:#fff;--text:#1a1c1f;--dim:#5c636b;--line:#d5d9de;--code:#f1f3f5;
--ok:#0a6b2d;--ok-back:#dff3e4;--warning:#7a4b00;--warning-back:#fdf0d0;--error:#a3121f;--error-back:#fbe1e2;--open:#5b3a9e;--open-back:#ece5f8}
@media(prefers-color-scheme:dark){:root{--back:#15181c;--text:#e4e7ea;--dim:#9aa3ad;--line:#363d45;--code:#20252b;
--ok:#7ddc98;--ok-back:#12351f;--warning:#f2c46d;--warning-back:#3b2c0b;--error:#ff9a9f;--error-back:#47171b;--open:#c5adf5;--open-back:#2e2447}}
body{background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1.5rem;overflow-wrap:anywhere}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem;margin:0 0 .5rem}
table{border-collapse:collapse;margin:.5rem 0}th,td{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}
th{font-weight:600}th,td.ok,td.warning,td.error,td.open,td .mark{overflow-wrap:normal}.wide{overflow-x:auto}pre,code{font-family:ui-monospace,monospace;font-size:.9em}
pre{background:var(--code);padding:.6rem;overflow-x:auto;white-space:pre-wrap}
article{border:1px solid var(--line);border-left-width:.4rem;padding:.75rem 1rem;margin:.75rem 0;break-inside:avoid}
dl{display:grid;grid-template-columns:6rem 1fr;gap:.2rem .8rem;margin:0}dt{color:var(--dim)}dd{margin:0;white-space:pre-line}dd pre{margin:0}
.ok{color:var(--ok);background:var(--ok-back)}.warning{color:var(--warning);background:var(--warning-back)}
.error{color:var(--error);background:var(--error-back)}.open{color:var(--open);background:var(--open-back)}.dim,footer{color:var(--dim)}
.mark{font-weight:600;padding:.1rem .4rem;border-radius:.2rem}.tree ul{border-left:1px solid var(--line);padding-left:1.2rem}.tree li{list-style:none}
@media print{body{max-width:none;padding:0;font-size:10pt}.mark,td{-webkit-print-color-adjust:exact;print-color-adjust:exact}pre{border:1px solid var(--line)}}
@media print{:root{color-scheme:light;--back:#fff;--text:#000;--dim:#444;--line:#999;--code:#fff;--ok:#0a6b2d;--ok-back:#dff3e4;--warning:#7a4b00;
--warning-back:#fdf0d0;--error:#a3121f;--error-back:#fbe1e2;--open:#5b3a9e;--open-back:#ece5f8}}
)";

// Text from outside in several lines: the browser breaks them, not the page.
std::string lines_html(const std::string& text) {
    std::string lines;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
        end = text.find('\n', begin);
        lines += (begin ? "&#10;" : "") + escaped(text.substr(begin, end - begin));
    }
    return lines;
}
// A part of the text report.
std::string preformatted(const std::string& text) { return "<pre>" + escaped_lines(text) + "</pre>"; }

std::string mark(const char* kind, const std::string& word) {
    return std::string("<span class=\"mark ") + kind + "\">" + escaped(word) + "</span>";
}

const char* kind_of(Level level) {
    return level == Level::error     ? "error"
           : level == Level::warning ? "warning"
           : level == Level::unknown ? "open"
                                     : "dim";
}
const char* kind_of(Verdict verdict) {
    return verdict == Verdict::pass ? "ok" : verdict == Verdict::fail ? "error" : "open";
}
const char* kind_of(AreaState state) {
    return state == AreaState::ok        ? "ok"
           : state == AreaState::warning ? "warning"
           : state == AreaState::error   ? "error"
                                         : "dim";
}
const char* kind_of(Outcome outcome) {
    return outcome == Outcome::accepted  ? "ok"
           : outcome == Outcome::refused ? "error"
           : outcome == Outcome::broken  ? "warning"
                                         : "open";
}
const char* kind_of(const RunsOn& answer) {
    switch (answer.verdict) {
        case RunVerdict::cubin: return "ok";
        case RunVerdict::jit: return "warning";
        case RunVerdict::no: return "error";
        case RunVerdict::unknown: break;
    }
    return "open";
}

std::string section(const char* title, const std::string& inside) {
    return inside.empty() ? "" : std::string("<section>\n<h2>") + title + "</h2>\n" + inside + "</section>\n";
}

std::string check_list(const Report& report) {
    std::string rows;
    for (const CheckedArea& area : report.judgement.checklist) {
        std::string codes;
        for (const std::string& code : area.codes)
            codes += code + (&code == &area.codes.back() ? ": " : ", ");
        const bool open = area.state == AreaState::not_checked;
        rows += "<tr><td>" + mark(kind_of(area.state), open ? "not checked" : to_string(area.state)) +
                "</td><th scope=\"row\">" + escaped(area.area) + "</th><td>" + escaped(codes + area.text) +
                "</td></tr>\n";
    }
    return rows.empty() ? "" : "<table>\n" + rows + "</table>\n";
}

std::string entry(const char* label, const std::string& inside) {
    return std::string("<dt>") + label + "</dt><dd>" + inside + "</dd>\n";
}

std::string evidence(const char* label, const std::vector<Evidence>& all) {
    std::string rows;
    for (const Evidence& one : all)
        rows += entry(rows.empty() ? label : "",
                      escaped(one.what + (one.what.empty() ? "" : " ") + one.value) +
                          " <span class=\"dim\">" + escaped(one.origin.for_people()) + "</span>");
    return rows;
}

std::string finding_html(const Finding& finding, const Report& report) {
    std::string text = std::string("<article>\n<h3>") +
                       mark(kind_of(finding.level), to_string(finding.level)) + " " + escaped(finding.code) +
                       ": " + escaped(finding.message) + "</h3>\n<dl>\n";
    if (finding.location)
        text += entry("at",
                      escaped(finding.location->file +
                              (finding.location->line ? ":" + std::to_string(finding.location->line) : "")));
    text += evidence("found", finding.found) + evidence("expected", finding.expected);
    if (!finding.because.empty()) text += entry("because", lines_html(finding.because));
    if (!plan_for(finding, report))
        for (const Fix& fix : finding.fix)
            text += entry(
                &fix == &finding.fix.front() ? "fix" : "or",
                fix.kind == FixKind::manual ? escaped(fix.text) : "<pre>" + lines_html(fix.text) + "</pre>");
    for (const std::string& decide : finding.decide) text += entry("to check", escaped(decide));
    const std::string names = also("", finding, report);
    if (!names.empty()) text += entry("also", escaped(names));
    if (finding.suppressed) text += entry("ignored", escaped(*finding.suppressed));
    return text + entry("more", "<code>ptxguard explain " + escaped(finding.code) + "</code>") +
           "</dl>\n</article>\n";
}

std::string findings_html(const Report& report, const ReportOptions& options) {
    std::string text;
    for (const Finding* finding : shown(report, options)) text += finding_html(*finding, report);
    for (const Finding& finding : report.judgement.findings)
        if (finding.suppressed && !options.quiet) text += finding_html(finding, report);
    return text;
}

std::string grid(const MatrixView& view, const std::vector<Arch>& targets) {
    std::string text = "<div class=\"wide\"><table>\n<caption>" + escaped(list_of(targets)) +
                       "</caption>\n<tr><th></th><th>PTX</th>";
    for (const Consumer& consumer : view.matrix.consumers)
        text += "<th scope=\"col\">" + escaped(view.consumers.at(consumer.id)) + "</th>";
    text += "</tr>\n";
    for (const Producer& producer : view.matrix.producers) {
        std::string cells, ptx;
        for (const Consumer& consumer : view.matrix.consumers) {
            const Cell* cell = cell_of(view.matrix, producer.id, consumer.id, targets.front());
            if (cell && cell->ptx) ptx = cell->ptx->text();
            cells += cell ? std::string("<td class=\"") + kind_of(cell->outcome) + "\" title=\"" +
                                escaped(cell->evidence) + "\">" + escaped(text_of(*cell)) + "</td>"
                          : "<td></td>";
        }
        text += "<tr><th scope=\"row\">" + escaped(view.producers.at(producer.id)) + "</th><td>" +
                escaped(ptx) + "</td>" + cells + "</tr>\n";
    }
    return text + "</table></div>\n";
}

std::string matrix_html(const Matrix& matrix) {
    const MatrixView view = view_of(matrix);
    std::string text;
    for (const std::vector<Arch>& targets : groups_of(matrix)) text += grid(view, targets);
    return text + "<details open><summary>Tools and reasons</summary>\n" +
           preformatted(matrix_text(matrix, {})) + "</details>\n";
}

// Which library requested which: each is below the file that requested it first.
class Tree {
public:
    explicit Tree(const LoadTrace& trace) : m_libraries(trace.shown()) {}

    std::string below(const std::string& path) {
        std::string items;
        for (const LoadedFile& library : m_libraries)
            if (library.needed_by == path && m_listed.insert(&library).second) items += item(library);
        return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
    }
    // Libraries requested by a file that is not in the tree.
    std::string others() {
        std::string items;
        for (const LoadedFile& library : m_libraries)
            if (m_listed.insert(&library).second) items += item(library);
        return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
    }

private:
    std::string item(const LoadedFile& library) {
        const bool matters = !library.optional && library.how != LoadHow::text;
        std::string text = "<li><code>" + escaped(file_of(library.name)) + "</code> ";
        if (library.taken)
            text += escaped((library.version ? library.version->text + " " : "") + *library.taken) +
                    " <span class=\"dim\">" + escaped(library.rule.text) + "</span>" +
                    (library.stub ? " " + mark("error", "stub") : "");
        else
            text += mark(library.undecided ? "open"
                         : matters         ? "error"
                                           : "dim",
                         library.undecided ? "undecided" : "not found") +
                    " " + escaped(library.because);
        for (const std::string& missing : library.missing_versions)
            text += " " + mark("error", "lacks " + missing);
        for (const LoadLoser& loser : library.losers)
            text += "<div class=\"dim\">skipped: " +
                    escaped(loser.path + (loser.why.empty() ? "" : ", " + loser.why)) + "</div>";
        return text + (library.taken ? below(*library.taken) : "") + "</li>\n";
    }

    const std::vector<LoadedFile>& m_libraries;
    std::set<const LoadedFile*> m_listed;
};

std::string trace_html(const LoadTrace& trace) {
    Tree tree(trace);
    const std::string first = tree.below(trace.path), text = first + tree.others();
    std::string notes;
    for (const std::string& remark : trace.remarks) notes += "<p>" + escaped(remark) + "</p>\n";
    if (!trace.trouble.empty()) notes += "<p>" + mark("warning", trace.trouble) + "</p>\n";
    return "<details open class=\"tree\"><summary><code>" + escaped(trace.path) + "</code> " +
           escaped(trace.machine) + "</summary>\n" + (text.empty() ? "<p>no NVIDIA library</p>\n" : text) +
           notes + "</details>\n";
}

std::string binary_html(const BinaryFile& file, bool with_entries) {
    std::string rows;
    for (const RunsOn& answer : file.runs_on)
        rows += "<tr><th scope=\"row\">" + escaped(answer.gpu) + "</th><td class=\"" + kind_of(answer) +
                "\">" + escaped(to_string(answer.verdict)) + "</td><td>" + escaped(answer.why) +
                "</td></tr>\n";
    return preformatted(binary_text(file, with_entries)) + "\n" +
           (rows.empty() ? "" : "<table>\n" + rows + "</table>\n");
}

std::string seen(const Report& report, const ReportOptions& options) {
    std::string files, traces, inventory;
    for (const Scenario& scenario : report.scenarios) {
        for (const BinaryFile& file : scenario.binaries)
            if (report.command != "check")
                files += binary_html(file, options.entries && file.format != FileFormat::archive);
        for (const LoadTrace& trace : scenario.traces) traces += trace_html(trace);
        ReportOptions all = options;
        all.verbose = true;
        all.color = false;
        if (report.command == "check") inventory += inventory_text(scenario, all);
    }
    if (!inventory.empty())
        inventory = "<details><summary>Everything that was found</summary>\n" + preformatted(inventory) +
                    "</details>\n";
    return section("Device code", files) + section("What the loader resolves", traces) +
           section("Found", inventory);
}

std::string cell_html(const PlannedCell& cell, const std::string& words) {
    const char* kind = cell.fit == PlannedFit::runs ? "ok" : cell.fit == PlannedFit::no ? "error" : "open";
    return std::string("<td class=\"") + kind + "\">" + escaped(words) + "</td>";
}

// The table of `plan`: builds by machines, then the answer and the commands for each.
std::string sets_html(const std::vector<PlannedSet>& sets) {
    std::string text;
    for (const SetGroup& group : groups_of(sets)) {
        std::string grid;
        const std::vector<Row> rows = grid_of(group);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            grid += "<tr><th scope=\"row\">" + escaped(rows[i].front()) + "</th>";
            for (std::size_t j = 1; j < rows[i].size(); ++j)
                grid += i == 0 ? "<th scope=\"col\">" + escaped(rows[i][j]) + "</th>"
                               : cell_html(group[i - 1]->cells[j - 1], rows[i][j]);
            grid += "</tr>\n";
        }
        if (!grid.empty()) text += "<div class=\"wide\"><table>\n" + grid + "</table></div>\n";
        text += "<div class=\"wide\"><table>\n";
        for (const PlannedSet* set : group) {
            std::string commands;
            for (const InstallLine& one : set->install)
                commands +=
                    "<dt>" + escaped(one.by) + "</dt><dd><pre>" + lines_html(one.text) + "</pre></dd>\n";
            text += "<tr><th scope=\"row\">" + escaped(name_of(*set)) + "</th><td>" +
                    escaped(answer_with_notes(*set)) +
                    (commands.empty() ? "" : "<dl>\n" + commands + "</dl>") + "</td></tr>\n";
        }
        text += "</table></div>\n";
    }
    return text;
}

}  // namespace

std::string html_report(const Report& report, const ReportOptions& options) {
    const std::string title = "ptxguard " + escaped(report.command);
    std::string text =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>" +
        title + ": " + escaped(verdict_text(report.judgement)) + "</title>\n<style>" + k_style +
        "</style>\n</head>\n<body>\n<h1>" + title;
    if (!report.matrix || !report.judgement.findings.empty())
        text += " " + mark(kind_of(report.judgement.verdict), verdict_text(report.judgement));
    text += "</h1>\n";
    for (const Scenario& scenario : report.scenarios)
        if (report.sets.empty()) text += "<p class=\"dim\">" + escaped(scenario.name) + "</p>\n";
    ReportOptions as_text;
    if (!report.sets.empty()) text += section("Builds", sets_html(report.sets));
    if (report.sets.empty()) text += section("Check list", check_list(report));
    text += section("Findings", findings_html(report, options));
    if (shows_plan(report.judgement) && report.sets.size() < 2)
        text += section("Plan", preformatted(plan_text(report.judgement.plans, as_text)));
    if (report.matrix) text += section("Matrix", matrix_html(*report.matrix));
    return text + seen(report, options) +
           "<footer><p>ptxguard " PTXGUARD_VERSION "</p></footer>\n</body>\n</html>\n";
}

}  // namespace ptxguard
