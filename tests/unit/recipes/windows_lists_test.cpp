// Lists, loops and files of PowerShell and cmd. Each way once with a pin that does not exist in the feed, and
// once with one that does.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const std::string k_feed = " --extra-index-url https://download.pytorch.org/whl/cu121";

struct WindowsCase {
    std::string text;
    Files files = {};
};

// With "PIN" replaced.
std::string windows_gets(const std::string& name, const WindowsCase& one, const std::string& pin) {
    Files files;
    for (const auto& [path, text] : one.files) files[path] = replace_all(text, "PIN", pin);
    return codes_of(name, replace_all(replace_all(one.text, "PIN", pin), "FEED", k_feed), files);
}

void check_windows(const std::string& name, const std::vector<WindowsCase>& all) {
    for (const WindowsCase& one : all) {
        CAPTURE(one.text);
        CHECK(windows_gets(name, one, "torch==2.7.0+cu121").find("CC603") != npos);
        CHECK(windows_gets(name, one, "torch==2.4.0+cu121") == k_silent);
    }
}

const Files k_pins = {{"p.txt", "# torch==9.9\nPIN\n"}};

}  // namespace

TEST_CASE("lists of PowerShell are words, splatted or not") {
    check_windows(
        "a.ps1",
        {{"$p = @(\n  \"PIN\"\n  \"numpy<2\"\n)\n& python -m pip install @pFEED\n"},
         {"$p=@(\"PIN\"); pip install $pFEED\n"},
         {"$p = \"numpy\", 'PIN'\npip install $pFEED\n"},
         {"$p = @(\"numpy\")\n$p += \"PIN\"\npip install $pFEED\n"},
         {"$p = @('numpy', 'PIN')\npip install $p[1]FEED\n"},
         {"$a = @{ Name = 'PIN' }\nfunction Add-It([string]$Name) { pip install $NameFEED }\nAdd-It @a\n"}});
}

TEST_CASE("loops of PowerShell over lists and lines") {
    check_windows(
        "a.ps1",
        {{"@(\"numpy\",\"PIN\") | ForEach-Object { pip install $_FEED }\n"},
         {"'numpy', 'PIN' | % { pip install $_FEED }\n"},
         {"$p = @('PIN')\nforeach ($x in $p) { pip install $xFEED }\n"},
         {"foreach ($l in Get-Content p.txt) {\n  if ($l -match '^#') { continue }\n  pip install "
          "$lFEED\n}\n",
          k_pins},
         {"Get-Content p.txt | Where-Object { $_ -notmatch '^#' } | ForEach-Object { pip install $_FEED }\n",
          k_pins},
         {"$v = (Get-Content .\\v.txt).Trim()\npip install \"$v\"FEED\n", {{"v.txt", " PIN \n"}}},
         {"$c = Get-Content v.json -Raw | ConvertFrom-Json\npip install \"$($c.gpu.torch)\"FEED\n",
          {{"v.json", "{\"gpu\": {\"torch\": \"PIN\"}}"}}}});
    // A list with a value that is not known is not guessed.
    CHECK(windows_gets("a.ps1", {"$p = @($env:WHAT)\npip install @pFEED\n"}, "") == k_silent);
    CHECK(windows_gets("a.ps1", {"$p = @('PIN') | Sort-Object\npip install $pFEED\n"},
                       "torch==2.7.0+cu121") == k_silent);
}

TEST_CASE("loops of cmd, files that they read, guards") {
    check_windows(
        "a.bat",
        {{"for %%p in (numpy PIN) do pip install %%pFEED\n"},
         {"for %%p in (\"PIN\") do (\n  pip install %%~pFEED\n)\n"},
         {"for /f \"eol=# tokens=*\" %%p in (p.txt) do pip install %%pFEED\n", k_pins},
         {"for /f \"usebackq tokens=1,* delims=:\" %%a in (\"v.env\") do set %%a=%%b\npip install %T%FEED\n",
          {{"v.env", "T:PIN\n"}}},
         {"set /p T=<v.txt\npip install %T%FEED\n", {{"v.txt", "PIN\n"}}},
         {"setlocal enabledelayedexpansion\nset T=PIN\npip install !T!FEED\n"},
         {"where python >nul 2>&1 || (echo no & exit /b 1)\npip install PINFEED\n"}});
}

TEST_CASE("dnf's cuDNN, definition files by their text, supplemental sources of poetry") {
    const auto cudnn = [](const std::string& cuda) {
        return codes_of(
            "Dockerfile",
            "FROM nvidia/cuda:12.2.2-devel-rockylinux8\nRUN dnf install -y libcudnn8-8.9.7.29-1.cuda" + cuda +
                "\n");
    };
    CHECK(cudnn("11.8").find("CC304") == 0);
    CHECK(cudnn("12.2") == k_silent);
    const auto kind = [](const std::string& path, const std::string& text) {
        return recipe_kind(path, [&] { return Result<std::string>(text); });
    };
    CHECK(kind("apptainer_recipe", "# x\nBootstrap: docker\nFrom: a\n") == RecipeKind::definition_file);
    CHECK(kind("gpu.recipe", "BootStrap: docker\n") == RecipeKind::definition_file);
    CHECK_FALSE(kind("apptainer_notes", "How to bootstrap\n").has_value());
    const auto poetry = [](const std::string& priority, const std::string& version) {
        return codes_of("pyproject.toml",
                        "[tool.poetry]\nname = \"x\"\nversion = \"0\"\n[tool.poetry.dependencies]\npython = "
                        "\"^3.10\"\ntorch = \"" +
                            version +
                            "\"\n[[tool.poetry.source]]\nname = \"pt\"\nurl = "
                            "\"https://download.pytorch.org/whl/cu121\"\npriority = \"" +
                            priority + "\"\n");
    };
    CHECK(poetry("supplemental", "2.4.0+cu121") == k_silent);
    CHECK(poetry("explicit", "2.4.0+cu121") != k_silent);
}

}  // namespace ptxguard::recipes
