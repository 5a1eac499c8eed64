// What a case need not write: where values come from (as the discovery of a machine would report), and names
// that follow from others. What is written is kept.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "case_facts.hpp"
#include "scenario_from_json.hpp"

using namespace ptxguard;

namespace {

bool is_empty(const Origin& origin) {
    return origin.kind == OriginKind::none && origin.certainty == Certainty::none &&
           origin.for_people().empty();
}

void set_origin(Origin& origin, const Origin& usual) {
    if (is_empty(origin)) origin = usual;
}
template <typename T>
void set_origin(Known<T>& known, const Origin& usual) {
    if (known) set_origin(known.origin, usual);
}
void set_text(std::string& text, const std::string& usual) {
    if (text.empty()) text = usual;
}

Origin text_of_file(const std::string& path, const std::string& text) {
    Origin origin = Origin::from_file(path);
    origin.text = text;
    return origin;
}
Origin option(const std::string& name) {
    Origin origin = Origin::from_option(name);
    origin.text = name;
    return origin;
}
Origin asked(const std::string& program) { return Origin::from_command(program, program + " --version"); }

void complete(Toolkit& toolkit) {
    set_text(toolkit.real_root, toolkit.root);
    if (toolkit.names.empty()) toolkit.names = {toolkit.root};
    for (Part& part : toolkit.parts) {
        set_text(part.real_path, part.path);
        Origin program = asked(part.path);
        program.text = part.path;
        set_origin(part.version, is_program(part.kind) && part.kind != PartKind::cicc
                                     ? program
                                     : text_of_file(part.path, part.path));
    }
}

void complete(Selector& selector) {
    if (selector.kind == SelectorKind::option)
        set_origin(selector.origin, option(selector.name));
    else if (selector.kind == SelectorKind::default_folder || selector.kind == SelectorKind::package)
        set_origin(selector.origin, text_of_file(selector.name, "default folder " + selector.name));
    else
        set_origin(selector.origin,
                   Origin::from_variable(
                       selector.name, selector.position == 0
                                          ? selector.name + "=" + selector.value
                                          : selector.name + " entry " + std::to_string(selector.position)));
}

void complete(Pick& pick) {
    set_origin(pick.version, asked(pick.path));
    if (pick.search)
        set_origin(pick.search->release,
                   Origin::from_file("/site/" + pick.search->package + ".dist-info/METADATA", 3));
}

void complete(Driver& driver) {
    const Origin usual = driver.declared ? option("--driver") : Origin::from_file(driver.libcuda);
    set_origin(driver.origin, usual);
    set_origin(driver.version,
               driver.declared ? usual : text_of_file(driver.libcuda, "file name of " + driver.libcuda));
    set_origin(driver.cuda, usual);
    set_origin(driver.kernel, Origin::from_file("/proc/driver/nvidia/version"));
    for (JitLibrary& jit : driver.jit) set_origin(jit.driver_version, Origin::from_file(jit.path));
}

void complete(Gpu& gpu) {
    const Origin usual = gpu.declared ? option("--gpu") : Origin::from_command("", "nvidia-smi");
    set_origin(gpu.origin, usual);
    set_origin(gpu.arch, usual);
}

void complete(Expectation& expectation) {
    const std::string& package = expectation.package;
    const Origin file = text_of_file(expectation.path + "/version.py", package + "/version.py");
    const Origin usual = expectation.declared ? option("--framework") : file;
    set_origin(expectation.version, usual);
    set_origin(expectation.cuda, usual);
    set_origin(expectation.cudnn,
               expectation.declared ? usual : text_of_file(file.path, "METADATA of " + package));
    set_origin(expectation.cpu_only, usual);
    set_origin(expectation.vendor, usual);
    set_origin(expectation.cudnn_from, usual);
    set_origin(expectation.archs, usual);
    set_origin(expectation.cxx_abi, usual);
    set_origin(expectation.cxx_standard, usual);
    set_origin(expectation.build_version, usual);
    set_origin(expectation.published, usual);
    for (InstalledCompanion& one : expectation.companions)
        for (Known<Version>* version : {&one.version, &one.built_for, &one.cuda})
            set_origin(*version,
                       text_of_file(expectation.site + "/" + one.package, "METADATA of " + one.package));
    for (BundledTool& tool : expectation.tools) set_origin(tool.version, Origin::from_library(tool.path));
}

// "cublasLt" of libcublasLt.so.12 and cublasLt64_12.dll; nothing for libraries that are not NVIDIA's.
std::string library_of(std::string name) {
    name = name.substr(name.find_last_of('/') + 1);
    const std::size_t end = name.find(name.compare(0, 3, "lib") == 0 ? ".so" : "64_");
    if (end == std::string::npos) return "";
    name = name.substr(0, end);
    if (name.compare(0, 3, "lib") == 0) name = name.substr(3);
    for (const char* ours : {"cu", "nvrtc", "nvJitLink", "nccl"})
        if (name.compare(0, std::string(ours).size(), ours) == 0) return name;
    return "";
}

// 12 of libcublas.so.12, 11 of cudart64_110.dll: for the libraries that have CUDA's number.
int cuda_major_of(const LoadedFile& library) {
    for (const char* numbered : {"cudart", "cublas", "cublasLt", "nvrtc", "nvJitLink"}) {
        if (library.library != numbered) continue;
        const std::string by = library.name.find(".so.") == std::string::npos ? "_" : ".so.";
        const std::size_t at = library.name.rfind(by);
        if (at == std::string::npos) return 0;
        const std::string digits = library.name.substr(at + by.size(), 2);
        if (std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c); }))
            return digits.size() == 2 ? std::stoi(digits) : 0;
    }
    return 0;
}

void complete(LoadedFile& library, const LoadTrace& trace) {
    set_text(library.needed_by, trace.path);
    set_text(library.library, library_of(library.name));
    set_text(library.real_path, library.taken.value_or(""));
    if (library.cuda_major == 0) library.cuda_major = cuda_major_of(library);
    set_origin(library.version, text_of_file(library.real_path, "text in " + library.real_path));
    set_origin(library.cuda,
               text_of_file(library.real_path, "cudnnGetCudartVersion in " + library.real_path));
    for (LoadLoser& loser : library.losers)
        set_origin(loser.version, text_of_file(loser.path, "version resource of " + loser.path));
}

void complete(ProbeResult& probe, const Scenario& scenario) {
    if (!probe.tool.empty() || probe.kind == ProbeKind::driver_jit) return;
    const Toolkit* toolkit = scenario.toolkit(probe.toolkit);
    const Part* part = !toolkit                            ? nullptr
                       : probe.kind == ProbeKind::assemble ? toolkit->part(PartKind::ptxas)
                                                           : toolkit->part(PartKind::nvcc);
    if (part) probe.tool = part->path;
}

void complete(Project& project) {
    set_origin(project.archs_text, option("--arch"));
    set_origin(project.cxx_abi, option("--cxx-abi"));
    set_origin(project.cxx_standard, option("--cxx-standard"));
    HostCompiler& compiler = project.host_compiler;
    set_origin(compiler.version, asked(compiler.path));
    if (!compiler.family.empty())
        set_origin(compiler.chosen_by,
                   Origin::from_variable("PATH", "first " + compiler.family + " on PATH"));
}

Origin line_of_recipe(int line) { return Origin::from_file("Dockerfile", line); }

template <typename T>
void set_origins(std::vector<T>& values, int line) {
    for (T& value : values) set_origin(value.origin, line_of_recipe(line++));
}

void complete(RecipeFacts& recipe) {
    set_origin(recipe.image.origin, line_of_recipe(1));
    for (Known<Version>* known :
         {&recipe.image.cuda, &recipe.image.cudnn, &recipe.libraries_cuda, &recipe.libraries_cudnn})
        set_origin(*known, line_of_recipe(1));
    set_origins(recipe.pins, 10);
    for (RecipePin& pin : recipe.pins) set_origin(pin.version, pin.origin);
    set_origins(recipe.indexes, 30);
    set_origins(recipe.ignored_indexes, 40);
    set_origin(recipe.driver_gate, line_of_recipe(2));
    set_origins(recipe.compiles, 50);
    set_origins(recipe.arch_lists, 70);
    for (RecipeArchs& list : recipe.arch_lists) set_text(list.origin.variable, list.name);
    for (ArchGate& gate : recipe.arch_gates) {
        set_origin(gate.origin, Origin::from_file("CMakeLists.txt", 20));
        set_origin(gate.from, Origin::from_file("CMakeLists.txt", 10));
        set_origin(gate.to, Origin::from_file("CMakeLists.txt", 10));
    }
    set_origin(recipe.cmake, line_of_recipe(3));
    set_origin(recipe.cmake_minimum, Origin::from_file("CMakeLists.txt", 1));
    set_origins(recipe.standards, 75);
    set_origins(recipe.parts, 76);
    set_origins(recipe.toolkit_requests, 80);
    set_origins(recipe.unserved, 80);
    set_origins(recipe.copied_programs, 85);
    for (CopiedPrograms& one : recipe.copied_programs) set_origin(one.cuda, one.origin);
    set_origins(recipe.named_images, 100);
    for (RecipeImage& image : recipe.named_images) set_origin(image.cuda, image.origin);
    set_origins(recipe.nvcc_calls, 90);
}

}  // namespace

Result<Scenario> scenario_of(const Json& facts) {
    Result<Scenario> scenario = scenario_from_json(facts);
    if (!scenario) return scenario;
    set_text(scenario->name, "this machine");
    for (Toolkit& toolkit : scenario->toolkits) complete(toolkit);
    for (Selector& selector : scenario->selectors) complete(selector);
    for (EnvironmentEntry& entry : scenario->entries)
        set_origin(entry.origin,
                   Origin::from_variable(entry.variable,
                                         entry.position == 0
                                             ? entry.variable
                                             : entry.variable + " entry " + std::to_string(entry.position)));
    for (Pick& pick : scenario->picks) complete(pick);
    for (Driver& driver : scenario->drivers) complete(driver);
    for (Gpu& gpu : scenario->gpus) complete(gpu);
    for (Expectation& expectation : scenario->expectations) complete(expectation);
    for (ProbeResult& probe : scenario->probes) complete(probe, *scenario);
    complete(scenario->project);
    complete(scenario->recipe);
    for (BinaryFile& binary : scenario->binaries)
        set_origin(binary.origin, text_of_file(binary.path, binary.path));
    for (LoadTrace& trace : scenario->traces)
        for (LoadedFile& library : trace.libraries) complete(library, trace);
    for (NativeModule& module : scenario->modules) {
        for (Known<Version>* version : {&module.version, &module.built_for})
            set_origin(*version, text_of_file(module.path, "METADATA of " + module.package));
        for (LoadedFile& library : module.missing) complete(library, LoadTrace());
    }
    for (CudnnCopy& copy : scenario->cudnns) {
        set_origin(copy.version, text_of_file(copy.folder, "text in " + copy.folder));
        set_origin(copy.cuda, text_of_file(copy.folder, "package in " + copy.folder));
        if (copy.major == 0 && copy.version) copy.major = copy.version->major();
    }
    return scenario;
}
