// CC002 input_unreadable: a file or value could not be read. An error if the user named it, because the
// report would not answer the question; otherwise what depends on it is unknown.
// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <string_view>

#include "judge/loading_questions.hpp"
#include "judge/rule.hpp"

namespace ptxguard {

namespace {

std::string way_out(const Unreadable& input) {
    if (input.origin.kind == OriginKind::option)
        return SAY("give {} another value, or leave it out", input.origin.variable);
    if (input.origin.kind == OriginKind::variable)
        return SAY("set {} to another value", input.origin.variable);
    return "name another file, or make this one readable";
}

// Of a recipe that names a missing file: the file, not the line, so that one file is reported once.
bool is_name(const Unreadable& input) {
    return input.origin.kind == OriginKind::file && !input.origin.variable.empty();
}

std::string title_of(const Unreadable& input) {
    return is_name(input) && input.limit.empty() ? SAY("'{}' {}", input.origin.variable, input.why)
                                                 : SAY("{} {}", input.subject, input.why);
}

std::string way_to_read(const Unreadable& input) {
    return is_name(input) ? SAY("a checkout with '{}', or its path as an argument too", input.origin.variable)
                          : SAY("a readable {}", input.subject);
}

bool ends_with_one_of(std::string_view path, std::initializer_list<std::string_view> ends) {
    return any_of(ends, [&](std::string_view end) {
        return path.size() > end.size() && path.substr(path.size() - end.size()) == end;
    });
}

// Nothing of it could be read, not even the beginning.
bool is_other_kind(const BinaryFile& file) {
    return file.format == FileFormat::unknown ||
           (file.format == FileFormat::archive &&
            ends_with_one_of(file.path, {".tar.xz", ".txz", ".tar.bz2", ".tbz2"}));
}
bool is_other_kind(const LoadTrace& trace) { return trace.machine.empty(); }

// In a package that the user named: it may be sources or test data.
bool is_inner_archive(const BinaryFile& file) {
    return !file.container.empty() && file.format == FileFormat::archive &&
           file.archive != ArchiveKind::library;
}
bool is_inner_archive(const LoadTrace&) { return false; }

// The loader opens no file in a package.
std::string other_input(const std::string& path) {
    if (ends_with_one_of(path, {".whl", ".zip", ".conda", ".tar.gz", ".tgz"}))
        return "unpack it (a wheel: python3 -m zipfile -e FILE DIR) and name its libraries";
    if (ends_with_one_of(path, {".tar.xz", ".txz", ".tar.bz2", ".tbz2"}))
        return "unpack it (tar -xf FILE) and name its libraries";
    return "name another file";
}

// A binary or a trace that was read up to some point.
template <typename File>
void judge_part(const Scenario& scenario, const File& file, Findings& findings) {
    if (file.trouble.empty()) return;
    const bool inner = is_inner_archive(file);
    const bool named = scenario.source == SourceKind::binary && !inner;
    const bool other_kind = is_other_kind(file);
    Composed finding = add(findings, "CC002", named ? Level::error : Level::unknown, file.path,
                           other_kind ? SAY("{} {}", file.path, file.trouble)
                                      : SAY("{} could not be read completely: {}", file.path, file.trouble));
    finding.found("file", file.trouble, file.origin)
        .expected("file", "complete, and of a known format", {})
        .because(inner        ? "if it contains device code, that is not in this report"
                 : other_kind ? "it cannot be checked"
                              : "the part that was not read may change the result");
    if (named)
        finding.by_hand(other_kind ? other_input(file.path) : "replace it with a complete file");
    else
        finding.decide(inner ? "unpack it and name its libraries" : SAY("a complete copy of {}", file.path));
}

}  // namespace

PTXGUARD_RULE(CC002) {
    for (const BinaryFile& file : scenario.binaries)
        if (!is_mistaken_for_ptx(file) || scenario.source != SourceKind::binary)
            judge_part(scenario, file, findings);
    for (const LoadTrace& trace : scenario.traces) judge_part(scenario, trace, findings);
    for (const Unreadable& input : scenario.unreadable) {
        Composed finding = add(findings, "CC002", input.named_by_user ? Level::error : Level::unknown,
                               input.subject, title_of(input));
        finding.found(input.subject, is_name(input) ? SAY("names '{}'", input.origin.variable) : input.why,
                      input.origin);
        if (!input.limit.empty()) finding.expected(input.subject, SAY("at most {}", input.limit), {});
        if (!input.origin.path.empty()) finding.at(input.origin);
        if (input.named_by_user) {
            finding.because("it was named and cannot be checked").by_hand(way_out(input));
        } else if (!input.limit.empty()) {
            // Else padding would turn a failure into a pass.
            finding.required().because(
                "a conflict in what was not read is not found, so the verdict is unknown");
            const std::string& file = input.origin.path.empty() ? input.subject : input.origin.path;
            finding.decide(SAY("keep {} within {}", file, input.limit));
        } else {
            finding.because("this report does not cover it").decide(way_to_read(input));
        }
    }
}

}  // namespace ptxguard
