// Values that scripts and pipelines read from files of the repository. Each way once with a torchvision that
// does not fit the torch, and once with the one that does.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"
#include "recipes/shell/json_query.hpp"

namespace ptxguard::recipes {
namespace {

const std::string k_install = "pip install torch==$TORCH torchvision==$TV\n";

struct Reading {
    std::string name, text;
    Files files;
};

// The same with the release of torchvision in the place of "VISION".
std::string gets(const Reading& reading, const std::string& vision) {
    Files files;
    for (const auto& [name, text] : reading.files) files[name] = replace_all(text, "VISION", vision);
    return codes_of(reading.name, replace_all(reading.text, "VISION", vision), files);
}

void check_all(const std::vector<Reading>& all) {
    for (const Reading& one : all) {
        CAPTURE(one.text);
        CHECK(gets(one, "0.20.0").find("CC612") != npos);
        CHECK(gets(one, "0.21.0") == k_silent);
    }
}

Reading script(const std::string& text, const Files& files) {
    return {"a.sh", "#!/bin/bash\n" + text, files};
}

std::string queried(const std::string& query, const std::string& text, const std::string& program = "jq -r") {
    std::vector<Written> words;
    for (const std::string& one : split(program, " ")) words.push_back({one, "a.sh", 1, 1});
    words.push_back({query, "a.sh", 1, 1});
    return written_by_query(words, text).value_or("(not known)");
}

}  // namespace

TEST_CASE("a script reads variables, lines and whole files") {
    const Files env = {{".env", "# pins\nTORCH=2.6.0\nTV='VISION'\n"}};
    check_all({script(". ./.env\n" + k_install, env),
               script("set -a; source .env; set +a\n" + k_install, env),
               script("export $(grep -v '^#' .env | tr -d \"'\" | xargs)\n" + k_install, env),
               script("TORCH=$(cat t)\nTV=$(<v)\n" + k_install, {{"t", "2.6.0\n"}, {"v", "VISION\n"}}),
               script("read -r TORCH TV < t\n" + k_install, {{"t", "2.6.0  VISION\n"}}),
               script("TV=$(tr -d ' \\n' < v)\nTORCH=2.6.0\n" + k_install, {{"v", " VISION\n"}}),
               script("while IFS='=' read -r k v; do export \"$k=$v\"; done < e\n" + k_install,
                      {{"e", "TORCH=2.6.0\nTV=VISION"}}),
               script("while read -r n v; do\n case $n in torch) TORCH=$v ;; tv) TV=$v ;; esac\ndone < e\n" +
                          k_install,
                      {{"e", "torch 2.6.0\ntv VISION\n"}}),
               script("cat e | while read -r l; do P=\"$P $l\"; pip install torch==2.6.0 $l; done\n",
                      {{"e", "torchvision==VISION\n"}}),
               script("mapfile -t P < <(grep -v '^#' e)\npip install \"${P[@]}\"\n",
                      {{"e", "#\ntorch==2.6.0\ntorchvision==VISION\n"}}),
               script("printf -v TV '%s.%s' VISION\nTV=${TV%.}\nTORCH=2.6.0\n" + k_install, {}),
               script("xargs pip install < e\n", {{"e", "torch==2.6.0\ntorchvision==VISION\n"}})});
}

TEST_CASE("a script reads JSON, YAML and TOML") {
    const Files json = {{"p.json", "{\"torch\": \"2.6.0\", \"gpu\": {\"tv\": [\"VISION\"]}}\n"}};
    const Files toml = {{"p.toml", "[pins]\ntorch = \"2.6.0\"\ntv = \"VISION\"\n"}};
    check_all(
        {script("TORCH=$(jq -r .torch p.json)\nTV=$(jq -r '.gpu.tv[0]' p.json)\n" + k_install, json),
         script("TORCH=$(cat p.json | jq -r '.[\"torch\"]')\nTV=$(jq -r '.gpu[\"tv\"] | first' < p.json)\n" +
                    k_install,
                json),
         script("TORCH=2.6.0\nTV=$(yq '.gpu.tv' p.yaml)\n" + k_install, {{"p.yaml", "gpu:\n  tv: VISION\n"}}),
         script("jq -r '.p | to_entries[] | \"\\(.key)==\\(.value)\"' p.json > r.txt\npip install -r r.txt\n",
                {{"p.json", "{\"p\": {\"torch\": \"2.6.0\", \"torchvision\": \"VISION\"}}"}}),
         script("TORCH=$(python3 -c \"import json; print(json.load(open('p.json'))['torch'])\")\n"
                "TV=$(python - <<'END'\nimport json\nwith open('p.json') as f:\n"
                "    print(json.load(f)['gpu']['tv'][0])\nEND\n)\n" +
                    k_install,
                json),
         script("TORCH=2.6.0\nTV=$(python -c 'import tomllib; "
                "print(tomllib.load(open(\"p.toml\", \"rb\"))[\"pins\"][\"tv\"])')\n" +
                    k_install,
                toml),
         {"install.py",
          "import subprocess, sys\nfrom pathlib import Path\n"
          "tv = (Path(__file__).parent / 'v').read_text().strip()\n"
          "subprocess.run([sys.executable, '-m', 'pip', 'install', 'torch==2.6.0', 'torchvision==' + tv])\n",
          {{"v", "VISION\n"}}}});
}

TEST_CASE("queries of jq and yq") {
    const std::string text = R"({"a": {"b-c": "1.10", "n": 12.10, "l": ["x", "y"]}, "t": true})";
    CHECK(queried(".a.n", text) == "12.10\n");
    CHECK(queried(".a[\"b-c\"], .t", text) == "1.10\ntrue\n");
    CHECK(queried(".a.l[]", text) == "x\ny\n");
    CHECK(queried(".a.l | map(. + \"1\") | join(\" \")", text) == "x1 y1\n");
    CHECK(queried(".a.l[-1]", text) == "y\n");
    CHECK(queried(".none // \"z\"", text) == "z\n");
    CHECK(queried(".a.l[] | select(. == \"y\")", text) == "y\n");
    CHECK(queried("{m: .a.l, t}", text, "jq -c") == "{\"m\":[\"x\",\"y\"],\"t\":true}\n");
    CHECK(queried(".a | keys | length", text) == "3\n");
    CHECK(queried("\"cu\\(.a[\"b-c\"])\"", text) == "cu1.10\n");
    CHECK(queried(".a.l[0]", text, "jq") == "\"x\"\n");
    CHECK(queried(".x", "x: 2.6.0\n", "yq") == "2.6.0\n");
    // Not read: neither a part of the query nor an option is guessed.
    CHECK(queried(".a | test(\"x\")", text) == "(not known)");
    CHECK(queried(".a |= 3", text) == "(not known)");
    CHECK(queried(".a", text, "jq --slurp") == "(not known)");
    CHECK(queried(".a[", text) == "(not known)");
}

TEST_CASE("services, containers, make, just and GitLab take variables from files") {
    const Files env = {{"v.env", "TORCH=2.6.0\nTV=VISION\n"}};
    check_all(
        {{"compose.yaml",
          "services:\n  a:\n    image: python:3.11\n    env_file: v.env\n"
          "    command: bash -c 'pip install torch==$$TORCH torchvision==$$TV'\n",
          env},
         {"compose.yaml",
          "services:\n  a:\n    image: python:3.11\n    env_file:\n      - path: v.env\n"
          "    command: [sh, -c, 'pip install torch==$$TORCH torchvision==$$TV']\n",
          env},
         script(
             "docker run --env-file v.env python:3.11 sh -c 'pip install torch==$TORCH torchvision==$TV'\n",
             env),
         {"Makefile",
          "TV := $(shell cat v)\nTORCH = $(shell jq -r .t p.json)\ni:\n\tpip install torch==$(TORCH) "
          "torchvision==$(TV)\n",
          {{"v", "VISION\n"}, {"p.json", "{\"t\": \"2.6.0\"}"}}},
         {"justfile",
          "set dotenv-load\ni:\n    pip install torch==$TORCH torchvision==$TV\n",
          {{".env", "TORCH=2.6.0\nTV=VISION\n"}}},
         {".gitlab-ci.yml",
          "v:\n  script:\n    - cat v.env > b.env\n  artifacts:\n    reports:\n      dotenv: b.env\n"
          "i:\n  needs: [v]\n  script:\n    - pip install torch==$TORCH torchvision==$TV\n",
          env}});
}

}  // namespace ptxguard::recipes
