// The judge's output: findings with code, level, evidence and fix, and the overall verdict.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/entity.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/recipe_place.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class Level { note, unknown, warning, error };  // ascending for --fail-on
const char* to_string(Level level);

// One line of evidence: what = "PTX ISA", value = "9.0", origin = its source.
struct Evidence {
    std::string what;   // name of the value: "PTX ISA"
    std::string value;  // as shown: "9.0"
    Origin origin;

    PTXGUARD_MEMBERS_ALWAYS(what, value, origin)
};

// What a fix changes in the facts, so that the judge can try it on a copy of them.
enum class StepKind { driver, framework, toolkit, architectures, cxx_abi, cxx_standard, search_path };
struct Step {
    StepKind kind = StepKind::driver;
    std::string subject = {};          // package of a framework, id of an installed toolkit, or a variable
    Version version = {};              // of the driver, toolkit or framework ("2.7.1+cu118")
    std::string package = {};          // of a framework: the table that lists the release
    std::optional<Version> cuda = {};  // of a framework: the CUDA release of this build
    std::vector<Target> targets = {};  // architectures
    int number = 0;                    // ABI or standard
    std::string from = {}, to = {};    // search path entry and its replacement; empty = nothing
};

struct Location {
    std::string file;
    int line = 0;    // 1-based; 0 = not known
    int column = 0;  // 1-based; 0 = not known

    PTXGUARD_MEMBERS_SET(file, line, column)
};

// Replaces characters of one line.
struct Edit {
    Location at;         // the first one
    int end_column = 0;  // behind the last one
    std::string text;    // that replaces them

    PTXGUARD_MEMBERS_ALWAYS(at, end_column, text)
};

enum class FixKind { command, setting, edit, manual };
const char* to_string(FixKind kind);
struct Fix {
    FixKind kind = FixKind::manual;
    std::string text;  // to paste: a shell command, NAME=value, the new line of a file; prose for manual
    std::optional<Step> step = {};  // empty = no change of facts describes its effect
    // Of Windows: `text`, which is for PowerShell, for cmd.exe; empty = the same text.
    std::string in_cmd = {};
    std::optional<Edit> edit = {};  // what `lint --fix` writes; null = nothing

    PTXGUARD_MEMBERS((kind, text), (edit))
};

// A finding of a scenario that another one refers to.
struct FindingKey {
    std::string code, subject;

    PTXGUARD_MEMBERS_ALWAYS(code, subject)
};

struct Finding {
    std::string code;  // code of the rule: "CC202"
    std::string name;  // name of the rule: "ptx_newer_than_driver"; filled by the judge
    Level level = Level::error;
    std::string subject;   // what the finding is about; stable: used to compare findings
    std::string message;   // one line, subject first, no full stop at the end
    std::string brief;     // the same for the check list: "470.256.02: too old for ..."; empty = message
    std::string scenario;  // name of the scenario; filled by the judge
    RecipePlace place;  // of a recipe; filled by the judge. Not in reports: the name of the scenario says it
    std::vector<Evidence> found;     // values that were found
    std::vector<Evidence> expected;  // values that are needed
    std::string because;             // why it is a problem; may be empty
    std::vector<Fix> fix;            // ways to fix it; may be empty
    bool required = false;  // an unknown about a required or named subject: the verdict becomes unknown
    std::vector<std::string> decide;        // if unknown: what would decide it ("give --driver 550.54.14")
    std::optional<Location> location;       // place in a file; null = none
    std::optional<std::string> suppressed;  // reason given for the suppression; null = not suppressed
    // The judge uses these to see which finding follows from another: root of a toolkit, package of a
    // framework, deciding entry of a variable ("LD_LIBRARY_PATH /opt/lib"). Empty = none.
    std::string toolkit, package, entry;
    // What it is about in its scenario: it explains the pairs whose two ends are among these. Not in reports.
    std::vector<Entity> about;
    std::optional<FindingKey> caused_by;  // finding whose fix fixes this one too; null = none

    std::string fingerprint;         // in a report: equal for the same finding in the next run, for no other
    std::optional<std::string> url;  // of the rule's page; null = this build knows no address

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, code, name, level, subject, message, scenario, found, expected, because, fix,
                        decide, location);
        PTXGUARD_FIELDS(v, required);
        PTXGUARD_ALWAYS(v, caused_by, suppressed, fingerprint, url);
    }
};

inline bool follows_from(const Finding& effect, const Finding& cause) {
    return effect.caused_by && effect.caused_by->code == cause.code &&
           effect.caused_by->subject == cause.subject;
}

// Steps after which no error remains.
struct Plan {
    std::vector<Fix> steps;  // fixes to apply together
    std::string costs;       // what they change: "another release of torch", "a newer driver"

    PTXGUARD_MEMBERS_ALWAYS(steps, costs)
};

// not_checked: there was nothing to judge.
enum class Verdict { pass, fail, unknown, not_checked };
const char* to_string(Verdict verdict);

// --ignore CODE=reason, the same from the configuration, and comments in recipes.
struct Suppression {
    std::string code;
    std::string reason;
    Origin origin;
    // Only for findings at such a place; empty = all. A comment in a recipe applies to its own lines.
    std::function<bool(const Location&)> covers = {};
    // Of a comment that reads like a suppression: why it suppresses nothing. `code` may be empty.
    std::string invalid = {};
};

}  // namespace ptxguard
