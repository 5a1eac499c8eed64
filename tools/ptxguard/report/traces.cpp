// What a loader resolves for a binary, as text: by folder with the rule that found it, then shadowed files of
// the same name, and what is missing.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "model/file_names.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
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
        case LoadHow::dlopen:
            return itself ? "opened later" : "opened later by " + by;
        case LoadHow::delay_load:
            return itself ? "delay-loaded" : "delay-loaded by " + by;
        case LoadHow::preload:
            return "preloaded";
        case LoadHow::text:
            return library.taken || library.undecided ? "named in the file"
                                                      : "named in the file: opening it would fail";
        case LoadHow::program:
        case LoadHow::needed:
            break;
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

}  // namespace ptxguard
