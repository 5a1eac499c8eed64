// The builders and questions of rule.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

#include <algorithm>

namespace ptxguard {

Composed add(Findings& findings, const char* code, Level level, std::string subject, std::string message) {
    findings.push_back({code, "", level, std::move(subject), std::move(message)});
    return Composed(findings.back());
}

AllAbout::AllAbout(Findings& findings, std::vector<Entity> ids)
    : findings_(findings), first_(findings.size()), ids_(std::move(ids)) {}

AllAbout::~AllAbout() {
    for (std::size_t i = first_; i < findings_.size(); ++i) Composed(findings_[i]).about(ids_);
}

const Composed& Composed::found(Evidence one, Evidence other) const {
    return found(std::move(one)).found(std::move(other));
}

const Composed& Composed::found(std::string what, std::string value, Origin origin) const {
    return found(Evidence{std::move(what), std::move(value), std::move(origin)});
}

const Composed& Composed::found(std::string what, const Known<Version>& version) const {
    return found(std::move(what), version->text, version.origin);
}

const Composed& Composed::found(std::vector<Evidence> evidence) const {
    for (Evidence& one : evidence) found(std::move(one));
    return *this;
}

const Composed& Composed::expected(std::string what, std::string value, Origin origin) const {
    return expected(Evidence{std::move(what), std::move(value), std::move(origin)});
}

const Composed& Composed::expected(std::vector<Evidence> evidence) const {
    for (Evidence& one : evidence) expected(std::move(one));
    return *this;
}

const Composed& Composed::at(const Origin& place) const {
    finding_->location = Location{place.path, place.line, place.column};
    return *this;
}

const Composed& Composed::about(const std::vector<Entity>& ids) const {
    for (const Entity& id : ids) about(id);
    return *this;
}

const Composed& Composed::fix(std::vector<Fix> fixes) const {
    for (Fix& one : fixes) fix(std::move(one));
    return *this;
}

const Composed& Composed::by_hand(std::string what_to_do) const {
    return fix(ptxguard::by_hand(std::move(what_to_do)));
}

const Composed& Composed::edit(std::string line) const { return fix({FixKind::edit, std::move(line)}); }

const Composed& Composed::command(std::string line) const { return fix({FixKind::command, std::move(line)}); }

std::vector<const ProbeResult*> probes_of(const Scenario& scenario, ProbeKind kind,
                                          const std::string& toolkit) {
    std::vector<const ProbeResult*> probes;
    for (const ProbeResult& probe : scenario.probes)
        if (probe.kind == kind && probe.toolkit == toolkit) probes.push_back(&probe);
    return probes;
}

const ProbeResult* find_probe(const Scenario& scenario, ProbeKind kind, const std::string& toolkit) {
    const std::vector<const ProbeResult*> probes = probes_of(scenario, kind, toolkit);
    auto* bad = first_where(probes, [](const ProbeResult* probe) {
        return probe->outcome == Outcome::refused || probe->outcome == Outcome::broken;
    });
    if (bad) return *bad;
    return probes.empty() ? nullptr : probes.front();
}

bool failed(const ProbeResult* probe) {
    return probe && probe->basis == Certainty::measured &&
           (probe->outcome == Outcome::refused || probe->outcome == Outcome::broken);
}

std::string text_of(const Known<Version>& version) { return version ? version->text : "unknown"; }

std::string with_release(const std::string& name, const Known<Version>& version) {
    return version ? SAY("{} {}", name, version->text) : name;
}

std::string words_of_cuda(const Version& cuda) {
    return cuda.numbers.size() > 1 ? SAY("CUDA {}", cuda.release()) : SAY("CUDA {}", cuda.major());
}

std::string version_at(const Part& part) {
    const std::string text = with_release(to_string(part.kind), part.version);
    return part.path.empty() ? text : SAY("{} at {}", text, part.path);
}

const Selector* deciding_selector(const Scenario& scenario) {
    return first_where(scenario.selectors, [&](const Selector& selector) { return selector.decides; });
}

bool concerns(const Expectation& expectation, const std::vector<std::string>& packages) {
    return contains(packages, expectation.package);
}

Evidence evidence_of(const Part& part) {
    Evidence evidence;
    evidence.what = to_string(part.kind);
    evidence.value = text_of(part.version);
    evidence.origin = part.version.origin;
    if (evidence.origin.path.empty()) evidence.origin.path = part.path;
    if (evidence.origin.text.empty()) evidence.origin.text = part.path;
    return evidence;
}

Evidence evidence_of(const Selector& selector) {
    const std::string place = selector.position > 0 ? SAY(" entry {}", selector.position) : "";
    return {selector.name + place, selector.value, selector.origin};
}

namespace {

std::string quoted(const std::string& text, const std::string& escape) {
    return SAY("'{}'", replace_all(text, "'", escape));
}

}  // namespace

std::string shell_word(const std::string& text, System system) {
    auto plain = [](char c) { return is_word_character(c, "_@%+=:,./-"); };
    if (system == System::windows) return quoted(text, "''");
    if (!text.empty() && all_of(text, plain)) return text;
    return quoted(text, "'\\''");
}

std::string set_in_cmd(const std::string& name, const std::string& value) {
    return SAY("set \"{}={}\"", name, value);
}

std::string first_on_path_in_cmd(const std::string& folder) {
    std::string native = folder;
    std::replace(native.begin(), native.end(), '/', '\\');
    return set_in_cmd("PATH", SAY("{};%PATH%", native));
}

Fix set_variable(const std::string& name, const std::string& value, System system) {
    if (system == System::windows)
        return {FixKind::setting,
                SAY("$env:{} = {}", name, shell_word(value, system)),
                {},
                set_in_cmd(name, value)};
    return {FixKind::setting, SAY("export {}={}", name, shell_word(value, system))};
}

Fix extend_variable(const std::string& name, const std::string& words, System system) {
    if (system == System::windows)
        return {FixKind::setting,
                SAY("$env:{} += {}", name, shell_word(SAY(" {}", words), system)),
                {},
                set_in_cmd(name, SAY("%{}% {}", name, words))};
    return {FixKind::setting, SAY("export {}=\"${}\"{}", name, name, shell_word(SAY(" {}", words), system))};
}

Fix unset_variable(const std::string& name, System system) {
    if (system == System::windows)
        return {FixKind::setting, SAY("Remove-Item Env:{}", name), {}, set_in_cmd(name, "")};
    return {FixKind::setting, SAY("unset {}", name)};
}

}  // namespace ptxguard
