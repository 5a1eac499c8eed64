// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/dockerfile.hpp"

#include <doctest/doctest.h>

#include <iterator>

#include <map>

#include "recipes/find/find.hpp"
#include "steps.hpp"

using namespace ptxguard::recipes;

namespace {

const std::map<std::string, std::string>& context() {
    static const std::map<std::string, std::string> files = {
        {"requirements.txt", "torch==2.5.1\n"}, {"docker/req.txt", "triton\n"}, {"app/deps/a.txt", "jax\n"}};
    return files;
}

Recipe dockerfile(const std::string& text) {
    return read_dockerfile("Dockerfile", text,
                           [](const std::string& path, const Written&) -> std::optional<FileText> {
                               const auto found = context().find(path);
                               if (found == context().end()) return std::nullopt;
                               return FileText{found->first, found->second};
                           });
}

std::string shown_steps(const Recipe& recipe) {
    std::string text;
    for (const Stage& stage : recipe.stages) {
        text += "[" + stage.name + "] " +
                (stage.base.empty() ? ptxguard::recipes::shown(stage.image) : "= " + stage.base);
        if (stage.platform) text += " on " + ptxguard::recipes::shown(stage.platform);
        text += stage.last ? " last\n" : "\n";
        text += lines_of_steps(stage.steps);
    }
    for (const Recipe::Problem& problem : recipe.problems) text += "problem: " + problem.why + "\n";
    return text;
}
std::string steps(const std::string& text) {
    const std::string all = shown_steps(dockerfile("FROM x\n" + text));
    return all.substr(all.find('\n') + 1);
}

}  // namespace

TEST_CASE("stages, their images and names") {
    CHECK(shown_steps(dockerfile(
              "ARG CUDA=12.1.1\nARG OS\nFROM --platform=linux/arm64 nvidia/cuda:${CUDA}-devel AS Build\n"
              "FROM build as run\nCOPY --from=0 --chown=1:1 /a /b /to/\nFROM ubuntu:$OS\n")) ==
          "[build] nvidia/cuda:12.1.1-devel~ on linux/arm64\n"
          "[run] = build\n5:13 from build: /a /b -> /to/\n"
          "[2] ubuntu:$OS? last\n");
    CHECK(shown_steps(
              dockerfile("\xEF\xBB\xBF# syntax=docker/dockerfile:1\r\nFROM a\r\nRUN b \\\r\n  c\r\n")) ==
          "[] a last\n3:5 b c\n");
    CHECK(shown_steps(dockerfile("FROM a\nFROM\n")) == "[] a last\nproblem: has a FROM without an image\n");
    CHECK(shown_steps(dockerfile("RUN a\n")) == "");
}

TEST_CASE("ARG and ENV replace as in BuildKit") {
    CHECK(steps("ARG V=1\nENV W=$V-2 X=\"$W\" Y='$V'\nRUN a $V $W $X $Y") ==
          "2:7 V=1~\n3:7 W=1-2~\n3:14 X=$W?\n3:21 Y=$V\n4:5 a 1~ 1-2~ $X? $V\n");
    CHECK(shown_steps(dockerfile("ARG V=1\nFROM x\nRUN a $V\nARG V\nRUN b $V\nENV V=2\nARG V=3\nRUN c $V")) ==
          "[] x last\n3:5 a $V?\n4:5 V=1~\n5:5 b 1~\n6:7 V=2\n8:5 c 2\n");
    CHECK(shown_steps(dockerfile("FROM x AS a\nARG V=1\nENV W=2\nFROM a\nRUN b $V $W")) ==
          "[a] x\n2:7 V=1~\n3:7 W=2\n[1] = a last\n5:5 b 1~ 2\n");
    CHECK(steps("ENV NAME some words here\nRUN a $NAME") ==
          "2:10 NAME=some words here\n3:5 a some words here\n");
    CHECK(steps("ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH") ==
          "2:21 LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH?\n");
    CHECK(steps("ARG V=12.4\nARG T=cu${V//./}\nRUN a ${T:-x} ${U:-y}") ==
          "2:7 V=12.4~\n3:7 T=cu124~\n4:5 a cu124~ y~\n");
    CHECK(steps("ARG A=$B\nARG B=$A\nRUN x $A $B") == "2:7 A=$B?\n3:7 B=$A?\n4:5 x $A? $B?\n");
}

TEST_CASE("FROM reads the ARGs before the first FROM, none of a stage") {
    CHECK(shown_steps(dockerfile("FROM x AS a\nARG V=1\nFROM y:$V-z\n")) ==
          "[a] x\n2:7 V=1~\n[1] y:-z last\n");
    CHECK(shown_steps(dockerfile("FROM x AS a\nFROM y:$V-z\n")) == "[a] x\n[1] y:$V-z? last\n");
    CHECK(shown_steps(dockerfile("ARG V=2\nFROM x AS a\nARG V=1\nFROM y:$V-z\n")) ==
          "[a] x\n3:7 V=1~\n[1] y:2-z~ last\n");
}

TEST_CASE("RUN in all its forms") {
    CHECK(steps("RUN a && \\\n    # why\n\n    b \\\n  && c") == "2:5 a\n5:5 b\n6:6 c\n");
    CHECK(steps("RUN [\"a\", \"b c\"]") == "2:7 a b c\n");
    CHECK(steps("RUN [\"bash\", \"-c\", \"a && b\"]") == "2:21 a\n2:26 b\n");
    CHECK(steps("RUN [ -f x ] && b") == "2:17 b~\n");
    CHECK(steps("RUN <<EOF\na\nb c\nEOF\nRUN d") == "3:1 a\n4:1 b c\n6:5 d\n");
    CHECK(steps("RUN <<EOF\n#!/usr/bin/env python\nimport torch\nEOF\nRUN d") == "6:5 d\n");
    CHECK(steps("RUN cat <<EOF > f && b\nnvcc\nEOF\nRUN d") == "2:5 cat\n2:22 b\n5:5 d\n");
    CHECK(steps("RUN --mount=type=cache,target=/root/.cache --network=host nvcc x") == "2:59 nvcc x\n");
    CHECK(steps("SHELL [\"powershell\", \"-Command\"]\nRUN $env:A = 'b'; c $env:A") == "3:19 A=b c b\n");
    CHECK(steps("ONBUILD RUN nvcc a") == "");
    CHECK(shown_steps(dockerfile(
              "FROM x AS a\nONBUILD ENV V=1\nONBUILD RUN nvcc a\nFROM a AS b\nRUN c $V\nFROM b\nRUN d")) ==
          "[a] x\n[b] = a\n2:15 V=1\n3:13 nvcc a\n5:5 c 1\n[2] = b last\n7:5 d\n");
    CHECK(shown_steps(dockerfile("# escape=`\nFROM a\nRUN b `\n  c:\\x")) ==
          "[] a on windows last\n3:5 b c:\\x\n");
    CHECK(steps("RUN export A=1 && b\nRUN c") == "2:19 A=1 b\n3:5 c\n");
}

TEST_CASE("the shell of an image that is not known is what its commands are written for") {
    const std::string lines =
        "RUN $a = 'b'; \\\n    if (-not $a) { throw 'c' }; \\\n    Write-Host ('cuda' + $a)\n";
    const auto said = [](const std::string& text) {
        const Recipe recipe = dockerfile(text);
        return std::distance(recipe.problems.begin(), recipe.problems.end());
    };
    CHECK(said("ARG BASE\nFROM ${BASE}\nRUN e $Env:F\n" + lines) == 0);
    CHECK(said("ARG BASE\nFROM ${BASE}\nRUN e $F\n" + lines) == 1);
    CHECK(said("FROM ubuntu:22.04\nRUN e $Env:F\n" + lines) == 1);
    CHECK(dockerfile("ARG BASE\nFROM ${BASE}\nRUN e $Env:F\n").stages[0].platform.text == "windows");
}

TEST_CASE("requirements are read from the context if a COPY adds them") {
    CHECK(steps("RUN pip install -r requirements.txt").find("torch") == std::string::npos);
    for (const char* copy :
         {"COPY requirements.txt .", "COPY . .", "COPY . /app/", "COPY ./requirements.txt ./",
          "ADD *.txt /app/", "COPY [\"requirements.txt\", \"/app/\"]"}) {
        CAPTURE(copy);
        CHECK(steps(std::string("WORKDIR /app\n") + copy + "\nRUN pip install -r requirements.txt") ==
              "4:5 pip: torch==2.5.1@1:1\n");
    }
    CHECK(steps("COPY docker/req.txt /tmp/r.txt\nRUN pip install -r /tmp/r.txt") == "3:5 pip: triton@1:1\n");
    CHECK(steps("COPY app /src\nRUN cd /src/deps && pip install -r a.txt") ==
          "3:5 cd /src/deps\n3:21 pip: jax@1:1\n");
    CHECK(steps("RUN --mount=type=bind,source=requirements.txt,target=r.txt pip install -r r.txt") ==
          "2:60 pip: torch==2.5.1@1:1\n");
}

TEST_CASE("the context of a Dockerfile may be a folder above") {
    const auto pins = [](const std::string& path) {
        const Recipe recipe =
            read_recipe({path, RecipeKind::dockerfile},
                        "FROM a\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
                        [](const std::string& file, const Written&) -> std::optional<FileText> {
                            if (file != "requirements.txt" && file != "own/requirements.txt")
                                return std::nullopt;
                            return FileText{file, file[0] == 'o' ? "torch==2.5.1\n" : "torch==2.6.0\n"};
                        });
        return shown_steps(recipe);
    };
    CHECK(pins("docker/gpu/Dockerfile").find("torch==2.6.0") != std::string::npos);
    CHECK(pins("own/Dockerfile").find("torch==2.5.1") != std::string::npos);
    CHECK(pins("/docker/Dockerfile").find("torch") == std::string::npos);
}

TEST_CASE("a script may be run from a folder above, and its own folder comes first") {
    const auto pins = [](const std::string& path) {
        const Recipe recipe =
            read_recipe({path, RecipeKind::shell_script}, "pip install -r docs/requirements.txt\n",
                        [](const std::string& file, const Written&) -> std::optional<FileText> {
                            if (file == "docs/requirements.txt") return FileText{file, "torch==2.6.0\n"};
                            if (file == "own/docs/requirements.txt") return FileText{file, "torch==2.5.1\n"};
                            return std::nullopt;
                        });
        return shown_steps(recipe);
    };
    CHECK(pins("tools/ubuntu/docs.sh").find("torch==2.6.0") != std::string::npos);
    CHECK(pins("own/docs.sh").find("torch==2.5.1") != std::string::npos);
}

TEST_CASE("without the files beside it a Dockerfile is read") {
    const Recipe recipe =
        read_dockerfile("Dockerfile", "FROM a\nCOPY r.txt .\nRUN pip install -r r.txt torch==2.5.1\n", {});
    CHECK(shown_steps(recipe).find("torch==2.5.1") != std::string::npos);
}
