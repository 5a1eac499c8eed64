// CC215 ir_newer_than_linker: a named toolkit's nvJitLink or tileiras is older than the LTO-IR or Tile IR of
// a file.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "facts/lto_ir.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// The releases that may have written an entry: for LTO-IR in a fatbin only its container's version is known,
// which some releases share.
struct Written {
    Version first, last;
    Origin origin;
};

// nvcc obfuscates its LTO-IR, but writes PTX and cubins of its own release beside it.
bool has_code_of_another(const BinaryFile& file, const DeviceEntry& entry, const Version& release,
                         const Facts& facts) {
    if (entry.toolkit) return !same_release(*entry.toolkit, release);
    const CudaRelease* row = facts.cuda(release);
    return any_of(file.entries, [&](const DeviceEntry& other) {
        if (other.fatbin != entry.fatbin) return false;
        if (other.toolkit && !same_release(*other.toolkit, release)) return true;
        return other.kind == EntryKind::ptx && other.ptx && row && row->ptx_max &&
               *other.ptx != *row->ptx_max;
    });
}

std::optional<Written> written_by(const BinaryFile& file, const DeviceEntry& entry, const Facts& facts) {
    if (!entry.ir) return std::nullopt;
    if (entry.kind == EntryKind::tileir) {
        const Version release{{entry.ir->major, entry.ir->minor}, entry.ir->text(), ""};
        return Written{release, release, Origin{}};
    }
    if (entry.kind != EntryKind::ltoir) return std::nullopt;
    std::optional<Written> written;
    for (const LtoIrRelease& row : lto_ir_releases(facts)) {
        if (!row.release || row.container != entry.ir) continue;
        if (has_code_of_another(file, entry, *row.release, facts)) continue;
        if (!written) written = Written{*row.release, *row.release, row.origin};
        written->last = *row.release;
    }
    return written;
}

bool is_older(const Version& toolkit, const Version& code) {
    return toolkit < code && !same_release(toolkit, code);
}

void judge(const BinaryFile& file, const DeviceEntry& entry, const Toolkit& toolkit, const Written& written,
           Findings& findings) {
    const bool tile = entry.kind == EntryKind::tileir;
    const Known<Version> release = release_of(toolkit);
    const std::string linker = tile ? "tileiras" : "nvJitLink", code = tile ? "Tile IR" : "LTO-IR";
    const std::string made = tile ? SAY("{} {}", code, entry.ir->text())
                                  : SAY("{} {} of CUDA {}", code, entry.ir->text(), written.first.release());
    const bool sure = is_older(*release, written.first);
    Composed finding =
        add(findings, "CC215", sure ? Level::error : Level::unknown,
            SAY("{}, {} {}, {}", file.path, code, entry.ir->text(), toolkit.root),
            sure ? SAY("{}: {} is newer than the {} of CUDA {}", file.path, made, linker, release->release())
                 : SAY("whether the {} of CUDA {} links the {} of {} is not known", linker,
                       release->release(), code, file.path));
    finding.of_package(file.path)
        .found(code, entry.ir->text(), file.origin)
        .found("CUDA", release)
        .expected("CUDA", ">= " + written.first.release(), written.origin)
        .because(sure ? SAY("{} reads the {} of its own release and of older ones", linker, code)
                      : SAY("CUDA {} to {} write {} {}", written.first.release(), written.last.release(),
                            code, entry.ir->text()))
        .required(!sure);
    if (sure)
        finding.by_hand(SAY("link with the {} of CUDA {} or newer, or build the file with CUDA {}", linker,
                            written.first.release(), release->release()));
    else
        finding.decide(entry.obfuscated ? "a link with that nvJitLink: nvcc obfuscates the version of the IR"
                                        : "--deep: the version of the IR itself");
}

}  // namespace

PTXGUARD_RULE(CC215) {
    if (scenario.source != SourceKind::binary) return;
    for (const BinaryFile& file : scenario.binaries)
        for (const Toolkit& toolkit : scenario.toolkits) {
            const Known<Version> release = release_of(toolkit);
            std::set<std::pair<EntryKind, PtxVersion>> said;
            for (const DeviceEntry& entry : file.entries) {
                const auto written = written_by(file, entry, facts);
                if (!written || !release || !is_older(*release, written->last)) continue;
                if (said.insert({entry.kind, *entry.ir}).second)
                    judge(file, entry, toolkit, *written, findings);
            }
        }
}

}  // namespace ptxguard
