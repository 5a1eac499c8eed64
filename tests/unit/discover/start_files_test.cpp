// The line that sets a variable.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "discover/profile.hpp"
#include "worlds.hpp"

using namespace ptxguard;

namespace {

// "FILE:LINE:COLUMN", or "nowhere".
std::string at(const Host& host, const std::string& variable, const std::string& value) {
    const auto found = where_set(host, variable, value);
    return found ? found->file + ":" + std::to_string(found->line) + ":" + std::to_string(found->column)
                 : "nowhere";
}

}  // namespace

TEST_CASE("the line that sets a variable is found in each shell's syntax") {
    const std::string wanted = "/opt/cuda";
    for (const char* line :
         {"export CUDA_HOME=/opt/cuda", "CUDA_HOME=\"/opt/cuda\"", "export CUDA_HOME='/opt/cuda/'; echo",
          "set -gx CUDA_HOME /opt/cuda", "setenv CUDA_HOME /opt/cuda", "setenv(\"CUDA_HOME\", \"/opt/cuda\")",
          "  CUDA_HOME=/opt/cuda  # the new one", "CUDA_HOME DEFAULT=/opt/cuda",
          "export CUDA_HOME=$PREFIX/cuda", "export CUDA_HOME=${PREFIX}/cuda"}) {
        CAPTURE(line);
        FakeHost host;
        host.env("HOME", "/home/me")
            .env("PREFIX", "/opt")
            .file("/home/me/.bashrc", std::string("# mine\n") + line + "\n");
        CHECK(at(host, "CUDA_HOME", wanted).find("/home/me/.bashrc:2:") == 0);
    }
    for (const char* line :
         {"# export CUDA_HOME=/opt/cuda", "-- setenv(\"CUDA_HOME\", \"/opt/cuda\")",
          "export CUDA_HOME=/opt/cuda-12", "export CUDA_HOME=/opt/cuda/bin", "export MY_CUDA_HOME=/opt/cuda",
          "export PATH=$CUDA_HOME:/opt/cuda", "export CUDA_HOME=/srv/opt/cuda", "echo /opt/cuda"}) {
        CAPTURE(line);
        FakeHost host;
        host.env("HOME", "/home/me").file("/home/me/.bashrc", std::string(line) + "\n");
        CHECK(at(host, "CUDA_HOME", wanted) == "nowhere");
    }
}

TEST_CASE("an entry of a list, the last of several lines, modules and environments") {
    FakeHost host;
    host.env("HOME", "/home/me")
        .env("PATH", "/usr/bin:/home/me/cudda/bin:/opt/cuda/bin")
        .env("_LMFILES_", "/apps/modules/cuda/13.lua");
    host.file("/home/me/.profile",
              "PATH=$PATH:/opt/cuda/bin\nexport PATH=~/cudda/bin:$PATH\nPATH=$HOME/cudda/bin:$PATH\n");
    host.file("/apps/modules/cuda/13.lua",
              "local base = \"/apps\"\nprepend_path(\"LD_LIBRARY_PATH\", \"/apps/cuda/lib64\")\n");
    host.file("/etc/environment", "PATH=\"/usr/bin:/opt/nvidia/bin\"\n");
    CHECK(at(host, "PATH", "/home/me/cudda/bin") == "/home/me/.profile:3:1");
    CHECK(at(host, "PATH", "/opt/cuda/bin") == "/home/me/.profile:1:1");  // not via $PATH in the others
    CHECK(at(host, "LD_LIBRARY_PATH", "/apps/cuda/lib64") == "/apps/modules/cuda/13.lua:2:15");
    CHECK(at(host, "PATH", "/opt/nvidia/bin") == "/etc/environment:1:1");
    CHECK(at(host, "PATH", "") == "nowhere");
    CHECK(at(host, "CPATH", "/opt/cuda/bin") == "nowhere");
    host.file("/env/etc/conda/activate.d/cuda.sh", "export CUDA_PATH=\"${CONDA_PREFIX}/targets\"\n")
        .env("CONDA_PREFIX", "/env");
    CHECK(at(host, "CUDA_PATH", "/env/targets") == "/env/etc/conda/activate.d/cuda.sh:1:8");
}

TEST_CASE("start files that are unreadable or not text give nothing") {
    FakeHost host;
    host.env("HOME", "/home/me")
        .folder("/home/me/.bashrc")
        .file("/home/me/.profile", std::string("\0CUDA_HOME=/x\0", 14));
    CHECK(at(host, "CUDA_HOME", "/y") == "nowhere");
    host.file("/home/me/.zshrc", "export CUDA_HOME=$\nexport CUDA_HOME=${\nexport CUDA_HOME=$}\nCUDA_HOME");
    CHECK(at(host, "CUDA_HOME", "/y") == "nowhere");
}
