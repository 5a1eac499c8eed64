// What commands make of texts before others install them: grep, sed and cat, settings of pip, conditions,
// folders. Each class with members that are wrong and similar ones that are right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"
#include "recipes/shell/shell_pipeline.hpp"
#include "recipes/shell/text_filters.hpp"

namespace ptxguard::recipes {
namespace {

const Files k_list = {{"requirements.txt", "torch==2.1.0\ntorchvision==0.16.0\nnumpy\n"}};

std::string copied(const std::string& command) {
    return image_gets("python:3.11", "COPY . .\nRUN " + command, k_list);
}

// What the words write, of that text.
std::string written_by_filter(const std::vector<std::string>& words, const std::string& text) {
    const FileText piped{"a.txt", text};
    const auto result = filtered_text(command_of(words).words, &piped, {});
    return result ? result->text : "(not known)";
}

std::string script_gets(const std::string& text, const Files& files = {}) {
    return codes_of("a.sh", "#!/bin/bash\n" + text, files);
}

const std::string k_wrong = "pip install torch==2.9.0+cu110 -f https://download.pytorch.org/whl/torch\n";

}  // namespace

TEST_CASE("COPY with a pattern copies what matches, and nothing beside it") {
    const Files files{{"reqs/a.txt", "torch==2.9.0+cu110\n"}, {"reqs/a.md", "torch==2.9.0+cu110\n"}};
    const auto installs = [&](const std::string& name) {
        return image_gets("python:3.11", "COPY reqs/*.txt /r/\nRUN pip install -r /r/" + name, files);
    };
    CHECK(installs("a.txt").find("CC603") == 0);
    CHECK(installs("a.md") == k_silent);
}

TEST_CASE("lines that a filter leaves out are not installed") {
    for (const std::string command :
         {"grep -v torch requirements.txt > r.txt && pip install torch==2.4.0 -r r.txt",
          "grep -viE '^(Torch|numpy)' requirements.txt | pip install torch==2.4.0 -r /dev/stdin",
          "pip install torch==2.4.0 -r <(grep -v torch requirements.txt)",
          "sed -i '/^torch/d' requirements.txt && pip install torch==2.4.0 -r requirements.txt",
          "sed '/torch/d' requirements.txt > r.txt && pip install torch==2.4.0 -r r.txt",
          "cat requirements.txt | grep -v torch | xargs pip install torch==2.4.0",
          "sed -i 's/2.1/2.4/;s/0.16/0.19/' requirements.txt && pip install torch==2.4.0 -r requirements.txt",
          "awk '!/torch/' requirements.txt > r.txt && pip install torch==2.4.0 -r r.txt",
          "sed -i '1,2d' requirements.txt && pip install torch==2.4.0 -r requirements.txt"}) {
        CAPTURE(command);
        CHECK(copied(command) == k_silent);
    }
    for (const std::string command :
         {"grep -v numpy requirements.txt > r.txt && pip install torch==2.4.0 -r r.txt",
          "grep -v '^torch==' requirements.txt | pip install torch==2.4.0 -r /dev/stdin",
          "pip install torch==2.4.0 -r <(grep torchvision requirements.txt)",
          "sed -i '/numpy/d' requirements.txt && pip install torch==2.4.0 -r requirements.txt",
          "sed -i 's/torch==2.1.0/torch==2.4.0/' requirements.txt && pip install -r requirements.txt",
          "sed '/numpy/d' requirements.txt > r.txt && pip install torch==2.4.0 -r r.txt"}) {
        CAPTURE(command);
        CHECK(copied(command) == "CC612");
    }
}

TEST_CASE("packages of a list in a file are those that are installed") {
    const auto installs = [](const std::string& command, const std::string& list,
                             const std::string& file = "p.txt") {
        return image_gets("nvidia/cuda:12.3.1-base-ubuntu22.04",
                          "COPY p.txt s.sh /\nRUN " + command + "\nRUN pip install tensorflow==2.18.0",
                          {{file, "cuda-libraries-12-3\n# cuDNN\n" + list + "\n"},
                           {"s.sh", "apt-get install -y $(grep -v '^#' \"$1\")\n"}});
    };
    for (const std::string command :
         {"apt-get install -y $(grep -v '^#' /p.txt)", "apt-get install -y $(sed '/^#/d' /p.txt | sort -u)",
          "grep -v '^#' /p.txt | xargs apt-get install -y",
          "grep -v '^#' /p.txt | xargs sudo apt-get install", "sh /s.sh /p.txt"}) {
        CAPTURE(command);
        CHECK(installs(command, "libcudnn8=8.9.6.50-1+cuda12.2") == "CC301");
        CHECK(installs(command, "libcudnn9-cuda-12") == k_silent);
        // The list is not there: what it has is not known.
        CHECK(installs(command, "libcudnn8", "other.txt") == k_silent);
    }
    CHECK(installs("apt-get install -y $PACKAGES", "") == k_silent);
    CHECK(installs("xargs apt-get install -y < /p.txt", "libcudnn8") == k_silent);
    CHECK(installs("apt-get install -y vim", "") == "CC305");
    CHECK(copied("pip install torch==2.4.0 $(cat requirements.txt)").find("CC612") == 0);
    CHECK(copied("pip install torch==2.4.0 $(grep -v torch requirements.txt)") == k_silent);
}

TEST_CASE("what grep and sed write; a line that is left out keeps its place") {
    const std::string text = "a1\nbb\na.b\n";
    CHECK(written_by_filter({"grep", "a"}, text) == "a1\n\na.b\n");
    CHECK(written_by_filter({"grep", "-v", "a"}, text) == "\nbb\n\n");
    CHECK(written_by_filter({"grep", "-F", "a."}, text) == "\n\na.b\n");
    CHECK(written_by_filter({"grep", "a\\.\\|^b*$"}, text) == "\nbb\na.b\n");
    CHECK(written_by_filter({"egrep", "-v", "^(a[0-9]+|b{2})$"}, text) == "\n\na.b\n");
    CHECK(written_by_filter({"grep", "-E", "^(a[0-9]+|bb?)$"}, text) == "a1\nbb\n\n");
    CHECK(written_by_filter({"grep", "-x", "a."}, text) == "a1\n\n\n");
    CHECK(written_by_filter({"grep", "-c", "a"}, text) == "(not known)");
    CHECK(written_by_filter({"grep", "a\\"}, text) == "(not known)");  // grep refuses it
    CHECK(written_by_filter({"grep", "-e", "1", "-e", "bb"}, text) == "a1\nbb\n\n");
    CHECK(written_by_filter({"sed", "s/a/x/"}, text) == "x1\nbb\nx.b\n");
    CHECK(written_by_filter({"sed", "-i", "s/a/x/"}, text) == "(not known)");  // it writes its file
    CHECK(written_by_filter({"sed", "s/b/x/g"}, text) == "a1\nxx\na.x\n");
    CHECK(written_by_filter({"sed", "-E", "s#(a|b)+#x#"}, text) == "x1\nx\nx.b\n");
    CHECK(written_by_filter({"sed", "/a/!d"}, text) == "a1\n\na.b\n");
    CHECK(written_by_filter({"sed", "-n", "/b/p"}, text) == "\nbb\na.b\n");
    CHECK(written_by_filter({"sed", "-e", "2d", "-e", "s/.b$//"}, text) == "a1\n\na\n");
    CHECK(written_by_filter({"sed", "2,$d"}, text) == "a1\n\n\n");
    CHECK(written_by_filter({"sed", "s/\\(a\\)/\\1x/"}, text) == "ax1\nbb\nax.b\n");
    CHECK(written_by_filter({"sed", "s/a/\\1/"}, text) == "(not known)");  // sed refuses it
    CHECK(written_by_filter({"sed", "p"}, text) == "(not known)");         // the places change
    CHECK(written_by_filter({"sed", "2i torch"}, text) == "(not known)");
    CHECK(written_by_filter({"cat"}, text) == text);
    // Repetitions of many characters are given up in time.
    const std::string many(3000, 'a');
    CHECK(written_by_filter({"grep", "a*a*a*a*a*a*b"}, many) == "(not known)");
}

TEST_CASE("what programs that only change text write into $( )") {
    const std::pair<const char*, const char*> rows[] = {
        // As bash 5.2 with GNU sed 4.9 and mawk prints them.
        {"echo '70 80' | sed -e 's:\\S\\+:g_\\0:g; s:_[[:digit:]]\\+$:\\0 X\\0:'", "g_70 g_80 X_80"},
        {"echo 'a1b22c' | grep -oP '(?<=b)\\d+'", "22"},
        {"echo 'torch==2.1.0+cu118' | grep -oP 'torch==\\K[0-9.]+(?=\\+)'", "2.1.0"},
        {"echo 'x=1 y=2' | tr -dc '0-9'", "12"},
        {"echo torch==2.8.0 | cut -d= -f3", "2.8.0"},
        {"echo 'a  b   c' | tr -s ' ' | cut -d' ' -f2-", "b c"},
        {"echo 'SM_90' | tr '[:upper:]' '[:lower:]'", "sm_90"},
        {"echo '80,90' | tr , '\\n' | sed 's/$/+PTX/' | paste -sd';' -", "80+PTX;90+PTX"},
        {"printf '%s\\n' b a c | sort | head -n2 | paste -sd, -", "a,b"},
        {"printf '%s;' 1 2", "1;2;"},
        {"echo 12.4.1 | awk -F'[.-]' '{printf \"%s%s\", $1, $2}'", "124"},
        {"echo 'a b c' | awk '{print $2, $NF}'", "b c"},
        {"printf 'a 1\\nb 2\\n' | awk '/b/ {print $2}'", "2"},
        {"printf '1\\n2\\n3\\n' | sed -n 2p", "2"},
        {"printf '1\\n2\\n3\\n' | tail -n +2", "2\n3"},
        {"echo abc | rev", "cba"},
        {"echo 'a,b' | sed -n 's/\\(.\\),\\(.\\)/\\2-\\1/p'", "b-a"},
        {"echo '8.0 9.0' | sed -E 's/([0-9])\\.([0-9])/\\1\\2/g;s/ /;/'", "80;90"},
        {"seq -s ' ' 70 10 90", "70 80 90"},
        {"echo 1 2 | xargs -n1 | xargs -I{} echo sm_{} | tr '\\n' ' '", "sm_1 sm_2 "},
        {"echo 'aaa' | sed 's/a/b/2'", "aba"},
        {"echo 'aaa' | sed 's/a*/x/g'", "x"},
        {"echo 'a/b' | sed 's/[/]/-/'", "a-b"},
        {"echo 'abab' | sed -E 's/(ab){2}/x/'", "x"},
        {"echo 'a b' | wc -w", "2"},
        // What is not read.
        {"echo a | sed 's/a/\\U&/'", "(not known)"},
        {"echo a | awk '{print toupper($1)}'", "(not known)"},
        {"echo a | awk '{print $1; print $2}'", "(not known)"},
        {"echo a | sed 'N;s/a/b/'", "(not known)"},
        {"echo a | tr -c a b", "(not known)"},
        {"echo B a | xargs -n1 | sort", "B\na"},  // the locale of images and runners
        {"echo a | grep -oE '(a|b'", "(not known)"},
        {"echo a | grep -P 'a.*?'", "(not known)"},
        {"printf %5s a", "(not known)"},
        {"echo $A | cut -c1", "(not known)"}};
    for (const auto& row : rows) {
        CAPTURE(row.first);
        const PlacedText text("a.sh", row.first);
        Problems problems;
        const auto written = output_of_pipeline(text, {0, text.text.size()}, {}, problems);
        CHECK((written ? written->text : "(not known)") == row.second);
    }
}

TEST_CASE("architectures and releases that a pipeline of the shell makes") {
    const auto compiles = [](const std::string& command) {
        return image_gets("nvidia/cuda:12.4.1-devel-ubuntu22.04", "ARG ARCHS='80 100'\nRUN " + command);
    };
    const std::string each = "sed -e 's:\\S\\+:-gencode=arch=compute_\\0,code=sm_\\0:g'";
    CHECK(compiles("F=\"$(echo \"$ARCHS\" | " + each +
                   ")\" && git clone https://github.com/NVIDIA/nccl && make -C "
                   "nccl src.build NVCC_GENCODE=\"$F\"") == "CC203");
    CHECK(compiles("nvcc `echo \"$ARCHS\" | " + each + "` -c a.cu") == "CC203");
    CHECK(compiles("nvcc $(for a in 80 100; do printf -- '-arch=sm_%s ' $a; done) -c a.cu") == "CC203");
    CHECK(compiles("nvcc $(echo 80 90 | " + each + ") -c a.cu") == k_silent);
    CHECK(compiles("nvcc $(echo \"$ARCHS\" | cut -d' ' -f1 | " + each + ") -c a.cu") == k_silent);
    const auto installs = [](const std::string& torch) {
        return image_gets(
            "nvidia/cuda:12.4.1-runtime-ubuntu22.04",
            "RUN CU=$(echo \"$CUDA_VERSION\" | sed -E 's/^([0-9]+)\\.([0-9]+).*$/\\1\\2/') && pip "
            "install torch==" +
                torch + " --index-url https://download.pytorch.org/whl/cu$CU");
    };
    CHECK(installs("2.8.0") == "CC603");
    CHECK(installs("2.6.0") == k_silent);
}

TEST_CASE("pip config set counts for the commands after it, also of stages that start from this one") {
    const std::string index = k_pytorch + "cu124", torch = "RUN pip install torch==2.4.0+cu124\n";
    const std::string set = "RUN pip config set global.extra-index-url " + index + "\n";
    CHECK(image_gets("python:3.11", set + torch) == k_silent);
    CHECK(image_gets("python:3.11", "RUN python3 -m pip config --user set install.index-url " + index + "\n" +
                                        torch) == k_silent);
    CHECK(image_gets("python:3.11 AS a", set + "FROM a\n" + torch) == k_silent);
    CHECK(image_gets("python:3.11", torch) == "CC614");
    CHECK(image_gets("python:3.11 AS a", set + "FROM python:3.11\n" + torch) == "CC614");
    CHECK(image_gets("python:3.11", torch + set) == "CC614");
    CHECK(image_gets("python:3.11",
                     "RUN pip config set global.index-url https://m.org/pypi/simple\n" + torch) == "CC614");
    CHECK(image_gets("python:3.11", set + "ENV PIP_EXTRA_INDEX_URL=" + k_pytorch + "cu118\n" + torch) ==
          "CC614");
}

TEST_CASE("releases that only JetPack has") {
    for (const std::string image : {"nvcr.io/nvidia/l4t-tensorrt:r8.6.2-devel", "dustynv/l4t-pytorch:r36.2.0",
                                    "nvcr.io/nvidia/l4t-base:r36.2.0"})
        CHECK(image_gets(image, "RUN pip3 install tensorrt==8.6.2") == k_silent);
    CHECK(image_gets("nvidia/cuda:12.2.2-devel-ubuntu22.04", "RUN pip3 install tensorrt==8.6.2") == "CC603");
}

TEST_CASE("companions for CPUs on runners without a GPU") {
    const auto job = [](const std::string& torch) {
        return codes_of(
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          pip "
            "install " +
                torch +
                "\n          pip install torch_scatter -f https://data.pyg.org/whl/torch-2.4.0+cpu.html\n");
    };
    CHECK(job("torch==2.4.0") == k_silent);
    CHECK(job("torch==2.4.0 --index-url " + k_pytorch + "cu121") == "CC612");
    CHECK(image_gets("python:3.11",
                     "RUN pip install torch==2.4.0\nRUN pip install torch_scatter -f "
                     "https://data.pyg.org/whl/torch-2.4.0+cpu.html") == "CC612");
}

TEST_CASE("conditions of several tests, and of releases that are compared") {
    const std::string older =
        "older() { [ \"$1\" = \"$2\" ] && return 1 || [ \"$(printf '%s\\n' \"$@\" | sort -V | head -n 1)\" = "
        "\"$1\" ]; }\n";
    for (const char* condition :
         {"[ $V = 12.0 ] && [ $V = 2 ]", "[ $V = 2 ] || [ $V = 3 ]", "[ \"$Q\" = 1 ] && [ $V = 3 ]",
          "[[ $V == 12* ]] && older $V 11.0", "older $V 12.0", "older 12.10 $V"}) {
        CAPTURE(condition);
        CHECK(script_gets(older + "V=12.0\nif " + condition + "; then\n" + k_wrong + "fi\n") == k_silent);
    }
    for (const char* condition :
         {"[ $V = 12.0 ] && [ $V != 2 ]", "[ $V = 2 ] || [ $V = 12.0 ]", "[ \"$Q\" = 1 ] && [ $V = 12.0 ]",
          "[[ $V == 12* ]] && older $V 12.10", "older 9.2 $V"}) {
        CAPTURE(condition);
        CHECK(script_gets(older + "V=12.0\nif " + condition + "; then\n" + k_wrong + "fi\n") == "CC603");
    }
}

TEST_CASE("a Python that is set up in a container has none of the image's packages") {
    const auto job = [](const std::string& step) {
        return codes_of(".github/workflows/ci.yml",
                        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    container: "
                        "pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel\n"
                        "    steps:\n" +
                            step + "      - run: pip install torchvision==0.19.0\n");
    };
    CHECK(job("      - uses: actions/setup-python@v5\n        with:\n          python-version: '3.12'\n") ==
          k_silent);
    CHECK(job("") == "CC612");
}

TEST_CASE("texts that are no commands, and folders to which a script returns") {
    const auto problems_of = [](const std::string& name, const std::string& text, const Files& files = {}) {
        return read_recipe({name, *recipe_kind(name)}, text, reader_of(files)).problems.size();
    };
    const std::string script = "#!/bin/bash\n";
    CHECK(problems_of("a.sh", script + "usage=$(cat << END\nit's (a) <b|\nEND\n)\nLIST=(\n 'a' # the "
                                       "router's own\n # it's\n b\n)\n") == 0);
    CHECK(problems_of("a.sh", script + "usage=$(cat << END\nit's (a\nEND\npip install torch\n") == 1);
    CHECK(problems_of("a.sh", script + "usage=$(cat << END\nit's (a\nEND\n") == 0);
    CHECK(problems_of("a.sh", script + "echo a >> /etc/passwd\n") == 0);
    CHECK(problems_of("a.sh", script + "pip install -r https://a.org/requirements.txt\n") == 0);
    CHECK(problems_of("a.sh", script + "pip install -r absent.txt\n") == 1);
    CHECK(problems_of(
              "a.sh",
              script +
                  "git clone https://github.com/a/b\npushd b\npip install -r requirements.txt\npopd\n") == 0);
    const Files again = {{"a.sh", script + "[ -z \"$A\" ] && A=1 exec bash $0 \"$@\"\n"}};
    CHECK(problems_of("a.sh", again.at("a.sh"), again) == 0);
    CHECK(problems_of("Makefile", "B ?= $(abspath ./b)\n${B}/%.txt: %.txt\n\tinstall -m 644 $< $@\n") == 0);
    CHECK(script_gets("pushd b\npopd\npip install -r r.txt\n", {{"r.txt", "torch==2.9.0+cu110\n"}}) ==
          "CC603");
}

TEST_CASE("a release that does not exist meets no companion") {
    for (const char* build : {"cu118", "cu130"}) {
        const std::string text =
            std::string("torch==2.9.0+") + build + "\ntorchvision==0.15.0+" + build + "\n";
        const auto findings = findings_in(
            scenarios_in("requirements.txt", "--index-url " + k_pytorch + build + "\n" + text, {}));
        const auto has = [&](const char* code) {
            return any_of(findings, [&](const Finding& one) { return one.code == code; });
        };
        CAPTURE(build);
        CHECK(!has("CC005"));
        CHECK(has("CC603") == (std::string(build) == "cu118"));
        CHECK(has("CC612") == (std::string(build) == "cu130"));
    }
}

}  // namespace ptxguard::recipes
