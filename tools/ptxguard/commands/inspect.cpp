// `ptxguard inspect FILE...`: the device code in binaries, and whether the named GPUs would run it. Only
// reads the files; runs and loads nothing except the compilers of --compile.
// SPDX-License-Identifier: Apache-2.0
#include "inspect/inspect.hpp"

#include <utility>

#include "commands/command.hpp"
#include "commands/run.hpp"
#include "discover/compilers.hpp"
#include "discover/discover.hpp"
#include "judge/loading_questions.hpp"
#include "model/ranges.hpp"
#include "probe/compile_texts.hpp"

namespace ptxguard {
namespace {

std::string driver_name(const Driver& driver) {
    if (driver.version) return "driver " + driver.version->text;
    return driver.cuda ? "a driver of CUDA " + driver.cuda->text : driver.id;
}

// One answer per GPU, or per GPU and driver if several drivers are named.
void ask_gpus(BinaryFile& file, const Scenario& scenario, const Facts& facts) {
    for (const Gpu& gpu : scenario.gpus) {
        if (scenario.drivers.empty()) file.runs_on.push_back(runs_on(file, gpu, nullptr, scenario, facts));
        for (const Driver& driver : scenario.drivers) {
            RunsOn answer = runs_on(file, gpu, &driver, scenario, facts);
            if (scenario.drivers.size() > 1) answer.gpu += ", " + driver_name(driver);
            file.runs_on.push_back(std::move(answer));
        }
    }
}

void extract_code(const Host& host, const Settings& settings, const std::vector<std::string>& paths,
                  Scenario& scenario) {
    if (!settings.has("extract")) return;
    const std::string sm = settings.one("extract"), folder = settings.one("to");
    Extracted so_far;
    for (const std::string& path : paths) {
        auto written = extract(host, path, sm, folder, so_far);
        if (!written) {
            const Trouble trouble = written.trouble();
            const std::string why = trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
            scenario.unreadable.push_back(
                {"--extract: " + trouble.subject, why, true, Origin::from_option("--extract")});
            continue;
        }
        for (BinaryFile& file : scenario.binaries)
            if (file.path == path)
                file.remarks.push_back("code for " + sm + ": " + std::to_string(written->size()) +
                                       " files in " + folder);
    }
}

// The toolkits of --toolkit: their nvJitLink links the files' LTO-IR, their ptxas compiles the PTX.
Scenario toolkits_aside(const Asker& ask, const Facts& facts, const Settings& settings, Scenario& scenario) {
    Request request = request_for(ask.host(), settings);
    request.only_named = true;
    Scenario aside;
    describe_host(ask.host(), aside);
    aside.drivers = scenario.drivers;
    discover_toolkits(ask, facts, request, aside);
    add_unusable_toolkits(aside);
    append(scenario.unreadable, aside.unreadable);
    if (!settings.has("compile")) scenario.toolkits = aside.toolkits;
    return aside;
}

EntryKind kind_of(const CodeToCompile& one) { return one.code.code; }
EntryKind kind_of(const CompiledCode& one) { return one.code; }

void remark_on(const CodeOfFile& code, BinaryFile& file) {
    const auto say = [&file](std::size_t count, const char* what) {
        if (count != 0) file.remarks.push_back(std::to_string(count) + what);
    };
    say(code.left_out, " more texts were not compiled");
    say(code.unlinked, " PTX texts are still to be linked (-rdc=true) and were not compiled");
    say(code.without_target, " entries name no architecture and were not compiled: --gpu names one");
    if (!code.trouble.empty()) file.remarks.push_back("code that was not compiled: " + code.trouble);
    for (const auto& [kind, what] :
         {std::pair{EntryKind::ltoir, "LTO-IR was not linked: no nvJitLink in --toolkit"},
          std::pair{EntryKind::tileir, "Tile IR was not compiled: no tileiras in --toolkit"}}) {
        const auto is_it = [kind = kind](const auto& one) { return kind_of(one) == kind; };
        if (any_of(code.texts, is_it) && none_of(file.compiled, is_it)) file.remarks.push_back(what);
    }
}

// Compiles the code that the GPUs have to run, with each named driver's JIT compiler and the compilers of
// each named toolkit.
void compile_code(const Asker& ask, const Facts& facts, const Settings& settings, Scenario aside,
                  Scenario& scenario) {
    constexpr std::size_t k_most_texts = 512;
    constexpr std::chrono::seconds k_limit{120};
    const Host& host = ask.host();
    const Request request = request_for(host, settings);
    CompilerSearch search;
    search.only_named = search.only_named_drivers = true;
    Matrix matrix;
    discover_compilers(host, request, search, aside, matrix);
    TextCompiler compiler(ask, facts, scenario, std::move(matrix.consumers), k_limit);
    const std::vector<Arch> gpus = known_archs_of(scenario.gpus);
    for (BinaryFile& file : scenario.binaries) {
        if (!file.container.empty()) continue;
        const CodeOfFile code = code_to_compile(host, facts, file.path, gpus, k_most_texts);
        file.compiled = compiler.compile(code.texts);
        remark_on(code, file);
    }
}

Scenario inspect_files(const Run& run, const Settings& settings) {
    const Host& host = *run.host;
    const Facts& facts = run.facts;
    Scenario scenario = scenario_of_files(host, settings);
    const std::vector<std::string> paths = named_files(host, settings);
    declare_drivers_and_gpus(host, facts, request_for(host, settings), scenario);
    InspectOptions options;
    options.deep = settings.has("deep");
    options.search = true;
    options.counted = [&](std::size_t done, std::size_t all, const std::string& name) {
        run.progress->count(done, all, name);
    };
    inspect(host, facts, paths, options, scenario);
    extract_code(host, settings, paths, scenario);
    Asker ask(host, cache_folder(settings));
    show_counts(run, ask);
    Scenario aside;
    if (settings.has("toolkit") || settings.has("compile"))
        aside = toolkits_aside(ask, facts, settings, scenario);
    if (settings.has("compile")) compile_code(ask, facts, settings, std::move(aside), scenario);
    for (BinaryFile& file : scenario.binaries) {
        if (!scenario.gpus.empty()) file.kinds = fatbin_kinds(file.entries);
        ask_gpus(file, scenario, facts);
    }
    return scenario;
}

}  // namespace

int run_inspect(const Settings& settings) {
    if (settings.arguments.empty())
        return usage_error("inspect", {"FILE", "is missing", "name the binaries to look at"});
    if (settings.has("extract") != settings.has("to"))
        return usage_error("inspect", settings.has("to") ? Trouble{"--to", "needs --extract SM", ""}
                                                         : Trouble{"--extract", "needs --to DIR", ""});
    if (settings.has("compile")) {
        if (!settings.has("driver-libs") && !settings.has("toolkit"))
            return usage_error("inspect",
                               {"--compile", "needs a compiler", "--driver-libs DIR, --toolkit DIR or both"});
        if (settings.has("root")) return usage_error("inspect", {"--compile", "does not go with --root", ""});
    }
    auto run = prepare_run(settings);
    if (!run) return usage_error("inspect", run.trouble());
    if (auto trouble = check_files(*run->host, settings)) return usage_error("inspect", *trouble);
    run->progress->say("reading the files");
    return finish_run("inspect", *run, settings, inspect_files(*run, settings));
}

}  // namespace ptxguard
