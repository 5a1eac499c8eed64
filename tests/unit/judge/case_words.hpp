// The words of cases.md: which fact each begins, and which members follow without their names. Internal
// header of case_facts.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

struct Word {
    const char* inside;  // the word of the fact that it belongs to; "" = the scenario
    const char* word;
    const char* member;     // ends in [] if it is one of a list
    const char* positions;  // members that stand without their names, in this order
    const char* defaults;   // Json
};

const Word k_words[] = {
    {"", "toolkit", "toolkits[]", "root version", R"({"layout": "nvidia"})"},
    {"toolkit", "part", "parts[]", "kind version path", "{}"},
    {"", "selector", "selectors[]", "kind name value toolkit", "{}"},
    {"", "entry", "entries[]", "variable value problem", "{}"},
    {"", "pick", "picks[]", "consumer tool path", "{}"},
    {"pick", "not", "losers[]", "path reason by", "{}"},
    {"", "driver", "drivers[]", "version", R"({"declared": true})"},
    {"driver", "jit", "jit[]", "path driver_version", "{}"},
    {"", "gpu", "gpus[]", "name arch", R"({"declared": true})"},
    {"", "python", "python", "version", "{}"},
    {"python", "compares", "compared[]", "package version of of_version", "{}"},
    {"python", "unmet", "unmet[]", "package version wanted other other_version", "{}"},
    {"", "framework", "expectations[]", "framework package version cuda", "{}"},
    {"framework", "tool", "tools[]", "tool version path", "{}"},
    {"framework", "companion", "companions[]", "package version built_for cuda", "{}"},
    {"framework", "shared", "shared_files[]", "package version other other_version file", "{}"},
    {"framework", "unmet_pin", "unmet_pins[]", "package version wanted", "{}"},
    {"framework", "jax", "jax", "jax jaxlib plugin_version", "{}"},
    {"framework", "disagreement", "disagreements[]", "what used other", "{}"},
    {"", "probe", "probes[]", "kind outcome ptx target", R"({"basis": "measured", "toolkit": "toolkit1"})"},
    {"", "message", "messages[]", "cause", "{}"},
    {"", "unreadable", "unreadable[]", "subject why", "{}"},
    {"", "binary", "binaries[]", "path format", "{}"},
    {"binary", "entry", "entries[]", "kind arch ptx", R"({"section": ".nv_fatbin"})"},
    {"binary", "cubin", "entries[]", "arch",
     R"({"kind": "cubin", "section": ".nv_fatbin", "raw_kind": 2, "abi": 7})"},
    {"binary", "ptx", "entries[]", "arch ptx", R"({"kind": "ptx", "section": ".nv_fatbin", "raw_kind": 1})"},
    {"binary", "compiled", "compiled[]", "compiler arch outcome", "{}"},
    {"binary", "group", "summary[]", "kind arch count fatbins", "{}"},
    {"", "trace", "traces[]", "path", R"({"machine": "x86_64"})"},
    {"trace", "needs", "libraries[]", "name taken", R"({"how": "needed"})"},
    {"trace", "opens", "libraries[]", "name taken", R"({"how": "dlopen"})"},
    {"trace", "library", "libraries[]", "name taken", "{}"},
    {"needs", "not", "losers[]", "path lost rule why version", "{}"},
    {"opens", "not", "losers[]", "path lost rule why version", "{}"},
    {"library", "not", "losers[]", "path lost rule why version", "{}"},
    {"", "cudnn", "cudnns[]", "folder version", "{}"},
    {"cudnn", "part", "libraries[]", "name version path", "{}"},
    {"", "module", "modules[]", "path package version framework", "{}"},
    {"module", "symbol", "undefined_names[]", "name readable", "{}"},
    {"module", "missing", "missing[]", "name", R"({"how": "needed"})"},
    {"missing", "not", "losers[]", "path lost rule why version", "{}"},
    {"module", "lacking", "lacking[]", "name path functions", "{}"},
    {"module", "stub", "stubs[]", "name taken", "{}"},
    {"module", "compiler", "compilers[]", "name taken version", "{}"},
    {"", "build", "project", "toolkit toolkit_because", "{}"},
    {"build", "dropped", "dropped[]", "target files", "{}"},
    {"", "host_compiler", "project.host_compiler", "family version path", "{}"},
    {"", "arch", "project", "", "{}"},
    {"", "targets", "project", "", "{}"},
    {"", "scenario", "", "", "{}"},
    {"", "recipe", "recipe", "", "{}"},
    {"", "image", "recipe.image", "name tag cuda flavour", "{}"},
    {"recipe", "pin", "pins[]", "package specifier version", R"({"by": "pip"})"},
    {"recipe", "macos_pin", "pins_for_macos[]", "package specifier version", R"({"by": "pip"})"},
    {"recipe", "removed", "removed[]", "package", R"({"by": "pip"})"},
    {"recipe", "marker_slip", "marker_slips[]", "package system written meant build", "{}"},
    {"recipe", "installed", "installed[]", "package version", "{}"},
    {"recipe", "replaced", "replaced[]", "", "{}"},
    {"recipe", "broken", "broken[]", "wanted", "{}"},
    {"recipe", "refused", "refused[]", "why package", "{}"},
    {"recipe", "unread_option", "unread_options[]", "option built instead", "{}"},
    {"recipe", "index", "indexes[]", "url use build", "{}"},
    {"recipe", "ignored_index", "ignored_indexes[]", "url use build", "{}"},
    {"recipe", "compiles", "compiles[]", "what package", "{}"},
    {"recipe", "archs", "arch_lists[]", "name", "{}"},
    {"recipe", "gate", "arch_gates[]", "arch", "{}"},
    {"recipe", "standard", "standards[]", "name standard", "{}"},
    {"recipe", "toolkit_request", "toolkit_requests[]", "by wanted", "{}"},
    {"recipe", "named_image", "named_images[]", "name tag cuda flavour", "{}"},
    {"recipe", "nvcc", "nvcc_calls[]", "output mode", "{}"},
};

const char* const k_whole_toolkit[] = {"nvcc",      "cicc",        "ptxas",           "cudafe++",  "nvlink",
                                       "fatbinary", "crt headers", "runtime headers", "libdevice", "cudart"};
