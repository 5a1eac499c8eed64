// Both files are made by TensorFlow's build. On Windows versions stand there as DLL suffixes ("64_110" is
// CUDA 11.0).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/cuda_names.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "formats/header_defines.hpp"
#include "formats/library_text.hpp"
#include "formats/python_assignments.hpp"
#include "host/paths.hpp"

namespace ptxguard::tensorflow {
namespace {

// Keys of the dict and module-level names alike.
class BuildInfo {
public:
    explicit BuildInfo(std::string_view text) : m_assignments(read_python_assignments(text)) {}

    const PythonValue* find(std::initializer_list<const char*> names) const {
        for (const char* name : names) {
            for (auto it = m_assignments.rbegin(); it != m_assignments.rend(); ++it) {
                if (it->name == name && it->pairs.empty()) return &it->value;
                if (it->name == "build_info")
                    if (const PythonValue* value = it->find(name)) return value;
            }
        }
        return nullptr;
    }

private:
    std::vector<PythonAssignment> m_assignments;
};

// Absent and "" mean "not said"; anything else has to be a version.
Known<Version> version_at(const PythonValue* value, const std::string& path, const char* name,
                          std::string& trouble) {
    if (!value || value->is_none() || (value->is_text() && value->text.empty())) return {};
    const auto version = value->is_text() ? version_of_dll_suffix(value->text) : std::nullopt;
    if (version && plausible(*version)) return {*version, Origin::from_file(path, value->line)};
    trouble = std::string("gives ") + name + " a value that is no version" +
              (value->text.empty() ? "" : " ('" + value->text.substr(0, 60) + "')");
    return {};
}

std::string bad_flag(const PythonValue* value, const char* name) {
    if (!value || value->kind == PythonValue::Kind::boolean) return "";
    return std::string("gives ") + name + " a value that is neither True nor False";
}

void set_vendor(const BuildInfo& info, const std::string& path, Expectation& expectation,
                std::string& trouble) {
    const PythonValue* cuda = info.find({"is_cuda_build"});
    const PythonValue* rocm = info.find({"is_rocm_build"});
    for (const std::string& why : {bad_flag(cuda, "is_cuda_build"), bad_flag(rocm, "is_rocm_build")})
        if (trouble.empty()) trouble = why;
    if (!trouble.empty() || !cuda) return;
    const bool is_rocm = rocm && rocm->truth;
    if (cuda->truth && is_rocm) {
        trouble = "says both is_cuda_build and is_rocm_build";
        return;
    }
    const Origin origin = Origin::from_file(path, (is_rocm ? rocm : cuda)->line);
    expectation.vendor = {cuda->truth ? "cuda" : is_rocm ? "rocm" : "cpu", origin};
    expectation.cpu_only = {!cuda->truth && !is_rocm, origin};
}

void set_archs(const BuildInfo& info, const std::string& path, Expectation& expectation) {
    const PythonValue* list = info.find({"cuda_compute_capabilities"});
    if (!list || list->kind != PythonValue::Kind::list) return;
    std::vector<std::string> words;
    for (const PythonValue& item : list->items) {
        if (!item.is_text()) return;
        words.push_back(item.text);
    }
    // TensorFlow's build puts cubin and PTX into the binary for compute_80, only the cubin for sm_80.
    if (const auto targets = parse_arch_words(words, true))
        expectation.archs = {*targets, Origin::from_file(path, list->line)};
}

}  // namespace

void read_build_info(std::string_view text, const std::string& path, Expectation& expectation) {
    const BuildInfo info(text);
    std::string trouble;
    set_vendor(info, path, expectation, trouble);
    const bool cuda_build = !expectation.vendor || *expectation.vendor == "cuda";
    if (cuda_build && trouble.empty())
        expectation.cuda =
            version_at(info.find({"cuda_version", "cuda_version_number"}), path, "cuda_version", trouble);
    if (cuda_build && trouble.empty())
        expectation.cudnn =
            version_at(info.find({"cudnn_version", "cudnn_version_number"}), path, "cudnn_version", trouble);
    if (cuda_build && trouble.empty()) set_archs(info, path, expectation);
    if (trouble.empty() && !expectation.vendor && !expectation.cuda)
        trouble = "says neither is_cuda_build nor cuda_version";
    if (trouble.empty()) return;
    expectation.trouble = path + " " + trouble;
    expectation.vendor = {};
    expectation.cpu_only = {};
    expectation.cuda = expectation.cudnn = {};
    expectation.archs = {};
}

void read_cuda_config(std::string_view text, const std::string& path, Expectation& expectation) {
    for (const HeaderDefine& define : read_header_defines(text)) {
        const bool is_cuda = define.name == "TF_CUDA_VERSION", is_cudnn = define.name == "TF_CUDNN_VERSION";
        auto& wanted = is_cuda ? expectation.cuda : expectation.cudnn;
        const auto version = is_cuda || is_cudnn ? version_of_dll_suffix(define.value) : std::nullopt;
        // 2.2's build_info.py says "10" where the header says "10.1".
        const bool finer = wanted && version && wanted->numbers.size() == 1 && version->numbers.size() > 1 &&
                           wanted->major() == version->major();
        if (version && plausible(*version) && (!wanted || finer))
            wanted = {*version, Origin::from_file(path, define.line)};
        if (define.name != "TF_CUDA_COMPUTE_CAPABILITIES" || expectation.archs) continue;
        std::vector<std::string> words;
        for (const std::string& number : split(define.value, ", ")) words.push_back("sm_" + number);
        // The header does not tell PTX from cubins, so it serves only to know which GPUs were meant.
        if (const auto targets = parse_arch_words(words, false))
            expectation.archs = {*targets, Origin::from_file(path, define.line)};
    }
}

}  // namespace ptxguard::tensorflow
