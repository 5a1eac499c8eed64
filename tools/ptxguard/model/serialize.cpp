// The structs of a scenario and its findings as Json. Binaries and load traces are in serialize_binary.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"

#include "model/json_members.hpp"

namespace ptxguard {
Json to_json(const Part& part) {
    return Members()
        .text("kind", to_string(part.kind))
        .text("path", part.path)
        .text("real_path", part.real_path)
        .known("version", part.version)
        .text("trouble", part.trouble)
        .take();
}

Json to_json(const Pick::Loser& loser) {
    return Members().text("path", loser.path).text("reason", loser.reason).text("by", loser.by).take();
}

Json to_json(const JitLibrary& library) {
    return Members()
        .text("path", library.path)
        .text("real_path", library.real_path)
        .known("driver_version", library.driver_version)
        .take();
}

Json to_json(const BundledTool& tool) {
    return Members()
        .text("path", tool.path)
        .text("tool", tool.tool)
        .known("version", tool.version)
        .text("used_for", tool.used_for)
        .take();
}

Json to_json(const HostCompiler& compiler) {
    return Members()
        .text("path", compiler.path)
        .text("family", compiler.family)
        .known("version", compiler.version)
        .json("chosen_by", to_json(compiler.chosen_by))
        .text("trouble", compiler.trouble)
        .values("fitting", compiler.fitting)
        .take();
}

Json to_json(const EnvironmentEntry& entry) {
    return Members()
        .text("variable", entry.variable)
        .text("value", entry.value)
        .number("position", entry.position)
        .text("problem", entry.problem)
        .text("nearest", entry.nearest)
        .json("origin", to_json(entry.origin))
        .take();
}

Json to_json(const Unreadable& unreadable) {
    return Members()
        .text("subject", unreadable.subject)
        .text("why", unreadable.why)
        .flag("named_by_user", unreadable.named_by_user)
        .json("origin", to_json(unreadable.origin))
        .take();
}

Json to_json(const Evidence& evidence) {
    return Json::object()
        .set("what", evidence.what)
        .set("value", evidence.value)
        .set("origin", to_json(evidence.origin));
}

Json to_json(const Fix& fix) { return Json::object().set("kind", to_string(fix.kind)).set("text", fix.text); }

Json to_json(const Origin& origin) {
    if (origin.kind == OriginKind::none && origin.text.empty()) return Json::object();
    return Members()
        .text("kind", to_string(origin.kind))
        .text("path", origin.path)
        .number("line", origin.line)
        .number("column", origin.column)
        .text("variable", origin.variable)
        .text("command", origin.command)
        .text("certainty", to_string(origin.certainty))
        .text("text", origin.for_people())
        .take();
}

Json to_json(const Finding& finding) {
    Json json = Json::object();
    json.set("code", finding.code).set("name", finding.name).set("level", to_string(finding.level));
    json.set("subject", finding.subject).set("message", finding.message).set("scenario", finding.scenario);
    json.set("found", whole_array(finding.found)).set("expected", whole_array(finding.expected));
    json.set("because", finding.because).set("fix", whole_array(finding.fix));
    json.set("decide", value_json(finding.decide));
    Json location;
    if (finding.location)
        location = Members()
                       .text("file", finding.location->file)
                       .number("line", finding.location->line)
                       .number("column", finding.location->column)
                       .take();
    json.set("location", std::move(location));
    if (finding.required) json.set("required", true);
    json.set("suppressed", finding.suppressed ? Json(*finding.suppressed) : Json());
    return json;
}

Json to_json(const Toolkit& toolkit) {
    return Members()
        .text("id", toolkit.id)
        .text("root", toolkit.root)
        .text("real_root", toolkit.real_root)
        .text("layout", to_string(toolkit.layout))
        .values("names", toolkit.names)
        .structs("parts", toolkit.parts)
        .values("wrappers", toolkit.wrappers)
        .take();
}

Json to_json(const Selector& selector) {
    return Members()
        .text("kind", to_string(selector.kind))
        .text("name", selector.name)
        .text("value", selector.value)
        .number("position", selector.position)
        .text("toolkit", selector.toolkit)
        .text("problem", selector.problem)
        .text("nearest", selector.nearest)
        .flag("decides", selector.decides)
        .json("origin", to_json(selector.origin))
        .take();
}

Json to_json(const Pick& pick) {
    return Members()
        .text("consumer", pick.consumer)
        .text("tool", pick.tool)
        .text("path", pick.path)
        .text("toolkit", pick.toolkit)
        .known("version", pick.version)
        .text("because", pick.because)
        .structs("losers", pick.losers)
        .text("package", pick.package)
        .known("release", pick.release)
        .text("setting", pick.setting)
        .text("when_none", pick.when_none)
        .text("effect", pick.effect)
        .text("wants", pick.wants)
        .text("get", pick.get)
        .text("gpu_because", pick.gpu_because)
        .flag("follows_path", pick.follows_path)
        .optional("min_arch", pick.min_arch)
        .optional("max_arch", pick.max_arch)
        .json("table", to_json(pick.table))
        .take();
}

Json to_json(const CudnnLibrary& library) {
    return Members()
        .text("name", library.name)
        .text("path", library.path)
        .known("version", library.version)
        .take();
}

Json to_json(const CudnnCopy& copy) {
    return Members()
        .text("folder", copy.folder)
        .text("source", copy.source)
        .number("major", copy.major)
        .structs("libraries", copy.libraries)
        .known("version", copy.version)
        .known("header", copy.header)
        .known("package", copy.package)
        .known("cuda", copy.cuda)
        .values("missing", copy.missing)
        .values("loaded_by", copy.loaded_by)
        .take();
}

Json to_json(const Driver& driver) {
    return Members()
        .text("id", driver.id)
        .flag("declared", driver.declared)
        .known("version", driver.version)
        .known("cuda", driver.cuda)
        .structs("jit", driver.jit)
        .text("libcuda", driver.libcuda)
        .flag("stub", driver.stub)
        .flag("compat", driver.compat)
        .known("kernel", driver.kernel)
        .number("init_error", driver.init_error)
        .text("trouble", driver.trouble)
        .json("origin", to_json(driver.origin))
        .take();
}

Json to_json(const Gpu& gpu) {
    return Members()
        .text("name", gpu.name)
        .known("arch", gpu.arch)
        .flag("declared", gpu.declared)
        .json("origin", to_json(gpu.origin))
        .take();
}

Json to_json(const Misfit& misfit) {
    return Members()
        .text("package", misfit.package)
        .text("other", misfit.other)
        .json("package_origin", to_json(misfit.package_origin))
        .json("other_origin", to_json(misfit.other_origin))
        .text("message", misfit.message)
        .text("effect", misfit.effect)
        .text("harm", misfit.harm)
        .text("wanted", misfit.wanted)
        .text("fix", misfit.fix)
        .take();
}

Json to_json(const Disagreement& disagreement) {
    return Members()
        .text("what", disagreement.what)
        .text("used", disagreement.used)
        .text("other", disagreement.other)
        .json("used_origin", to_json(disagreement.used_origin))
        .json("other_origin", to_json(disagreement.other_origin))
        .take();
}

Json to_json(const Expectation& expectation) {
    return Members()
        .text("framework", expectation.framework)
        .text("package", expectation.package)
        .known("version", expectation.version)
        .text("path", expectation.path)
        .text("site", expectation.site)
        .text("how", expectation.how)
        .text("python", expectation.python)
        .text("python_because", expectation.python_because)
        .flag("declared", expectation.declared)
        .flag("required", expectation.required)
        .known("cpu_only", expectation.cpu_only)
        .known("vendor", expectation.vendor)
        .known("cuda", expectation.cuda)
        .known("cudnn", expectation.cudnn)
        .known("cudnn_from", expectation.cudnn_from)
        .known("archs", expectation.archs)
        .known("cxx_abi", expectation.cxx_abi)
        .known("cxx_standard", expectation.cxx_standard)
        .structs("tools", expectation.tools)
        .text("build_package", expectation.build_package)
        .known("build_version", expectation.build_version)
        .values("asks_for", expectation.asks_for)
        .structs("misfits", expectation.misfits)
        .structs("disagreements", expectation.disagreements)
        .known("published", expectation.published)
        .values("published_variants", expectation.published_variants)
        .text("named_package", expectation.named_package)
        .values("near_releases", expectation.near_releases)
        .values("other_packages", expectation.other_packages)
        .text("successor", expectation.successor)
        .text("trouble", expectation.trouble)
        .take();
}

Json to_json(const ProbeResult& probe) {
    Json milliseconds;
    if (probe.milliseconds > 0)
        milliseconds = static_cast<double>(static_cast<std::int64_t>(probe.milliseconds * 10)) / 10;
    return Members()
        .text("kind", to_string(probe.kind))
        .text("outcome", to_string(probe.outcome))
        .text("basis", to_string(probe.basis))
        .text("toolkit", probe.toolkit)
        .text("driver", probe.driver)
        .text("tool", probe.tool)
        .optional("tool_version", probe.tool_version)
        .optional("target", probe.target)
        .optional("ptx", probe.ptx)
        .optional("accepts_up_to", probe.accepts_up_to)
        .values("archs", probe.archs)
        .text("command", probe.command)
        .number("exit_code", probe.exit_code)
        .flag("timed_out", probe.timed_out)
        .flag("crashed", probe.crashed)
        .text("words", probe.words)
        .text("first_error", probe.first_error)
        .text("culprit", probe.culprit)
        .json("milliseconds", milliseconds)
        .flag("cached", probe.cached)
        .take();
}

Json to_json(const Project& project) {
    Json archs;
    if (!project.archs.targets.empty() || !project.archs.words.empty())
        archs = Members()
                    .values("targets", project.archs.targets)
                    .values("words", project.archs.words)
                    .text("text", project.archs.text)
                    .take();
    return Members()
        .flag("unwanted", !project.wanted)
        .json("archs", archs)
        .known("archs_text", project.archs_text)
        .known("cxx_abi", project.cxx_abi)
        .known("cxx_standard", project.cxx_standard)
        .text("toolkit", project.toolkit)
        .text("toolkit_because", project.toolkit_because)
        .json("host_compiler", to_json(project.host_compiler))
        .known("nvcc_flags", project.nvcc_flags)
        .take();
}

Json to_json(const Scenario& scenario) {
    return Members()
        .text("name", scenario.name)
        .text("witness", scenario.witness)
        .text("system", to_string(scenario.system))
        .flag("foreign", scenario.foreign)
        .text("probe_mode", scenario.probe_mode)
        .flag("search_path_unknown", !scenario.search_path_known)
        .structs("toolkits", scenario.toolkits)
        .structs("selectors", scenario.selectors)
        .structs("entries", scenario.entries)
        .structs("picks", scenario.picks)
        .structs("drivers", scenario.drivers)
        .structs("gpus", scenario.gpus)
        .structs("expectations", scenario.expectations)
        .json("project", to_json(scenario.project))
        .structs("probes", scenario.probes)
        .values("require", scenario.require)
        .structs("unreadable", scenario.unreadable)
        .structs("binaries", scenario.binaries)
        .structs("traces", scenario.traces)
        .structs("cudnns", scenario.cudnns)
        .take();
}

}  // namespace ptxguard
