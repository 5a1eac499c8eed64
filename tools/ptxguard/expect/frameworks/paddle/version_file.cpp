// The file is made by Paddle's build; its functions are not run.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/paddle/paddle.hpp"
#include "formats/library_text.hpp"
#include "formats/python_assignments.hpp"
#include "host/paths.hpp"

namespace ptxguard::paddle {
namespace {

class VersionFile {
public:
    VersionFile(std::string_view text, const std::string& path)
        : m_assignments(read_python_assignments(text)), m_path(path) {}

    const PythonValue* find(const char* name) const {
        for (auto it = m_assignments.rbegin(); it != m_assignments.rend(); ++it)
            if (it->name == name) return &it->value;
        return nullptr;
    }
    // "" for None, False, 'False', 'None' and a name that is not there.
    std::string said(const char* name) const {
        const PythonValue* value = find(name);
        if (!value || !value->is_text() || value->text == "False" || value->text == "None") return {};
        return value->text;
    }
    Origin origin(const char* name) const {
        const PythonValue* value = find(name);
        return Origin::from_file(m_path, value ? value->line : 0);
    }
    // Trouble goes to `trouble`.
    Known<Version> version(const char* name, std::string& trouble) const {
        const std::string text = said(name);
        if (text.empty()) return {};
        const auto version = parse_version(text);
        if (version) return {*version, origin(name)};
        trouble = std::string("gives ") + name + " a value that is no version ('" + text.substr(0, 60) + "')";
        return {};
    }

private:
    std::vector<PythonAssignment> m_assignments;
    std::string m_path;
};

void add_archs(const VersionFile& file, Expectation& expectation) {
    const PythonValue* list = file.find("compiled_cuda_archs");
    if (!list || list->kind != PythonValue::Kind::list || list->items.empty()) return;
    std::vector<std::string> words;
    for (const PythonValue& item : list->items) {
        const bool prefixed = starts_with(item.text, "sm_") || starts_with(item.text, "compute_");
        words.push_back((prefixed ? "" : "sm_") + item.text);
    }
    if (const auto targets = parse_arch_words(words, false))
        expectation.archs = {*targets, file.origin("compiled_cuda_archs")};
}

void add_vendor(const VersionFile& file, Expectation& expectation) {
    if (!file.find("cuda_version")) return;  // before 2.2 the file says nothing of it
    const bool rocm = !file.said("hip_version").empty(), xpu = !file.said("xpu_version").empty();
    const char* vendor = expectation.cuda ? "cuda" : rocm ? "rocm" : xpu ? "xpu" : "cpu";
    set_vendor(expectation, vendor, file.origin("cuda_version"));
}

bool all_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void read_version_file(std::string_view text, const std::string& path, Expectation& expectation) {
    const VersionFile file(text, path);
    std::string trouble;
    expectation.version = file.version("full_version", trouble);
    if (!expectation.version && trouble.empty()) trouble = "holds no full_version";
    if (trouble.empty()) expectation.cuda = file.version("cuda_version", trouble);
    if (trouble.empty()) expectation.cudnn = file.version("cudnn_version", trouble);
    for (const Known<Version>* value : {&expectation.cuda, &expectation.cudnn})
        if (*value && !plausible(**value))
            trouble = "names a release that cannot be (" + (*value)->text + ")";
    if (!trouble.empty()) {
        distrust(expectation, path + " " + trouble);
        expectation.version = {};
        return;
    }
    add_vendor(file, expectation);
    if (expectation.cuda) add_archs(file, expectation);
}

PostSuffix read_post_suffix(const Version& version) {
    const std::string start = ".post";
    if (!starts_with(version.suffix, start)) return {};
    const std::string digits = version.suffix.substr(start.size());
    if (!all_digits(digits) || digits.size() < 2 || digits.size() > 3) return {};
    if (version.major() >= 2) return {cuda_of_tag("cu" + digits), {}};
    // The last digit is cuDNN's major, the others are CUDA's.
    const auto cuda = parse_version(digits.substr(0, digits.size() - 1)),
               cudnn = parse_version(digits.substr(digits.size() - 1));
    return cuda && plausible(*cuda) ? PostSuffix{cuda, cudnn} : PostSuffix{};
}

}  // namespace ptxguard::paddle
