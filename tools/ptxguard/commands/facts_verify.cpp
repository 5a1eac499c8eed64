// `ptxguard facts --verify PART...`: measures real tools and libraries and compares them with the tables.
// SPDX-License-Identifier: Apache-2.0

#include "commands/command.hpp"
#include "commands/facts.hpp"
#include "commands/run.hpp"
#include "model/ranges.hpp"
#include "verify/part.hpp"

namespace ptxguard {
namespace {

Json to_json(const FactDifference& difference) {
    Json json = Json::object();
    json.set("what", difference.what).set("measured", difference.measured).set("table", difference.table);
    return json.set("text", difference.text).set("source", difference.source);
}

Json to_json(const VerifiedPart& part) {
    Json differences = Json::array(), unlisted = Json::array();
    for (const FactDifference& one : part.differences) differences.push(to_json(one));
    for (const FactDifference& one : part.unlisted) unlisted.push(to_json(one));
    const MeasuredPart& measured = part.measured;
    return Json::object()
        .set("path", measured.part.path)
        .set("kind", to_string(measured.part.kind))
        .set("version", measured.version ? Json(measured.version->text) : Json())
        .set("state", to_string(part.state))
        .set("table", part.table)
        .set("measured", measured.values)
        .set("differences", std::move(differences))
        .set("unlisted", std::move(unlisted))
        .set("trouble", measured.trouble)
        .set("add", part.add);
}

// "PATH: ptxas 12.9.86: agrees with cuda/12.9.json", and a line for each value that differs.
std::string text_of(const VerifiedPart& part) {
    const MeasuredPart& measured = part.measured;
    std::string text = measured.part.path + ": " + to_string(measured.part.kind);
    if (measured.version) text += " " + measured.version->text;
    text += ": ";
    switch (part.state) {
        case VerifiedPart::State::agrees: text += "agrees with " + part.table; break;
        case VerifiedPart::State::differs: text += "differs from " + part.table; break;
        case VerifiedPart::State::broken: text += "cannot be measured: " + measured.trouble; break;
        case VerifiedPart::State::unknown:
            text += "unknown: " + (part.add.empty() ? part.table + " has too little data" : part.add);
            break;
    }
    text += "\n";
    for (const FactDifference& one : part.differences)
        text +=
            "    " + one.what + ": " + one.text + (one.source.empty() ? "" : " (" + one.source + ")") + "\n";
    for (const FactDifference& one : part.unlisted) text += "    " + one.what + ": " + one.text + "\n";
    return text;
}

Result<std::vector<FoundPart>> named_parts(const Host& host, const std::vector<std::string>& paths) {
    std::vector<FoundPart> found;
    for (const std::string& path : paths) {
        auto more = parts_at(host, path);
        if (!more) return more.trouble();
        for (FoundPart& part : *more)
            if (none_of(found, [&](const FoundPart& seen) { return seen.path == part.path; }))
                found.push_back(std::move(part));
    }
    return found;
}

}  // namespace

int verify_facts(const Settings& settings, const Facts& facts) {
    if (settings.arguments.empty())
        return usage_error(
            "facts", {"--verify", "has no file", "give files or folders: ptxas, libnvrtc.so.12, a toolkit"});
    const auto host = real_host();
    const auto found = named_parts(*host, settings.arguments);
    if (!found) return usage_error("facts", found.trouble());
    using State = VerifiedPart::State;
    std::size_t counts[4] = {};
    Json parts = Json::array();
    std::string text;
    for (const FoundPart& part : *found) {
        const VerifiedPart verified = compare_with_tables(facts, measure_part(*host, facts, part));
        ++counts[static_cast<std::size_t>(verified.state)];
        parts.push(to_json(verified));
        text += text_of(verified);
    }
    const auto count = [&](State state) { return counts[static_cast<std::size_t>(state)]; };
    text += std::to_string(found->size()) + " parts";
    Json summary = Json::object();
    for (State state : {State::agrees, State::differs, State::unknown, State::broken}) {
        summary.set(to_string(state), count(state));
        if (count(state)) text += ", " + std::to_string(count(state)) + " " + to_string(state);
    }
    text += "\n";
    const Verdict verdict = count(State::differs)                          ? Verdict::fail
                            : count(State::unknown) + count(State::broken) ? Verdict::unknown
                                                                           : Verdict::pass;
    const Json payload = Json::object().set("counts", std::move(summary)).set("parts", std::move(parts));
    return deliver_facts(settings, verdict, "verified", payload, text,
                         count(State::differs) ? exit_findings : exit_ok);
}

}  // namespace ptxguard
