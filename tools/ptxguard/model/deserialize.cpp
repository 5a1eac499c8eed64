// A scenario from Json: the mirror of serialize.cpp. A wrong word or number is trouble that names the member;
// what is not there keeps the struct's default.
// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"

#include "model/json_reader.hpp"

namespace ptxguard {
namespace {

void fill(const JsonReader& in, Part& part) {
    in.word("kind", part.kind, part_kind_from);
    in.read("path", part.path);
    in.read("real_path", part.real_path);
    in.read("version", part.version);
    in.read("trouble", part.trouble);
}

void fill(const JsonReader& in, Toolkit& toolkit) {
    in.read("id", toolkit.id);
    in.read("root", toolkit.root);
    in.read("real_root", toolkit.real_root);
    in.word("layout", toolkit.layout, layout_from);
    in.read("names", toolkit.names);
    in.structs<Part>("parts", toolkit.parts, fill);
    in.read("wrappers", toolkit.wrappers);
}

void fill(const JsonReader& in, Selector& selector) {
    in.word("kind", selector.kind, selector_kind_from);
    in.read("name", selector.name);
    in.read("value", selector.value);
    in.read("position", selector.position);
    in.read("toolkit", selector.toolkit);
    in.read("problem", selector.problem);
    in.read("nearest", selector.nearest);
    in.read("decides", selector.decides);
    in.origin("origin", selector.origin);
}

void fill(const JsonReader& in, EnvironmentEntry& entry) {
    in.read("variable", entry.variable);
    in.read("value", entry.value);
    in.read("position", entry.position);
    in.read("problem", entry.problem);
    in.read("nearest", entry.nearest);
    in.origin("origin", entry.origin);
}

void fill(const JsonReader& in, Pick::Loser& loser) {
    in.read("path", loser.path);
    in.read("reason", loser.reason);
    in.read("by", loser.by);
}

void fill(const JsonReader& in, Pick& pick) {
    in.read("consumer", pick.consumer);
    in.read("tool", pick.tool);
    in.read("path", pick.path);
    in.read("toolkit", pick.toolkit);
    in.read("version", pick.version);
    in.read("because", pick.because);
    in.structs<Pick::Loser>("losers", pick.losers, fill);
    in.read("package", pick.package);
    in.read("release", pick.release);
    in.read("setting", pick.setting);
    in.read("when_none", pick.when_none);
    in.read("effect", pick.effect);
    in.read("wants", pick.wants);
    in.read("get", pick.get);
    in.read("gpu_because", pick.gpu_because);
    in.read("follows_path", pick.follows_path);
    in.read("min_arch", pick.min_arch);
    in.read("max_arch", pick.max_arch);
    in.origin("table", pick.table);
}

void fill(const JsonReader& in, JitLibrary& library) {
    in.read("path", library.path);
    in.read("real_path", library.real_path);
    in.read("driver_version", library.driver_version);
}

void fill(const JsonReader& in, CudnnLibrary& library) {
    in.read("name", library.name);
    in.read("path", library.path);
    in.read("version", library.version);
}

void fill(const JsonReader& in, CudnnCopy& copy) {
    in.read("folder", copy.folder);
    in.read("source", copy.source);
    in.read("major", copy.major);
    in.structs<CudnnLibrary>("libraries", copy.libraries, fill);
    in.read("version", copy.version);
    in.read("header", copy.header);
    in.read("package", copy.package);
    in.read("cuda", copy.cuda);
    in.read("missing", copy.missing);
    in.read("loaded_by", copy.loaded_by);
}

void fill(const JsonReader& in, Driver& driver) {
    in.read("id", driver.id);
    in.read("declared", driver.declared);
    in.read("version", driver.version);
    in.read("cuda", driver.cuda);
    in.structs<JitLibrary>("jit", driver.jit, fill);
    in.read("libcuda", driver.libcuda);
    in.read("stub", driver.stub);
    in.read("compat", driver.compat);
    in.read("kernel", driver.kernel);
    in.read("init_error", driver.init_error);
    in.read("trouble", driver.trouble);
    in.origin("origin", driver.origin);
}

void fill(const JsonReader& in, Gpu& gpu) {
    in.read("name", gpu.name);
    in.read("arch", gpu.arch);
    in.read("declared", gpu.declared);
    in.origin("origin", gpu.origin);
}

void fill(const JsonReader& in, BundledTool& tool) {
    in.read("path", tool.path);
    in.read("tool", tool.tool);
    in.read("version", tool.version);
    in.read("used_for", tool.used_for);
}

void fill(const JsonReader& in, Misfit& misfit) {
    in.read("package", misfit.package);
    in.read("other", misfit.other);
    in.origin("package_origin", misfit.package_origin);
    in.origin("other_origin", misfit.other_origin);
    in.read("message", misfit.message);
    in.read("effect", misfit.effect);
    in.read("harm", misfit.harm);
    in.read("wanted", misfit.wanted);
    in.read("fix", misfit.fix);
}

void fill(const JsonReader& in, Disagreement& disagreement) {
    in.read("what", disagreement.what);
    in.read("used", disagreement.used);
    in.read("other", disagreement.other);
    in.origin("used_origin", disagreement.used_origin);
    in.origin("other_origin", disagreement.other_origin);
}

void fill(const JsonReader& in, Expectation& expectation) {
    in.read("framework", expectation.framework);
    in.read("package", expectation.package);
    in.read("version", expectation.version);
    in.read("path", expectation.path);
    in.read("site", expectation.site);
    in.read("how", expectation.how);
    in.read("python", expectation.python);
    in.read("python_because", expectation.python_because);
    in.read("declared", expectation.declared);
    in.read("required", expectation.required);
    in.read("cpu_only", expectation.cpu_only);
    in.read("vendor", expectation.vendor);
    in.read("cuda", expectation.cuda);
    in.read("cudnn", expectation.cudnn);
    in.read("cudnn_from", expectation.cudnn_from);
    in.read("archs", expectation.archs);
    in.read("cxx_abi", expectation.cxx_abi);
    in.read("cxx_standard", expectation.cxx_standard);
    in.structs<BundledTool>("tools", expectation.tools, fill);
    in.read("build_package", expectation.build_package);
    in.read("build_version", expectation.build_version);
    in.read("asks_for", expectation.asks_for);
    in.structs<Misfit>("misfits", expectation.misfits, fill);
    in.structs<Disagreement>("disagreements", expectation.disagreements, fill);
    in.read("published", expectation.published);
    in.read("published_variants", expectation.published_variants);
    in.read("named_package", expectation.named_package);
    in.read("near_releases", expectation.near_releases);
    in.read("other_packages", expectation.other_packages);
    in.read("successor", expectation.successor);
    in.read("trouble", expectation.trouble);
}

void fill(const JsonReader& in, ProbeResult& probe) {
    in.word("kind", probe.kind, probe_kind_from);
    in.word("outcome", probe.outcome, outcome_from);
    in.word("basis", probe.basis, certainty_from);
    in.read("toolkit", probe.toolkit);
    in.read("driver", probe.driver);
    in.read("tool", probe.tool);
    in.read("tool_version", probe.tool_version);
    in.read("target", probe.target);
    in.read("ptx", probe.ptx);
    in.read("accepts_up_to", probe.accepts_up_to);
    in.read("archs", probe.archs);
    in.read("command", probe.command);
    in.read("exit_code", probe.exit_code);
    in.read("timed_out", probe.timed_out);
    in.read("crashed", probe.crashed);
    in.read("words", probe.words);
    in.read("first_error", probe.first_error);
    in.read("culprit", probe.culprit);
    in.read("milliseconds", probe.milliseconds);
    in.read("cached", probe.cached);
}

void fill(const JsonReader& in, HostCompiler& compiler) {
    in.read("path", compiler.path);
    in.read("family", compiler.family);
    in.read("version", compiler.version);
    in.origin("chosen_by", compiler.chosen_by);
    in.read("trouble", compiler.trouble);
    in.read("fitting", compiler.fitting);
}

void fill(const JsonReader& in, Project& project) {
    bool unwanted = false;
    in.read("unwanted", unwanted);
    project.wanted = !unwanted;
    JsonReader archs = in.member("archs");
    archs.read("targets", project.archs.targets);
    archs.read("words", project.archs.words);
    archs.read("text", project.archs.text);
    in.read("archs_text", project.archs_text);
    in.read("cxx_abi", project.cxx_abi);
    in.read("cxx_standard", project.cxx_standard);
    in.read("toolkit", project.toolkit);
    in.read("toolkit_because", project.toolkit_because);
    fill(in.member("host_compiler"), project.host_compiler);
    in.read("nvcc_flags", project.nvcc_flags);
}

void fill(const JsonReader& in, Unreadable& unreadable) {
    in.read("subject", unreadable.subject);
    in.read("why", unreadable.why);
    in.read("named_by_user", unreadable.named_by_user);
    in.origin("origin", unreadable.origin);
}

void fill(const JsonReader& in, Scenario& scenario) {
    in.read("name", scenario.name);
    in.read("witness", scenario.witness);
    in.word("system", scenario.system, system_from);
    in.read("foreign", scenario.foreign);
    in.read("probe_mode", scenario.probe_mode);
    bool search_path_unknown = false;
    in.read("search_path_unknown", search_path_unknown);
    scenario.search_path_known = !search_path_unknown;
    in.structs<Toolkit>("toolkits", scenario.toolkits, fill);
    in.structs<Selector>("selectors", scenario.selectors, fill);
    in.structs<EnvironmentEntry>("entries", scenario.entries, fill);
    in.structs<Pick>("picks", scenario.picks, fill);
    in.structs<Driver>("drivers", scenario.drivers, fill);
    in.structs<Gpu>("gpus", scenario.gpus, fill);
    in.structs<Expectation>("expectations", scenario.expectations, fill);
    fill(in.member("project"), scenario.project);
    in.structs<ProbeResult>("probes", scenario.probes, fill);
    in.read("require", scenario.require);
    in.structs<Unreadable>("unreadable", scenario.unreadable, fill);
    in.structs<BinaryFile>("binaries", scenario.binaries, fill_binary);
    in.structs<LoadTrace>("traces", scenario.traces, fill_trace);
    in.structs<CudnnCopy>("cudnns", scenario.cudnns, fill);
}

template <typename T>
Result<T> from_json(const Json& json, const char* subject) {
    std::optional<Trouble> trouble;
    T value;
    fill(JsonReader(json, subject, trouble), value);
    if (trouble) return *trouble;
    return value;
}

}  // namespace

Result<Scenario> scenario_from_json(const Json& json) { return from_json<Scenario>(json, "scenario"); }
Result<ProbeResult> probe_from_json(const Json& json) { return from_json<ProbeResult>(json, "probe"); }

}  // namespace ptxguard
