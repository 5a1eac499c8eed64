// version.py is made by torch's build: `__version__ = '2.0.0'`, `cuda = '11.7'` or `cuda: Optional[str] =
// '12.8'`, `hip`, and later `rocm`, `xpu`.
// SPDX-License-Identifier: Apache-2.0
#include "expect/cuda_names.hpp"
#include "expect/frameworks/pytorch/pytorch.hpp"
#include "formats/python_assignments.hpp"
#include "formats/text_lines.hpp"
#include "host/paths.hpp"

namespace ptxguard::pytorch {
namespace {

struct VersionFile {
    std::vector<PythonAssignment> assignments;
    std::string path;

    const PythonValue* find(const char* name) const {
        for (auto it = assignments.rbegin(); it != assignments.rend(); ++it)
            if (it->name == name) return &it->value;
        return nullptr;
    }
};

std::string written(const PythonValue& value) {
    return value.text.empty() ? "" : " ('" + value.text.substr(0, 60) + "')";
}

// A text or None; "" for None and for a name that is not there. Trouble for anything else.
Result<std::string> text_or_none(const VersionFile& file, const char* name) {
    const PythonValue* value = file.find(name);
    if (!value || value->is_none()) return std::string();
    if (!value->is_text())
        return Trouble{file.path, std::string("gives ") + name + " a value that is no text" + written(*value),
                       ""};
    return value->text;
}

Known<Version> version_of(const VersionFile& file, std::string& trouble) {
    const PythonValue* value = file.find("__version__");
    const auto version = value && value->is_text() ? parse_version(value->text) : std::nullopt;
    if (!value)
        trouble = "holds no __version__";
    else if (!version)
        trouble = "gives __version__ a value that is no version" + written(*value);
    if (!version) return {};
    return {*version, Origin::from_file(file.path, value->line)};
}

std::string set_vendor(const VersionFile& file, Expectation& expectation) {
    const auto cuda = text_or_none(file, "cuda"), hip = text_or_none(file, "hip"),
               rocm = text_or_none(file, "rocm"), xpu = text_or_none(file, "xpu");
    for (const auto* value : {&cuda, &hip, &rocm, &xpu})
        if (!*value) return value->trouble().what;
    const bool amd = !hip->empty() || !rocm->empty();
    if (!cuda->empty() && amd)
        return "names both CUDA " + *cuda + " and ROCm " + (hip->empty() ? *rocm : *hip);
    if (!file.find("cuda")) return "";
    const Origin origin = Origin::from_file(file.path, file.find("cuda")->line);
    if (!cuda->empty()) {
        const auto version = parse_version(*cuda);
        if (!version || !plausible(*version) || version->numbers.size() < 2)
            return "gives cuda a value that is no CUDA version ('" + cuda->substr(0, 60) + "')";
        const auto tagged = cuda_of_tag(expectation.version ? expectation.version->local() : "");
        if (tagged && !same_release(*tagged, *version))
            return "contradicts itself: __version__ says " + expectation.version->local() + ", cuda says " +
                   *cuda;
        expectation.cuda = {*version, origin};
    }
    const char* vendor = !cuda->empty() ? "cuda" : amd ? "rocm" : !xpu->empty() ? "xpu" : "cpu";
    expectation.vendor = {vendor, origin};
    expectation.cpu_only = {std::string(vendor) == "cpu", origin};
    return "";
}

}  // namespace

void read_version_file(std::string_view text, const std::string& path, Expectation& expectation) {
    const VersionFile file{read_python_assignments(text), path};
    std::string trouble;
    expectation.version = version_of(file, trouble);
    if (trouble.empty()) trouble = set_vendor(file, expectation);
    if (trouble.empty()) return;
    expectation.trouble = path + " " + trouble;
    expectation.version = {};
    expectation.cuda = {};
    expectation.vendor = {};
    expectation.cpu_only = {};
}

}  // namespace ptxguard::pytorch
