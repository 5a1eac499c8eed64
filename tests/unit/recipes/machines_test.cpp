// The machine of a recipe: of its platform, its image, the name of its file; the stages that a command builds
// for it.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "judged.hpp"
#include "recipes/base/machines.hpp"

namespace ptxguard::recipes {
namespace {

const Codes k_no_file{"error CC613"};

}  // namespace

TEST_CASE("names of platforms, images and files contain a machine") {
    CHECK(machine_in("linux/arm64/v8") == "aarch64");
    CHECK(machine_in("ubuntu-24.04-arm") == "aarch64");
    CHECK(machine_in("ubuntu-24.04-ppc64le") == "ppc64le");
    CHECK(machine_in("install_s390x.sh") == "s390x");
    CHECK(machine_in("farm-charm").empty());
    CHECK(machine_in("amd64-to-arm64").empty());
    CHECK(machine_of_image("arm64v8/ubuntu", "22.04") == "aarch64");
    CHECK(machine_of_image("mine/app", "2.1-riscv64") == "riscv64");
    CHECK(machine_of_image("mine/cross-arm64", "").empty());
    CHECK(platform_of_file("docker/Dockerfile.ppc64le").text == "linux/ppc64le");
    CHECK(platform_of_file("docker/arm64/Dockerfile").text == "linux/arm64");
    CHECK_FALSE(platform_of_file("docker/Dockerfile.x86_64"));
    CHECK(docker_arch("linux/arm64/v8") == "arm64");
    CHECK(docker_arch("riscv64") == "riscv64");
}

TEST_CASE("markers and files are those of the machine in a name") {
    const std::string pins =
        "RUN pip install \"torch==2.7.1\" \"triton==3.2.0; platform_machine == 'x86_64'\"\n";
    const std::string conflict = "FROM ubuntu:22.04\n" + pins;
    CHECK(codes_in("Dockerfile", conflict) == Codes{"error CC612"});
    for (const char* name : {"Dockerfile.ppc64le", "Dockerfile.s390x", "riscv64.Dockerfile"})
        CHECK(codes_in(name, conflict) == k_nothing);
    CHECK(codes_in("Dockerfile", "FROM ppc64le/ubuntu:22.04\n" + pins) == k_nothing);
    const std::string only_x86 = "RUN pip install onnxruntime-gpu==1.20.2\n";
    CHECK(codes_in("Dockerfile.arm64", "FROM python:3.11\n" + only_x86) == k_no_file);
    CHECK(codes_in("Dockerfile", "FROM arm64v8/python:3.11\n" + only_x86) == k_no_file);
    const std::string triton = "FROM python:3.11\nRUN pip install triton==3.3.1\n";
    CHECK(codes_in("Dockerfile-arm", triton) == k_no_file);
    CHECK(codes_in("Dockerfile.ppc64le", triton) == k_nothing);
    CHECK(codes_in("requirements-aarch64.txt", "onnxruntime-gpu==1.20.2\n") == k_no_file);
    CHECK(codes_in("requirements.txt", "onnxruntime-gpu==1.20.2\n") == k_nothing);
}

TEST_CASE("a command with a target builds the stages that it needs") {
    const auto built = [](const std::string& serve, const std::string& target = "serve") {
        const Files files{{"Dockerfile",
                           "FROM python:3.11 AS base\nFROM base AS test\nRUN pip install "
                           "onnxruntime-gpu==1.20.2\nFROM base AS serve\n" +
                               serve + "\nFROM serve AS later\nRUN pip install onnxruntime-gpu==1.20.2\n"}};
        return codes_in("b.sh", "docker build --platform linux/arm64 --target " + target + " .\n", files);
    };
    CHECK(built("RUN pip install numpy") == k_nothing);
    CHECK(built("COPY --from=test /x /x") == k_no_file);
    CHECK(built("COPY --from=1 /x /x") == k_no_file);
    CHECK(built("RUN --mount=type=bind,from=test,source=/x,target=/x ls /x") == k_no_file);
    CHECK(built("RUN pip install numpy", "test") == k_no_file);
    CHECK(built("RUN pip install numpy", "1") == k_no_file);
    CHECK(built("RUN pip install numpy", "later") == k_no_file);
}

TEST_CASE("packages of a lock meet where the forks of its resolution do") {
    const auto lock = [](const std::string& intel, const std::string& arm) {
        const auto package = [](const std::string& name, const std::string& version,
                                const std::string& more) {
            return "[[package]]\nname = \"" + name + "\"\nversion = \"" + version +
                   "\"\nsource = { registry = \"https://pypi.org/simple\" }\n" + more + "\n";
        };
        const auto fork = [](const std::string& machine) {
            return "resolution-markers = [\"platform_machine == '" + machine +
                   "' and sys_platform == 'linux'\", \"platform_machine == '" + machine +
                   "' and sys_platform == 'win32'\"]\n";
        };
        return codes_in("uv.lock", "version = 1\n" + package("torch", intel, fork("x86_64")) +
                                       package("torch", arm, fork("aarch64")) +
                                       package("torchcodec", "0.9.1", ""));
    };
    CHECK(lock("2.9.1", "2.9.0") == k_nothing);
    CHECK(lock("2.9.1", "2.10.0") == Codes{"warning CC612"});
    CHECK(lock("2.8.0", "2.9.0") == Codes{"warning CC612"});
}

}  // namespace ptxguard::recipes
