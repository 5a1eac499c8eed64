// The device code of binaries as text: kinds, architectures and counts, then other facts.
// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

const char* people_format(FileFormat format) {
    switch (format) {
        case FileFormat::elf: return "ELF";
        case FileFormat::pe: return "PE";
        case FileFormat::archive: return "archive";
        case FileFormat::fatbin: return "fatbin";
        case FileFormat::cubin: return "cubin";
        case FileFormat::ptx: return "PTX text";
        case FileFormat::unknown: break;
    }
    return "unknown format";
}

const char* people_kind(EntryKind kind) {
    switch (kind) {
        case EntryKind::cubin: return "cubin";
        case EntryKind::ptx: return "PTX";
        case EntryKind::ltoir: return "LTO-IR";
        case EntryKind::tileir: return "Tile IR";
        case EntryKind::other: break;
    }
    return "other";
}

std::string arch_text(Arch arch) { return arch.number == 0 ? "-" : arch.sm(); }
std::string ptx_text(const std::optional<PtxVersion>& ptx) { return ptx ? ptx->text() : ""; }

// For a group or an entry: "LTO-IR 1.65".
template <typename Code>
std::string kind_text(const Code& code) {
    return people_kind(code.kind) + (code.ir ? " " + code.ir->text() : "");
}

std::vector<Row> summary_rows(const BinaryFile& file) {
    std::vector<Row> rows{{"kind", "arch", "PTX", "entries", "fatbins"}};
    for (const EntryGroup& group : file.summary)
        rows.push_back({kind_text(group), arch_text(group.arch), ptx_text(group.ptx),
                        std::to_string(group.count), std::to_string(group.fatbins)});
    return rows;
}

std::string entry_marks(const DeviceEntry& entry) {
    std::vector<std::string> marks;
    if (entry.compressed) marks.push_back("compressed");
    if (entry.debug) marks.push_back("debug");
    if (entry.relocatable) marks.push_back("relocatable");
    if (entry.obfuscated) marks.push_back("obfuscated");
    if (entry.empty) marks.push_back("empty");
    if (!entry.registered) marks.push_back("not registered");
    if (entry.toolkit) marks.push_back("CUDA " + entry.toolkit->text);
    return joined(marks, ", ");
}

std::vector<Row> entry_rows(const BinaryFile& file) {
    std::vector<Row> rows{{"kind", "arch", "PTX", "fatbin", "section", "offset", "bytes", ""}};
    for (const DeviceEntry& entry : file.entries)
        rows.push_back({kind_text(entry), arch_text(entry.arch), ptx_text(entry.ptx),
                        std::to_string(entry.fatbin),
                        entry.section < file.sections.size() ? file.sections[entry.section] : "-",
                        std::to_string(entry.offset), std::to_string(entry.size), entry_marks(entry)});
    return rows;
}

void add(std::vector<Row>& rows, const char* label, const std::string& text) {
    if (!text.empty()) rows.push_back({label, text});
}

std::string toolkits_text(const BinaryFile& file) {
    std::vector<std::string> releases;
    for (const Version& toolkit : file.toolkits) releases.push_back(toolkit.text);
    return releases.empty() ? "" : "CUDA " + joined(releases, ", ");
}

std::vector<Row> other_rows(const BinaryFile& file) {
    std::vector<Row> rows;
    add(rows, "made by", toolkits_text(file));
    add(rows, "needs", joined(file.needed, ", "));
    for (const std::string& remark : file.remarks) add(rows, "note", remark);
    add(rows, "error", file.trouble);
    return rows;
}

std::vector<Row> runs_on_rows(const BinaryFile& file) {
    std::vector<Row> rows;
    if (file.summary.empty()) return rows;  // already in the first line
    for (const RunsOn& answer : file.runs_on)
        rows.push_back({rows.empty() ? "runs on" : "", answer.gpu, to_string(answer.verdict),
                        answer.why + (answer.decide.empty() ? "" : "; to decide it: " + answer.decide)});
    return rows;
}

std::vector<Row> compiled_rows(const BinaryFile& file) {
    std::vector<Row> rows;
    for (const CompiledCode& answer : file.compiled) {
        const std::size_t some = answer.refused != 0 ? answer.refused : answer.accepted;
        rows.push_back({rows.empty() ? "compiled" : "", answer.arch.sm(), answer.compiler,
                        std::string(to_string(answer.outcome)) + " " + std::to_string(some) + " of " +
                            std::to_string(answer.texts) + " " + people_kind(answer.code) +
                            (answer.code != EntryKind::ptx ? ""
                             : answer.texts == 1           ? " text"
                                                           : " texts") +
                            (answer.words.empty() ? "" : ": " + answer.words)});
    }
    return rows;
}

}  // namespace

std::string binary_text(const BinaryFile& file, bool with_entries) {
    std::string text = file.path + ": " + people_format(file.format);
    if (!file.machine.empty()) text += " " + file.machine;
    if (file.summary.empty() && file.trouble.empty()) text += ", no device code";
    text = line(text);
    if (with_entries && !file.entries.empty()) text += table(entry_rows(file));
    if (!with_entries && !file.summary.empty()) text += table(summary_rows(file));
    return text + table(other_rows(file)) + table(compiled_rows(file)) + table(runs_on_rows(file));
}

}  // namespace ptxguard
