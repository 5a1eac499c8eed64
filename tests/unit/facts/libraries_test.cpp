// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"

#include "given.hpp"

namespace ptxguard {
namespace {

const Facts& all() {
    static const Facts facts = Facts::embedded();
    return facts;
}

// "cublas 12 12": library, CUDA major, number; "-" = not NVIDIA's.
std::string read(const char* name) {
    const auto known = library_by_file_name(all(), name);
    if (!known) return "-";
    return known->library + " " + std::to_string(known->cuda_major) + " " +
           (known->number ? known->number->text : "-") + (known->driver ? " driver" : "");
}

std::string names(const std::vector<OpensLater>& later) {
    std::string text;
    for (const auto& one : later) text += one.name + (one.optional ? "? " : " ");
    return text;
}

}  // namespace

TEST_CASE("the release of torch that a companion is for") {
    const auto other = [](const char* package, const char* release, const char* torch) {
        return text_of(companion_of(all(), "torch", package)->needs_other(v(release), v(torch)));
    };
    CHECK(other("torchvision", "0.19.0", "2.4.1") == "nothing");
    CHECK(other("torchvision", "0.19.0", "2.5.0") == "2.4.0");
    CHECK(other("torchcodec", "0.11", "2.8.0") == "2.11");
    // From then on only the stable interface is used.
    CHECK(other("torchcodec", "0.12.0", "2.8.0") == "2.11");
    CHECK(other("torchcodec", "0.12.0", "2.13.0") == "nothing");
    CHECK(other("torchaudio", "2.11.0", "2.10.0") == "2.11");
    CHECK(other("torchaudio", "2.11.0", "2.15.0") == "nothing");
}

TEST_CASE("the CUDA whose runtime a file starts, by the libraries that it needs") {
    const auto started = [](const std::vector<std::string>& needed) {
        const StartedRuntime runtime = runtime_started_by(all(), needed);
        return std::to_string(runtime.cuda_major) + " " + runtime.by;
    };
    CHECK(started({"libc.so.6", "libcudart.so.12"}) == "12 libcudart.so.12");
    CHECK(started({"libcublas.so.12"}) == "12 libcublas.so.12");
    CHECK(started({"libcufft.so.11"}) == "12 libcufft.so.11");
    CHECK(started({"libcublas.so.12", "libcudart.so.12"}) == "12 libcudart.so.12");
    CHECK(started({"libcudart.so.13", "libnppc.so.12"}) == "12 libnppc.so.12");
    CHECK(started({"cudart64_101.dll"}) == "10 cudart64_101.dll");
    // Compilers and tools start none; libcurand.so.10 is in CUDA 11, 12 and 13.
    for (const char* name : {"libnvrtc.so.12", "libnvJitLink.so.12", "libcurand.so.10", "libcuda.so.1",
                             "libcupti.so.12", "libnccl.so.2", "libm.so.6"})
        CHECK(started({name}) == "0 ");
}

TEST_CASE("a listed name gives library, number and CUDA major") {
    CHECK(read("libcublas.so.12") == "cublas 12 12");
    CHECK(read("libcublasLt.so.11") == "cublasLt 11 11");
    CHECK(read("libcudart.so.11.0") == "cudart 11 11.0");
    CHECK(read("libcufft.so.11") == "cufft 12 11");
    CHECK(read("libcusolver.so.12") == "cusolver 13 12");
    CHECK(read("libnvrtc-builtins.so.12.8") == "nvrtc-builtins 12 12.8");
    CHECK(read("libnvrtc.alt.so.12") == "nvrtc 12 12");
    CHECK(read("libnvJitLink.so.13") == "nvJitLink 13 13");
    CHECK(read("libnvToolsExt.so.1") == "nvtx 0 1");
    CHECK(read("cudart64_110.dll") == "cudart 11 11.0");
    CHECK(read("nvrtc64_112_0.dll") == "nvrtc 11 11.2");
    CHECK(read("nvrtc-builtins64_129.dll") == "nvrtc-builtins 12 12.9");
    CHECK(read("nvJitLink_120_0.dll") == "nvJitLink 12 12.0");
    CHECK(read("nvrtc64_120_0.alt.dll") == "nvrtc 12 12.0");
    CHECK(read("cupti64_2025.2.1.dll") == "cupti 12 2025.2.1");
}

TEST_CASE("a framework's file opens the names in its own table") {
    const auto later = opens_later(all(), "onnxruntime_pybind11_state.pyd", System::windows, std::nullopt);
    CHECK(
        names(later) ==
        "onnxruntime_providers_shared.dll onnxruntime_providers_cuda.dll onnxruntime_providers_tensorrt.dll? "
        "onnxruntime_providers_nv_tensorrt_rtx.dll? ");
    CHECK(later.front().if_present);
    CHECK(opens_later(all(), "onnxruntime_pybind11_state.so", System::linux_, std::nullopt).empty());
    CHECK(names(opens_later(all(), "cudnn64_8.dll", System::windows, parse_version("8.9.7")))
              .find("zlibwapi.dll") != std::string::npos);
    CHECK(names(opens_later(all(), "cudnn64_8.dll", System::windows, parse_version("8.2.1")))
              .find("zlibwapi.dll") == std::string::npos);
}

TEST_CASE("TensorFlow's names are composed from its header") {
    const auto composed = composed_names(all(), "_PYWRAP_tensorflow_internal.pyd", System::windows);
    REQUIRE(composed.size() == 1);
    CHECK(composed.front().pattern == "{library}{value}.dll");
    CHECK(composed.front().defines.size() == 7);
    const auto on_linux = composed_names(all(), "libtensorflow_cc.so.2", System::linux_);
    REQUIRE(on_linux.size() == 1);
    CHECK(on_linux.front().pattern == "lib{library}.so.{value}");
    CHECK(composed_names(all(), "libtensorflow_cc.so.2", System::windows).empty());
    CHECK(composed_names(all(), "x.pyd", System::windows).empty());
}

TEST_CASE("a number that several CUDA majors share gives none of them") {
    CHECK(read("libcurand.so.10") == "curand 0 10");
    CHECK(read("libcusparse.so.12") == "cusparse 0 12");
    CHECK(read("libcudnn.so.9") == "cudnn 0 9");
    CHECK(read("libnccl.so.2") == "nccl 0 2");
    CHECK(read("libcufft.so.10") == "cufft 0 10");
    CHECK(read("cusolver64_11.dll") == "cusolver 0 11");
}

TEST_CASE("numbers that no file lists are parsed") {
    CHECK(read("libcublas.so.14") == "cublas 14 14");
    CHECK(read("libcublas.so.12.8.4.1") == "cublas 12 12.8.4.1");
    CHECK(read("libcublas.so.10.0") == "cublas 10 10.0");
    CHECK(read("libnvrtc-builtins.so.14.2") == "nvrtc-builtins 14 14.2");
    CHECK(read("cublas64_14.dll") == "cublas 14 14");
    CHECK(read("cublas64_92.dll") == "cublas 9 9.2");
    CHECK(read("cudart64_100.dll") == "cudart 10 10.0");
    CHECK(read("nvrtc-builtins64_142.dll") == "nvrtc-builtins 14 14.2");
    CHECK(read("libcudnn_graph.so.10") == "cudnn_graph 0 10");
    CHECK(read("libcudnn_graph.so.9.19.0") == "cudnn_graph 0 9.19.0");
    CHECK(read("libcufft.so.13") == "cufft 0 13");
    CHECK(read("libnppig.so.12") == "nppig 12 12");
}

TEST_CASE("names without a number and renamed ones are parsed") {
    CHECK(read("libcublas.so") == "cublas 0 -");
    CHECK(read("libcublas-3965bdd0.so.12") == "cublas 12 12");
    CHECK(read("libcudart.3eda8113.so.13") == "cudart 13 13");  // torchvision 0.29.2
    CHECK(read("libnvToolsExt-847d78f2.so.1") == "nvtx 0 1");
    CHECK(read("libnvrtc-builtins-2dc4bf68.so.11.8") == "nvrtc-builtins 11 11.8");
    CHECK(read("cusparseLt.dll") == "cusparseLt 0 -");
    CHECK(read("CUBLAS64_12.DLL") == "cublas 12 12");
    CHECK(read("cudnn_ops_infer64_8.dll") == "cudnn_ops_infer 0 8");
}

TEST_CASE("libraries of NVIDIA's other packages are known, and of no CUDA where two have the name") {
    CHECK(read("libcustatevec.so.1") == "custatevec 0 1");
    CHECK(read("libcutensornet.so.2.7.0") == "cutensornet 0 2.7.0");
    CHECK(read("libcutensor.so.2") == "cutensor 0 2");
    CHECK(read("libcudss_commlayer_nccl.so.0") == "cudss_commlayer_nccl 0 0");
    CHECK(read("libnvcomp.so.4") == "nvcomp 0 4");
    CHECK(read("libcublasmp.so.0") == "cublasmp 0 0");
    CHECK(read("libcublasMp.so.0") == "cublasmp 0 0");
    CHECK(read("libcusolverMp.so.0") == "cusolverMp 0 0");
    CHECK(read("libcal.so.0") == "cal 0 0");
    CHECK(read("libnvshmem_host.so.3") == "nvshmem_host 0 3");
    for (const char* name :
         {"libcudensitymat.so.0", "libcupauliprop.so.0", "libnvjpeg2k.so.0", "libnvtiff.so.0",
          "libnvimgcodec.so.0", "libcusparseLt.so.0", "libcufile.so.0", "libnvvm.so.4", "libnppif.so.12",
          "librmm.so", "libraft.so", "libcuvs.so", "libcudf.so", "libcugraph.so", "libcuml++.so",
          "libkvikio.so", "libdali.so", "libnvinfer_lean.so.10", "nvjpeg2k_0.dll"})
        CHECK_MESSAGE(read(name) != "-", name);
    for (const char* name :
         {"libcalc.so.0", "libcudfx.so", "librmm_test.so", "libgraft.so", "libcudssx.so.0"})
        CHECK_MESSAGE(read(name) == "-", name);
}

TEST_CASE("a library's name leads to the wheel of each CUDA") {
    const auto sources = library_sources(all(), "libcustatevec.so.1", System::linux_);
    REQUIRE(sources.size() == 2);
    CHECK(sources[0].package == "custatevec-cu12");
    CHECK(sources[1].package == "custatevec-cu13");
    CHECK(sources[1].folder == "cuquantum/lib");
    CHECK(library_sources(all(), "libcustatevec.so.7", System::linux_).empty());
}

TEST_CASE("libraries of the driver are marked") {
    CHECK(read("libcuda.so.1") == "cuda 0 1 driver");
    CHECK(read("libcuda.so") == "cuda 0 - driver");
    CHECK(read("libnvidia-ml.so.1") == "nvidia-ml 0 1 driver");
    CHECK(read("libnvidia-ptxjitcompiler.so.535.104.05") == "nvidia-ptxjitcompiler 0 535.104.05 driver");
    CHECK(read("nvcuda.dll") == "cuda 0 - driver");
    CHECK(read("nvml.dll") == "nvidia-ml 0 - driver");
}

TEST_CASE("other libraries are not NVIDIA's") {
    for (const char* name :
         {"libc.so.6", "libcudnn_frontend.so.x", "libcublasx.so.12", "libtorch_cuda.so", "cublas",
          "libcublas.a", "libcublas.so.12.debug", "kernel32.dll", ".dll", "_.dll", "", ".so", "cudnn.h"})
        CHECK_MESSAGE(read(name) == "-", name);
}

TEST_CASE("libraries opened later have the numbers of the opener's version") {
    CHECK(names(opens_later(all(), "libnvrtc.so.13", System::linux_, v("13.0.88"))) ==
          "libnvrtc-builtins.so.13.0 ");
    CHECK(names(opens_later(all(), "nvrtc64_120_0.dll", System::windows, v("12.8.93"))) ==
          "nvrtc-builtins64_128.dll ");
    CHECK(names(opens_later(all(), "libcufft.so.12", System::linux_, std::nullopt)) ==
          "libnvJitLink.so.13? libnvrtc.so.13? ");
    CHECK(names(opens_later(all(), "cudnn64_8.dll", System::windows, std::nullopt)).substr(0, 24) ==
          "cudnn_ops_infer64_8.dll ");
}

TEST_CASE("a name that needs an unknown version is not guessed") {
    CHECK(opens_later(all(), "libnvrtc.so.13", System::linux_, std::nullopt).empty());
    CHECK(opens_later(all(), "libc.so.6", System::linux_, std::nullopt).empty());
}

TEST_CASE("cuDNN 9 first opens its parts by their full version") {
    const auto later = opens_later(all(), "libcudnn.so.9", System::linux_, v("9.19.0"));
    REQUIRE(later.size() == 4);
    CHECK(later[0].name == "libcudnn_graph.so.9");
    CHECK(later[0].tried_first ==
          std::vector<std::string>{"libcudnn_graph.so.9.19.0", "libcudnn_graph.so.9.19"});
    CHECK(opens_later(all(), "libcudnn.so.9", System::linux_, std::nullopt)[0].tried_first.empty());
    CHECK(opens_later(all(), "cudnn64_9.dll", System::windows, v("9.19.0"))[0].tried_first.empty());
}

TEST_CASE("libcudnn_graph opens NVRTC under the name of its own CUDA, until it contains one") {
    const auto nvrtc = [](const char* version, int cuda) {
        for (const auto& one :
             opens_later(all(), "libcudnn_graph.so.9", System::linux_, v(version), "", cuda))
            if (!one.without.empty()) return one.name;
        return std::string();
    };
    CHECK(nvrtc("9.1.0", 12) == "libnvrtc.so.12");
    CHECK(nvrtc("9.20.0", 13) == "libnvrtc.so.13");
    CHECK(nvrtc("9.21.0", 13).empty());
    CHECK(nvrtc("9.10.2", 0).empty());
}

TEST_CASE("libcudnn_graph opens libcudnn_engines_tensor_ir from 9.20 on, which may be missing") {
    const auto opens = [](const char* version) {
        for (const auto& one : opens_later(all(), "libcudnn_graph.so.9", System::linux_, v(version)))
            if (one.name == "libcudnn_engines_tensor_ir.so.9") return one.optional;
        return false;
    };
    CHECK(opens("9.20.0"));
    CHECK(opens("9.23.2"));
    CHECK_FALSE(opens("9.19.0"));
}

TEST_CASE("habits of packages and sets of libraries have a source") {
    REQUIRE(!package_habits(all(), System::windows).empty());
    CHECK(package_habits(all(), System::windows)[0].dll_folders[0] == "torch/lib");
    CHECK(!package_habits(all(), System::linux_).empty());
    REQUIRE(!library_sets(all()).empty());
    for (const auto& set : library_sets(all()))
        CHECK_MESSAGE(has(set.origin.text, "facts/loading.json"), set.id);
}

TEST_CASE("a framework's own libraries are known by its package and system") {
    REQUIRE(!framework_files(all(), "torch", System::linux_).empty());
    CHECK(framework_files(all(), "torch", System::linux_)[0] == "lib/libtorch_cuda.so");
    CHECK(framework_files(all(), "mxnet-cu112", System::linux_).at(0) == "libmxnet.so");
    CHECK(framework_files(all(), "mx", System::linux_).empty());
    // Of two that call the loader the one whose search decides (2.16.1 finds no cuBLAS).
    CHECK(framework_files(all(), "tensorflow", System::linux_)[0] == "libtensorflow_framework.so.2");
    CHECK(framework_files(all(), "tensorflow", System::windows)[0] == "python/_pywrap_tensorflow_common.dll");
    CHECK(framework_files(all(), "numpy", System::linux_).empty());
}

TEST_CASE("JAX's plugins share one name, and the folder decides which libraries they open") {
    const auto opens = [](const char* folder) {
        return names(opens_later(all(), "xla_cuda_plugin.so", System::linux_, std::nullopt, folder));
    };
    CHECK(opens("xla_cuda12") ==
          "libcudart.so.12 libcublas.so.12 libcupti.so.12 libcusparse.so.12 libcufft.so.11 libcusolver.so.11 "
          "libcudnn.so.9? ");
    CHECK(opens("xla_cuda13") ==
          "libcudart.so.13 libcublas.so.13 libcupti.so.13 libcufft.so.12 libcusolver.so.12 libcusparse.so.12 "
          "libcudnn.so.9? ");
    CHECK(opens("elsewhere").empty());
    CHECK(framework_files(all(), "jax-cuda13-plugin", System::linux_)[0] ==
          "{site}/jax_plugins/xla_cuda13/xla_cuda_plugin.so");
}

TEST_CASE("versions of a component are read however the file is formatted") {
    const auto facts =
        Facts::with({{"cuda/12.8.json",
                      "{\"updates\":[{\"components\":{\"cublas\" :\n\"12.8.4.1\",\"x\":{\"cublas\":7}}}]}"}});
    const auto& versions = facts.component_versions("cublas");
    const auto found = std::find_if(versions.begin(), versions.end(),
                                    [](const auto& row) { return row.first.text == "12.8"; });
    REQUIRE(found != versions.end());
    CHECK(found->second.text == "12.8.4.1");
    CHECK(std::count_if(versions.begin(), versions.end(),
                        [](const auto& row) { return row.first.text == "12.8"; }) == 1);
    CHECK(facts.component_versions("nothing").empty());
}

TEST_CASE("a set with an unknown rule is reported") {
    auto text = *all().text("loading.json");
    const std::string good = "\"rule\": \"same_version\"";
    text.replace(text.find(good), good.size(), "\"rule\": \"same_colour\"");
    const auto facts = Facts::with({{"loading.json", text}});
    CHECK(!library_sets(facts).empty());  // the embedded file is still used
    REQUIRE(facts.troubles().size() == 1);
    CHECK(has(facts.troubles()[0].text(), "'same_colour' is not a known word"));
}

TEST_CASE("a package's name shows whether it is NVIDIA's and what it contains") {
    CHECK(nvidia_component("nvidia-cudnn-cu12") == "cudnn");
    CHECK(nvidia_component("nvidia-cudnn-cu12<10.0,>=9.8") == "cudnn");
    CHECK(nvidia_component("nvidia-cudnn-jit-cu13==9.12.0.46") == "cudnn");
    CHECK(nvidia_component("nvidia-cudnn-frontend") == "cudnn-frontend");
    CHECK(nvidia_component("nvidia-cuda-runtime") == "cuda-runtime");
    CHECK(nvidia_component("cuda-toolkit[nvcc,cudart]==13.0") == "cuda-toolkit");
    for (const char* other : {"torch", "cudnn", "cuda-python", "my-nvidia-cublas", "nvidia-", ""})
        CHECK(nvidia_component(other) == "");
}

}  // namespace ptxguard
