// Pages for --find-links: which packages and builds they have.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {

TEST_CASE("JAX's page has JAX alone") {
    const std::string from = "FROM python:3.8\nRUN pip install ",
                      page = " -f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html\n";
    CHECK(codes_in("Dockerfile", from + "'tensorflow-gpu>=2.0'" + page) == Codes{"error CC603"});
    CHECK(codes_in("Dockerfile", from + "'tensorflow-gpu<2.12'" + page) == Codes{"warning CC401"});
}

TEST_CASE("copies of PyTorch's pages have the builds of its companions") {
    const auto gets = [](const std::string& words, const std::string& page) {
        return codes_in("Dockerfile", "FROM python:3.10\nRUN pip install " + words + " -f " + page + "\n");
    };
    const std::string packages = "torch==2.3.1 torchvision";
    CHECK(gets(packages, "https://mirrors.aliyun.com/pytorch-wheels/cu118") == Codes{});
    CHECK(gets(packages, "https://mirror.sjtu.edu.cn/pytorch-wheels/cpu/") == Codes{});
    CHECK(gets(packages + "==0.17.1", "https://mirrors.aliyun.com/pytorch-wheels/cu118") ==
          Codes{"error CC612"});
}

}  // namespace ptxguard::recipes
