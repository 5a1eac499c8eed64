// What a loader gives a binary, for people: a line per library, the files that lost below it.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_names_shown = 3;

std::string version_text(const LoadedFile& library) {
    if (library.version) return library.version->text;
    return library.library.empty() ? "" : "version unknown";
}

// "LD_LIBRARY_PATH (/opt/lib)", and how the library comes in where nothing in the file's own list asks for
// it.
std::string rule_text(const LoadedFile& library) {
    std::string text = library.rule;
    if (!library.rule_detail.empty() && library.rule_detail != library.rule)
        text += " (" + library.rule_detail + ")";
    switch (library.how) {
        case LoadHow::dlopen:
            return text + ", opened later";
        case LoadHow::delay_load:
            return text + ", delay-loaded";
        case LoadHow::preload:
            return text + ", preloaded";
        case LoadHow::text:
            return text + ", named in the file";
        case LoadHow::program:
        case LoadHow::needed:
            break;
    }
    return text;
}

const char* missing_text(const LoadedFile& library) {
    if (library.undecided) return "undecided";
    return library.optional || library.how == LoadHow::text ? "not there" : "missing";
}

// Where was looked is told where it matters: of a library that the process may do without, it is left out.
std::string asked_by(const LoadedFile& library, const LoadTrace& trace) {
    const bool matters = !library.optional && library.how != LoadHow::text;
    std::string text = matters || library.undecided ? library.because : "";
    if (library.needed_by != trace.path && !library.needed_by.empty())
        text += (text.empty() ? "" : "; ") + std::string("asked for by ") + library.needed_by;
    if (library.optional) text += std::string(text.empty() ? "" : "; ") + "optional";
    return text;
}

void add_details(const LoadedFile& library, std::vector<Row>& rows) {
    for (const LoadLoser& loser : library.losers)
        rows.push_back({"  passed over", loser.version ? loser.version->text : "", loser.path,
                        loser.rule + (loser.why.empty() || loser.rule.empty() ? "" : ", ") + loser.why});
    for (const std::string& missing : library.missing_versions) rows.push_back({"  lacks", "", missing});
    if (!library.undefined || *library.undefined == 0) return;
    std::string names;
    for (std::size_t i = 0; i < library.undefined_names.size() && i < k_names_shown; ++i)
        names += (i == 0 ? "" : ", ") + library.undefined_names[i];
    if (*library.undefined > k_names_shown) names += " ...";
    rows.push_back({"  undefined", std::to_string(*library.undefined), names});
}

}  // namespace

std::string trace_text(const LoadTrace& trace) {
    std::vector<Row> rows, others;
    for (const LoadedFile& library : trace.libraries) {
        if (library.taken) {
            std::string stub = library.stub ? ", a stub" : "";
            rows.push_back({library.name, version_text(library), *library.taken, rule_text(library) + stub});
        } else {
            rows.push_back({library.name, missing_text(library), asked_by(library, trace)});
        }
        add_details(library, rows);
    }
    for (const std::string& remark : trace.remarks) others.push_back({"remark", remark});
    if (!trace.trouble.empty()) others.push_back({"trouble", trace.trouble});
    std::string head = trace.path + (trace.machine.empty() ? "" : ": " + trace.machine);
    if (rows.empty() && trace.trouble.empty()) head += ", no NVIDIA library";
    return head + "\n" + table(rows) + table(others);
}

}  // namespace ptxguard
