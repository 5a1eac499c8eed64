// A file named .ptx or an entry marked as PTX is something else: a Git LFS pointer, a web page, a cubin,
// UTF-16 text.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/loading_questions.hpp"

namespace ptxguard {
namespace {

// What the file is instead.
std::string what_it_is(const BinaryFile& file) {
    switch (file.format) {
        case FileFormat::ptx:
            return file.trouble.empty() ? "" : "PTX with a fault in its head (" + file.trouble + ")";
        case FileFormat::cubin:
            return "a cubin";
        case FileFormat::fatbin:
            return "a fatbin";
        case FileFormat::archive:
            return "an archive";
        case FileFormat::elf:
            return "an ELF file";
        case FileFormat::pe:
            return "a Windows program or DLL";
        case FileFormat::unknown:
            break;
    }
    if (file.looks_like == "text") return "text without a .version line at its head";
    return file.looks_like.empty() ? "a file of an unknown kind" : file.looks_like;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

Fix fix_for(const std::string& kind) {
    if (contains(kind, "Git LFS")) return {FixKind::command, "git lfs pull"};
    if (contains(kind, "HTML"))
        return {FixKind::manual, "fetch it again; what was stored is the answer of a web server"};
    if (contains(kind, "UTF-16")) return {FixKind::manual, "save it as UTF-8 without a byte order mark"};
    if (contains(kind, "byte order mark"))
        return {FixKind::manual, "save it as UTF-8 without a byte order mark"};
    if (contains(kind, "cubin") || contains(kind, "fatbin"))
        return {FixKind::manual, "name it by what it is, and load it as that"};
    return {FixKind::manual, "write it anew: nvcc -ptx, or cuobjdump -xptx from the binary"};
}

void say(const BinaryFile& file, const std::string& subject, const std::string& kind, Findings& findings) {
    Finding& finding = add(findings, "CC205", Level::error, subject, subject + " is no PTX: it is " + kind);
    Origin origin = file.origin.path.empty() ? Origin::from_file(file.path) : file.origin;
    finding.found.push_back({"content", kind, origin});
    finding.expected.push_back({"content", "text that begins with .version, .target and .address_size", {}});
    finding.because = "ptxas and the driver refuse it (CUDA error 218, CUDA_ERROR_INVALID_PTX)";
    finding.fix.push_back(fix_for(kind));
}

}  // namespace

PTXGUARD_RULE(CC205) {
    for (const auto& file : binaries_concerned(scenario)) {
        if (is_mistaken_for_ptx(*file)) say(*file, file->path, what_it_is(*file), findings);
        std::vector<std::string> said;
        for (const DeviceEntry& entry : file->entries) {
            if (entry.kind != EntryKind::ptx || entry.looks_like.empty() || entry.obfuscated) continue;
            if (!said.empty() && said.back() == entry.looks_like) continue;
            said.push_back(entry.looks_like);
            say(*file,
                file->path + ", PTX for " + entry.arch.sm() + " in fatbin " +
                    std::to_string(entry.fatbin + 1),
                entry.looks_like, findings);
        }
    }
}

}  // namespace ptxguard
