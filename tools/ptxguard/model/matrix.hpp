// Who makes PTX, LTO-IR and Tile IR, who reads it, and what came of each pair: `ptxguard matrix`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/binary.hpp"
#include "model/driver.hpp"
#include "model/fields.hpp"
#include "model/framework.hpp"
#include "model/origin.hpp"
#include "model/probe.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class ProducerKind { nvcc, nvrtc, libnvvm, triton, clang, ptx_file, binary };
const char* to_string(ProducerKind kind);  // "nvcc" ... "ptx-file", "binary"

enum class ConsumerKind {
    ptxas,
    nvjitlink,
    driver_jit,  // a driver's own JIT library, asked
    driver,      // a driver that is known by its version alone
    gpu,         // a GPU of this machine, through its driver: PTX is loaded as a program loads it
    tileiras,    // of Tile IR
};
const char* to_string(ConsumerKind kind);  // "ptxas", "nvjitlink", "driver-jit", "driver", "gpu", "tileiras"
// LTO-IR is linked by nvJitLink only, Tile IR compiled by tileiras and drivers, PTX by all but tileiras.
bool takes(ConsumerKind consumer, EntryKind code);

// Code that is there already: a file, or an entry of a binary.
struct PtxText {
    Arch target;         // number 0: it names none
    PtxVersion version;  // of LTO-IR its container's, of Tile IR its bytecode's
    std::string text;          // of obfuscated LTO-IR a fatbin with only it
    std::string where;         // "smallest of 37 entries"; empty = the whole file
    bool relocatable = false;  // of -rdc=true: names functions that only the link brings
    EntryKind code = EntryKind::ptx;
};

// A text and the architecture to compile it for.
struct CodeToCompile {
    Arch arch;
    PtxText code;
};

// What a producer made for one target.
struct Made {
    Arch target;  // that was asked for
    std::optional<PtxVersion> ptx;
    std::optional<PtxVersion> ir;  // of LTO-IR and Tile IR, as DeviceEntry::ir
    Outcome outcome = Outcome::unknown;
    Certainty basis = Certainty::measured;
    std::string evidence;  // of a refusal or a prediction: words of the compiler, or the table's row
    std::string text;      // the code; of predicted PTX an empty kernel of that version

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, target, ptx, outcome, basis, evidence);
        PTXGUARD_FIELDS(v, ir);
    }
};

struct Producer;
struct Consumer;
// "nvcc 13.0.88", "driver 535.261.03", "libfoo.so": how a table calls them.
std::string name_of(const Producer& producer);
std::string name_of(const Consumer& consumer);

struct Producer {
    std::string id;  // "producer1"
    ProducerKind kind = ProducerKind::nvcc;
    EntryKind code = EntryKind::ptx;  // that it makes
    std::string path;
    std::vector<std::string> names;  // other paths to the same
    Known<Version> version;
    std::optional<PtxVersion> ptx;   // newest that it made
    std::string toolkit;             // id in the scenario, of nvcc
    std::string root;                // of that toolkit, where a compiler of another maker needs one (clang)
    std::vector<PtxText> texts;      // of ptx_file and binary; all of one kind of code
    std::vector<BundledTool> tools;  // of triton: the ptxas that decide its PTX version
    std::string trouble;             // why it can make nothing
    std::vector<Made> made;          // one per target

    template <class V>
    void fields(V& v) {
        std::string name = name_of(*this);
        PTXGUARD_ALWAYS(v, id, kind, name, version, path);
        PTXGUARD_FIELDS(v, names, trouble);
        v.when("code", code, code != EntryKind::ptx);
        PTXGUARD_ALWAYS(v, ptx);
        v.always("makes", made);
    }
};

struct Consumer {
    std::string id;  // "consumer1"
    ConsumerKind kind = ConsumerKind::ptxas;
    std::string path;                // empty for a driver that is only a number
    std::vector<std::string> names;  // other paths to the same
    Known<Version> version;
    std::optional<PtxVersion> reads;  // newest that it says (or a table says) it reads
    Certainty reads_basis = Certainty::none;
    std::string used_for;  // "Triton, compute capability 10.0 and above"
    Driver driver;         // of driver_jit, driver and gpu
    Gpu gpu;               // of gpu
    std::string trouble;   // why it can be asked nothing

    template <class V>
    void fields(V& v) {
        std::string name = name_of(*this);
        PTXGUARD_ALWAYS(v, id, kind, name, version, path);
        PTXGUARD_FIELDS(v, names, trouble);
        PTXGUARD_ALWAYS(v, reads);
        v.when("reads_basis", reads_basis, reads.has_value());
        PTXGUARD_FIELDS(v, used_for);
    }
};

// The same PTX with the version line that the consumer reads: nvcc writes its newest version into each PTX,
// whatever the code needs.
struct Lowered {
    PtxVersion version;
    Outcome outcome = Outcome::unknown;
    std::string evidence;

    template <class V>
    void fields(V& v) {
        v.always("ptx", version);
        PTXGUARD_ALWAYS(v, outcome, evidence);
    }
};

struct Cell {
    std::string producer, consumer;  // ids
    Arch target;
    std::optional<PtxVersion> ptx, ir;  // as Made
    Outcome outcome = Outcome::unknown;
    Certainty basis = Certainty::measured;
    std::string evidence;  // the compiler's own words, or the table's row
    Failure failure = Failure::other;  // of a refusal
    std::string command;   // that was run; empty where nothing was
    std::optional<Lowered> lowered;
    bool cached = false;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, producer, consumer, target, ptx, outcome, basis, evidence);
        PTXGUARD_FIELDS(v, ir, failure, command, cached, lowered);
    }
};

struct Matrix {
    std::vector<Producer> producers;
    std::vector<Consumer> consumers;
    std::vector<Arch> targets;
    std::string targets_because;  // "--arch 80;90", "default of nvcc 13.0.88"
    std::vector<Cell> cells;
    std::vector<std::string> remarks;  // "no consumer was found: ..."
    int compilations = 0;              // runs that really took place

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, producers, consumers, targets, targets_because, cells, remarks, compilations);
    }
};

}  // namespace ptxguard
