// SPDX-License-Identifier: Apache-2.0
#include "recipes/find/find.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "recipes/find/gitignore.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

std::string kind(const char* path) {
    const auto found = recipe_kind(path);
    return found ? to_string(*found) : "";
}

std::string found(const FakeHost& host, const std::string& folder) {
    Search search;
    find_recipes(host, folder, search);
    std::string text;
    for (const FoundRecipe& one : search.found) text += one.path + " ";
    for (const Trouble& trouble : search.troubles) text += "! " + trouble.text();
    return text;
}

}  // namespace

TEST_CASE("the working folder has three names, and adds nothing to a path") {
    FakeHost host;
    host.env("PWD", "/w").file("/w/a/Dockerfile").file("/w/requirements.txt");
    const std::string all = found(host, ".");
    CHECK(all.find("a/Dockerfile ") != std::string::npos);
    CHECK(all.find("./") == std::string::npos);
    for (const char* same : {"", "./"}) CHECK_MESSAGE(found(host, same) == all, same);
}

TEST_CASE("a Dockerfile of another name, by its text") {
    const auto kind_of = [](const char* path, const std::string& text) {
        const auto found = recipe_kind(path, [&] { return Result<std::string>(text); });
        return found ? to_string(*found) : "";
    };
    const std::string text =
        "# syntax=docker/dockerfile:1\nARG CUDA=12.4.1\n\nFROM nvidia/cuda:${CUDA}-base-ubuntu22.04\n";
    for (const char* path :
         {"docker/cuda12", ".docker/gpu", "images/cuda.docker", "docker.gpu", "dockerfiles/base"})
        CHECK_MESSAGE(kind_of(path, text) == std::string("Dockerfile"), path);
    CHECK(kind_of("docker/entrypoint", "#!/bin/sh\nexec python3 main.py\n") == std::string());
    CHECK(kind_of("docker/notes.md", text) == std::string());
    CHECK(kind_of("src/cuda12", text) == std::string());
}

TEST_CASE("recipes are recognized by their names") {
    for (const char* path : {"Dockerfile", "docker/Dockerfile.gpu", "gpu.dockerfile", "Containerfile",
                             "a/dockerfile-dev", "x_Dockerfile_gpu", "DockerfileGPU"})
        CHECK(kind(path) == "Dockerfile");
    for (const char* path :
         {"Dockerfile.dockerignore", "main.py", "notes.txt", "docker", "a.yml", "CMakeLists.txt.in"})
        CHECK(kind(path) == "");
    for (const char* path : {"requirements.txt", "requirements-gpu.txt", "requirements/cuda.txt",
                             "gpu_requirements.txt", "constraints.txt", "requirements.in"})
        CHECK(kind(path) == "requirements file");
    for (const char* path :
         {"environment_gpu.yaml", "env.yml", "env-cuda.yml", "env_torch.gpu.yml", "train_env.yaml",
          "conda.yml", "my-conda.yml", "conda_cu113.yml", "envs/torch.yaml"})
        CHECK_MESSAGE(kind(path) == "conda environment", path);
    for (const char* path : {"envoy.yml", "seconda.yml", "environments/prod.yml", "conda_build_config.yaml"})
        CHECK_MESSAGE(kind(path) == "", path);
    CHECK(kind("recipe/meta.yaml") == "conda recipe");
    CHECK(kind(".github/workflows/ci.yml") == "workflow");
    CHECK(kind(".gitlab-ci.yml") == "workflow");
    for (const char* name : {"vcpkg-requirements.txt", "apt-requirements.txt", "requirements-apt.txt"})
        CHECK_MESSAGE(kind(name) != "requirements file", name);
    CHECK(kind("dev-requirements.txt") == "requirements file");
    CHECK(kind("requirements-adaptive.txt") == "requirements file");
    CHECK(kind(".circleci/config.yml") == "workflow");
    CHECK(kind(".circleci/test.yml") == "workflow");
    CHECK(kind("config.yml") == "");
    CHECK(kind("docker-compose.gpu.yml") == "compose file");
    CHECK(kind(".devcontainer/devcontainer.json") == "devcontainer.json");
    CHECK(kind("train.sbatch") == "Slurm script");
    CHECK(kind("uv.lock") == "lock file");
}

TEST_CASE("a YAML file of any name that holds a conda environment or a pipeline of Azure is one") {
    FakeHost host;
    host.file("/p/ci/main.yml", "variables: {a: b}\nresources:\n  containers: []\nstages: []\n");
    host.file("/p/ci/gitlab.yml", "stages: [test]\ntest:\n  script: make\n");
    host.file("/p/gpu.yaml", "name: gpu\ndependencies:\n  - pytorch\n");
    host.file("/p/linux.yml", "# CUDA\nchannels: [conda-forge]\ndependencies: [pytorch]\n");
    host.file("/p/chart.yaml", "apiVersion: v2\ndependencies:\n  - name: redis\n");
    host.file("/p/app.yml", "app:\n  dependencies: [a]\n  channels: [b]\n");
    host.file("/p/data.yaml", "name: x\ndependencies: []\n" + std::string(100 << 10, '\n'));
    host.file("/p/.gitignore", "old.yml\n").file("/p/old.yml", "name: old\ndependencies: [a]\n");
    host.file("/q/outside.yml", "name: other\ndependencies: [a]\n").link("/p/link.yml", "/q/outside.yml");
    CHECK(found(host, "/p") == "/p/ci/main.yml /p/gpu.yaml /p/linux.yml ");
}

TEST_CASE("folders are walked without links, tool folders and ignored files") {
    FakeHost host;
    host.file("/p/Dockerfile", "").file("/p/src/requirements.txt", "").file("/p/.git/Dockerfile", "");
    host.file("/p/node_modules/x/Dockerfile", "").file("/p/.gitignore", "build/\n/env*\n!environment.yml\n");
    host.file("/p/build/Dockerfile", "").file("/p/src/build/Dockerfile", "").file("/p/environment.yml", "");
    host.file("/p/environment-old.yml", "").file("/p/src/environment-old.yml", "");
    CHECK(found(host, "/p") ==
          "/p/Dockerfile /p/environment.yml /p/src/environment-old.yml /p/src/requirements.txt ");
}

TEST_CASE("builds of GitHub, CircleCI and Travis are read at the root of a repository") {
    FakeHost host;
    host.file("/p/.github/workflows/ci.yml", "").file("/p/.circleci/config.yml", "");
    host.file("/p/third_party/a/.github/workflows/ci.yml", "").file("/p/third_party/a/Dockerfile", "");
    host.file("/p/third_party/a/.circleci/config.yml", "").file("/p/third_party/a/.gitlab-ci.yml", "");
    host.file("/p/.travis.yml", "").file("/p/third_party/a/.travis.yml", "");
    host.file("/p/module/.git", "gitdir: ../.git/modules/module\n");
    host.file("/p/module/.github/workflows/ci.yml", "");
    host.file("/p/clone/.git/HEAD", "").file("/p/clone/.github/workflows/ci.yml", "");
    CHECK(found(host, "/p") ==
          "/p/.circleci/config.yml /p/.github/workflows/ci.yml /p/.travis.yml "
          "/p/clone/.github/workflows/ci.yml "
          "/p/third_party/a/.gitlab-ci.yml /p/third_party/a/Dockerfile ");
    CHECK(found(host, "/p/module") == "/p/module/.github/workflows/ci.yml ");
    CHECK(found(host, "/p/third_party/a/.github") == "/p/third_party/a/.github/workflows/ci.yml ");
}

TEST_CASE(".gitignore: names, anchored paths, folders, exceptions and **") {
    GitIgnore ignore;
    ignore.add("", "# no\n*.sh\n!keep.sh\n/top.txt\ndocs/**/x.txt\ncache/\n**/deep/file\n\\#odd\n");
    CHECK(ignore.excludes("a/b.sh", false));
    CHECK_FALSE(ignore.excludes("a/keep.sh", false));
    CHECK(ignore.excludes("top.txt", false));
    CHECK_FALSE(ignore.excludes("a/top.txt", false));
    CHECK(ignore.excludes("docs/x.txt", false));
    CHECK(ignore.excludes("docs/a/b/x.txt", false));
    CHECK(ignore.excludes("a/cache", true));
    CHECK_FALSE(ignore.excludes("a/cache", false));
    CHECK(ignore.excludes("a/deep/file", false));
    CHECK(ignore.excludes("#odd", false));
    ignore.add("sub", "/only\n");
    CHECK(ignore.excludes("sub/only", false));
    CHECK_FALSE(ignore.excludes("sub/a/only", false));
}

TEST_CASE("** matches any number of folders, at the end of a pattern at least one") {
    const struct {
        const char *pattern, *path;
        bool matches;
    } rows[] = {
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"a/**/b", "a/x/y", false},
        {"a/**/b", "b", false},
        {"a/**", "a/x/y", true},
        {"a/**", "a", false},
        {"**/b", "b", true},
        {"**/b", "x/y/b", true},
        {"**/b", "b/x", false},
        {"**", "a", true},
        {"**/**/b", "x/b", true},
        {"a/**/b/**/c", "a/b/x/b/c", true},
        {"a/**/b/c", "a/b/x/b/c", true},
        {"a/**/b/c", "a/b/c/x", false},
        {"a/*/c", "a/b/c", true},
        {"a/*/c", "a/c", false},
        {"a/b", "a/b/c", false},
        {"a/b/c", "a/b", false},
        {"a*/**/*b", "ax/y/zb", true},
        {"**/a/**/a/**/a", "a/x/a/a", true},
    };
    for (const auto& row : rows) {
        CAPTURE(row.pattern);
        CAPTURE(row.path);
        CHECK(matches_path(row.path, row.pattern) == row.matches);
    }
    // 2^30 ways to distribute the folders over the stars.
    std::string path, pattern;
    for (int i = 0; i < 60; ++i) path += "aaaaaaaaaa/";
    for (int i = 0; i < 30; ++i) pattern += "**/";
    CHECK_FALSE(matches_path(path + "a", pattern + "b"));
    CHECK(matches_path(path + "b", pattern + "b"));
}

TEST_CASE(".gitignore: the last rule decides, whether it has wildcards or not") {
    GitIgnore ignore;
    ignore.add("", "build\n!/a/build\n/a/b*\n!/a/build/\n");
    CHECK(ignore.excludes("build", true));
    CHECK(ignore.excludes("x/build", false));
    CHECK(ignore.excludes("a/build", false));
    CHECK_FALSE(ignore.excludes("a/build", true));
    const std::size_t rules = ignore.size();
    ignore.add("a", "/build\n*.txt\n");
    CHECK(ignore.excludes("a/build", true));
    CHECK(ignore.excludes("a/x.txt", false));
    ignore.resize(rules);
    CHECK_FALSE(ignore.excludes("a/build", true));
    CHECK_FALSE(ignore.excludes("a/x.txt", false));
    GitIgnore below;
    below.add("/", "/x\n/y*\n");
    below.add("p/", "/z\n");
    CHECK(below.excludes("/x", false));
    CHECK(below.excludes("/yy", false));
    CHECK(below.excludes("p/z", false));
}

TEST_CASE("files that cannot be recipes are refused with the reason") {
    FakeHost host;
    host.file("/utf16/Dockerfile", std::string("\xFF\xFE"
                                               "F\0R\0",
                                               6));
    host.file("/bin/Dockerfile", std::string("FROM \0x", 7));
    host.file("/long/Dockerfile", "FROM a\nRUN " + std::string(2 << 20, 'x') + "\n");
    host.file("/large/Dockerfile", std::string(17 << 20, '\n'));
    const AllowedFiles files(host, {"/"});
    CHECK(files.read("/utf16/Dockerfile").trouble().text() == "/utf16/Dockerfile is UTF-16, not UTF-8");
    CHECK(files.read("/bin/Dockerfile").trouble().text() == "/bin/Dockerfile is binary: it holds NUL bytes");
    CHECK(files.read("/long/Dockerfile").trouble().text() ==
          "/long/Dockerfile exceeds the limit of 1048576 bytes of a line: ptxguard did not read the file");
    CHECK_FALSE(files.read("/large/Dockerfile"));
}
