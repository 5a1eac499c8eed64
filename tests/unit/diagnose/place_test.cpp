// The place that a log comes from: WSL, a container, Windows, a Mac; and reasons beside a missing driver.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("a driver that cannot be reached, and another message that says why") {
    const std::string fails =
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n";
    CHECK(first_answer(fails + "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service")
              .find("Secure Boot") != std::string::npos);
    CHECK(first_answer(fails + "modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0")
              .find("the running kernel has no NVIDIA module") != std::string::npos);
    CHECK(first_answer(fails).substr(0, 13) == "CC210 certain");
}

TEST_CASE("Docker Desktop and WSL: no adapter, or no library of the driver") {
    CHECK(first_answer(
              "nvidia-container-cli: initialization error: WSL environment detected but no adapters were "
              "found: unknown")
              .substr(0, 12) == "CC218 likely");
    const std::string library =
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: "
        "cannot open shared object file: no such file or directory: unknown\n";
    CHECK(first_answer("Windows 10, WSL2, Docker Desktop\n" + library).find("older than 21H2") !=
          std::string::npos);
    CHECK(first_answer(library).substr(0, 13) == "CC210 certain");
}

TEST_CASE("error 35 beside a new driver, and an image that an old driver cannot read") {
    const std::string old = "CUDA driver version is insufficient for CUDA runtime version\n";
    CHECK(first_answer("docker on a server\nDriver Version: 570.86\n" + old)
              .find("the container sees no driver") != std::string::npos);
    CHECK(first_answer("docker on a server\nDriver Version: 470.82\n" + old).substr(0, 12) == "CC208 likely");
    CHECK(first_answer("docker on a server\nDriver Version: 570.86\nnvidia-container-cli: requirement error: "
                       "unsatisfied "
                       "condition: cuda>=13.0, please update your driver")
              .substr(0, 13) == "CC208 certain");
    const std::string invalid = "CUDA error: device kernel image is invalid\n";
    CHECK(first_answer("Driver Version: 535.104\n" + invalid).substr(0, 12) == "CC208 likely");
    CHECK(first_answer("Driver Version: 570.86\n" + invalid).substr(0, 12) == "CC204 likely");
}

TEST_CASE("TensorFlow on Windows, builds with CUDA on a Mac") {
    const std::string without = "tensorflow 2.15.0\ntf.test.is_built_with_cuda() False\n";
    CHECK(first_answer("Windows 11\n" + without).find("no build with CUDA for Windows") != std::string::npos);
    CHECK(first_answer("Ubuntu\n" + without).find("is a build without CUDA") != std::string::npos);
    const std::string absent =
        "ERROR: Could not find a version that satisfies the requirement torch==2.1.2+cu118 (from "
        "versions: 2.1.0, 2.1.2)\n";
    CHECK(first_answer("Apple M1\n" + absent).substr(0, 12) == "CC613 likely");
    CHECK(first_answer(absent).substr(0, 12) == "CC614 likely");
}

TEST_CASE("libraries of cuDNN 8, modules with a whole path, NCCL") {
    check_classes({
        {"CC301 likely", "another major",
         "Could not load library libcudnn_adv_infer.so.8. Error: libcudnn_adv_infer.so.8: cannot open shared "
         "object "
         "file: No such file or directory"},
        {"CC501 likely", "or a DLL that it needs",
         "FileNotFoundError: Could not find module 'C:\\\\app\\\\lib\\\\whisper.dll' (or one of its "
         "dependencies)."},
        {"CC505 likely", "folder is not searched",
         "FileNotFoundError: Could not find module 'whisper.dll' (or one of its dependencies)."},
        {"CC208 certain", "it has no cuCtxGetDevice_v2",
         "unable to load cuda driver library error=\"symbol lookup for cuCtxGetDevice_v2 failed\""},
        {"CC402 likely", "older CUDA than 11.3",
         "NCCL WARN NCCL cannot be captured in a graph if either it wasn't built with CUDA runtime >= 11.3 "
         "or if the "
         "installed CUDA driver < R465."},
        {"CC403 likely", "LD_LIBRARY_PATH",
         "Warning: CUDA runtime library `libcufft.so.11` was loaded from a system path, "
         "`/opt/cuda/lib64/libcufft.so.11`."},
        {"other certain", "/dev/shm",
         "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error."},
        {"other likely", "longer than its timeout",
         "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL"},
    });
}
