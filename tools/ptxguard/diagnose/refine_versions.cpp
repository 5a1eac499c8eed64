// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <optional>

#include "diagnose/question.hpp"
#include "messages/error_codes.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

std::optional<Version> cudnn_version(const std::string& text) {
    if (text.find('.') != std::string::npos || text.find(',') != std::string::npos) {
        std::string dotted;
        for (const char c : text)
            dotted += c == ',' ? std::string(".") : c == ' ' ? std::string() : std::string(1, c);
        return parse_version(dotted);
    }
    const long number = std::strtol(text.c_str(), nullptr, 10);
    if (number < 1000) return std::nullopt;
    const bool five = number >= 90000;  // 9.1.0 is 90100, 8.9.7 is 8907
    const long major = five ? number / 10000 : number / 1000, rest = five ? number % 10000 : number % 1000;
    return parse_version(std::to_string(major) + "." + std::to_string(rest / 100) + "." +
                         std::to_string(rest % 100));
}

Suspects cudnn_versions(LogQuestion& q) {
    std::optional<Version> versions[2];
    const char* names[2] = {"cudnn_found", "cudnn_built"};
    for (int i = 0; i < 2; ++i) {
        for (const char* form : {"", "_list", "_number"})
            if (const std::string text = q.value((std::string(names[i]) + form).c_str());
                !text.empty() && !versions[i])
                versions[i] = cudnn_version(text);
        if (versions[i]) q.set(names[i], versions[i]->text);
    }
    const auto& [found, built] = versions;
    if (!found || !built) return {{"cudnn_older", likely}};
    if (found->major() != built->major()) return {{"cudnn_major", certain}, {"cudnn_older", likely}};
    return {{"cudnn_older", q.confidence}};
}

Suspects toolkit_versions(LogQuestion& q) {
    const auto toolkit = parse_version(q.value("toolkit")), built = parse_version(q.value("built"));
    if (!toolkit || !built) return {{"toolkit_major_mismatch", q.confidence}};
    if (toolkit->major() != built->major() || built->major() < 11)
        return {{"toolkit_major_mismatch", q.confidence}};
    return {{"toolkit_major_mismatch", at_most(q.confidence, likely)},
            {"toolkit_minor_mismatch", at_most(q.confidence, likely)}};
}

Suspects error_number(LogQuestion& q) {
    const ErrorCode* code = find_error_code(std::atoi(q.value("error").c_str()));
    if (!code) return {};
    Suspects suspects = code->suspects;
    for (Suspect& suspect : suspects) suspect.confidence = at_most(suspect.confidence, q.confidence);
    return suspects;
}

Suspects numba_error(LogQuestion& q) {
    const int number = std::atoi(q.value("error").c_str());
    if (number == 222)
        return {{"ptx_newer_than_driver", certain}, {"run_time_ptx_newer_than_driver", certain}};
    return error_number(q);
}

// "Memory usage: 7995392 bytes free, 11721572352 bytes total": nearly everything is in use.
Suspects memory_usage(LogQuestion& q) {
    const auto free = std::strtoull(q.value("free").c_str(), nullptr, 10),
               total = std::strtoull(q.value("total").c_str(), nullptr, 10);
    return total > 0 && free < total / 20 ? Suspects{{"gpu_memory", certain}} : Suspects{};
}

Suspects nothing(LogQuestion&) { return {}; }

Suspects nvcc_absent(LogQuestion& q) {
    std::string root = q.value("path");
    while (!root.empty() && root.back() == '/') root.pop_back();
    if (!root.empty()) q.set("path", root + "/bin/nvcc");
    return {{"variable_names_no_toolkit", likely}, {"no_toolkit", likely}};
}

Suspects toolkit_too_old(LogQuestion& q) {
    const auto need = parse_version(q.value("need"));
    if (need) q.set("built", need->text);
    return {{"toolkit_major_mismatch", at_most(q.confidence, likely)}};
}
Suspects arch_unknown_to_torch(LogQuestion& q) {
    return {{"arch_unknown_to_nvcc", q.value("arch").empty() ? likely : q.confidence}};
}
Suspects default_arch(LogQuestion&) {
    return {{"host_compiler_unsupported", possible},
            {"tool_does_not_run", possible},
            {"toolkit_incomplete", possible},
            {"toolkit_parts_disagree", possible}};
}
Suspects arch_list_empty(LogQuestion&) {
    return {{"tool_does_not_run", possible}, {"no_toolkit", possible}, {"native_without_gpu", possible}};
}
Suspects compiler_test(LogQuestion& q) {
    return {{"host_compiler_unsupported", possible},
            {"toolkit_parts_disagree", at_most(q.confidence, possible)},
            {"toolkit_incomplete", possible},
            {"tool_does_not_run", possible}};
}
Suspects cmake_too_old(LogQuestion&) { return {{"toolkit_incomplete", possible}}; }
Suspects cuda_target_absent(LogQuestion& q) {
    q.set("path", "CUDA::" + q.value("target"));
    return {{"toolkit_incomplete", likely}, {"no_toolkit", possible}};
}
Suspects cmake_dialect(LogQuestion&) { return {{"toolkit_major_mismatch", possible}}; }
}  // namespace

std::vector<Refinement> refinements_of_versions() {
    return {{"cudnn_versions", cudnn_versions},
            {"toolkit_versions", toolkit_versions},
            {"error_number", error_number},
            {"numba_error", numba_error},
            {"memory_usage", memory_usage},
            {"no_gpu_asked", nothing},
            {"nvcc_absent", nvcc_absent},
            {"toolkit_too_old", toolkit_too_old},
            {"arch_unknown_to_torch", arch_unknown_to_torch},
            {"default_arch", default_arch},
            {"arch_list_empty", arch_list_empty},
            {"compiler_test", compiler_test},
            {"cmake_too_old", cmake_too_old},
            {"cuda_target_absent", cuda_target_absent},
            {"cmake_dialect", cmake_dialect}};
}

}  // namespace ptxguard
