// What `explain` and `run` conclude from a log, as text: the cause first, then the lines that show it, the
// command that decides and the fix.
// SPDX-License-Identifier: Apache-2.0
#include "model/visible.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_label = 12;

class ExplanationText {
public:
    ExplanationText(const Explanation& explanation, const ReportOptions& options)
        : m_explanation(explanation), m_options(options) {}

    std::string text() {
        if (m_explanation.other_first) add_others();
        for (const LogDiagnosis& diagnosis : m_explanation.diagnoses) add_diagnosis(diagnosis);
        if (!m_explanation.other_first) add_others();
        if (m_explanation.diagnoses.empty() && m_explanation.others.empty()) add_nothing();
        add_notes();
        return m_text;
    }

private:
    void add_line(const std::string& label, const std::string& shown, bool whole = false) {
        std::string before = "  " + label;
        before.resize(std::max(k_label, before.size() + 1), ' ');
        m_text += folded_line(before + visible(shown), k_label, whole ? 0 : m_options.width) + "\n";
    }
    void add_lines(const std::vector<MatchedLine>& lines) {
        for (const MatchedLine& one : lines) add_line("line " + std::to_string(one.line), one.text, true);
    }
    void add_head(const std::string& head, const char* color, const std::string& sentence) {
        if (!m_text.empty()) m_text += "\n";
        const std::string shown = m_options.color
                                      ? color + head + "\x1b[0m: \x1b[1m" + visible(sentence) + "\x1b[0m"
                                      : head + ": " + visible(sentence);
        m_text += folded_line(shown, 2, m_options.width) + "\n";
    }
    void add_diagnosis(const LogDiagnosis& diagnosis) {
        const bool open = diagnosis.confidence == Confidence::possible;
        add_head(std::string(to_string(diagnosis.confidence)) + "[" + diagnosis.code + "]",
                 open ? "\x1b[1;35m" : "\x1b[1;31m", diagnosis.cause);
        add_lines(diagnosis.matched);
        if (!diagnosis.here.empty()) add_here(diagnosis);
        if (!diagnosis.decide.empty()) add_line("to check", diagnosis.decide, true);
        for (std::size_t i = 0; i < diagnosis.fix.size(); ++i)
            add_line(i ? "or" : "fix", diagnosis.fix[i].text);
        if (!diagnosis.about.empty()) add_line("about", diagnosis.about);
        const std::string& code = diagnosis.here_code.empty() ? diagnosis.code : diagnosis.here_code;
        add_line("more", "ptxguard explain " + (diagnosis.page.empty() ? code : code + " " + diagnosis.page),
                 true);
    }
    void add_here(const LogDiagnosis& diagnosis) {
        add_line("here", diagnosis.here_code == diagnosis.code
                             ? diagnosis.here
                             : diagnosis.here + " (" + diagnosis.here_code + ")");
        for (const Evidence& one : diagnosis.here_found) {
            const std::string place = one.origin.for_people();
            add_line("", one.what + " " + one.value + (place.empty() ? "" : ": " + place));
        }
    }
    void add_notes() {
        for (const std::string& note : m_explanation.notes) {
            if (!m_text.empty()) m_text += "\n";
            m_text += folded_line("note: " + visible(note), 2, m_options.width) + "\n";
        }
    }
    void add_others() {
        for (const OtherFault& other : m_explanation.others) {
            const bool open = other.confidence == Confidence::possible;
            add_head(open ? "possibly not a toolchain problem" : "not a toolchain problem", "\x1b[1;33m",
                     other.cause);
            add_lines(other.matched);
        }
    }
    void add_nothing() {
        const std::string log = visible(m_explanation.log);
        if (!m_explanation.echoes.empty()) {
            m_text += log +
                      ": these lines only repeat that something failed; the cause is above them, in no "
                      "message that ptxguard knows\n";
            add_lines(m_explanation.echoes);
        } else {
            m_text += log + ": no fault that ptxguard knows\n";
        }
        if (!m_explanation.nearest.empty())
            m_text += "the nearest page is ptxguard explain " + m_explanation.nearest + "\n";
    }

    const Explanation& m_explanation;
    const ReportOptions& m_options;
    std::string m_text;
};

}  // namespace

std::string explanation_text(const Explanation& explanation, const ReportOptions& options) {
    return ExplanationText(explanation, options).text();
}

}  // namespace ptxguard
