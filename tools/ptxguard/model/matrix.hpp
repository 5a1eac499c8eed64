// Producers and consumers of PTX, LTO-IR and Tile IR, and the result of each pair: `ptxguard matrix`.
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
    driver_jit,  // a driver's own JIT library, called here
    driver,      // a driver of which only the version is known
    gpu,         // a GPU of this machine, through its driver: PTX is loaded as a program loads it
    tileiras,    // for Tile IR
};
const char* to_string(ConsumerKind kind);  // "ptxas", "nvjitlink", "driver-jit", "driver", "gpu", "tileiras"
// Only nvJitLink links LTO-IR; tileiras and drivers compile Tile IR; all except tileiras compile PTX.
bool takes(ConsumerKind consumer, EntryKind code);

// Existing code: a file, or an entry of a binary.
struct PtxText {
    Arch target;               // number 0 = it names none
    PtxVersion version;        // of LTO-IR the container's, of Tile IR the bytecode's
    std::string text;          // of obfuscated LTO-IR a fatbin that contains only it
    std::string where;         // "smallest of 37 entries"; empty = the whole file
    bool relocatable = false;  // of -rdc=true: needs functions that are linked later
    EntryKind code = EntryKind::ptx;
};

// Code and the architecture to compile it for.
struct CodeToCompile {
    Arch arch;
    PtxText code;
};

// What a producer made for one target.
struct Made {
    Arch target;                    // requested target
    std::optional<PtxVersion> ptx;  // `.version` of the PTX; null = no PTX
    std::optional<PtxVersion> ir;   // version of LTO-IR or Tile IR, as DeviceEntry::ir
    Outcome outcome = Outcome::unknown;
    Certainty basis = Certainty::measured;
    std::string evidence;  // of a refusal or prediction: the compiler's output, or the table row
    std::string text;      // the code; of predicted PTX an empty kernel of that version

    PTXGUARD_MEMBERS((target, ptx, outcome, basis, evidence), (ir))
};

struct Producer;
struct Consumer;
// Name in a table: "nvcc 13.0.88", "driver 535.261.03", "libfoo.so".
std::string name_of(const Producer& producer);
std::string name_of(const Consumer& consumer);

struct Producer {
    std::string id;  // "producer1"
    ProducerKind kind = ProducerKind::nvcc;
    EntryKind code = EntryKind::ptx;  // kind of code that it produces
    std::string path;
    std::vector<std::string> names;  // other paths to the same file
    Known<Version> version;
    std::optional<PtxVersion> ptx;   // newest PTX ISA version that it produced
    std::string toolkit;             // of nvcc: id in the scenario
    std::string root;                // root of that toolkit, for a compiler that needs one (clang)
    std::vector<PtxText> texts;      // of ptx_file and binary; all of one kind of code
    std::vector<BundledTool> tools;  // of triton: its ptxas, which determine its PTX version
    std::string trouble;             // why it produces nothing
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
    std::string path;                // empty for a driver that is only a version
    std::vector<std::string> names;  // other paths to the same file
    Known<Version> version;
    std::optional<PtxVersion> reads;  // newest PTX ISA version that it accepts, as measured or by a table
    Certainty reads_basis = Certainty::none;
    std::string used_for;  // where it is used: "Triton, compute capability 10.0 and above"
    Driver driver;         // of driver_jit, driver and gpu
    Gpu gpu;               // of gpu
    std::string trouble;   // why it cannot be run

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

// The same PTX with its version line lowered to what the consumer accepts: nvcc writes its newest version
// into all PTX, even if the code does not need it.
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
    std::string producer, consumer;  // ids of the producer and the consumer
    Arch target;
    std::optional<PtxVersion> ptx, ir;  // as in Made
    Outcome outcome = Outcome::unknown;
    Certainty basis = Certainty::measured;
    std::string evidence;              // the compiler's output, or the table row
    Failure failure = Failure::other;  // why it was refused
    std::string command;               // command that was run; empty = none
    std::optional<Lowered> lowered;
    bool cached = false;  // from the cache of test compiles

    PTXGUARD_MEMBERS((producer, consumer, target, ptx, outcome, basis, evidence),
                     (ir, failure, command, cached, lowered))
};

struct Matrix {
    std::vector<Producer> producers;
    std::vector<Consumer> consumers;
    std::vector<Arch> targets;
    std::string targets_because;  // "--arch 80;90", "default of nvcc 13.0.88"
    std::vector<Cell> cells;
    std::vector<std::string> remarks;  // "no consumer was found: ..."
    int compilations = 0;              // runs that were not answered from the cache

    PTXGUARD_MEMBERS_ALWAYS(producers, consumers, targets, targets_because, cells, remarks, compilations)
};

}  // namespace ptxguard
