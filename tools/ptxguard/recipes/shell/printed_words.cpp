// What echo, printf and seq write, which read nothing.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string_view>

#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/text_programs.hpp"

namespace ptxguard::recipes {
namespace {

using Words = std::vector<Written>;
using Lines = std::vector<std::string>;
using Output = std::optional<std::string>;

// "\n" and "\t"; nothing: another escape.
Output unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\' && i + 1 < text.size();
        const char c = text[escaped ? ++i : i];
        if (escaped && std::string_view("nt\\\"'").find(c) == npos) return std::nullopt;
        result += !escaped ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    return result;
}

// The format is used again as long as arguments are left.
Output formatted(const Words& words) {
    const std::size_t first = words.size() > 1 && words[1].text == "--" ? 2 : 1;
    const Output format = words.size() > first ? unescaped(words[first].text) : std::nullopt;
    if (!format) return std::nullopt;
    std::string result;
    std::size_t next = first + 1;
    do {
        const std::size_t before = next;
        for (std::size_t i = 0; i < format->size(); ++i) {
            const char c = (*format)[i], kind = c == '%' && i + 1 < format->size() ? (*format)[++i] : '\0';
            if (c == '%' && std::string_view("sdi%").find(kind) == npos) return std::nullopt;
            if (c != '%' || kind == '%')
                result += c;
            else if (next < words.size())
                result += words[next++].text;
        }
        if (next == before) break;
    } while (next < words.size());
    return result;
}

Output echoed_text(const Words& words) {
    const std::string option = words.size() > 1 ? words[1].text : "";
    const bool options = is_one_of(option, {"-n", "-e", "-E", "-ne", "-en"});
    Lines texts;
    for (std::size_t i = options ? 2 : 1; i < words.size(); ++i) texts.push_back(words[i].text);
    Output text = joined(texts, " ");
    if (options && option.find('e') != npos) text = unescaped(*text);
    if (text && (!options || option.find('n') == npos)) *text += "\n";
    return text;
}

// seq 3, seq 1 3, seq -s ' ' 70 5 80
Output sequence(const Words& words) {
    std::string by = "\n";
    std::size_t first = 1;
    if (words.size() > 2 && words[1].text == "-s") by = words[2].text, first = 3;
    std::vector<long> numbers;
    for (std::size_t i = first; i < words.size(); ++i) {
        if (words[i].text.size() > 5 || !all_digits(words[i].text)) return std::nullopt;
        numbers.push_back(std::atol(words[i].text.c_str()));
    }
    if (numbers.empty() || numbers.size() > 3) return std::nullopt;
    const long begin = numbers.size() > 1 ? numbers[0] : 1, step = numbers.size() > 2 ? numbers[1] : 1;
    if (step == 0 || (numbers.back() - begin) / step > 1000) return std::nullopt;
    Lines lines;
    for (long i = begin; i <= numbers.back(); i += step) lines.push_back(std::to_string(i));
    return joined(lines, by) + "\n";
}

}  // namespace

std::optional<std::string> written_without_input(const std::vector<Written>& words) {
    const std::string& program = words[0].text;
    if (program == "seq") return sequence(words);
    if (program == "printf") return formatted(words);
    return program == "echo" ? echoed_text(words) : std::nullopt;
}

}  // namespace ptxguard::recipes
