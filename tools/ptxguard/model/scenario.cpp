// Look-ups inside a scenario and its members.
// SPDX-License-Identifier: Apache-2.0
#include "model/scenario.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/file_names.hpp"
#include "model/loading.hpp"
#include "model/matrix.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

const Part* Toolkit::part(PartKind kind) const {
    return first_where(parts, [&](const Part& one) { return one.kind == kind; });
}

const Version* Toolkit::version() const {
    for (PartKind kind : {PartKind::nvcc, PartKind::ptxas, PartKind::runtime_headers}) {
        const Part* one = part(kind);
        if (one && one->version) return &*one->version;
    }
    return nullptr;
}

std::vector<std::string> PythonEnvironment::sites() const {
    std::vector<std::string> folders;
    for (const SitePlace& place : places) folders.push_back(place.folder);
    return folders;
}

Origin ProbeResult::origin() const {
    Origin origin;
    bool by_table = basis == Certainty::predicted;
    origin.kind = by_table                        ? OriginKind::table
                  : kind == ProbeKind::driver_jit ? OriginKind::library
                                                  : OriginKind::command;
    origin.certainty = basis;
    origin.path = tool;
    origin.command = command;
    return origin;
}

std::vector<Arch> known_archs_of(const std::vector<Gpu>& gpus) {
    std::vector<Arch> archs;
    for (const Gpu& gpu : gpus)
        if (gpu.arch) archs.push_back(*gpu.arch);
    return archs;
}

const Toolkit* Scenario::toolkit(const std::string& id) const {
    return first_where(toolkits, [&](const Toolkit& one) { return !id.empty() && one.id == id; });
}

const Expectation* Scenario::framework_of(const LoadTrace& trace) const {
    const Expectation* named = nullptr;
    for (const Expectation& expectation : expectations) {
        if (!trace.traced_for || expectation.framework != trace.framework()) continue;
        if (!expectation.path.empty() && expectation.path == trace.traced_for->framework_folder)
            return &expectation;
        if (!named) named = &expectation;
    }
    return named;
}

bool Scenario::requires_(const std::string& what) const { return contains(require, what); }

namespace {

constexpr std::pair<LoadStep, const char*> k_words[] = {
    {LoadStep::rpath, "DT_RPATH of "},
    {LoadStep::runpath, "DT_RUNPATH of "},
    {LoadStep::ld_library_path, "LD_LIBRARY_PATH"},
    {LoadStep::ld_preload, "LD_PRELOAD"},
    {LoadStep::import, "import of "},
    {LoadStep::call, "call of "},
    {LoadStep::preload, "preload of "},
    {LoadStep::finder, "found by "},
    {LoadStep::path, "PATH"},
    {LoadStep::current_folder, "current folder"},
    {LoadStep::windows, "Windows"},
};

}  // namespace

LoadRule::LoadRule(LoadStep step_, const std::string& of) : step(step_) {
    for (const auto& [known, word] : k_words)
        if (known == step) text = word + of;
}

LoadRule::LoadRule(std::string other)
    : step(other.empty() ? LoadStep::none : LoadStep::other), text(std::move(other)) {}

LoadRule LoadRule::from_text(const std::string& text) {
    for (const auto& [step, word] : k_words)
        if (starts_with(text, word)) return {step, text.substr(std::string_view(word).size())};
    return text;
}

std::string deciding_variable(const LoadRule& rule) {
    switch (rule.step) {
        case LoadStep::ld_library_path: return "LD_LIBRARY_PATH";
        case LoadStep::ld_preload: return "LD_PRELOAD";
        case LoadStep::path: return "PATH";
        default: return {};
    }
}

const std::string& LoadTrace::framework() const {
    static const std::string k_none;
    return traced_for ? traced_for->framework : k_none;
}

const LoadedFile* LoadTrace::library(const std::string& library_name) const {
    return first_where(libraries, [&](const LoadedFile& library) { return library.library == library_name; });
}

namespace {

std::string with_version(const std::string& name, const Known<Version>& version) {
    return version ? name + " " + version->text : name;
}

}  // namespace

bool takes(ConsumerKind consumer, EntryKind code) {
    if (code == EntryKind::ltoir) return consumer == ConsumerKind::nvjitlink;
    if (code != EntryKind::tileir) return consumer != ConsumerKind::tileiras;
    return consumer == ConsumerKind::tileiras || consumer == ConsumerKind::driver ||
           consumer == ConsumerKind::driver_jit;
}

std::string name_of(const Producer& producer) {
    switch (producer.kind) {
        case ProducerKind::nvrtc:
            return with_version("NVRTC", producer.version) +
                   (producer.code == EntryKind::ltoir ? " -dlto" : "");
        case ProducerKind::libnvvm: return with_version("libNVVM", producer.version);
        case ProducerKind::triton: return with_version("Triton", producer.version);
        case ProducerKind::ptx_file:
        case ProducerKind::binary: return file_of(producer.path);
        default: return with_version(to_string(producer.kind), producer.version);
    }
}

std::string name_of(const Consumer& consumer) {
    if (consumer.kind == ConsumerKind::nvjitlink) return with_version("nvJitLink", consumer.version);
    if (consumer.kind == ConsumerKind::ptxas || consumer.kind == ConsumerKind::tileiras) {
        std::string name = file_of(consumer.path);
        if (name.size() > 4 && name.compare(name.size() - 4, 4, ".exe") == 0) name.resize(name.size() - 4);
        return with_version(name, consumer.version);
    }
    if (consumer.kind == ConsumerKind::gpu)
        return with_version(consumer.gpu.name + ", driver", consumer.version);
    if (!consumer.version && consumer.driver.cuda) return "driver of CUDA " + consumer.driver.cuda->text;
    return with_version("driver", consumer.version);
}

std::optional<Version> RecipePin::cuda_of_build() const {
    std::size_t at = build.find("cuda");
    if (at == npos) return std::nullopt;
    at += 4;
    if (at < build.size() && build[at] == '_') ++at;
    const std::string number =
        build.substr(at, std::min(build.find_first_not_of("0123456789.", at), build.size()) - at);
    return number.find('.') == npos ? cuda_of_tag("cu" + number) : parse_version(number);
}

}  // namespace ptxguard
