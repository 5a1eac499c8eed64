// The words that enums have in JSON, on the command line and in reports. One table per enum; reading and
// writing use the same one.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <iterator>

#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {
namespace {

template <typename Enum>
struct Word {
    Enum value;
    const char* text;
};

template <typename Enum, std::size_t N>
const char* text_of(const Word<Enum> (&table)[N], Enum value) {
    for (const auto& word : table)
        if (word.value == value) return word.text;
    return "";
}

template <typename Enum, std::size_t N>
std::optional<Enum> value_of(const Word<Enum> (&table)[N], const std::string& text) {
    for (const auto& word : table)
        if (text == word.text) return word.value;
    return std::nullopt;
}

const Word<OriginKind> k_origin_kinds[] = {
    {OriginKind::none, "none"},         {OriginKind::command, "command"}, {OriginKind::file, "file"},
    {OriginKind::variable, "variable"}, {OriginKind::option, "option"},   {OriginKind::table, "table"},
    {OriginKind::library, "library"},   {OriginKind::log, "log"}};
const Word<Certainty> k_certainties[] = {{Certainty::none, "none"},
                                         {Certainty::measured, "measured"},
                                         {Certainty::read, "read"},
                                         {Certainty::predicted, "predicted"},
                                         {Certainty::declared, "declared"}};
const Word<PartKind> k_parts[] = {{PartKind::nvcc, "nvcc"},
                                  {PartKind::cicc, "cicc"},
                                  {PartKind::ptxas, "ptxas"},
                                  {PartKind::cudafe, "cudafe++"},
                                  {PartKind::nvlink, "nvlink"},
                                  {PartKind::fatbinary, "fatbinary"},
                                  {PartKind::crt_headers, "crt headers"},
                                  {PartKind::runtime_headers, "runtime headers"},
                                  {PartKind::libdevice, "libdevice"},
                                  {PartKind::cudart, "cudart"},
                                  {PartKind::nvrtc, "nvrtc"},
                                  {PartKind::nvvm, "nvvm"},
                                  {PartKind::cublas, "cublas"},
                                  {PartKind::cudnn, "cudnn"}};
const Word<Layout> k_layouts[] = {{Layout::unknown, "unknown"}, {Layout::nvidia, "nvidia"},
                                  {Layout::debian, "debian"},   {Layout::conda, "conda"},
                                  {Layout::wheel, "wheel"},     {Layout::hpc_sdk, "hpc-sdk"}};
const Word<SelectorKind> k_selectors[] = {{SelectorKind::option, "option"},
                                          {SelectorKind::cmake, "cmake"},
                                          {SelectorKind::variable, "variable"},
                                          {SelectorKind::search_path, "search-path"},
                                          {SelectorKind::default_folder, "default-folder"},
                                          {SelectorKind::package, "package"}};
const Word<ProbeKind> k_probes[] = {{ProbeKind::list_archs, "list-archs"},
                                    {ProbeKind::ptx, "ptx"},
                                    {ProbeKind::assemble, "assemble"},
                                    {ProbeKind::object, "object"},
                                    {ProbeKind::driver_jit, "driver-jit"}};
const Word<Outcome> k_outcomes[] = {{Outcome::accepted, "accepted"},
                                    {Outcome::refused, "refused"},
                                    {Outcome::broken, "broken"},
                                    {Outcome::unknown, "unknown"}};
const Word<System> k_systems[] = {{System::linux_, "linux"}, {System::windows, "windows"}};
const Word<Level> k_levels[] = {
    {Level::note, "note"}, {Level::unknown, "unknown"}, {Level::warning, "warning"}, {Level::error, "error"}};
const Word<FixKind> k_fixes[] = {{FixKind::command, "command"},
                                 {FixKind::setting, "setting"},
                                 {FixKind::edit, "edit"},
                                 {FixKind::manual, "manual"}};
const Word<Verdict> k_verdicts[] = {{Verdict::pass, "pass"},
                                    {Verdict::fail, "fail"},
                                    {Verdict::unknown, "unknown"},
                                    {Verdict::not_checked, "not_checked"}};

const Word<FileFormat> k_file_formats[] = {{FileFormat::unknown, "unknown"}, {FileFormat::elf, "elf"},
                                           {FileFormat::pe, "pe"},           {FileFormat::archive, "archive"},
                                           {FileFormat::fatbin, "fatbin"},   {FileFormat::cubin, "cubin"},
                                           {FileFormat::ptx, "ptx"}};
const Word<EntryKind> k_entry_kinds[] = {{EntryKind::cubin, "cubin"},
                                         {EntryKind::ptx, "ptx"},
                                         {EntryKind::ltoir, "ltoir"},
                                         {EntryKind::other, "other"}};
const Word<RunVerdict> k_run_verdicts[] = {{RunVerdict::cubin, "cubin"},
                                           {RunVerdict::jit, "jit"},
                                           {RunVerdict::no, "no"},
                                           {RunVerdict::unknown, "unknown"}};
const Word<LoadLost> k_load_losts[] = {{LoadLost::later, "later"},
                                       {LoadLost::not_searched, "not-searched"},
                                       {LoadLost::other_machine, "other-machine"},
                                       {LoadLost::other_name, "other-name"},
                                       {LoadLost::unreadable, "unreadable"}};
const Word<LoadHow> k_load_hows[] = {{LoadHow::program, "program"}, {LoadHow::needed, "needed"},
                                     {LoadHow::dlopen, "dlopen"},   {LoadHow::delay_load, "delay-load"},
                                     {LoadHow::preload, "preload"}, {LoadHow::text, "text"}};

}  // namespace

const char* to_string(FileFormat format) { return text_of(k_file_formats, format); }
std::optional<FileFormat> file_format_from(const std::string& word) { return value_of(k_file_formats, word); }
const char* to_string(EntryKind kind) { return text_of(k_entry_kinds, kind); }
std::optional<EntryKind> entry_kind_from(const std::string& word) { return value_of(k_entry_kinds, word); }
const char* to_string(RunVerdict verdict) { return text_of(k_run_verdicts, verdict); }
std::optional<RunVerdict> run_verdict_from(const std::string& word) { return value_of(k_run_verdicts, word); }
const char* to_string(LoadHow how) { return text_of(k_load_hows, how); }
std::optional<LoadHow> load_how_from(const std::string& word) { return value_of(k_load_hows, word); }

const char* to_string(LoadLost lost) { return text_of(k_load_losts, lost); }
std::optional<LoadLost> load_lost_from(const std::string& word) { return value_of(k_load_losts, word); }
const char* to_string(OriginKind kind) { return text_of(k_origin_kinds, kind); }
std::optional<OriginKind> origin_kind_from(const std::string& word) { return value_of(k_origin_kinds, word); }
const char* to_string(Certainty certainty) { return text_of(k_certainties, certainty); }
std::optional<Certainty> certainty_from(const std::string& word) { return value_of(k_certainties, word); }
const char* to_string(PartKind kind) { return text_of(k_parts, kind); }
std::optional<PartKind> part_kind_from(const std::string& word) { return value_of(k_parts, word); }
const char* to_string(Layout layout) { return text_of(k_layouts, layout); }
std::optional<Layout> layout_from(const std::string& word) { return value_of(k_layouts, word); }
const char* to_string(SelectorKind kind) { return text_of(k_selectors, kind); }
std::optional<SelectorKind> selector_kind_from(const std::string& word) {
    return value_of(k_selectors, word);
}
const char* to_string(ProbeKind kind) { return text_of(k_probes, kind); }
std::optional<ProbeKind> probe_kind_from(const std::string& word) { return value_of(k_probes, word); }
const char* to_string(Outcome outcome) { return text_of(k_outcomes, outcome); }
std::optional<Outcome> outcome_from(const std::string& word) { return value_of(k_outcomes, word); }
const char* to_string(System system) { return text_of(k_systems, system); }
std::optional<System> system_from(const std::string& word) { return value_of(k_systems, word); }
const char* to_string(Level level) { return text_of(k_levels, level); }
std::optional<Level> level_from(const std::string& word) { return value_of(k_levels, word); }
const char* to_string(FixKind kind) { return text_of(k_fixes, kind); }
std::optional<FixKind> fix_kind_from(const std::string& word) { return value_of(k_fixes, word); }
const char* to_string(Verdict verdict) { return text_of(k_verdicts, verdict); }

bool is_program(PartKind kind) { return kind <= PartKind::fatbinary; }

}  // namespace ptxguard
