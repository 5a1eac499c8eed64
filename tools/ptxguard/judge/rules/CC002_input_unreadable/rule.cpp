// CC002 input_unreadable: a file or value could not be read. An error if the user named it, because the
// report would not answer the question; otherwise what depends on it is unknown.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/loading_questions.hpp"

namespace ptxguard {

namespace {

// For an option value the sentence names the problem ("does not exist"); a file is simply unreadable.
bool is_option(const Unreadable& input) { return input.subject.compare(0, 2, "--") == 0; }

std::string sentence(const Unreadable& input) {
    for (const char* verb : {"is ", "does ", "holds ", "names ", "cannot "})
        if (is_option(input) && input.why.compare(0, std::string(verb).size(), verb) == 0)
            return input.subject + " " + input.why;
    const std::string said = "cannot be read: ";
    const bool twice = input.why.compare(0, said.size(), said) == 0;
    return input.subject + " could not be read: " + (twice ? input.why.substr(said.size()) : input.why);
}

std::string way_out(const Unreadable& input) {
    if (!is_option(input)) return "make " + input.subject + " readable, or name another one";
    return "another value for " + input.subject.substr(0, input.subject.find_first_of(" :")) + ", or none";
}

// A binary or a trace that was read up to some point.
template <typename File>
void judge_part(const Scenario& scenario, const File& file, Findings& findings) {
    if (file.trouble.empty()) return;
    const bool named = scenario.witness == "binary";
    const bool other_kind = file.trouble.compare(0, 3, "is ") == 0;
    Finding& finding = add(findings, "CC002", named ? Level::error : Level::unknown, file.path,
                           file.path + (other_kind ? " " : " could not be read to its end: ") + file.trouble);
    finding.found = {{file.path, file.trouble, file.origin}};
    finding.expected = {{file.path, "whole and of a known format", {}}};
    finding.because = other_kind ? "nothing of it can be judged"
                                 : "what it holds beyond that is not known, and may change the answer";
    if (named)
        finding.fix = {{FixKind::manual, "make or download " + file.path + " again, or name another file"}};
    else
        finding.decide = {"a whole " + file.path};
}

}  // namespace

PTXGUARD_RULE(CC002) {
    for (const BinaryFile& file : scenario.binaries)
        if (!is_mistaken_for_ptx(file) || scenario.witness != "binary") judge_part(scenario, file, findings);
    for (const LoadTrace& trace : scenario.traces) judge_part(scenario, trace, findings);
    for (const Unreadable& input : scenario.unreadable) {
        Finding& finding = add(findings, "CC002", input.named_by_user ? Level::error : Level::unknown,
                               input.subject, sentence(input));
        finding.found = {{input.subject, input.why, input.origin}};
        finding.expected = {{input.subject, "readable", {}}};
        if (!input.origin.path.empty())
            finding.location = Location{input.origin.path, input.origin.line, input.origin.column};
        if (input.named_by_user) {
            finding.because = "it was named as something to judge, and nothing can be said about it";
            finding.fix = {{FixKind::manual, way_out(input)}};
        } else {
            finding.because = "what it would have told is missing from this report";
            finding.decide = {"a readable " + input.subject};
        }
    }
}

}  // namespace ptxguard
