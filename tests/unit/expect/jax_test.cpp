// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/frameworks/jax/jax.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_nvidia =
    "Requires-Dist: jax-cuda12-pjrt==0.6.0\n"
    "Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.8; extra == \"with-cuda\"\n"
    "Requires-Dist: nvidia-cublas-cu12>=12.1.3.1; extra == \"with-cuda\"\n";

// As the build writes it: __version__ is computed.
std::string version_file(const std::string& version, const std::string& lowest = {}) {
    return "import os\n_version = \"" + version + "\"\n_release_version: str = '" + version +
           "'\n\ndef _get_version_string() -> str:\n  return _release_version\n\n__version__ = "
           "_get_version_string()\n" +
           (lowest.empty() ? "" : "_minimum_jaxlib_version = \"" + lowest + "\"\n");
}

FakeHost& add_package(FakeHost& host, const std::string& record, const std::string& folder,
                      const std::string& version, const std::string& requirements = {}) {
    host.file(k_site + "/" + folder + "/__init__.py")
        .file(k_site + "/" + folder + "/version.py", version_file(version, folder == "jax" ? "0.5.1" : ""));
    return add_record(host, k_site, record, version, requirements);
}

FakeHost with_jax(const std::string& version = "0.6.0", const std::string& jaxlib = "0.6.0") {
    FakeHost host;
    add_package(host, "jax", "jax", version);
    add_package(host, "jaxlib", "jaxlib", jaxlib).file(k_site + "/jaxlib/plugin_support.py");
    return host;
}

FakeHost& add_plugin(FakeHost& host, const std::string& version, const std::string& major = "12") {
    add_package(host, "jax_cuda" + major + "_plugin", "jax_cuda" + major + "_plugin", version, k_nvidia);
    add_package(host, "jax_cuda" + major + "_pjrt", "jax_plugins/xla_cuda" + major, version);
    return host.file(k_site + "/jax_plugins/xla_cuda" + major + "/xla_cuda_plugin.so", "\177ELF");
}

}  // namespace

TEST_CASE("jaxlib's local version names CUDA and cuDNN") {
    const auto cuda = [](const char* tag) { return jax::read_local_tag(tag).cuda; };
    const auto cudnn = [](const char* tag) { return jax::read_local_tag(tag).cudnn; };
    CHECK(cuda("cuda12.cudnn88")->text == "12");
    CHECK(cudnn("cuda12.cudnn88")->text == "8.8");
    CHECK(cudnn("cuda11.cudnn805")->text == "8.0.5");
    CHECK(cuda("cuda111")->text == "11.1");
    CHECK_FALSE(cudnn("cuda111"));
    for (const char* garbage :
         {"", "cpu", "cuda", "cudax", "cuda1", "cuda12345", "cudnn", "cudnn12345", "rocm60"}) {
        CHECK_FALSE(cuda(garbage));
        CHECK_FALSE(cudnn(garbage));
    }
}

TEST_CASE("version numbers from the headers are decoded") {
    CHECK(jax::cuda_of_number(12080)->text == "12.8");
    CHECK(jax::cuda_of_number(13000)->text == "13.0");
    CHECK(jax::cudnn_of_number(8904)->text == "8.9.4");
    CHECK(jax::cudnn_of_number(90501)->text == "9.5.1");
    CHECK(jax::cudnn_of_number(91002)->text == "9.10.2");
    for (const std::uint32_t nonsense : {0u, 1u, 4294967295u}) {
        CHECK_FALSE(jax::cuda_of_number(nonsense));
        CHECK_FALSE(jax::cudnn_of_number(nonsense));
    }
}

TEST_CASE("JAX without a plugin is for CPUs, which is not an error") {
    const auto found = only(with_jax());
    CHECK(found.framework == "JAX");
    CHECK(found.version->text == "0.6.0");
    CHECK(*found.cpu_only);
    CHECK(*found.vendor == Vendor::cpu);
    CHECK(conflicts(found).empty());
    CHECK_FALSE(found.cuda);
    CHECK_FALSE(found.cudnn_from);
}

TEST_CASE("what the plugin's code does not give here comes from the tables, as predicted") {
    FakeHost host = with_jax();
    add_plugin(host, "0.6.0");
    const auto found = only(host);
    CHECK(*found.vendor == Vendor::cuda);
    CHECK(found.build_package == "jax-cuda12-plugin");
    CHECK(found.build_version->text == "0.6.0");
    CHECK(found.cuda->text == "12.8");
    CHECK(found.cuda.origin.kind == OriginKind::table);
    CHECK(found.cudnn->text == "9.8.0");
    CHECK(*found.cudnn_from == CudnnWay::system);
    CHECK(found.asks_for ==
          std::vector<std::string>{"nvidia-cudnn-cu12<10.0,>=9.8", "nvidia-cublas-cu12>=12.1.3.1"});
    CHECK(conflicts(found).empty());
    CHECK_FALSE(found.cxx_abi);
    host.file(k_site + "/nvidia/cudnn/lib/libcudnn.so.9");
    CHECK(*only(host).cudnn_from == CudnnWay::wheels);
}

TEST_CASE("ROCm's plugin makes it a build for ROCm") {
    FakeHost host = with_jax();
    host.file(k_site + "/jax_rocm60_plugin/__init__.py");
    CHECK(*only(host).vendor == Vendor::rocm);
}

TEST_CASE("CUDA inside jaxlib, from its version") {
    FakeHost host;
    add_package(host, "jax", "jax", "0.4.7");
    host.file(k_site + "/jaxlib/__init__.py").file(k_site + "/jaxlib/version.py", version_file("0.4.7"));
    add_record(host, k_site, "jaxlib", "0.4.7+cuda12.cudnn88");
    const auto found = only(host);
    CHECK(found.cuda->text == "12");
    CHECK(found.cudnn->text == "8.8");
    CHECK(*found.vendor == Vendor::cuda);
}

TEST_CASE("a plugin of another release than jaxlib's is ignored") {
    FakeHost host = with_jax("0.6.1", "0.6.1");
    add_plugin(host, "0.6.0");
    const auto found = only(host);
    REQUIRE(conflicts(found).size() == 1);
    CHECK(conflicts(found)[0].package == "jax-cuda12-plugin 0.6.0");
    CHECK(conflicts(found)[0].other == "jaxlib 0.6.1");
    CHECK(conflicts(found)[0].harm == Harm::gpu);
    CHECK(conflicts(found)[0].wanted == "0.6.1");
    CHECK(conflicts(found)[0].fix.text == "python3 -m pip install 'jax-cuda12-plugin[with-cuda]==0.6.1'");
}

TEST_CASE("jax cannot be imported with a jaxlib that is too new or too old") {
    REQUIRE(conflicts(only(with_jax("0.6.0", "0.6.1"))).size() == 1);
    CHECK(conflicts(only(with_jax("0.6.0", "0.6.1")))[0].harm == Harm::import);
    CHECK(conflicts(only(with_jax("0.6.0", "0.5.0")))[0].message ==
          "is older than 0.5.1, the oldest that jax 0.6.0 takes");
    CHECK(conflicts(only(with_jax("0.6.0", "0.5.1"))).empty());
}

TEST_CASE("half a plugin is reported") {
    FakeHost host = with_jax();
    add_package(host, "jax_cuda12_plugin", "jax_cuda12_plugin", "0.6.0", k_nvidia);
    REQUIRE(conflicts(only(host)).size() == 1);
    CHECK(conflicts(only(host))[0].message == "lacks the library of jax-cuda12-pjrt, xla_cuda_plugin.so");
    FakeHost other = with_jax();
    other.file(k_site + "/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
    REQUIRE(conflicts(only(other)).size() == 1);
    CHECK(conflicts(only(other))[0].harm == Harm::gpu);
}

TEST_CASE("of two plugins the one of jaxlib's release counts, else the newer CUDA") {
    FakeHost host = with_jax();
    add_plugin(host, "0.6.0");
    add_plugin(host, "0.7.2", "13");
    CHECK(only(host).build_package == "jax-cuda12-plugin");
    FakeHost both = with_jax("0.7.2", "0.7.2");
    add_plugin(both, "0.7.2");
    add_plugin(both, "0.7.2", "13");
    CHECK(only(both).build_package == "jax-cuda13-plugin");
}

TEST_CASE("a folder that is only called jax, or contains garbage, gives no wrong answer") {
    FakeHost host;
    host.file(k_site + "/jax/notes.txt");
    CHECK(look(host, python(k_site)).expectations.empty());
    FakeHost garbage;
    garbage.file(k_site + "/jax/__init__.py")
        .file(k_site + "/jax/version.py", "__version__ = compute()\n_version = 7\n");
    const auto found = only(garbage);
    CHECK_FALSE(found.version);
    CHECK(!found.trouble.empty());
    FakeHost plugin = with_jax();
    plugin.file(k_site + "/jax_cuda12_plugin/_versions.so", "no library at all")
        .file(k_site + "/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
    CHECK_FALSE(only(plugin).cuda);
}

TEST_CASE("a declared JAX has the CUDA 12 plugin, unless another one is named") {
    CHECK(named("jax==0.6.0").cuda->text == "12.8");
    CHECK(named("jax==0.6.0").cudnn->text == "9.8.0");
    CHECK(named("jax[cuda13]==0.9.2").cuda->text == "13.0");
    CHECK(named("jax==0.9.2+cuda13").cudnn->text == "9.12.0");
    CHECK(named("jax-cuda13-plugin==0.9.2").cuda->text == "13.0");
    CHECK(named("jaxlib==0.4.7+cuda12.cudnn88").cudnn->text == "8.8");
    CHECK(named("jax-cuda13-plugin").cuda->text == "13");
    CHECK(*named("jax==0.6.0", System::windows).cpu_only);
}

TEST_CASE("a jax release without a plugin of its own uses the previous one") {
    CHECK(named("jax==0.5.2").build_version->text == "0.5.1");
    CHECK(named("jax==0.5.2").cuda->text == "12.3");
    CHECK_FALSE(named("jax==0.5.2").published);
}

TEST_CASE("a jax version that was never released is recognized, one newer than the tables is not") {
    const auto never = named("jax==0.6.7");
    REQUIRE(never.published);
    CHECK_FALSE(*never.published);
    CHECK(never.near_releases ==
          std::vector<std::string>{"0.6.0", "0.6.1", "0.6.2", "0.7.0", "0.7.1", "0.7.2"});
    CHECK_FALSE(named("jax==9.9.9").published);
    CHECK_FALSE(named("jax==0.4.32").published);
}

TEST_CASE("A plugin of another release that jax itself requires is no conflict if jaxlib does not compare") {
    const auto misfits = [](const std::string& asks) {
        FakeHost host;
        host.file(k_site + "/jax/__init__.py")
            .file(k_site + "/jax/version.py", version_file("0.4.35", "0.4.33"));
        add_record(host, k_site, "jax", "0.4.35", asks);
        add_package(host, "jaxlib", "jaxlib", "0.4.34");
        add_plugin(host, "0.4.35").file(k_site + "/jax_cuda12_plugin/_versions.so");
        std::size_t count = 0;
        for (const Conflict& one : conflicts(only(host)))
            count += one.message.find("is not of the release") != std::string::npos ? 1 : 0;
        return count;
    };
    CHECK(misfits("Requires-Dist: jax-cuda12-plugin[with-cuda]<=0.4.35,>=0.4.34; extra == \"cuda12\"\n") ==
          0);
    CHECK(misfits("Requires-Dist: jax-cuda12-plugin[with-cuda]<=0.4.34,>=0.4.33; extra == \"cuda12\"\n") ==
          1);
    CHECK(misfits("") == 1);
}
