// What `explain` concludes from a log: a cause, the lines that show it, and what to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/fields.hpp"
#include "model/finding.hpp"

namespace ptxguard {

// possible: one of several causes; likely: the others are rare; certain: the lines say it.
enum class Confidence { possible, likely, certain };
const char* to_string(Confidence confidence);

// A line of the log as it is shown: without colours, cut if it is long.
struct MatchedLine {
    std::int64_t line = 0;  // 1-based
    std::string text;

    PTXGUARD_MEMBERS_ALWAYS(line, text)
};

struct LogDiagnosis {
    std::string code;   // rule that explains it: "CC202"
    int rank = 0;       // 1 = the most probable cause, or the first of several
    std::string cause;  // one sentence, without a full stop at the end
    Confidence confidence = Confidence::possible;
    std::vector<MatchedLine> matched;  // lines that show it
    std::size_t finding = 0;           // index into the findings
    std::string here;                  // what is wrong with this machine, with --here; empty = not known
    std::string here_code;             // rule that reports it
    std::vector<Evidence> here_found;  // the files, variables and packages that show it
    std::string decide;                // command that confirms or refutes it; empty = the lines are enough
    std::vector<Fix> fix;
    std::string page;         // `ptxguard explain PAGE` is about this error text; empty = there is none
    std::string about;        // that page's answer, of the first cause
    std::string fingerprint;  // the same for the same cause in another run

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, code, rank, cause, confidence, matched, finding);
        PTXGUARD_FIELDS(v, here, here_code, here_found, decide, fix, page, about);
        PTXGUARD_ALWAYS(v, fingerprint);
    }
};

// A fault that no toolchain causes: no memory, a bug of the program, a missing header.
struct OtherFault {
    std::string cause;  // one sentence
    Confidence confidence = Confidence::possible;
    std::vector<MatchedLine> matched;

    PTXGUARD_MEMBERS_ALWAYS(cause, confidence, matched)
};

// The result for one log.
struct Explanation {
    std::string log;                      // as named: "build.log", "standard input", "the text"
    bool in_project = false;              // a file in or below the working folder
    std::vector<LogDiagnosis> diagnoses;  // best first
    std::vector<OtherFault> others;       // not toolchain problems
    bool other_first = false;         // the first of `others` explains the failure better than a diagnosis
    std::vector<MatchedLine> echoes;  // messages that only repeat that something failed
    std::string nearest;              // rule whose page is nearest if nothing is known; empty = none
    std::vector<std::string> notes;   // how this machine differs from the log's, with --here; reached limits
};

}  // namespace ptxguard
