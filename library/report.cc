#include <isoshard/report.h>

#include <utility>

#include "library/states.h"

namespace isoshard {
inline namespace v1 {
namespace {

Verdict public_verdict(verify::Verdict verdict) {
  switch (verdict) {
    case verify::Verdict::equal:
      return Verdict::equal;
    case verify::Verdict::not_equal:
      return Verdict::not_equal;
    case verify::Verdict::not_refuted:
      return Verdict::not_refuted;
    case verify::Verdict::float_differs:
      return Verdict::float_differs;
    case verify::Verdict::undecided:
      return Verdict::could_not_decide;
    case verify::Verdict::deadlock:
      return Verdict::deadlock;
    case verify::Verdict::race:
      return Verdict::race;
  }
  return Verdict::could_not_decide;
}

verify::Verdict inner_verdict(Verdict verdict) {
  for (int i = 0; i <= static_cast<int>(verify::Verdict::race); ++i) {
    if (public_verdict(static_cast<verify::Verdict>(i)) == verdict) return static_cast<verify::Verdict>(i);
  }
  return verify::Verdict::undecided;
}

}  // namespace

const char* to_string(Verdict verdict) { return verify::name(inner_verdict(verdict)).data(); }

Report::Report(std::shared_ptr<const detail::ReportState> state) : state_(std::move(state)) {}

Verdict Report::verdict() const { return public_verdict(state_->report.verdict()); }

int Report::exit_code() const { return state_->report.exit_code(); }

std::string Report::headline() const { return state_->report.headline(); }

std::vector<OutputFinding> Report::outputs() const {
  std::vector<OutputFinding> outputs;
  for (const verify::OutputReport& output : state_->report.outputs) {
    outputs.push_back({output.name, to_string(output.type), public_verdict(output.verdict),
                       verify::detail_text(output, state_->report)});
  }
  return outputs;
}

std::vector<NamedArray> Report::counterexample() const { return state_->counterexample; }

std::string Report::text(bool colour, bool explain) const { return verify::to_text(state_->report, colour, explain); }

std::string Report::json() const { return verify::to_json(state_->report); }

double Report::seconds() const { return state_->report.seconds; }

}  // namespace v1
}  // namespace isoshard
