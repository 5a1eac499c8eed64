// The two small Python files that ONNX Runtime's build writes: assignments of plain values.
// SPDX-License-Identifier: Apache-2.0
#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/onnxruntime/onnxruntime.hpp"
#include "formats/python_assignments.hpp"
#include "host/paths.hpp"

namespace ptxguard::onnxruntime {
namespace {

const PythonValue* find(const std::vector<PythonAssignment>& assignments, const char* name) {
    for (auto it = assignments.rbegin(); it != assignments.rend(); ++it)
        if (it->name == name) return &it->value;
    return nullptr;
}

// "" and None: a build without it.
Known<Version> version_at(const PythonValue* value, const std::string& path, const char* name,
                          std::string& trouble) {
    if (!value || value->is_none() || (value->is_text() && value->text.empty())) return {};
    const auto version = value->is_text() ? parse_version(value->text) : std::nullopt;
    if (version && plausible(*version)) return {*version, Origin::from_file(path, value->line)};
    trouble = path + " gives " + name + " a value that is not a version" +
              (value->text.empty() ? "" : " ('" + value->text.substr(0, 60) + "')");
    return {};
}

}  // namespace

void read_build_file(std::string_view text, const std::string& path, Expectation& expectation) {
    const auto assignments = read_python_assignments(text);
    std::string trouble;
    const auto cuda = version_at(find(assignments, "cuda_version"), path, "cuda_version", trouble);
    const auto cudnn = version_at(find(assignments, "cudnn_version"), path, "cudnn_version", trouble);
    const PythonValue* version = find(assignments, "__version__");
    const PythonValue* use_cuda = find(assignments, "use_cuda");
    if (!trouble.empty()) {
        distrust(expectation, trouble);
        return;
    }
    if (version && version->is_text() && !expectation.version)
        if (const auto read = parse_version(version->text))
            expectation.version = {*read, Origin::from_file(path, version->line)};
    if (!expectation.cuda) expectation.cuda = cuda;
    if (!expectation.cudnn) expectation.cudnn = cudnn;
    if (expectation.vendor) return;
    if (cuda)
        set_vendor(expectation, Vendor::cuda, cuda.origin);
    else if (use_cuda && use_cuda->kind == PythonValue::Kind::boolean && use_cuda->truth)
        set_vendor(expectation, Vendor::cuda, Origin::from_file(path, use_cuda->line));
}

}  // namespace ptxguard::onnxruntime
