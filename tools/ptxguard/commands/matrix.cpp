// `ptxguard matrix [FILE...]`: every producer of PTX, LTO-IR or Tile IR against every consumer of it, each
// pair really compiled. The table is not a verdict: a refusal in it is not a finding, but an unreadable input
// is.
// SPDX-License-Identifier: Apache-2.0

#include "probe/matrix.hpp"
#include "commands/command.hpp"
#include "commands/run.hpp"
#include "discover/compilers.hpp"
#include "formats/version_text.hpp"
#include "host/questions.hpp"
#include "inspect/inspect.hpp"
#include "model/ranges.hpp"
#include "runtime/machine.hpp"

namespace ptxguard {
namespace {

// The files on the command line: tools by their names; all others are searched for code.
struct NamedFiles {
    CompilerSearch search;
    std::vector<std::string> others;
};

NamedFiles sort_files(const Host& host, const Settings& settings, Request& request) {
    NamedFiles named;
    for (const std::string& path : named_files(host, settings)) {
        switch (tool_file(path)) {
            case ToolFile::none: named.others.push_back(path); break;
            case ToolFile::nvcc: request.toolkits.push_back(path); break;
            case ToolFile::driver_jit: request.driver_libs.push_back(path); break;
            default: named.search.tools.push_back(path);
        }
    }
    return named;
}

std::string sentence(const Trouble& trouble) {
    return trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
}

void add_file(const Host& host, const Facts& facts, const std::string& path, Scenario& scenario,
              Matrix& matrix) {
    if (is_folder(host, path)) {
        scenario.unreadable.push_back(
            {path, "is a folder: name a toolkit with --toolkit, a driver's libraries with --driver-libs",
             true, Origin::from_file(path)});
        return;
    }
    auto texts = ptx_texts(host, facts, path);
    if (!texts) {
        scenario.unreadable.push_back({path, sentence(texts.trouble()), true, Origin::from_file(path)});
        return;
    }
    if (texts->empty())
        matrix.remarks.push_back(path + " contains no PTX, so nothing in it has to be compiled");
    for (const EntryKind code : {EntryKind::ptx, EntryKind::ltoir, EntryKind::tileir}) {
        Producer producer;
        for (PtxText& text : *texts)
            if (text.code == code) producer.texts.push_back(std::move(text));
        if (producer.texts.empty()) continue;
        producer.id = "producer" + std::to_string(matrix.producers.size() + 1);
        producer.path = path;
        producer.code = code;
        const bool bare =
            code == EntryKind::ptx && texts->size() == 1 && producer.texts.front().where.empty();
        producer.kind = bare ? ProducerKind::ptx_file : ProducerKind::binary;
        matrix.producers.push_back(std::move(producer));
    }
}

void say_what_is_missing(Matrix& matrix) {
    if (matrix.producers.empty())
        matrix.remarks.push_back(
            "no producer of PTX was found: give --toolkit DIR, a PTX file or a binary that holds PTX");
    if (matrix.consumers.empty())
        matrix.remarks.push_back(
            "no consumer of PTX was found: give --toolkit DIR, --driver 550.54.14, --driver-libs DIR or a "
            "ptxas");
}

// If a toolkit is named, the question is about its compilers, and with a driver about that driver.
void skip_what_is_not_named(const Settings& settings, CompilerSearch& search) {
    const bool all = settings.has("only-named");
    search.only_named = all || settings.has("toolkit");
    search.only_named_drivers = all || settings.has("driver") || settings.has("driver-libs");
}

Report make_matrix(const Run& run, const Settings& settings) {
    const Host& host = *run.host;
    const Facts& facts = run.facts;
    Asker ask(host, cache_folder(settings));
    show_counts(run, ask);
    Report report;
    report.matrix.emplace();
    Matrix& matrix = *report.matrix;
    Request request = request_for(host, settings);
    NamedFiles named = sort_files(host, settings, request);
    skip_what_is_not_named(settings, named.search);
    request.only_named = named.search.only_named;

    Scenario scenario;
    scenario.name = settings.has("root") ? settings.one("root") : "this machine";
    describe_host(host, scenario);
    scenario.probe_mode = request.probe_mode;
    named.search.scan = scenario.foreign || request.probe_mode == ProbeMode::off;
    // Frameworks are not inputs, so unreadable ones are not reported.
    find_machine(ask, facts, request, scenario);
    add_unusable_toolkits(scenario);
    discover_compilers(host, request, named.search, scenario, matrix);
    for (const std::string& path : named.others) add_file(host, facts, path, scenario, matrix);
    say_what_is_missing(matrix);

    ProbeOptions probes;
    probes.mode = request.probe_mode;
    fill_matrix(ask, facts, probes, scenario, matrix);

    // Only the inputs are checked.
    Scenario inputs = scenario_of_files(host, settings);
    inputs.name = scenario.name;
    inputs.unreadable = std::move(scenario.unreadable);
    report.scenarios.push_back(std::move(inputs));
    return report;
}

}  // namespace

int run_matrix(const Settings& settings) {
    const auto names = [&](const char* option) { return settings.has(option); };
    static const char* const k_inputs[] = {"toolkit", "driver", "driver-libs"};
    if (names("only-named") && settings.arguments.empty() && none_of(k_inputs, names))
        return usage_error("matrix", {"--only-named", "needs something named",
                                      "a file, --toolkit DIR, --driver 550.54.14 or --driver-libs DIR"});
    auto run = prepare_run(settings);
    if (!run) return usage_error("matrix", run.trouble());
    run->progress->say("compiling for each target");
    return finish_run("matrix", *run, settings, make_matrix(*run, settings));
}

}  // namespace ptxguard
