// The order of work: which toolkits are measured and which predicted; then each driver compiles their PTX.
// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.hpp"

#include <algorithm>
#include <deque>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "probe/compile.hpp"
#include "probe/measure.hpp"
#include "probe/predict.hpp"
#include "probe/ptx_source.hpp"
#include "probe/reading.hpp"

namespace ptxguard {
namespace {

// The build's toolkit first: its results complete the project's architectures.
std::vector<Toolkit*> toolkits_to_probe(const ProbeOptions& options, Scenario& scenario) {
    std::vector<Toolkit*> chosen;
    for (Toolkit& toolkit : scenario.toolkits) {
        if (toolkit.id == scenario.project.toolkit && scenario.project.wanted)
            chosen.insert(chosen.begin(), &toolkit);
        else if (options.mode == ProbeMode::full)
            chosen.push_back(&toolkit);
    }
    return chosen;
}

void predict_into(const Facts& facts, Scenario& scenario, const Toolkit& toolkit) {
    if (toolkit.id == scenario.project.toolkit) {
        const Part* nvcc = toolkit.part(PartKind::nvcc);
        const CudaRelease* row = nvcc && nvcc->version ? facts.cuda(*nvcc->version) : nullptr;
        if (row) resolve_words(scenario.project.archs, row->ptxas_archs, known_archs_of(scenario.gpus));
    }
    append(scenario.probes, predict_toolkit(facts, scenario, toolkit));
}

// PTX that toolkits write or would write, by measurements and tables.
std::vector<ProbeResult> ptx_made(const Scenario& scenario) {
    std::vector<ProbeResult> made;
    for (const ProbeResult& result : scenario.probes) {
        if (result.kind == ProbeKind::ptx && result.outcome == Outcome::accepted && result.ptx)
            made.push_back(result);
    }
    return made;
}

// Real PTX if there is any. Otherwise the smallest one of each version that the tables predict; without even
// that, only the newest version that the driver accepts is measured.
std::vector<PtxSample> samples_for_drivers(const Scenario& scenario, std::vector<PtxSample> measured) {
    for (const ProbeResult& made : ptx_made(scenario)) {
        if (made.basis != Certainty::predicted) continue;
        const Arch arch = made.target.value_or(Arch{75, 0});
        PtxSample sample;
        sample.text = minimal_ptx(*made.ptx, arch);
        sample.toolkit = made.toolkit;
        sample.target = made.target;
        sample.version = made.ptx;
        sample.archs = archs_to_compile_for(arch, scenario.gpus);
        measured.push_back(sample);
    }
    if (measured.empty()) measured.emplace_back();
    return measured;
}

// Each distinct JIT library of a driver, as a consumer.
std::vector<Consumer> jit_libraries(const Driver& driver) {
    std::vector<Consumer> libraries;
    for (const JitLibrary& library : driver.jit) {
        const bool seen = any_of(libraries, [&](const Consumer& one) {
            const JitLibrary& other = one.driver.jit.front();
            return other.path == library.path ||
                   (!library.real_path.empty() && other.real_path == library.real_path);
        });
        if (seen) continue;
        Consumer consumer;
        consumer.kind = ConsumerKind::driver_jit;
        consumer.path = library.path;
        consumer.driver = driver;
        consumer.driver.jit = {library};
        libraries.push_back(std::move(consumer));
    }
    return libraries;
}

std::vector<ProbeResult> ask_drivers(const Asker& ask, const Scenario& scenario,
                                     const std::vector<PtxSample>& samples, const ProbeOptions& options) {
    // Compiling the sample takes about 50 ms.
    Readings readings(ask, std::min(options.time_limit, std::chrono::milliseconds(20000)));
    std::deque<Consumer> libraries;
    std::vector<const Reading*> all;
    for (const Driver& driver : scenario.drivers)
        for (Consumer& library : jit_libraries(driver)) {
            libraries.push_back(std::move(library));
            for (const PtxSample& sample : samples) all.push_back(readings.add(libraries.back(), sample));
        }
    readings.run();
    std::vector<ProbeResult> results;
    for (const Reading* reading : all) append(results, reading->results);
    return results;
}

// Two targets that a driver does not support give the same result for the version.
bool said_before(const std::vector<ProbeResult>& results, const ProbeResult& next) {
    return !next.target && next.ptx && any_of(results, [&](const ProbeResult& one) {
        return one.kind == next.kind && !one.target && one.driver == next.driver && one.tool == next.tool &&
               one.ptx == next.ptx && one.toolkit == next.toolkit;
    });
}

// Measured with a JIT library that works, otherwise predicted from the table.
void probe_drivers(const Asker& ask, const Facts& facts, const ProbeOptions& options, bool may_run,
                   const std::vector<PtxSample>& measured, Scenario& scenario) {
    const std::vector<ProbeResult> made = ptx_made(scenario);
    const std::vector<PtxSample> samples = samples_for_drivers(scenario, measured);
    std::vector<ProbeResult> results;
    if (may_run) results = ask_drivers(ask, scenario, samples, options);
    for (const Driver& driver : scenario.drivers) {
        if (driver.stub && driver.jit.empty()) continue;  // not a driver; another rule reports it
        bool answered = false;
        for (const ProbeResult& result : results) {
            if (result.driver != driver.id) continue;
            if (!said_before(scenario.probes, result)) scenario.probes.push_back(result);
            answered = answered || result.accepts_up_to;
        }
        if (!answered) append(scenario.probes, predict_driver(facts, driver, made));
    }
}

}  // namespace

void probe(const Asker& ask, const Facts& facts, const ProbeOptions& options, Scenario& scenario) {
    const bool may_run = options.mode != ProbeMode::off && !scenario.foreign && !ask.host().foreign();
    scenario.probe_mode = options.mode;
    std::vector<PtxSample> samples;
    for (Toolkit* toolkit : toolkits_to_probe(options, scenario)) {
        if (!may_run || !toolkit->part(PartKind::nvcc)) {
            std::vector<ProbeResult> asked;
            if (may_run) asked = measure_assembler(ask, options, scenario, *toolkit);
            append(scenario.probes, asked);
            if (asked.empty()) predict_into(facts, scenario, *toolkit);
            continue;
        }
        if (!options.flags.empty())
            if (auto refusal = measure_flags(ask, options, scenario, *toolkit))
                scenario.probes.push_back(*refusal);
        if (options.architectures_only) {
            append(scenario.probes, measure_architectures(ask, options, scenario, *toolkit));
            continue;
        }
        Measured measured = measure_toolkit(ask, options, scenario, *toolkit);
        append(scenario.probes, measured.results);
        append(samples, measured.samples);
    }
    probe_drivers(ask, facts, options, may_run, samples, scenario);
}

// Parses the output of nvcc: architecture lists, PTX headers, dependency files.

std::optional<Arch> dry_arch(std::string_view lines) {
    std::optional<Arch> only;
    std::string_view before;
    for (const std::string& word : split(lines, " \t\r\n")) {
        if (before == "-arch" || before == "--arch") {
            const std::optional<Arch> arch = parse_arch(word);
            if (!arch || (only && !(*only == *arch))) return std::nullopt;
            only = arch;
        }
        before = word;
    }
    return only;
}

std::vector<Arch> listed_archs(std::string_view text) {
    std::vector<Arch> archs;
    for (const std::string& word : split(text, " \t\r\n,;'\"[]().<>|=")) {
        if (!starts_with(word, "sm_")) continue;
        auto arch = parse_arch(word);
        if (arch && !contains(archs, *arch)) archs.push_back(*arch);
    }
    std::sort(archs.begin(), archs.end());
    return archs;
}

PtxHead read_ptx_head(std::string_view ptx) {
    PtxHead head;
    for (std::size_t at = 0; at < ptx.size() && !head.target;) {
        std::size_t end = std::min(ptx.find('\n', at), ptx.size());
        std::string line = trim(ptx.substr(at, end - at));
        at = end + 1;
        bool says = false;
        if (starts_with(line, "//") && line.find("compilation tools") != std::string::npos) {
            head.compiler = find_version(line, ", V");
            says = true;
        } else if (starts_with(line, ".version")) {
            head.version = parse_ptx_version(trim(std::string_view(line).substr(8)));
            says = true;
        } else if (starts_with(line, ".target")) {
            std::vector<std::string> words = split(std::string_view(line).substr(7), " \t,");
            if (!words.empty()) head.target = parse_arch(words.front());
            says = true;
            if (!head.target) break;  // stop here: kernels follow
        }
        if (says) head.words += line + "\n";
    }
    return head;
}

namespace {

// Make's escapes: "\ " and "\#" in names, "$$", a backslash at the end of a line.
std::vector<std::string> dependency_words(std::string_view text) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (c == '\\' && (next == ' ' || next == '#')) {
            words.back() += next;
            ++i;
        } else if (c == '\\' && (next == '\n' || next == '\r')) {
            words.emplace_back();
        } else if (c == '$' && next == '$') {
            words.back() += '$';
            ++i;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    erase_if(words, [](const std::string& word) { return word.empty(); });
    return words;
}

}  // namespace

std::vector<std::string> headers_of(std::string_view dependencies, System system) {
    std::vector<std::string> headers;
    for (const std::string& word : dependency_words(dependencies)) {
        if (!is_absolute(word, system) || word.back() == ':') continue;
        headers.push_back(word);
        // cudafe++'s output includes these, but no dependency list contains them, and a working nvcc breaks
        // if only the first one is replaced.
        if (!ends_with(word, "crt/host_config.h")) continue;
        for (const char* hidden :
             {"crt/host_runtime.h", "crt/func_macro.h", "crt/storage_class.h", "fatbinary_section.h"})
            headers.push_back(join_path(parent_path(parent_path(word)), hidden));
    }
    std::sort(headers.begin(), headers.end());
    headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
    return headers;
}

}  // namespace ptxguard
