// What a rule.cpp includes: the scenario, the tables, text, ranges and small builders, to keep rules short. A
// rule sets code, level, subject, message, found, expected, because, fix, decide; the judge adds name and
// scenario. An unknown whose subject the user required or named also sets `required`: it makes the verdict
// unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/facts.hpp"
#include "judge/entities.hpp"
#include "model/finding.hpp"
#include "model/ranges.hpp"
#include "model/say.hpp"
#include "model/scenario.hpp"
#include "model/text.hpp"

namespace ptxguard {

class LibraryFaults;
using Findings = std::vector<Finding>;

// PTXGUARD_RULE(CC201) { ... uses scenario, facts, faults, findings ... }, inside namespace ptxguard.
// `faults` are those of the libraries (judge/library_faults.hpp), found once for all rules.
#define PTXGUARD_RULE(CODE)                                                     \
    void check_##CODE([[maybe_unused]] const ::ptxguard::Scenario& scenario,    \
                      [[maybe_unused]] const ::ptxguard::Facts& facts,          \
                      [[maybe_unused]] const ::ptxguard::LibraryFaults& faults, \
                      [[maybe_unused]] ::ptxguard::Findings& findings)

// A finding while a rule composes it, valid until the next one is added:
//   add(findings, "CC205", Level::error, file, SAY("{} is no PTX", file)).because(k_stops).fix(...)
// Each call adds to what earlier ones said.
class Composed {
public:
    explicit Composed(Finding& finding) : finding_(&finding) {}
    operator Finding&() const { return *finding_; }  // NOLINT(google-explicit-constructor)
    Finding* operator->() const { return finding_; }

    const Composed& found(Evidence evidence) const { return more(finding_->found, std::move(evidence)); }
    const Composed& found(Evidence one, Evidence other) const;
    const Composed& found(std::string what, std::string value, Origin origin) const;
    const Composed& found(std::string what, const Known<Version>& version) const;
    const Composed& found(std::vector<Evidence> evidence) const;
    const Composed& expected(Evidence needed) const { return more(finding_->expected, std::move(needed)); }
    const Composed& expected(std::string what, std::string value, Origin origin) const;
    const Composed& expected(std::vector<Evidence> evidence) const;
    // These replace what was said.
    const Composed& because(std::string why) const { return set(finding_->because, std::move(why)); }
    const Composed& brief(std::string words) const { return set(finding_->brief, std::move(words)); }
    const Composed& required(bool named = true) const { return set(finding_->required, named); }
    const Composed& of_package(std::string id) const { return set(finding_->package, std::move(id)); }
    const Composed& of_toolkit(std::string root) const { return set(finding_->toolkit, std::move(root)); }
    const Composed& of_entry(std::string entry) const { return set(finding_->entry, std::move(entry)); }
    const Composed& at(const Origin& place) const;
    // What of the scenario it is about, such as a framework and a GPU.
    const Composed& about(Entity id) const { return more(finding_->about, id); }
    const Composed& about(const std::vector<Entity>& ids) const;
    template <typename... Things>
    const Composed& about(const Scenario& scenario, const Things&... things) const {
        (about(id_of(scenario, things)), ...);
        return *this;
    }

    const Composed& fix(Fix fix) const { return more(finding_->fix, std::move(fix)); }
    const Composed& fix(std::vector<Fix> fixes) const;
    const Composed& by_hand(std::string what_to_do) const;  // a fix in prose
    const Composed& edit(std::string line) const;           // a fix: the new line of a file
    const Composed& command(std::string line) const;
    const Composed& decide(std::string what_would) const {
        return more(finding_->decide, std::move(what_would));
    }

private:
    template <typename Value>
    const Composed& set(Value& member, Value value) const {
        member = std::move(value);
        return *this;
    }
    template <typename Value>
    const Composed& more(std::vector<Value>& members, Value value) const {
        members.push_back(std::move(value));
        return *this;
    }

    Finding* finding_;
};

// Appends a finding.
Composed add(Findings& findings, const char* code, Level level, std::string subject, std::string message);

// Until the end of its block, what is added to the findings is about these too.
class AllAbout {
public:
    AllAbout(Findings& findings, std::vector<Entity> ids);
    AllAbout(const AllAbout&) = delete;
    AllAbout& operator=(const AllAbout&) = delete;
    ~AllAbout();

private:
    Findings& findings_;
    const std::size_t first_;
    const std::vector<Entity> ids_;
};

// Questions shared by several rules.
// Of the probes of that kind for that toolkit: the first refused or broken one, else the first; null = none.
const ProbeResult* find_probe(const Scenario& scenario, ProbeKind kind, const std::string& toolkit);
std::vector<const ProbeResult*> probes_of(const Scenario& scenario, ProbeKind kind,
                                          const std::string& toolkit);
bool failed(const ProbeResult* probe);               // refused or broken, and measured
std::string version_at(const Part& part);            // "nvcc 13.0.88 at /usr/local/cuda/bin/nvcc"
std::string text_of(const Known<Version>& version);  // as written; "unknown"
std::string with_release(const std::string& name, const Known<Version>& version);  // "torch 2.5.1"; "torch"
std::string words_of_cuda(const Version& cuda);  // "CUDA 12.4"; "CUDA 12", if no more is known
const Selector* deciding_selector(
    const Scenario& scenario);  // the one that selected the build's toolkit; may be null
bool concerns(const Expectation& expectation, const std::vector<std::string>& packages);  // {"torch", "jax"}

// Evidence: the component, its version, and where that was read.
Evidence evidence_of(const Part& part);
Evidence evidence_of(const Selector& selector);  // "CUDA_HOME" = value, from the environment

inline Fix by_hand(std::string text) { return {FixKind::manual, std::move(text)}; }

// Fix lines that are safe with blanks, quotes and semicolons.
std::string shell_word(const std::string& text, System system);  // quoted for sh or PowerShell if needed
// set "NAME=value" of cmd.exe, which keeps quotes inside of the value.
std::string set_in_cmd(const std::string& name, const std::string& value);
// Its PATH with this folder first, in Windows' spelling: cmd.exe searches programs itself.
std::string first_on_path_in_cmd(const std::string& folder);
Fix set_variable(const std::string& name, const std::string& value, System system);
// Keeps the variable's value and appends `words`.
Fix extend_variable(const std::string& name, const std::string& words, System system);
Fix unset_variable(const std::string& name, System system);

}  // namespace ptxguard
