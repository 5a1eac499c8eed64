// What the judge says: findings with code, level, evidence and fix, and the verdict over all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

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

// What a fix changes in the facts, so that the judge can try it on a copy of them.
enum class StepKind { driver, framework, toolkit, architectures, cxx_abi, cxx_standard, search_path };
struct Step {
    StepKind kind = StepKind::driver;
    std::string subject = {};          // the framework's package; id of a toolkit that is here; a variable
    Version version = {};              // of the driver, the toolkit or the framework ("2.7.1+cu118")
    std::string package = {};          // of a framework: the table that lists the release
    std::optional<Version> cuda = {};  // of a framework: the one for which this build is
    std::vector<Target> targets = {};  // architectures
    int number = 0;                    // ABI or standard
    std::string from = {}, to = {};    // the entry of a search path, and what replaces it; empty = nothing
};

enum class FixKind { command, setting, edit, manual };
const char* to_string(FixKind kind);
struct Fix {
    FixKind kind = FixKind::manual;
    std::string text;  // to paste: a shell command, NAME=value, the new line of a file; prose for manual
    std::optional<Step> step = {};  // nothing = no change of facts tells what it does

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
    // What it is about, by which the judge tells that one follows from another: root of a toolkit, package of
    // a framework, entry of a variable that decides ("LD_LIBRARY_PATH /opt/lib"). Empty = nothing of that
    // kind.
    std::string toolkit, package, entry;
    std::optional<FindingKey> caused_by;  // the finding whose repair repairs this one too

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, code, name, level, subject, message, scenario, found, expected, because, fix,
                        decide, location);
        PTXGUARD_FIELDS(v, required);
        PTXGUARD_ALWAYS(v, caused_by, suppressed);
    }
};

inline bool follows_from(const Finding& effect, const Finding& cause) {
    return effect.caused_by && effect.caused_by->code == cause.code &&
           effect.caused_by->subject == cause.subject;
}

// Steps after which no error remains.
struct Plan {
    std::vector<Fix> steps;
    std::string costs;  // "another release of torch", "a newer driver"

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, steps, costs);
    }
};

// not_checked: there was nothing to judge.
enum class Verdict { pass, fail, unknown, not_checked };
const char* to_string(Verdict verdict);

// --ignore CODE=reason, the same from the configuration, and comments in recipes.
struct Suppression {
    std::string code;
    std::string reason;
    Origin origin;
    // Only findings at such a place; empty = all. A comment in a recipe suppresses in its own lines.
    std::function<bool(const Location&)> covers = {};
};

}  // namespace ptxguard
