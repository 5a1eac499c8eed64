// A file named .ptx or an entry marked as PTX is something else: a Git LFS pointer, a web page, a cubin,
// UTF-16 text.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/loading_questions.hpp"

namespace ptxguard {
namespace {

// What the file is instead: its description and, for the fix, its content.
struct Found {
    std::string words;
    Content content = Content::unknown;
};

Found what_it_is(const BinaryFile& file) {
    switch (file.format) {
        case FileFormat::ptx:
            return {file.trouble.empty() ? "" : SAY("PTX with a fault in its head ({})", file.trouble)};
        case FileFormat::cubin: return {to_string(Content::cubin), Content::cubin};
        case FileFormat::fatbin: return {to_string(Content::fatbin), Content::fatbin};
        case FileFormat::archive: return {"an archive"};
        case FileFormat::elf: return {to_string(Content::elf), Content::elf};
        case FileFormat::pe: return {"a Windows program or DLL"};
        case FileFormat::unknown: break;
    }
    if (file.looks_like == Content::text) return {"text without a .version line at its head", Content::text};
    if (file.looks_like == Content::unknown) return {"a file of an unknown kind"};
    return {to_string(file.looks_like), file.looks_like};
}

Fix fix_for(Content content) {
    switch (content) {
        case Content::git_lfs: return {FixKind::command, "git lfs pull"};
        case Content::html: return by_hand("download the file again; a web server's error page was stored");
        case Content::utf16: return by_hand("save it as UTF-8 without a byte order mark");
        case Content::cubin:
        case Content::fatbin: return by_hand("rename it, and load it as what it is");
        default: return by_hand("write it again: nvcc -ptx, or cuobjdump -xptx from the binary");
    }
}

void say(const BinaryFile& file, const std::string& subject, const Found& kind, Findings& findings) {
    Origin origin = file.origin.path.empty() ? Origin::from_file(file.path) : file.origin;
    add(findings, "CC205", Level::error, subject, SAY("{} is not PTX but {}", subject, kind.words))
        .found("content", kind.words, origin)
        .expected("content", "text that begins with .version, .target and .address_size", {})
        .because("ptxas and the driver refuse it (CUDA error 218, CUDA_ERROR_INVALID_PTX)")
        .fix(fix_for(kind.content));
}

// nvcc -arch=sm_75 kernel.cu -o kernel.ptx links a program of that name.
void judge_call(const NvccCall& call, Findings& findings) {
    const bool ptx = ends_with(call.output, ".ptx"), cubin = ends_with(call.output, ".cubin");
    const std::string option = ptx ? "-ptx" : "-cubin";
    if ((!ptx && !cubin) || call.mode == option || call.mode == "-" + option) return;
    const std::string kind = call.mode.empty() ? "a program" : SAY("what {} makes", call.mode);
    add(findings, "CC205", Level::error, call.output,
        SAY("nvcc writes {} to {}: {} is missing", kind, call.output, option))
        .found("nvcc", call.mode.empty() ? SAY("no {}", option) : call.mode, call.origin)
        .expected("nvcc", option, {})
        .because("the name behind -o does not change what nvcc makes")
        .fix(Fix{FixKind::edit, SAY("nvcc {} ... -o {}", option, call.output)});
}

}  // namespace

PTXGUARD_RULE(CC205) {
    for (const NvccCall& call : scenario.recipe.nvcc_calls) judge_call(call, findings);
    for (const auto& file : binaries_concerned(scenario)) {
        if (is_mistaken_for_ptx(*file)) say(*file, file->path, what_it_is(*file), findings);
        std::vector<Content> said;
        for (const DeviceEntry& entry : file->entries) {
            if (entry.kind != EntryKind::ptx || entry.looks_like == Content::unknown || entry.obfuscated)
                continue;
            if (!said.empty() && said.back() == entry.looks_like) continue;
            said.push_back(entry.looks_like);
            say(*file, SAY("{}, PTX for {} in fatbin {}", file->path, entry.arch.sm(), entry.fatbin + 1),
                {to_string(entry.looks_like), entry.looks_like}, findings);
        }
    }
}

}  // namespace ptxguard
