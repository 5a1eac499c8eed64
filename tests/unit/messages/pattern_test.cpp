// SPDX-License-Identifier: Apache-2.0
#include "messages/pattern.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace ptxguard;

namespace {

// The match wherever the anchor is.
std::optional<PatternMatch> matched(const char* pattern, std::string_view text) {
    const Pattern one(pattern);
    REQUIRE(one.has_anchor());
    for (std::size_t at = 0; at + 8 <= text.size(); ++at)
        if (folded(text.data() + at) == one.anchor())
            if (auto found = one.match(text, at)) return found;
    return std::nullopt;
}

std::string captured(const char* pattern, std::string_view text) {
    const auto found = matched(pattern, text);
    if (!found) return "none";
    std::string all;
    for (const auto& [name, value] : found->captured) all += (all.empty() ? "" : " ") + name + "=" + value;
    return all;
}

std::string with_breaks(std::string text) {
    std::replace(text.begin(), text.end(), '|', k_line_break);
    return text;
}

}  // namespace

TEST_CASE("a pattern takes its values out of a message") {
    CHECK(captured("Unsupported .version {made:version}; current version is '{read:version}'",
                   "ptxas x.ptx, line 5; fatal   : Unsupported .version 8.5; current version is '8.2'") ==
          "made=8.5 read=8.2");
    CHECK(captured("Value '{arch:arch}' is not defined",
                   "ptxas fatal   : Value 'sm_121a' is not defined for option") == "arch=sm_121a");
    CHECK(captured("CUDA error {error:number} at", "CUDA error 222 at main.cu") == "error=222");
    CHECK(captured("{library:file}: cannot open shared object file",
                   "ImportError: libcudart.so.12: cannot open shared object file") ==
          "library=libcudart.so.12");
    CHECK(captured("{by:path}: undefined symbol: {symbol:word}",
                   "/a/b.so: undefined symbol: _ZN3c104x, version y") == "by=/a/b.so symbol=_ZN3c104x");
    CHECK(captured("torch.compile needs {v:version}", "torch.compile needs 2.6.0+cu124.") == "v=2.6.0+cu124");
}

TEST_CASE("a cut line may lack the closing quotation mark of the last value, but not both") {
    const char* const pattern = "Unsupported gpu architecture '{arch:arch}'";
    CHECK(captured(pattern, "Unsupported gpu architecture 'compute_61") == "arch=compute_61");
    CHECK(captured(pattern, with_breaks("Unsupported gpu architecture `compute_61|make: Error 1")) ==
          "arch=compute_61");
    CHECK(captured(pattern, "Unsupported gpu architecture compute_61") == "none");
    CHECK(captured(pattern, "Unsupported gpu architecture 'compute_61 or so") == "none");
    CHECK(captured(pattern, "Unsupported gpu architecture 'compute_80+PTX'") == "none");
}

TEST_CASE("the path of a library of NVIDIA") {
    const char* const pattern = "Failed to load {library:library}";
    CHECK(captured(pattern, "Failed to load /opt/x/libcudart.so.12: no such file") ==
          "library=/opt/x/libcudart.so.12");
    CHECK(captured(pattern, "failed to load C:\\x\\CUBLAS64_12.dll.") == "library=C:\\x\\CUBLAS64_12.dll");
    CHECK(captured(pattern, "Failed to load 'nvrtc64_120_0.dll'") == "none");
    CHECK(captured(pattern, "Failed to load libpng.so.16") == "none");
    CHECK(captured(pattern, "Failed to load libcuda") == "none");
    CHECK(captured("{library:library} is missing", "error: libnccl.so.2 is missing") ==
          "library=libnccl.so.2");
}

TEST_CASE("case, blanks, line breaks and quotation marks may differ") {
    const char* const pattern = "compiled with '{what}' for version";
    CHECK(captured(pattern, "COMPILED with \"a b\"   for version") == "what=a b");
    CHECK(captured(pattern,
                   "compiled with \xE2\x80\x98"
                   "a b\xE2\x80\x99 for version") == "what=a b");
    CHECK(captured(pattern, std::string_view("compiled\0with `a b' for\0version", 31)) == "what=a b");
}

TEST_CASE("a gap skips text, but not several lines") {
    CHECK(matched("was built * another compiler", "was built with something and another compiler"));
    CHECK_FALSE(matched("was built * another compiler",
                        std::string_view("was built\0x\0y\0z\0another compiler", 33)));
}

TEST_CASE("a message at the start of its line") {
    CHECK(matched("^nvcc fatal : Bad", "nvcc fatal   : Bad option"));
    CHECK_FALSE(matched("^nvcc fatal : Bad", "it says nvcc fatal   : Bad option"));
    CHECK(matched("^nvcc fatal : Bad", std::string_view("x\0nvcc fatal : Bad", 18)));
}

TEST_CASE("what is not the message does not match") {
    CHECK_FALSE(matched("CUDA error {error:number} at", "CUDA error abc at main.cu"));
    CHECK_FALSE(matched("Value '{arch:arch}' is not defined", "Value 'banana' is not defined"));
    CHECK(captured("Unable to load any of {{{library:file}",
                   "Unable to load any of {libcudnn_ops.so.9.1.0, b}") == "library=libcudnn_ops.so.9.1.0");
}

TEST_CASE("a quotation mark beside the anchor may be missing") {
    const Pattern before("'certain words' of {a:word}"), after("words certain '{a:word}' here");
    for (const char* text : {"'certain words' of x", "certain words of x", "\"certain words\" of x"}) {
        CAPTURE(std::string(text));
        const std::string_view view = text;
        bool found = false;
        for (std::size_t at = 0; at + 8 <= view.size(); ++at)
            found = found || (folded(view.data() + at) == before.anchor() && before.match(view, at));
        CHECK(found);
    }
    for (const char* text : {"words certain 'x' here", "words certain x here"}) {
        CAPTURE(std::string(text));
        const std::string_view view = text;
        bool found = false;
        for (std::size_t at = 0; at + 8 <= view.size(); ++at)
            found = found || (folded(view.data() + at) == after.anchor() && after.match(view, at));
        CHECK(found);
    }
}

TEST_CASE("blanks beside the anchor may be more than one") {
    for (const char* row :
         {"{a:word}; fatal : of {b:word}", "{a:word} certain of {b:word}", "zzz certain of {b:word}"}) {
        const Pattern pattern(row);
        for (const char* text :
             {"x; fatal   : of y", "x   certain   of y", "zzz   certain  of y", "zzz certain of y"}) {
            const std::string_view view = text;
            bool has_anchor = false, found = false;
            for (std::size_t at = 0; at + 8 <= view.size(); ++at) {
                if (folded(view.data() + at) != pattern.anchor()) continue;
                has_anchor = true;
                found = found || pattern.match(view, at);
            }
            CAPTURE(std::string(row));
            CAPTURE(std::string(text));
            if (has_anchor && (view.front() == row[0] || row[0] == '{')) CHECK(found);
        }
    }
}

TEST_CASE("what is beside an anchor ends the search early, but only where nothing may differ") {
    const Pattern pattern("some of these zqxjkvwy are not on any 'shelf' here");
    const auto goes_on = [&](std::string text) {
        text = with_breaks("xxxxxxxxxx " + text + " xxxxxxxxxx");
        for (std::size_t at = 0; at + 8 <= text.size(); ++at)
            if (folded(text.data() + at) == pattern.anchor()) {
                Surroundings around(text, at);
                return pattern.may_match(around);
            }
        return false;
    };
    CHECK(goes_on("some of these zqxjkvwy are not on any 'shelf' here"));
    CHECK(goes_on("SOME OF THESE ZQXJKVWY ARE NOT ON ANY 'SHELF' HERE"));
    CHECK(goes_on("some of these  zqxjkvwy   are not on any 'shelf' here"));
    CHECK(goes_on("some of th|ese zqxjkvwy|are not on any 'shelf' here"));
    CHECK(goes_on("some of these|zqxjkvwy a|re not on any 'shelf' here"));
    CHECK(!goes_on("some of those zqxjkvwy are not on any 'shelf' here"));
    CHECK(!goes_on("some of these zqxjkvwy are now on any 'shelf' here"));
    CHECK(!goes_on("some of these zqxjkvwy4 are not on any 'shelf' here"));
}

TEST_CASE("after a colon a line may end, and empty lines may follow") {
    const char* pattern = "hangs on: zz::{what:word} but is not there";
    for (const char* text : {"hangs on: zz::a but is not there", "hangs on:||   zz::a||  but is not there"}) {
        CAPTURE(std::string(text));
        CHECK(captured(pattern, with_breaks(text)) == "what=a");
    }
}

TEST_CASE("a long list of texts before the anchor, and the name of a library") {
    const char* many =
        "{what:alpha one|beta two|gamma three|delta "
        "four|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho"
        "|sigma|tau} {:is |was |}not found";
    CHECK(captured(many, "the gamma three was not found") == "what=gamma three");
    CHECK(captured(many, "EPSILON not found") == "what=EPSILON");
    CHECK(captured(many, with_breaks("the eps|ilon is|not found")) == with_breaks("what=eps|ilon"));
    CHECK(captured(many, "file omega not found") == "none");
    const char* library = "{library:library}{:'|} {:is |was |}not found";
    CHECK(captured(library, "'/opt/libcudart.so.12' was not found") == "library=/opt/libcudart.so.12");
    CHECK(captured(library, "error=cublas64_12.dll not found") == "library=cublas64_12.dll");
    CHECK(captured(library, "libfoo.so.1 not found") == "none");
    CHECK(captured(library, "-- cufft not found") == "none");
}

TEST_CASE("one of several texts, which may be the empty one") {
    const char* pattern = "requires {:at least |}CUDA {:toolkit |}{need:version}{:+| or newer|}";
    CHECK(captured(pattern, "this requires CUDA 12.8 or newer") == "need=12.8");
    CHECK(captured(pattern, "this requires at least CUDA toolkit 12.8+") == "need=12.8");
    CHECK(captured(pattern, "this requires a CUDA 12.8") == "none");
    const char* first = "{what:CUDA toolkit|nvcc} {:is |was |}not found";
    CHECK(captured(first, "error: the CUDA toolkit was not found") == "what=CUDA toolkit");
    CHECK(captured(first, "nvcc not found") == "what=nvcc");
    CHECK(captured(first, "mynvcc not found") == "none");
}

TEST_CASE("a blank before a colon may be missing") {
    CHECK(captured("nvcc fatal : Unknown option '{option:word}'", "nvcc fatal: Unknown option '-x'") ==
          "option=-x");
    CHECK(captured("nvcc fatal : Unknown option '{option:word}'", "nvcc fatal   : Unknown option '-x'") ==
          "option=-x");
    CHECK(captured("nvcc fatal : Unknown option '{option:word}'", "nvcc fatal Unknown option '-x'") ==
          "none");
}
