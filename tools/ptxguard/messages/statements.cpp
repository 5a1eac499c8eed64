// What many programs say alike: a part of CUDA is not there, is required, was left out of a build or does not
// fit. The words of one program are in the other tables; these rows count only where no such row is on the
// line, and as much as the line itself does (diagnose/refine_statements.cpp): most programs also say them
// where all is well.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>

#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// A pattern that is put together lives as long as the table.
const char* kept(std::string pattern) {
    static std::deque<std::string> all;
    all.push_back(std::move(pattern));
    return all.back().c_str();
}

struct Thing {
    std::vector<Suspect> absent;
    std::vector<std::string_view> names;
};

const std::vector<Thing>& things() {
    static const std::vector<Thing> all{
        {{{"no_toolkit", likely}, {"nvcc_off_path", possible}},
         {"NVIDIA CUDA toolkit", "CUDA toolkit", "CUDA SDK", "CUDA installation", "CUDA install",
          "CUDA compiler", "CUDA nvcc", "nvcc compiler", "nvcc executable", "nvcc binary", "nvcc",
          "valid CUDA", "CUDA root", "CUDA home", "CUDA path"}},
        {{{"no_driver", likely}},
         {"NVIDIA GPU driver", "NVIDIA driver library", "NVIDIA drivers", "NVIDIA driver",
          "CUDA driver library", "CUDA drivers", "CUDA driver", "NVML library", "NVML shared library", "NVML",
          "libnvidia-ml", "libcuda", "nvidia-smi"}},
        {{{"no_gpu_visible", likely}},
         {"CUDA-capable devices",
          "CUDA-capable device",
          "CUDA-capable GPUs",
          "CUDA-capable GPU",
          "CUDA capable devices",
          "CUDA capable device",
          "CUDA-enabled GPU",
          "CUDA devices",
          "CUDA device",
          "CUDA GPUs",
          "CUDA GPU",
          "NVIDIA GPUs",
          "NVIDIA GPU",
          "NVIDIA devices",
          "NVIDIA device",
          "NVIDIA graphics card",
          "GPU devices",
          "GPU device",
          "GPUs",
          "GPU"}},
        {{{"cudnn_missing", likely}},
         {"cuDNN libraries", "cuDNN library", "cuDNN headers", "cuDNN include directory", "cuDNN include",
          "cuDNN dir", "cuDNN"}},
        {{{"library_missing", likely}},
         {"TensorRT libraries",
          "TensorRT library",
          "NCCL library",
          "NCCL",
          "cuBLAS library",
          "cuBLAS",
          "cuFFT",
          "cuSPARSE",
          "cuRAND",
          "cuSOLVER",
          "cuTENSOR",
          "nvJPEG",
          "NVRTC library",
          "NVRTC",
          "nvJitLink",
          "CUDA runtime libraries",
          "CUDA runtime library",
          "CUDA runtime",
          "CUDA libraries",
          "CUDA library"}},
        {{{"toolkit_incomplete", likely}},
         {"CUDA toolkit headers", "CUDA headers", "CUDA header files", "CUDA include directory",
          "CUDA include dir", "CUDA include path", "cuda.h", "cuda_runtime.h", "CUPTI", "libNVVM",
          "NVVM library", "NVVM", "libdevice.10.bc", "libdevice bitcode", "libdevice", "ptxas", "cuobjdump",
          "nvdisasm", "fatbinary"}},
    };
    return all;
}

// "{thing:CUDA driver library|CUDA driver|...}": the longer ones first, since the first that fits is taken.
std::string any_thing() {
    std::vector<std::string_view> names;
    for (const Thing& thing : things()) append(names, thing.names);
    std::stable_sort(names.begin(), names.end(),
                     [](std::string_view one, std::string_view other) { return one.size() > other.size(); });
    std::string all = "{thing:";
    for (const std::string_view name : names) all.append(name).push_back('|');
    all.back() = '}';
    return all;
}

void add(std::vector<Message>& all, std::string pattern, std::vector<Suspect> suspects,
         const char* mark = k_statement) {
    all.push_back({kept(std::move(pattern)), std::move(suspects), mark});
}

// Of what is absent, and of files with the name of one of NVIDIA's libraries.
std::vector<Message> of_absent_things() {
    std::vector<Message> all;
    const std::string thing = any_thing();
    const std::vector<Suspect> absent{{"thing_absent", likely}}, library{{"library_said_absent", likely}};
    for (const char* said : {"{:is |was |are |were |}not found", "{:is |was |are |were |}not detected",
                             "{:is |was |are |were |}not installed", "{:is |was |are |were |}not available",
                             "{:is |was |are |were |}not visible", "{:is |are |}unavailable",
                             "could not be {:found|located|detected|loaded|opened}",
                             "cannot be {:found|located|detected|loaded|opened}", "is missing", "are missing",
                             "failed to load"}) {
        add(all, thing + " " + said, absent);
        add(all, std::string("{library:library}{:'|}{:,|} ") + said, library);
    }
    for (const char* done : {"Cannot find ",      "Could not find ", "Unable to find ",   "Failed to find ",
                             "Did not find ",     "Cannot locate ",  "Could not locate ", "Unable to locate ",
                             "Failed to locate ", "Cannot detect ",  "Could not detect ", "Unable to detect ",
                             "Failed to detect ", "Cannot load ",    "Could not load ",   "Unable to load ",
                             "Failed to load ",   "Error loading ",  "Failed to open ",   "Could not open ",
                             "Failed to preload "}) {
        add(all,
            std::string(done) +
                "{:the |any |a valid |a compatible |a suitable |a working |an |a |valid |your |}" + thing,
            absent, k_statement_of_thing);
        add(all,
            std::string(done) +
                "{:the |}{:required |CUDA |NVIDIA |}{:shared |dynamic |}{:library |DLL |file "
                "|}{:'|}{library:library}",
            library);
    }
    for (const char* said :
         {"not found: ", "not found ", "missing import: ", "missing library: ", "missing dependency: ",
          "missing DLL: ", "missing file: ", "library not loaded: "})
        add(all, std::string(said) + "{:'|}{library:library}", library);
    return all;
}

// Programs of the toolkit, which tools name in quotation marks: "Could not find compiler 'nvcc' in PATH".
std::vector<Message> of_absent_programs() {
    constexpr const char* k_program = "{thing:nvcc|ptxas|nvidia-smi|cuobjdump|nvdisasm|fatbinary}";
    std::vector<Message> all;
    const std::vector<Suspect> absent{{"thing_absent", likely}};
    for (const char* said :
         {".exe {:is |was |}not found", "' {:is |was |}not found", ".exe' {:is |was |}not found",
          "' could not be {:found|located|executed|started}", "' cannot be {:found|located|executed|started}",
          "' {:is |was |}not installed", "' {:is |was |}not available", "' is not in {:your |the |}PATH",
          "' is not on {:your |the |}PATH"})
        add(all, std::string(k_program) + said, absent);
    for (const char* done : {"Could not find ", "Cannot find ", "Unable to find ", "Failed to find ",
                             "Could not locate ", "Unable to locate ", "Failed to locate ", "Cannot locate "})
        add(all,
            std::string(done) + "{:the |}{:compiler |program |executable |command |tool |binary |}{:'|}" +
                k_program,
            absent, k_statement_of_thing);
    for (const char* done : {"could not execute process ", "Could not execute ", "Failed to execute ",
                             "Failed to spawn ", "Failed to start "})
        add(all,
            std::string(done) + "{:command |process |compiler |}{:'|}" + k_program +
                "*{:No such file or directory|NotFound|not found|os error 2|cannot find the file}",
            absent);
    return all;
}

std::vector<Message> of_absent_gpus() {
    constexpr const char* k_gone =
        "{: found| were found| was found| detected| were detected| was detected| available| is available| "
        "are available| present| visible}";
    constexpr const char* k_gpu =
        "{:GPUs|GPU devices|GPU device|GPU(s)|GPU|devices|device|graphics cards|graphics card|cards|card}";
    std::vector<Message> all;
    const std::vector<Suspect> absent{{"no_gpu_visible", likely}};
    for (const char* kind : {"NVIDIA ", "CUDA ", "CUDA-capable ", "CUDA capable ", "CUDA-enabled ",
                             "CUDA-compatible ", "CUDA compatible "})
        add(all, std::string("No ") + kind + k_gpu + k_gone, absent);
    for (const char* kind : {"compatible ", "suitable ", "supported ", "available ", "usable "})
        add(all,
            std::string("No ") + kind + "{:NVIDIA |CUDA-capable |CUDA |}" +
                "{:GPUs|GPU devices|GPU device|GPU}" + k_gone,
            absent);
    for (const char* words :
         {"No GPU found", "No GPUs found", "No GPU detected", "No GPUs detected", "No GPU device found",
          "No GPU devices found", "No GPU devices detected", "No GPU available", "No GPUs available",
          "No GPU is available", "No GPU devices available", "No GPU was found", "No GPUs were found"})
        add(all, words, absent);
    for (const auto& [words, cause] :
         {std::pair{"find nvcc", "no_toolkit"}, std::pair{"find CUDA", "no_toolkit"},
          std::pair{"find the CUDA toolkit", "no_toolkit"}, std::pair{"find a CUDA toolkit", "no_toolkit"},
          std::pair{"find any CUDA device", "no_gpu_visible"},
          std::pair{"find any NVIDIA GPU", "no_gpu_visible"},
          std::pair{"find an NVIDIA GPU", "no_gpu_visible"}, std::pair{"find NVIDIA driver", "no_driver"},
          std::pair{"find libcuda", "no_driver"}, std::pair{"find cuDNN", "cudnn_missing"}})
        add(all, std::string("{:couldn't|can't|didn't|don't} ") + words, {{cause, likely}});
    return all;
}

// "No prebuilt wheel found for torch 2.9": of which package, the line says (refine_statements.cpp).
std::vector<Message> of_absent_builds() {
    std::vector<Message> all;
    for (const char* kind : {"matching ", "compatible ", "suitable ", "prebuilt ", "pre-built ",
                             "precompiled ", "pre-compiled "})
        add(all,
            std::string("No ") + kind +
                "{:CUDA |GPU |}{:wheels|wheel|binaries|binary|builds|build} {:was |were |is |are "
                "|}{:found|available|exists|exist|for|(}",
            {{"build_said_absent", likely}});
    return all;
}

// "CUDA" alone may be the toolkit, the driver or the program's own support.
std::vector<Message> of_cuda_alone() {
    std::vector<Message> all;
    const std::vector<Suspect> absent{{"no_toolkit", likely}, {"cuda_unavailable", possible}};
    for (const char* words :
         {"CUDA not found", "CUDA is not found", "CUDA was not found", "CUDA could not be found",
          "CUDA not detected", "CUDA was not detected", "CUDA is not detected", "CUDA not installed",
          "CUDA is not installed", "CUDA doesn't seem to be installed"})
        add(all, words, absent);
    for (const char* done : {"Could not ", "Cannot ", "Can not ", "Unable to ", "Failed to ", "Did not "})
        for (const char* what : {"find ", "locate ", "detect "})
            add(all, std::string(done) + what + "{:a CUDA|any CUDA|CUDA}", absent, k_statement_of_thing);
    for (const char* words : {"CUDA is not available", "CUDA not available", "CUDA unavailable",
                              "CUDA is unavailable", "CUDA non available", "CUDA is not usable",
                              "CUDA isn't available", "CUDA GPU acceleration is not available"})
        add(all, words, {{"cuda_unavailable", likely}});
    return all;
}

std::vector<Message> of_builds_without_cuda() {
    std::vector<Message> all;
    const std::vector<Suspect> absent{{"program_without_cuda", likely}};
    constexpr const char* k_product = "{:NVIDIA |}{:CUDA|GPU|cuDNN|cuBLAS|NVENC|NVML|NVRTC|TensorRT}";
    for (const char* words :
         {"compiled without ", "built without ", "build without ", "configured without ",
          "not compiled with ", "not been compiled with ", "not built with ", "not been built with ",
          "n't compiled with ", "n't built with ", "needs to be compiled with ", "needs to be built with ",
          "must be compiled with ", "must be built with ", "rebuild with ", "recompile with ",
          "re-compile with ", "not built to use ", "without support for "})
        add(all, std::string(words) + "{:the |}{:`|}" + k_product, absent);
    for (const char* done : {"integrated", "included", "enabled", "available", "supported"})
        add(all,
            std::string(k_product)
                .append("{: library| support| backend|}{: which|} {:is |was |are |}not ")
                .append(done)
                .append(" {:in|with} this {:build|binary|wheel|package|distribution}"),
            absent);
    for (const char* words : {"CUDA support", "GPU support", "CUDA backend"}) {
        add(all,
            std::string(words) +
                " {:is |was |has |}not {:been "
                "|}{:compiled|enabled|built|included|available|installed|present}",
            absent);
        add(all, std::string(words) + " {:is |was |has been |}{:disabled|unavailable}", absent);
    }
    return all;
}

}  // namespace

std::vector<Suspect> suspects_of_absent(std::string_view name) {
    const auto is_same = [&](std::string_view one) {
        return one.size() == name.size() &&
               std::equal(one.begin(), one.end(), name.begin(),
                          [](char a, char b) { return small_letter(a) == small_letter(b); });
    };
    for (const Thing& thing : things())
        if (any_of(thing.names, is_same)) return thing.absent;
    return {};
}

std::vector<Message> messages_of_statements() {
    std::vector<Message> all = of_absent_things();
    for (const auto& some : {of_absent_programs(), of_absent_gpus(), of_absent_builds(), of_cuda_alone(),
                             of_builds_without_cuda(), messages_of_requirements()})
        append(all, some);
    return all;
}

}  // namespace ptxguard
