// The same damage is done to an installation of every framework: each reader reports what is unknown, ignores
// what may be wrong, and never reports more than for the intact installation.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "../formats/build_elf.hpp"
#include "expect/expect.hpp"
#include "facts/framework_traits.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

std::string path(const std::string& below) { return k_site + "/" + below; }

void lay_pytorch(FakeHost& host) {
    add_torch(host, k_site, "2.5.1+cu124", "'12.4'");
    add_record(host, k_site, "torch", "2.5.1");
}
void lay_tensorflow(FakeHost& host) {
    host.file(path("tensorflow/__init__.py"));
    host.file(path("tensorflow/python/platform/build_info.py"),
              "build_info = {'is_cuda_build': True, 'cuda_version': '12.5', 'cudnn_version': '9'}\n");
    add_record(host, k_site, "tensorflow", "2.18.0");
}
void lay_jax(FakeHost& host) {
    for (const char* name : {"jax", "jaxlib", "jax_cuda12_plugin"}) {
        host.file(path(std::string(name) + "/__init__.py"));
        host.file(path(std::string(name) + "/version.py"), "_version = '0.6.0'\n__version__ = '0.6.0'\n");
        add_record(host, k_site, name, "0.6.0");
    }
    host.file(path("jaxlib/plugin_support.py"));
    host.file(path("jax_plugins/xla_cuda12/__init__.py"));
    host.file(path("jax_plugins/xla_cuda12/xla_cuda_plugin.so"), "\177ELF");
    add_record(host, k_site, "jax_cuda12_pjrt", "0.6.0");
}
void lay_onnxruntime(FakeHost& host) {
    host.file(path("onnxruntime/__init__.py"), "__version__ = '1.22.0'\n");
    host.file(path("onnxruntime/capi/__init__.py"));
    host.file(path("onnxruntime/capi/build_and_package_info.py"),
              "package_name = 'onnxruntime-gpu'\n__version__ = '1.22.0'\ncuda_version = '12.2'\n");
    add_record(host, k_site, "onnxruntime_gpu", "1.22.0");
}
void lay_cupy(FakeHost& host) {
    host.file(path("cupy/__init__.py")).file(path("cupy/_environment.py"));
    host.file(path("cupy/_version.py"), "__version__ = '10.0.0'\n");
    host.file(path("cupy/.data/_wheel.json"), R"({"cuda": "11.1", "packaging": "pip"})");
    add_record(host, k_site, "cupy_cuda111", "10.0.0");
}
void lay_paddle(FakeHost& host) {
    host.file(path("paddle/__init__.py"));
    host.file(path("paddle/version/__init__.py"),
              "full_version = '2.6.2'\ncuda_version = '11.8'\ncudnn_version = '8.6.0'\n");
    add_record(host, k_site, "paddlepaddle_gpu", "2.6.2");
}
void lay_triton(FakeHost& host) {
    host.file(path("triton/__init__.py"), "__version__ = '3.6.0'\n");
    host.file(path("triton/compiler/__init__.py")).file(path("triton/backends/nvidia/compiler.py"));
    host.file(path("triton/backends/nvidia/bin/ptxas"), std::string(200, 'x') +
                                                            "Cuda compilation tools, release 12.8, V12.8.93" +
                                                            std::string(1, '\0') + std::string(100, 'x'));
    add_record(host, k_site, "triton", "3.6.0");
}
void lay_numba(FakeHost& host) {
    host.file(path("numba_cuda/__init__.py")).file(path("numba_cuda/VERSION"), "0.30.4\n");
    add_record(host, k_site, "numba_cuda", "0.30.4");
    add_record(host, k_site, "cuda_bindings", "13.1.1");
}
void lay_mxnet(FakeHost& host) {
    host.file(path("mxnet/libinfo.py"), "import os\n__version__ = '1.9.1'\n");
    host.file(path("mxnet/__init__.py"));
    add_record(host, k_site, "mxnet_cu112", "1.9.1");
}

}  // namespace

std::vector<DamagedInstallation>& ptxguard::installations() {
    static std::vector<DamagedInstallation> all = {
        {"PyTorch", "torch", "2.5.1", "torch", "torch/version.py", "12.4", lay_pytorch},
        {"TensorFlow", "tensorflow", "2.18.0", "tensorflow", "tensorflow/python/platform/build_info.py",
         "12.5", lay_tensorflow},
        {"JAX", "jax_cuda12_plugin", "0.6.0", "jax", "jax/version.py", "12", lay_jax},
        {"ONNXRuntime", "onnxruntime_gpu", "1.22.0", "onnxruntime", "onnxruntime/__init__.py", "12.2",
         lay_onnxruntime},
        {"CuPy", "cupy_cuda111", "10.0.0", "cupy", "cupy/_version.py", "11.1", lay_cupy},
        {"PaddlePaddle", "paddlepaddle_gpu", "2.6.2", "paddle", "paddle/version/__init__.py", "11.8",
         lay_paddle},
        {"Triton", "triton", "3.6.0", "triton", "triton/__init__.py", "12.8.93", lay_triton},
        {"Numba", "numba_cuda", "0.30.4", "numba_cuda", "numba_cuda/VERSION", "13", lay_numba},
        {"MXNet", "mxnet_cu112", "1.9.1", "mxnet", "mxnet/libinfo.py", "11.2", lay_mxnet},
    };
    return all;
}

namespace {

std::string record_of(const DamagedInstallation& one) {
    return k_site + "/" + one.distribution + "-" + one.version + ".dist-info";
}

std::vector<Expectation> found(const FakeHost& host, const DamagedInstallation& one) {
    std::vector<Expectation> all;
    for (const Expectation& expectation : look(host, python(k_site)).expectations)
        if (expectation.framework == one.framework) all.push_back(expectation);
    return all;
}

// Whatever is reported equals the intact installation; with trouble nothing is reported about CUDA.
void check_subset(const std::vector<Expectation>& all, const DamagedInstallation& one) {
    REQUIRE(all.size() <= 1);
    if (all.empty()) return;
    const Expectation& item = all.front();
    CAPTURE(item.trouble);
    if (item.version) CHECK(item.version->text.find(one.version) == 0);
    if (item.cuda && !one.cuda.empty()) CHECK(item.cuda->text.find(one.cuda.substr(0, 2)) == 0);
    if (item.trouble.empty()) return;
    CHECK_FALSE(item.cuda);
    CHECK_FALSE(item.cudnn);
    CHECK_FALSE(item.cpu_only);
}

// Either the readers find nothing, or the result has the reason why nothing is known.
void check_trouble(const std::vector<Expectation>& all, const DamagedInstallation& one) {
    check_subset(all, one);
    for (const Expectation& item : all) {
        CHECK_FALSE(item.trouble.empty());
        CHECK_FALSE(item.cuda);
    }
}

template <typename Judge>
void each(const std::function<void(FakeHost&, const DamagedInstallation&)>& damage, Judge judge) {
    for (const DamagedInstallation& one : installations()) {
        CAPTURE(std::string(one.framework));
        FakeHost host;
        one.lay(host);
        damage(host, one);
        judge(found(host, one), one);
    }
}

void good(const std::vector<Expectation>& all, const DamagedInstallation& one) {
    REQUIRE(all.size() == 1);
    CAPTURE(all.front().trouble);
    CHECK(all.front().trouble.empty());
    REQUIRE(all.front().version);
    CHECK(all.front().version->text.find(one.version) == 0);
    REQUIRE(all.front().cuda);
    CHECK(all.front().cuda->text.find(one.cuda) == 0);
}

}  // namespace

TEST_CASE("every reader is tested here, and its framework has a row of traits") {
    const Facts facts = Facts::embedded();
    for (const FrameworkReader& reader : framework_readers()) {
        CAPTURE(std::string(reader.component));
        CHECK(std::any_of(
            installations().begin(), installations().end(),
            [&](const DamagedInstallation& one) { return one.framework == std::string(reader.component); }));
        CHECK_FALSE(framework_traits(facts, reader.component).packages.empty());
    }
}

TEST_CASE("every reader reads the intact installation") {
    each([](FakeHost&, const DamagedInstallation&) {}, good);
}

TEST_CASE("a version file that runs code, is something else, or cannot be read") {
    const std::vector<std::string> texts = {
        "import subprocess\n__version__ = subprocess.check_output(['git'])\nfull_version = f()\n",
        "_version = g()\n",
        "raise SystemExit(1)\n",
        "",
        std::string("\177ELF\0\0\0", 7),
        std::string("\xFF\xFE_\0", 4),
        std::string(3u << 20, '#'),
        std::string(100000, '(') + "\n",
        "__version__ = '" + std::string(200000, '1') + "'\n",
    };
    for (const std::string& text : texts) {
        CAPTURE(text.substr(0, 40));
        each([&](FakeHost& host, const DamagedInstallation& one) { host.file(path(one.version_file), text); },
             check_subset);
    }
    each([](FakeHost& host, const DamagedInstallation& one) { host.folder(path(one.version_file)); },
         check_subset);
    each([](FakeHost& host, const DamagedInstallation& one) { host.unreadable(path(one.version_file)); },
         check_subset);
    each([](FakeHost& host, const DamagedInstallation& one) { host.link(path(one.version_file), "/gone"); },
         check_subset);
    each([](FakeHost& host,
            const DamagedInstallation& one) { host.link(path(one.version_file), path(one.version_file)); },
         check_subset);
}

TEST_CASE("a record without a version, with another version, or that is not a record") {
    const std::vector<std::string> texts = {"Metadata-Version: 2.1\nName: x\n\n",
                                            "Version:\n",
                                            "Version: \xff\xfe\n",
                                            "",
                                            std::string(2u << 20, 'x'),
                                            std::string("\0\0\0", 3),
                                            "Name: x\nVersion: not.a.version\n"};
    for (const std::string& text : texts) {
        CAPTURE(text.substr(0, 40));
        each([&](FakeHost& host,
                 const DamagedInstallation& one) { host.file(record_of(one) + "/METADATA", text); },
             check_subset);
    }
    each([](FakeHost& host, const DamagedInstallation& one) { host.folder(record_of(one) + "/METADATA"); },
         check_subset);
    each(
        [](FakeHost& host, const DamagedInstallation& one) { host.unreadable(record_of(one) + "/METADATA"); },
        check_subset);
}

TEST_CASE("two versions of one distribution: the files decide, and the other one is ignored") {
    each(
        [](FakeHost& host, const DamagedInstallation& one) {
            add_record(host, k_site, one.distribution, "0.0.1", "Requires-Dist: nvidia-cudnn-cu9==5.0\n");
            add_record(host, k_site, one.distribution, "99.0", "Requires-Dist: nvidia-cudnn-cu99==77.0\n");
        },
        [](const std::vector<Expectation>& all, const DamagedInstallation& one) {
            check_subset(all, one);
            for (const Expectation& item : all)
                if (item.cudnn) {
                    CHECK(item.cudnn->major() != 77);
                    CHECK(item.cudnn->major() != 5);
                }
        });
}

TEST_CASE("half removed: the record exists and the files do not") {
    for (const DamagedInstallation& one : installations()) {
        CAPTURE(std::string(one.framework));
        FakeHost host;
        add_record(host, k_site, one.distribution, one.version);
        host.file(record_of(one) + "/RECORD",
                  one.version_file + ",sha256=x,1\n" + one.module + "/__init__.py,,\n");
        check_trouble(found(host, one), one);
    }
}

TEST_CASE("half installed: a folder of the name with a file or two") {
    for (const DamagedInstallation& one : installations()) {
        CAPTURE(std::string(one.framework));
        for (const char* file :
             {"__init__.py", "lib/libx.so", "__pycache__/a.pyc", "version.py", "capi/__init__.py"}) {
            FakeHost host;
            host.file(path(one.module + "/" + file));
            check_trouble(found(host, one), one);
        }
    }
}

TEST_CASE("a wheel for another system or machine is reported and ignored") {
    built::Elf shell;
    const auto tagged = [&](const char* tag) {
        return [tag, &shell](FakeHost& host, const DamagedInstallation& one) {
            host.file("/bin/sh", shell.build());
            host.file(record_of(one) + "/WHEEL", std::string("Wheel-Version: 1.0\nTag: ") + tag + "\n");
        };
    };
    each(tagged("cp311-cp311-manylinux_2_28_x86_64"), good);
    each(tagged("py3-none-any"), good);
    for (const char* tag :
         {"cp311-cp311-win_amd64", "cp311-cp311-macosx_11_0_arm64", "cp311-cp311-manylinux_2_28_aarch64"})
        each(tagged(tag), check_trouble);
}

TEST_CASE("links: a linked folder is equivalent, a loop is ignored") {
    for (const DamagedInstallation& one : installations()) {
        CAPTURE(std::string(one.framework));
        FakeHost host;
        one.lay(host);
        host.link("/linked", "/s/site-packages");
        const Scenario scenario = look(host, python("/linked"));
        const auto item =
            std::find_if(scenario.expectations.begin(), scenario.expectations.end(),
                         [&](const Expectation& e) { return e.framework == std::string(one.framework); });
        REQUIRE(item != scenario.expectations.end());
        CHECK(item->cuda->text.find(one.cuda) == 0);
        FakeHost loop;
        loop.link(path(one.module), path(one.module));
        add_record(loop, k_site, one.distribution, one.version);
        check_trouble(found(loop, one), one);
        FakeHost whole;
        whole.link(k_site, k_site);
        CHECK(found(whole, one).empty());
    }
}
