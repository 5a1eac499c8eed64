// CTranslate2, the engine of faster-whisper, as a wheel or in a conda environment. No file of Python names
// its CUDA: its library contains the name of the cuBLAS that it opens, and up to 4.6.2 it needs cuDNN. The
// wheels for aarch64 have no device code.
// SPDX-License-Identifier: Apache-2.0
#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "facts/recipe_tables.hpp"
#include "formats/library_text.hpp"
#include "formats/sections.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard::ctranslate2 {
namespace {

constexpr const char* k_name = "CTranslate2";
constexpr const char* k_package = "ctranslate2";

// In the wheel, or in the folder of libraries of the conda environment; empty = neither.
std::string library_of(const Host& host, const SitePlace& place) {
    const std::string prefix = prefix_of_site(place.folder);
    const std::vector<std::string> patterns =
        host.system() == System::windows
            ? std::vector<std::string>{join_path(place.folder, "ctranslate2/ctranslate2.dll"),
                                       join_path(prefix, "Library/bin/ctranslate2.dll")}
            : std::vector<std::string>{join_path(place.folder, "ctranslate2.libs/libctranslate2*.so*"),
                                       join_path(prefix, "lib/libctranslate2.so.*")};
    for (const std::string& pattern : patterns)
        for (const std::string& path : paths_matching(host, pattern))
            if (is_file(host, path)) return path;
    return "";
}

// Nothing if the file is no whole library.
std::optional<std::vector<std::string>> names_in(const Source& source, System system) {
    if (system == System::windows) {
        const auto pe = read_pe(source);
        if (!pe) return std::nullopt;
        const auto names = dll_names_in_text(source, *pe);
        return std::vector<std::string>(names.begin(), names.end());
    }
    const auto elf = read_elf(source);
    if (!elf) return std::nullopt;
    return library_names_in_text(source, *elf);
}

void read_library(const Host& host, const std::string& path, Expectation& expectation) {
    const auto source = host.open(path);
    const auto names = source ? names_in(*source, host.system()) : std::nullopt;
    if (!names) return;
    Origin origin = Origin::from_library(path, path, Certainty::read);
    const bool cuda = section_range(*source, ".nv_fatbin") || section_range(*source, ".nv_fatb");
    if (!cuda) {
        const bool rocm = section_range(*source, ".hip_fatbin") || section_range(*source, ".hip_fat");
        origin.text = path + (rocm ? " has code for GPUs of AMD" : " has no device code");
        return set_vendor(expectation, rocm ? Vendor::rocm : Vendor::cpu, origin);
    }
    set_vendor(expectation, Vendor::cuda, origin);
    for (const std::string& name : *names) {
        const auto release = cuda_of_cublas(name);
        if (!release) continue;
        origin.text = path + " opens " + name;
        expectation.cuda = {*release, origin};
    }
    const bool needs_cudnn = any_of(
        needed_by(host, path), [](const std::string& name) { return cudnn_of_library(name).has_value(); });
    origin.text = path + " needs no cuDNN";
    if (!needs_cudnn) expectation.cudnn_from = {CudnnWay::none, origin};
}

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, k_package);
    if (!is_file(host, join_path(folder, "__init__.py"))) return {};
    Expectation expectation = found_expectation(k_name, k_package, place, folder);
    read_dunder_version(host, join_path(folder, "version.py"), expectation);
    if (!expectation.trouble.empty()) return {std::move(expectation)};
    for (const InstalledWheel& wheel : installed_wheels(host, place.folder, {k_package}))
        if (wheel.installer == "conda") expectation.how = Installation::conda;
    if (const std::string library = library_of(host, place); !library.empty())
        read_library(host, library, expectation);
    return {std::move(expectation)};
}

// ctranslate2==4.8.5: each release has one build with CUDA, of which the table of recipes lists the majors.
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation(k_name, k_package, build);
    const auto& rows = recipe_tables(facts).ctranslate2;
    const auto* row =
        build.version
            ? first_where(rows, [&](const Ctranslate2Build& one) { return *build.version <= *one.last; })
            : nullptr;
    if (!row || (expectation.vendor && *expectation.vendor != Vendor::cuda)) return expectation;
    if (const FrameworkRelease* release = facts.framework_release(k_package, *build.version))
        apply_common_release(*release, system, expectation);
    Origin origin = option_origin(build);
    origin.certainty = Certainty::predicted;
    if (!expectation.vendor) set_vendor(expectation, Vendor::cuda, origin);
    if (!expectation.cuda) expectation.cuda = {*row->cuda, origin};
    if (row->cudnn && !expectation.cudnn) expectation.cudnn = {*row->cudnn, origin};
    if (!row->cudnn) expectation.cudnn_from = {CudnnWay::none, origin};
    return expectation;
}

}  // namespace

FrameworkReader reader() { return {k_name, k_package, {k_package}, {}, read, declared, {k_package}, true}; }

}  // namespace ptxguard::ctranslate2
