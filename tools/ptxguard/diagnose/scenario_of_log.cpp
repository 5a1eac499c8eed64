// SPDX-License-Identifier: Apache-2.0
#include "diagnose/scenario_of_log.hpp"

#include <algorithm>

#include "diagnose/library_releases.hpp"
#include "diagnose/refine.hpp"
#include "diagnose/values.hpp"
#include "expect/declared.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

void add_driver(const std::string& log, const LogValues& values, const Facts& facts, Scenario& scenario) {
    const auto version = values.find("driver"), cuda = values.find("driver_cuda");
    if (version == values.end() && cuda == values.end()) return;
    Driver driver;
    driver.id = "driver1";
    const auto& named = version != values.end() ? version : cuda;
    driver.origin = from_log(log, named->second.line);
    if (version != values.end())
        if (const auto parsed = parse_version(version->second.text)) {
            driver.version = {*parsed, driver.origin};
            if (const DriverBranch* branch = facts.driver_branch(*parsed); branch && branch->cuda)
                driver.cuda = {*branch->cuda, branch->origin};
        }
    if (cuda != values.end())
        if (const auto parsed = parse_version(cuda->second.text))
            driver.cuda = {*parsed, from_log(log, cuda->second.line)};
    if (driver.version || driver.cuda) scenario.drivers.push_back(std::move(driver));
}

void add_gpu(const std::string& log, const LogValues& values, const Facts& facts, Scenario& scenario) {
    const auto name = values.find("gpu"), arch = values.find("arch_of_gpu");
    if (name == values.end() && arch == values.end()) return;
    Gpu gpu;
    const auto& named = name != values.end() ? name : arch;
    gpu.name = named->second.text;
    gpu.origin = from_log(log, named->second.line);
    if (name != values.end()) gpu.arch = facts.gpu_by_name(name->second.text);
    if (arch != values.end())
        if (const auto parsed = parse_arch(arch->second.text))
            gpu.arch = {*parsed, from_log(log, arch->second.line)};
    if (gpu.arch) scenario.gpus.push_back(std::move(gpu));
}

// "12.1" -> "+cu121", for a release that was printed without its build.
std::string build_of(const LogValues& values, const std::string& version) {
    const auto cuda = values.find("torch_cuda");
    const auto parsed = cuda == values.end() ? std::nullopt : parse_version(cuda->second.text);
    if (!parsed || version.find('+') != std::string::npos) return "";
    return "+cu" + std::to_string(parsed->major()) + std::to_string(parsed->minor());
}

void add_frameworks(const std::string& log, const LogValues& values, const Facts& facts, Scenario& scenario) {
    for (const char* package : {"torch", "tensorflow", "jaxlib", "onnxruntime"}) {
        const auto version = values.find(package);
        if (version == values.end()) continue;
        const std::string name = std::string(package) == "jaxlib"        ? "jax"
                                 : std::string(package) == "onnxruntime" ? "onnxruntime-gpu"
                                                                         : package;
        const std::string build =
            std::string(package) == "torch" ? build_of(values, version->second.text) : "";
        const auto wanted = parse_framework(name + "==" + version->second.text + build);
        if (!wanted || !wanted->reader) continue;
        Expectation expectation = wanted->reader->declared(facts, scenario.system, wanted->build);
        expectation.version.origin = from_log(log, version->second.line);
        scenario.expectations.push_back(std::move(expectation));
    }
}

// The nvcc that the log names. Nothing else of its toolkit is known.
void add_nvcc(const std::string& log, const LogValues& values, Scenario& scenario) {
    const auto named = values.count("nvcc") ? values.find("nvcc") : values.find("cmake_nvcc");
    const auto version = named == values.end() ? std::nullopt : parse_version(named->second.text);
    if (!version) return;
    Toolkit toolkit;
    toolkit.id = "toolkit1";
    Part nvcc;
    nvcc.kind = PartKind::nvcc;
    nvcc.version = {*version, from_log(log, named->second.line)};
    toolkit.parts.push_back(std::move(nvcc));
    scenario.toolkits.push_back(std::move(toolkit));
}

LogMessage message_of(const std::string& log, const FoundMessage& found, const Suspect& suspect) {
    LogMessage message;
    message.cause = suspect.cause;
    message.origin = from_log(log, found.line);
    message.origin.text = found.text;
    if (suspect.confidence == Confidence::possible) return message;
    if (const std::string* made = found.value("made")) message.made = parse_ptx_version(*made);
    if (const std::string* read = found.value("read")) message.read = parse_ptx_version(*read);
    if (const std::string* arch = found.value("arch")) message.arch = parse_arch(*arch);
    if (const std::string* cuda = found.value("runtime")) message.cuda = parse_version(*cuda);
    const LibraryReleases releases = library_releases(found);
    message.library = releases.library;
    message.loaded = releases.loaded;
    message.built = releases.built;
    return message;
}

// What a message means by its values and by the rest of the log; a library that is not found is cuDNN's by
// its name only.
void add_refined(const std::string& log, const FoundMessage& message, const FoundMessages& all,
                 LogValues values, const Facts& facts, Scenario& scenario) {
    constexpr std::string_view k_judged[] = {"ptx_newer_than_ptxas", "ptx_newer_than_driver",
                                             "arch_unknown_to_nvcc"};
    for (const Suspect& suspect : refined_suspects(message, all, values, facts)) {
        const std::string_view id = suspect.cause;
        const auto library = values.find("library");
        const bool missing = id == "cudnn_missing" && library != values.end();
        if (!missing && !contains(k_judged, id)) continue;
        LogMessage refined = message_of(log, message, suspect);
        if (missing) refined.library = library->second.text;
        scenario.messages.push_back(std::move(refined));
    }
}

// A file or package of cuDNN that the log lists with its whole release.
void add_cudnn_files(const std::string& log, const FoundMessages& found, Scenario& scenario) {
    for (const FoundMessage& one : found.messages) {
        const std::string* text = one.value("cudnn_file");
        const auto release = text ? parse_version(*text) : std::nullopt;
        if (!release || release->numbers.size() < 3) continue;
        LogMessage message;
        message.cause = "cudnn_file";
        message.library = "cuDNN";
        message.loaded = *release;
        if (const std::string* cuda = one.value("cudnn_cuda")) message.cuda = parse_version(*cuda);
        message.origin = from_log(log, one.line);
        message.origin.text = one.text;
        scenario.messages.push_back(std::move(message));
    }
}

bool is_of_windows(const FoundMessages& found) {
    return any_of(found.messages, [](const FoundMessage& one) {
        return lower(one.text).find(".dll") != std::string::npos || one.text.find(":\\") != std::string::npos;
    });
}

}  // namespace

Origin from_log(const std::string& log, std::int64_t line) {
    Origin origin;
    origin.kind = OriginKind::log;
    origin.certainty = Certainty::read;
    origin.path = log;
    origin.line = static_cast<int>(std::min<std::int64_t>(line, 2147483647));
    origin.text = log + ":" + std::to_string(line);
    return origin;
}

Scenario scenario_of_log(const std::string& log, const FoundMessages& found, const Facts& facts) {
    Scenario scenario;
    scenario.name = log;
    scenario.source = SourceKind::log;
    scenario.system = is_of_windows(found) ? System::windows : System::linux_;
    scenario.probe_mode = ProbeMode::off;
    scenario.search_path_known = false;
    scenario.project.wanted = false;
    const LogValues values = values_of_log(found);
    add_driver(log, values, facts, scenario);
    add_gpu(log, values, facts, scenario);
    add_frameworks(log, values, facts, scenario);
    add_nvcc(log, values, scenario);
    for (const FoundMessage& message : found.messages) {
        if (is_statement(*message.message)) continue;  // most of them are said where all is well
        for (const Suspect& suspect : message.message->suspects)
            scenario.messages.push_back(message_of(log, message, suspect));
        add_refined(log, message, found, values_for(message, values, facts), facts, scenario);
    }
    add_cudnn_files(log, found, scenario);
    for (const Trouble& limit : found.limits)
        scenario.unreadable.push_back(
            {limit.subject, limit.what, false, Origin::from_file(log), limit.limit});
    return scenario;
}

}  // namespace ptxguard
