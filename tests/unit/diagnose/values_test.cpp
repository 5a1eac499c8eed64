// SPDX-License-Identifier: Apache-2.0
#include "diagnose/values.hpp"

#include <doctest/doctest.h>

#include <set>

#include "messages/message.hpp"

using namespace ptxguard;

namespace {

std::vector<std::string> names_in(const std::string& text) {
    std::set<std::string> names;
    for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1))
        names.insert(text.substr(at + 1, text.find_first_of("|}", at) - at - 1));
    return {names.begin(), names.end()};
}

// What a hole looks like; empty = none.
std::string hole_in(const std::string& text) {
    for (const char* hole : {"  ", " ,", " ;", " :", "()", "( ", " )", ",,", "{", "}", ": :", "CUDA ;"})
        if (text.find(hole) != std::string::npos) return hole;
    const bool ends_well = !text.empty() && text.front() != ' ' && text.back() != ' ' && text.back() != ':' &&
                           text.back() != ',';
    return ends_well ? "" : "the end";
}

}  // namespace

TEST_CASE("a sentence has only the parts whose values are known") {
    const LogValues values{{"driver", {"550.54.14", 3}}};
    CHECK(filled("the driver[ {driver}] reads[ up to {read}]", values) == "the driver 550.54.14 reads");
    CHECK(filled("[--driver {driver}]@driver[--driver VERSION]", values) == "--driver 550.54.14");
    CHECK(filled("[--gpu {gpu}]@gpu[--gpu NAME]", values) == "--gpu NAME");
    CHECK(filled("{gpu|the GPU} and {driver|x}", values) == "the GPU and 550.54.14");
    CHECK(filled("jax[[cuda12]] a@b", values) == "jax[cuda12] a@b");
    CHECK(filled("[outer {driver}[ {gpu}] end]", values) == "outer 550.54.14 end");
    CHECK(filled("[{gpu}]@gpu[[{driver}]@driver[none]]", values) == "550.54.14");
}

TEST_CASE("a value that the log disputes is not known") {
    const FoundMessages found = find_messages(
        "PyTorch version: 2.5.1+cu121\ntorch==2.5.1\nNvidia driver version: 550.54.14\n"
        "Nvidia driver version: 535.104.05\n");
    const LogValues values = values_of_log(found);
    REQUIRE(values.count("torch") == 1);
    CHECK(values.at("torch").text == "2.5.1+cu121");
    CHECK(values.count("driver") == 0);
}

TEST_CASE("the tables add the CUDA releases of PTX and architectures") {
    const Facts facts = Facts::embedded();
    const FoundMessages found = find_messages(
        "ptxas x.ptx, line 5; fatal   : Unsupported .version 8.5; current version is '8.2'\n"
        "nvcc fatal   : Unsupported gpu architecture 'compute_120'\n");
    const LogValues of_log = values_of_log(found);
    LogValues values = values_for(found.messages.front(), of_log, facts);
    CHECK(values["made_cuda"].text == "12.5 or 12.6");
    CHECK(values["read_cuda"].text == "12.2");
    values = values_for(found.messages[1], of_log, facts);
    CHECK(values["arch_bound"].text == "CUDA 12.8 and newer do");
}

TEST_CASE("an nvcc that is not known may be too old for an architecture, or too new") {
    const Facts facts = Facts::embedded();
    const auto needs = [&](const std::string& before, const char* arch) {
        const FoundMessages found =
            find_messages(before + "\nnvcc fatal   : Unsupported gpu architecture '" + arch + "'\n");
        LogValues values = values_for(found.messages.back(), values_of_log(found), facts);
        return values["arch_needs"].text;
    };
    CHECK(needs("", "compute_61") == "CUDA 8.0 to 12.9");
    CHECK(needs("Cuda compilation tools, release 7.5, V7.5.17", "compute_61") == "CUDA 8.0 or newer");
    CHECK(needs("Cuda compilation tools, release 13.0, V13.0.48", "compute_61") == "CUDA 12.9 or older");
    CHECK(needs("", "compute_35") == "CUDA 11.8 or older");
    CHECK(needs("", "compute_75") == "CUDA 10.0 or newer");
    CHECK(needs("", "compute_999").empty());
}

TEST_CASE("each sentence is whole with each set of values that a log may name") {
    for (const Cause& cause : causes()) {
        std::vector<std::string> texts{cause.sentence};
        if (*cause.decide) texts.emplace_back(cause.decide);
        texts.insert(texts.end(), cause.fix.begin(), cause.fix.end());
        for (const std::string& text : texts) {
            const std::vector<std::string> names = names_in(text);
            REQUIRE(names.size() < 10);
            for (unsigned known = 0; known < 1u << names.size(); ++known) {
                LogValues values;
                for (std::size_t i = 0; i < names.size(); ++i)
                    if ((known >> i & 1) != 0) values[names[i]] = {"value", 1};
                const std::string whole = filled(text, values);
                CAPTURE(std::string(cause.id));
                CAPTURE(whole);
                const bool left_out = whole.empty() && text.front() == '[' && &text != &texts.front();
                if (!left_out) CHECK(hole_in(whole) == "");
            }
        }
    }
}
