// The words of enums in JSON, on the command line and in reports, in the order of the enum's values.
// SPDX-License-Identifier: Apache-2.0
#include "model/diagnosis.hpp"
#include "model/judgement.hpp"
#include "model/matrix.hpp"
#include "model/planned.hpp"
#include "model/scenario.hpp"

namespace ptxguard {
namespace {

template <typename Enum, std::size_t N>
const char* word(Enum value, const char* const (&words)[N]) {
    const auto index = static_cast<std::size_t>(value);
    return index < N ? words[index] : "";  // from_word() stops there
}

}  // namespace

const char* to_string(OriginKind kind) {
    return word(kind, {"none", "command", "file", "variable", "option", "table", "library", "log"});
}
const char* to_string(Certainty certainty) {
    return word(certainty, {"none", "measured", "read", "predicted", "declared"});
}
const char* to_string(PartKind kind) {
    return word(kind, {"nvcc", "cicc", "ptxas", "cudafe++", "nvlink", "fatbinary", "crt headers",
                       "runtime headers", "libdevice", "cudart", "nvrtc", "nvvm", "cublas", "cudnn", "CCCL",
                       "cudnn headers", "nccl", "nccl headers"});
}
const char* to_string(Layout layout) {
    return word(layout, {"unknown", "nvidia", "debian", "conda", "wheel", "hpc-sdk"});
}
const char* to_string(SelectorKind kind) {
    return word(kind,
                {"option", "cmake", "variable", "search-path", "default-folder", "package", "registry"});
}
const char* to_string(ProbeKind kind) {
    return word(kind, {"list-archs", "ptx", "assemble", "object", "link", "driver-jit"});
}
const char* to_string(Outcome outcome) { return word(outcome, {"accepted", "refused", "broken", "unknown"}); }
const char* to_string(System system) { return word(system, {"linux", "windows"}); }
const char* to_string(Level level) { return word(level, {"note", "unknown", "warning", "error"}); }
const char* to_string(FixKind kind) { return word(kind, {"command", "setting", "edit", "manual"}); }
const char* to_string(AreaState state) { return word(state, {"ok", "warning", "error", "not_checked"}); }
const char* to_string(PlannedFit fit) { return word(fit, {"runs", "no", "unknown"}); }
const char* to_string(Verdict verdict) { return word(verdict, {"pass", "fail", "unknown", "not_checked"}); }
const char* to_string(FileFormat format) {
    return word(format, {"unknown", "elf", "pe", "archive", "fatbin", "cubin", "ptx"});
}
const char* to_string(ArchiveKind kind) { return word(kind, {"none", "library", "wheel", "conda", "other"}); }
const char* to_string(EntryKind kind) { return word(kind, {"cubin", "ptx", "ltoir", "tileir", "other"}); }
const char* to_string(RunVerdict verdict) { return word(verdict, {"cubin", "jit", "no", "unknown"}); }
const char* to_string(LoadHow how) {
    return word(how, {"program", "needed", "dlopen", "delay-load", "preload", "text"});
}
const char* to_string(DllHost host) { return word(host, {"python", "store-python"}); }
const char* to_string(LoadLost lost) {
    return word(lost, {"later", "not-searched", "other-machine", "other-name", "unreadable"});
}
// The empty word is the last one: from_word() stops there.
const char* to_string(PartFault fault) {
    return word(fault, {"not-executable", "called-through-link", "not-started", "no-answer", "other", ""});
}
const char* to_string(PathProblem problem) {
    return word(problem, {"missing", "file", "unreadable", "loop", "dangling", "relative", "empty",
                          "no_toolkit", "undefined_variable", "blanks", "unexpanded", ""});
}
const char* to_string(Skipped skipped) {
    return word(skipped, {"absent", "not-executable", "no-answer", "not-run", "unfit", "later", ""});
}
const char* to_string(Failure failure) {
    return word(failure, {"ptx-version", "architecture", "host-compiler", "c-library", "not-started",
                          "unlinked", "library", ""});
}
const char* to_string(Culprit culprit) {
    return word(culprit,
                {"nvcc", "cicc", "ptxas", "cudafe++", "nvlink", "fatbinary", "crt headers", "runtime headers",
                 "libdevice", "headers", "host compiler", "temporary folder", "clang", ""});
}
const char* to_string(Vendor vendor) { return word(vendor, {"cuda", "rocm", "xpu", "cpu"}); }
const char* to_string(Installation installation) {
    return word(installation,
                {"wheel", "conda", "libtorch", "libtensorflow", "editable", "system", "declared", ""});
}
const char* to_string(CudnnWay way) { return word(way, {"bundled", "wheels", "conda", "system", "none"}); }
const char* to_string(ModuleUse use) { return word(use, {"at-import", "when-used", "opened"}); }
const char* to_string(Harm harm) { return word(harm, {"later", "part", "gpu", "import"}); }
const char* to_string(SourceKind source) { return word(source, {"machine", "binary", "recipe", "log"}); }
const char* to_string(Confidence confidence) { return word(confidence, {"possible", "likely", "certain"}); }
const char* to_string(ImageFlavour flavour) { return word(flavour, {"base", "runtime", "devel", ""}); }
const char* to_string(IndexUse use) { return word(use, {"only", "extra", "links"}); }
const char* to_string(Refusal refusal) {
    return word(refusal, {"no_release", "no_build", "no_local", "no_python", "no_platform", "no_package",
                          "placeholder", "other_name", "no_project", "no_set", "parts", "no_lock",
                          "no_newest", "old_glibc", "conda_base", "old_python"});
}
const char* to_string(ProbeMode mode) { return word(mode, {"off", "auto", "full"}); }
const char* to_string(Content content) {
    return word(content, {"text",
                          "a cubin",
                          "an ELF file",
                          "a fatbin",
                          "LTO-IR",
                          "Tile IR",
                          "a Git LFS pointer",
                          "an HTML page",
                          "UTF-16 text",
                          "a zip archive",
                          "gzip data",
                          "xz data",
                          "zstd data",
                          "LLVM bitcode",
                          "LLVM IR text",
                          "a Mach-O file",
                          "a script",
                          "a COFF object file",
                          "a DOS program",
                          "a file of zero bytes",
                          ""});
}
const char* to_string(ProducerKind kind) {
    return word(kind, {"nvcc", "nvrtc", "libnvvm", "triton", "clang", "ptx-file", "binary"});
}
const char* to_string(ConsumerKind kind) {
    return word(kind, {"ptxas", "nvjitlink", "driver-jit", "driver", "gpu", "tileiras"});
}

bool is_program(PartKind kind) { return kind <= PartKind::fatbinary; }

}  // namespace ptxguard
