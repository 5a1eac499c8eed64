// A real tool or library that the tables describe (ptxas, NVRTC, libNVVM, nvJitLink, crt/host_config.h, a
// driver's JIT compiler), and its measured values. They are JSON in the tables' form, so that they can be
// compared with a row and written into one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/json.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class FactPart { ptxas, nvrtc, nvvm, nvjitlink, host_config, driver_jit };
const char* to_string(
    FactPart part);  // "ptxas", "NVRTC", "libNVVM", "nvJitLink", "host_config.h", "driver JIT"

struct FoundPart {
    std::string path;
    FactPart kind = FactPart::ptxas;
};
// By file name; nothing for a file that no table describes.
std::optional<FactPart> fact_part(const std::string& file_name);
// All of these at or below `path`; each file once, without stubs. An error if `path` does not exist.
Result<std::vector<FoundPart>> parts_at(const Host& host, const std::string& path);

struct MeasuredPart {
    FoundPart part;
    std::optional<Version> version;  // 12.9.86; 12.9 if nothing more exact is known; for a driver 535.261.03
    std::string trouble;             // why it could not be measured; then there are no values
    // As in facts/cuda/12.9.json: {"ptx":{"max":"8.8"},"ptxas_archs":{...}}; for a driver as in its branch in
    // drivers.json: {"ptx_max":"8.2"}.
    Json values = Json::object();
};
MeasuredPart measure_part(const Host& host, const Facts& facts, const FoundPart& part);

// One kind each; measure_part() is their table.
void measure_ptxas(const Host& host, const Facts& facts, MeasuredPart& measured);
void measure_nvrtc(const Host& host, const Facts& facts, MeasuredPart& measured);
void measure_nvvm(const Host& host, const Facts& facts, MeasuredPart& measured);
void measure_nvjitlink(const Host& host, const Facts& facts, MeasuredPart& measured);
void measure_host_config(const Host& host, const Facts& facts, MeasuredPart& measured);
void measure_driver_jit(const Host& host, const Facts& facts, MeasuredPart& measured);

// Compares measured values with the tables. Pure.

struct FactDifference {
    std::string what;      // "ptxas_archs.values"
    std::string measured;  // "sm_107", "8.8"
    std::string table;     // "8.7"; empty = not in the table
    std::string text;      // as shown
    std::string source;    // the table's: "m-ptxas", "d-spack"
};

struct VerifiedPart {
    enum class State { agrees, differs, unknown, broken };
    State state = State::unknown;
    MeasuredPart measured;
    std::string table;  // "cuda/12.9.json", "drivers.json, branch 535"; empty = none fits
    std::vector<FactDifference> differences;  // the table has another value
    std::vector<FactDifference> unlisted;     // not in the table: what to add
    std::string add;                          // unknown: what to do
};
const char* to_string(VerifiedPart::State state);

VerifiedPart compare_with_tables(const Facts& facts, MeasuredPart measured);

}  // namespace ptxguard
