// Versions of components, each from the component itself: programs print it (--version), libraries have it in
// their name, headers in a macro, cicc and others in a string. The package's record is used only if the
// component contains none.
// SPDX-License-Identifier: Apache-2.0

#include "discover/parts.hpp"
#include "formats/header_defines.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "packages/owner.hpp"

namespace ptxguard {
namespace {

Known<Version> from_macros(const Host& host, const std::string& file, const std::vector<std::string>& names) {
    const auto text = host.read_range(file, 0, k_header_head);
    if (!text) return {};
    std::string version;
    for (const auto& name : names) {
        const auto value = defined_number(*text, name);
        if (!value) break;
        version += (version.empty() ? "" : ".") + std::to_string(*value);
    }
    const auto parsed = parse_version(version);
    if (!parsed) return {};
    return {*parsed, Origin::from_file(file).shown_as(names.front() + " in " + file)};
}

// libcudart.so.13.0.96: at least three numbers, otherwise the name has only the major.
Known<Version> from_file_name(const Part& part) {
    const std::string name(file_name(part.real_path.empty() ? part.path : part.real_path));
    const std::size_t at = name.find(".so.");
    if (at == std::string::npos) return {};
    const auto version = parse_version(name.substr(at + 4));
    if (!version || version->numbers.size() < 3) return {};
    return {
        *version,
        Origin::from_file(part.real_path.empty() ? part.path : part.real_path).shown_as("file name " + name)};
}

std::string include_folder(const Toolkit& toolkit) {
    const Part* headers = toolkit.part(PartKind::runtime_headers);
    return headers ? parent_path(headers->path) : join_path(toolkit.root, "include");
}

Known<Version> cublas_header_version(const Host& host, const Toolkit& toolkit, const Part& part) {
    std::vector<std::string> folders{include_folder(toolkit), "/usr/include",
                                     "/usr/include/x86_64-linux-gnu"};
    if (toolkit.layout == Layout::wheel)
        folders = {join_path(parent_path(part.path), "../include"), include_folder(toolkit)};
    for (const auto& folder : folders)
        if (auto known =
                from_macros(host, normal_path(join_path(folder, "cublas_api.h"), host.system()),
                            {"CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH", "CUBLAS_VER_BUILD"}))
            return known;
    return {};
}

// cudnn.h includes cudnn_version.h of its own folder; that of cuDNN 7 has the numbers itself.
Known<Version> cudnn_header_version(const Host& host, const std::string& header) {
    for (const std::string& file : {join_path(parent_path(header), "cudnn_version.h"), header})
        if (auto known = from_macros(host, file, {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"}))
            return known;
    return {};
}

// A package's version is more exact than a header's release; it is used if both agree.
Known<Version> finer(Known<Version> coarse, Known<Version> fine) {
    if (!coarse) return fine;
    return fine && same_release(*coarse, *fine) ? fine : coarse;
}

// Words in the names of packages that contain such a component.
std::vector<std::string> package_words(PartKind kind) {
    switch (kind) {
        case PartKind::crt_headers: return {"cuda-crt", "cuda-nvcc", "nvidia-cuda-dev"};
        case PartKind::runtime_headers:
        case PartKind::cudart: return {"cuda-runtime", "cudart", "cudatoolkit", "nvidia-cuda-dev"};
        case PartKind::libdevice:
        case PartKind::nvvm: return {"nvvm", "cuda-nvcc", "nvidia-cuda-toolkit"};
        case PartKind::nvrtc: return {"nvrtc"};
        case PartKind::cccl: return {"cccl", "nvidia-cuda-dev"};
        case PartKind::cublas: return {"cublas"};
        case PartKind::cudnn: return {"cudnn"};
        case PartKind::nccl: return {"nccl"};
        default: return {"cuda-nvcc", "nvidia-cuda-toolkit"};
    }
}

Known<Version> file_version(const Host& host, const Toolkit& toolkit, PackageOwners& owners,
                            const Part& part) {
    // The number in libNVVM's name is that of its interface: libnvvm.so.4.0.0.
    if (part.kind != PartKind::nvvm)
        if (auto named = from_file_name(part)) return named;
    if (part.kind == PartKind::cudnn_headers) return cudnn_header_version(host, part.path);
    if (part.kind == PartKind::nccl_headers)
        return from_macros(host, part.path, {"NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"});
    auto packaged = owners.owner(part.path, package_words(part.kind)).version;
    switch (part.kind) {
        case PartKind::runtime_headers:
            return finer(runtime_header_version(host.read_range(part.path, 0, k_header_head), part.path),
                         packaged);
        case PartKind::cublas: return packaged ? packaged : cublas_header_version(host, toolkit, part);
        case PartKind::nvvm:
        case PartKind::nvrtc: return packaged ? packaged : scanned_version(host.open(part.path), part.path);
        default: return packaged;
    }
}

// version.json of NVIDIA's installers lists components, not files: the last resort, for crt headers and
// libdevice.
Known<Version> from_version_json(const Host& host, const Toolkit& toolkit, PartKind kind) {
    const std::string file = join_path(toolkit.root, "version.json");
    const auto text = host.read(file, 1u << 20);
    if (!text) return {};
    std::vector<std::string> names;
    if (kind == PartKind::crt_headers) names = {"\"cuda_crt\"", "\"cuda_nvcc\""};
    if (kind == PartKind::libdevice || kind == PartKind::nvvm) names = {"\"libnvvm\"", "\"cuda_nvcc\""};
    if (kind == PartKind::cudart) names = {"\"cuda_cudart\""};
    for (const auto& name : names) {
        const std::size_t at = text->find(name);
        const std::size_t marker = at == std::string::npos ? at : text->find("\"version\"", at);
        if (marker == std::string::npos || marker > text->find('}', at)) continue;
        const auto words = split(text->substr(marker + 9, 64), " :\"\r\n\t,}");
        if (const auto version = words.empty() ? std::nullopt : parse_version(words.front())) {
            return {*version, Origin::from_file(file).shown_as(name + " in " + file)};
        }
    }
    return {};
}

// A search through megabytes, so its answer is kept like a program's.
Known<Version> version_in_text(const Asker& ask, const std::string& path) {
    Question question;
    question.decided_by = {path};
    question.asked = "version text";
    const auto known = ask.known(question);
    if (const auto version = known ? parse_version(known->out) : std::nullopt)
        return {*version, Origin::from_file(path).shown_as("version text inside " + path)};
    const auto found = scanned_version(ask.host().open(path), path);
    if (!found) return found;
    Answer answer;
    answer.state = ProcessResult::State::exited;
    answer.exit_code = 0;
    answer.out = found->text;
    ask.keep(question, answer);
    return found;
}

}  // namespace

void find_versions(Questions& questions, std::vector<Toolkit>& toolkits, std::size_t index) {
    const Host& host = questions.ask().host();
    Toolkit& toolkit = toolkits[index];
    PackageOwners owners(host);
    for (std::size_t i = 0; i < toolkit.parts.size(); ++i) {
        Part& part = toolkit.parts[i];
        if (is_program(part.kind)) {
            if (part.kind != PartKind::cicc && !host.foreign() && part.trouble.empty()) {
                ask_part(host, questions,
                         [&toolkits, index, i]() -> Part& { return toolkits[index].parts[i]; });
                continue;
            }
            const bool scan_real = part.kind == PartKind::nvcc && !part.real_path.empty();
            part.version = version_in_text(questions.ask(), scan_real ? part.real_path : part.path);
        } else if (part.trouble.empty()) {
            part.version = file_version(host, toolkit, owners, part);
            if (!part.version)
                if (auto listed = from_version_json(host, toolkit, part.kind)) part.version = listed;
        }
    }
}

void ask_part(const Host& host, Questions& questions, const std::function<Part&()>& part) {
    ask_version(host, part().path, k_cuda_marker, questions, [&host, part](const SaidVersion& said) {
        part().version = said.version;
        part().fail(said.trouble, said.fault);
        if (said.version) return;
        const std::string& file = part().real_path.empty() ? part().path : part().real_path;
        part().version = scanned_version(host.open(file), file);
    });
}

}  // namespace ptxguard
