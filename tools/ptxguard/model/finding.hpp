// What the judge says: findings with code, level, evidence and fix, and the verdict over all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/fields.hpp"
#include "model/origin.hpp"

namespace ptxguard {

enum class Level { note, unknown, warning, error };  // ascending for --fail-on
const char* to_string(Level level);

// One line of evidence: what = "PTX ISA", value = "9.0", origin = who said so.
struct Evidence {
    std::string what;
    std::string value;
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, what, value, origin);
    }
};

enum class FixKind { command, setting, edit, manual };
const char* to_string(FixKind kind);
struct Fix {
    FixKind kind = FixKind::manual;
    std::string text;  // to paste: a shell command, NAME=value, the new line of a file; prose for manual

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, kind, text);
    }
};

struct Location {
    std::string file;
    int line = 0;
    int column = 0;

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, file, line, column);
    }
};

// One finding of a scenario, named by another.
struct FindingKey {
    std::string code, subject;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, code, subject);
    }
};

struct Finding {
    std::string code;  // "CC202"
    std::string name;  // "ptx_newer_than_driver"; filled by the judge
    Level level = Level::error;
    std::string subject;   // what the finding is about, stable: used to tell equal findings apart
    std::string message;   // one line, subject first, no full stop at the end
    std::string scenario;  // filled by the judge
    std::vector<Evidence> found;
    std::vector<Evidence> expected;
    std::string because;
    std::vector<Fix> fix;
    bool required =
        false;  // an unknown whose subject the user required or named: it makes the verdict unknown
    std::vector<std::string> decide;  // for unknown: what would decide it ("give --driver 550.54.14")
    std::optional<Location> location;
    std::optional<std::string> suppressed;  // the written reason
    // What it is about, by which the judge tells that one follows from another: root of a toolkit, package of a
    // framework. Empty = nothing of that kind.
    std::string toolkit, package;
    std::optional<FindingKey> caused_by;  // the finding whose repair repairs this one too

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, code, name, level, subject, message, scenario, found, expected, because, fix,
                        decide, location);
        PTXGUARD_FIELDS(v, required);
        PTXGUARD_ALWAYS(v, caused_by, suppressed);
    }
};

// not_checked: there was nothing to judge.
enum class Verdict { pass, fail, unknown, not_checked };
const char* to_string(Verdict verdict);

// --ignore CODE=reason, and the same from the configuration.
struct Suppression {
    std::string code;
    std::string reason;
    Origin origin;
};

}  // namespace ptxguard
