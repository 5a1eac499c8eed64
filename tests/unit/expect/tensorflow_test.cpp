// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_build_info = "/tensorflow/python/platform/build_info.py";

std::string ordered(const std::string& pairs) {
    return "\"\"\"Auto-generated.\"\"\"\nimport collections\n\nbuild_info = collections.OrderedDict([" +
           pairs + "])\n";
}

Expectation build_info(const std::string& text) {
    Expectation expectation;
    tensorflow::read_build_info(text, "/build_info.py", expectation);
    return expectation;
}

}  // namespace

TEST_CASE("the Linux form gives CUDA, cuDNN and architectures") {
    const auto tf = build_info(
        ordered("('cuda_compute_capabilities', ['sm_35', 'sm_70', 'compute_80']), ('cuda_version', '11.0'), "
                "('cudnn_version', '8'), ('is_cuda_build', True), ('is_rocm_build', False)"));
    CHECK(tf.cuda->text == "11.0");
    CHECK(tf.cuda.origin.line == 4);
    CHECK(tf.cudnn->text == "8");
    CHECK(*tf.vendor == Vendor::cuda);
    REQUIRE(tf.archs);
    CHECK(tf.archs->back().real);
    CHECK(tf.archs->back().ptx);
}

TEST_CASE("the Windows form writes versions as DLL suffixes") {
    FakeHost host(System::windows);
    host.file("C:/s/site-packages" + k_build_info,
              ordered("('cpu_compiler', 'C:/VS/cl.exe'), ('cuda_version', '64_110'), ('cudart_dll_name', "
                      "'cudart64_110.dll'), ('cudnn_version', '64_8'), ('is_cuda_build', True)"));
    add_record(host, "C:/s/site-packages", "tensorflow", "2.4.1");
    const auto tf = only(host, "C:/s/site-packages");
    CHECK(tf.framework == "TensorFlow");
    CHECK(tf.version->text == "2.4.1");
    CHECK(tf.cuda->text == "11.0");
    CHECK(tf.cudnn->text == "8");
    CHECK(tf.how == Installation::wheel);
}

TEST_CASE("the module-level form of 1.x and the dict form of 2.3 are understood") {
    const auto old =
        build_info("is_cuda_build = True\ncuda_version_number = \"10.0\"\ncudnn_version_number = \"7\"\n");
    CHECK(old.cuda->text == "10.0");
    CHECK(old.cudnn->text == "7");
    CHECK(build_info("build_info = {'cuda_version': '10.1', 'is_cuda_build': True}").cuda->text == "10.1");
}

TEST_CASE("CPU and ROCm builds have no CUDA") {
    const auto cpu = build_info(ordered("('is_cuda_build', False), ('is_rocm_build', False)"));
    CHECK(*cpu.cpu_only);
    CHECK(*cpu.vendor == Vendor::cpu);
    CHECK_FALSE(cpu.cuda);
    CHECK(*build_info(ordered("('is_cuda_build', False), ('is_rocm_build', True)")).vendor == Vendor::rocm);
}

TEST_CASE("an absurd build_info.py is reported and ignored") {
    for (const std::string& text : {std::string(), std::string("build_info = 5\n"),
                                    ordered("('cuda_version', 'soon'), ('is_cuda_build', True)"),
                                    ordered("('cuda_version', '11.0'), ('is_cuda_build', 'yes')"),
                                    ordered("('cuda_version', 11.0), ('is_cuda_build', True)"),
                                    ordered("('cuda_version', '64_99999'), ('is_cuda_build', True)"),
                                    ordered("('is_cuda_build', True), ('is_rocm_build', True)")}) {
        CAPTURE(text);
        const auto tf = build_info(text);
        CHECK_FALSE(tf.trouble.empty());
        CHECK_FALSE(tf.cuda);
        CHECK_FALSE(tf.vendor);
    }
}

TEST_CASE("cuda_config.h adds what build_info.py lacks") {
    FakeHost host;
    host.file(k_site + k_build_info, ordered("('is_cuda_build', True)"));
    host.file(k_site + "/tensorflow/include/third_party/gpus/cuda/cuda_config.h",
              "#define TF_CUDA_VERSION \"12.5.1\"\n#define TF_CUDNN_VERSION \"9\"\n#define "
              "TF_CUDA_COMPUTE_CAPABILITIES 60, 90\n");
    const auto tf = only(host);
    CHECK(tf.cuda->text == "12.5.1");
    CHECK(tf.cudnn->text == "9");
    REQUIRE(tf.archs);
    CHECK(tf.archs->size() == 2);
}

TEST_CASE("the extra and-cuda refines the cuDNN version, only within that major") {
    for (const char* pin : {"9.3.0.75", "8.9.4.25"}) {
        FakeHost host;
        host.file(k_site + k_build_info,
                  ordered("('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)"));
        add_record(host, k_site, "tensorflow", "2.18.0",
                   std::string("Requires-Dist: nvidia-cudnn-cu12 ==") + pin + " ; extra == 'and-cuda'\n");
        CHECK(only(host).cudnn->text == (std::string(pin)[0] == '9' ? "9.3.0.75" : "9"));
    }
}

TEST_CASE("a CPU package without build_info.py, two packages, and a version header") {
    FakeHost intel(System::windows);
    intel.folder("C:/s/site-packages/tensorflow/python/platform");
    add_record(add_record(intel, "C:/s/site-packages", "tensorflow", "2.15.0"), "C:/s/site-packages",
               "tensorflow_intel", "2.15.0");
    CHECK(*only(intel, "C:/s/site-packages").cpu_only);
    CHECK(only(intel, "C:/s/site-packages").version->text == "2.15.0");
    FakeHost two;
    two.file(k_site + k_build_info, ordered("('is_cuda_build', False)"));
    add_record(add_record(two, k_site, "tensorflow", "2.15.0"), k_site, "tensorflow_cpu", "2.14.0");
    CHECK_FALSE(only(two).version);
    CHECK(only(two).version.origin.text.find("several") == 0);
    FakeHost bare;
    bare.file(k_site + k_build_info, ordered("('is_cuda_build', False)"));
    bare.file(k_site + "/tensorflow/include/tensorflow/core/public/version.h",
              "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 9\n#define TF_PATCH_VERSION 1\n");
    CHECK(only(bare).version->text == "2.9.1");
}

TEST_CASE("1.15 keeps its files in tensorflow_core") {
    FakeHost host;
    host.folder(k_site + "/tensorflow")
        .file(k_site + "/tensorflow_core/python/platform/build_info.py",
              "is_cuda_build = True\ncuda_version_number = \"10.0\"\n");
    CHECK(only(host).cuda->text == "10.0");
}
