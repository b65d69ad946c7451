#include "pictures/page/page.h"

#include "core/plan/passes/lower.h"
#include "pictures/markup/escape.h"
#include "pictures/page/assets.h"
#include "pictures/page/section.h"
#include "pictures/svg/drawing.h"

namespace isoshard::pictures {
namespace {

using verify::CheckReport;
using verify::Verdict;

/// A verdict as a class of the style: colours, and a sign for those who do not see them.
struct Look {
  const char *classes, *sign;
};

Look look_of(const CheckReport& report) {
  if (report.exit_code() == 0) return {"holds", "\xe2\x9c\x93"};
  return report.exit_code() == 1 ? Look{"fails", "\xe2\x9c\x97"} : Look{"open", "?"};
}

std::string verdict_html(const CheckReport& report, size_t first_section) {
  const Look look = look_of(report);
  return std::string("<a class=\"verdict ") + look.classes + "\" href=\"#c" + std::to_string(first_section) +
         "\"><span aria-hidden=\"true\">" + look.sign + "</span> <code>@" + escaped(report.claim.left.name) + " == @" +
         escaped(report.claim.right.name) + "</code> <strong>" + escaped(report.headline()) + "</strong></a>\n";
}

std::string bad_input_text(const CheckReport& report) {
  std::string text;
  for (const Diagnostic& diagnostic : report.bad_input) text += render(diagnostic);
  return text;
}

/// What was found, as the command line tells it, and where the first wrong value stands on the page.
std::string claim_html(const CheckReport& report, size_t first_section, const Section& sharded) {
  const std::optional<size_t> wrong = sharded.wrong();
  std::string html =
      "<section class=\"claim\" id=\"c" + std::to_string(first_section) + "\">" + verdict_html(report, first_section);
  if (wrong) {
    const verify::Diagnosis& found = report.diagnosis;
    html += "<p>The first wrong value: <a href=\"#p" + std::to_string(sharded.number) + "v" + std::to_string(*wrong) +
            "\"><code>" + escaped(found.in_words.empty() ? found.value : found.in_words) + "</code></a>, " +
            escaped(found.op) + " at " + escaped(found.location.to_string()) + "</p>\n";
  }
  const std::string text = report.bad_input.empty() ? verify::to_text(report) : bad_input_text(report);
  return html + "<details open=\"open\"><summary>report</summary><pre class=\"report\">" + escaped(text) +
         "</pre></details></section>\n";
}

}  // namespace

void Page::add(const Module& module, ProgramId program) { add(module, program, others_.emplace_back()); }

void Page::add(const Module& module, ProgramId program, std::string& part) {
  const Plan plan = lower(module, program);
  put(Section{sections_, "program", plan, listing_of(module, program)}, part);
}

void Page::add(const Plan& plan) { put(Section{sections_, "plan", plan, listing_of(plan)}, others_.emplace_back()); }

void Page::add(const Module& module, const Check& claim, const CheckReport& report) {
  const ProgramId sharded = report.claim.reference_is_left ? claim.right : claim.left;
  const ProgramId reference = report.claim.reference_is_left ? claim.left : claim.right;
  const Plan plan = lower(module, sharded);
  const Section section{sections_, "program", plan, listing_of(module, sharded), &report.diagnosis};
  std::string part = begin_claim(report, section);
  put(section, part);
  if (shown_.insert(reference).second) add(module, reference, part);
  put_claim(report, std::move(part));
}

void Page::add(const Plan& plan, const CheckReport& report) {
  const Section section{sections_, "plan", plan, listing_of(plan), &report.diagnosis};
  std::string part = begin_claim(report, section);
  put(section, part);
  put_claim(report, std::move(part));
}

std::string Page::begin_claim(const CheckReport& report, const Section& section) {
  verdicts_.push_back(verdict_html(report, sections_));
  return claim_html(report, sections_, section);
}

void Page::put_claim(const CheckReport& report, std::string part) {
  (report.exit_code() == 0 ? others_ : failing_).push_back(std::move(part));
}

void Page::put(const Section& section, std::string& part) {
  part += section_html(section);
  data_ += (data_.empty() ? "" : ",") + section_data(section);
  ++sections_;
}

void Page::add_cut(const std::string& line) { others_.push_back("<p class=\"cut\">" + escaped(line) + "</p>\n"); }

std::string Page::html() const {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
      "<meta name=\"color-scheme\" content=\"light dark\"/><title>" +
      escaped(title_) + "</title>\n<style>" + std::string(page_style()) + std::string(picture_style()) +
      "</style></head><body>\n<header><h1>" + escaped(title_) + "</h1>\n";
  if (verdicts_.size() > 1) {
    for (const std::string& verdict : verdicts_) html += verdict;
  }
  html += "</header>\n<main>\n";
  for (const std::string& part : failing_) html += part;
  for (const std::string& part : others_) html += part;
  return html + "</main>\n<script type=\"application/json\" id=\"isoshard-data\">[" + script_json(data_) +
         "]</script>\n<script>//<![CDATA[\n" + std::string(page_script()) + "//]]></script>\n</body></html>\n";
}

}  // namespace isoshard::pictures
