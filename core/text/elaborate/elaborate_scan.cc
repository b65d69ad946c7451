// Elaborates `scan`. The header is read first: carries, slices, trips and index. The body is then given to the Builder
// as a function, which may be run several times, because states of carries are known only when a run gives the states
// it began with (docs/adr/0010-scan.md). So each run begins from the same place: names of the body are dropped after
// it, and instances of funcs that an earlier run made are forgotten. While states are not settled, states that the body
// writes are not compared; a run that skipped such a comparison is followed by one more. Cost: a few elaborations of
// the body, whatever the number of trips.
#include "core/text/elaborate/elaborate_scan.h"

#include <utility>
#include "core/text/elaborate/numbers.h"

namespace isoshard::text {
namespace {

/// Says for one run of a body whether the states in it are final.
class Settled {
 public:
  Settled(Elaboration& elaboration, bool settled) : elaboration_(elaboration), before_(elaboration.states_settled) {
    elaboration_.states_settled = before_ && settled;
  }
  ~Settled() { elaboration_.states_settled = before_; }
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;

 private:
  Elaboration& elaboration_;
  bool before_;
};

}  // namespace

bool Scans::read(const std::vector<BindingSyntax>& bindings, std::vector<ValueId>& outside,
                 std::vector<std::string>& inside) {
  bool good = true;
  for (const BindingSyntax& binding : bindings) {
    const std::optional<std::string> name = names_.spell_one(binding.inside), whole = names_.spell_one(binding.outside);
    const std::optional<ValueId> value = whole ? names_.find(*whole, binding.outside) : std::nullopt;
    good = good && name && value && value->valid();
    outside.push_back(value.value_or(ValueId()));
    inside.push_back(name.value_or(""));
  }
  return good;
}

bool Scans::read_header(const ScanSyntax& syntax, ScanOperands& operands) {
  const bool carries = read(syntax.carries, operands.initial, operands.carry_names);
  bool good = read(syntax.stacked, operands.stacked, operands.slice_names) && carries;
  if (syntax.trips) {
    operands.trips = read_integer(*syntax.trips, scope_);
    good = good && operands.trips;
  }
  if (syntax.index) {
    const std::optional<std::string> name = names_.spell_one(*syntax.index);
    operands.with_index = true;
    operands.index_name = name.value_or("");
    good = good && name;
  }
  return good;
}

std::vector<ValueId> Scans::scan(const ScanSyntax& syntax, const std::vector<std::string>& result_names,
                                 const Span& span) {
  ScanOperands operands;
  operands.result_names = result_names;
  if (!read_header(syntax, operands)) {
    names_.mark_incomplete();
    return {};
  }
  const size_t programs = elaboration_.module.programs.size();
  const ScanBody run = [&](const ScanArguments& arguments, bool settled) {
    elaboration_.forget_instances(programs);
    const Settled guard(elaboration_, settled);
    return body(syntax, operands, arguments, span);
  };
  return builder_.scan(operands, run, scope_.at(span));
}

std::optional<ScanYield> Scans::body(const ScanSyntax& syntax, const ScanOperands& operands,
                                     const ScanArguments& arguments, const Span& span) {
  const size_t errors = elaboration_.scope.sink.error_count();
  const bool skipped_before = std::exchange(elaboration_.states_skipped, false);
  names_.enter(syntax.body);
  if (syntax.index) names_.define(operands.index_name, arguments.index, syntax.index->span);
  define(syntax.carries, operands.carry_names, arguments.carries);
  define(syntax.stacked, operands.slice_names, arguments.slices);
  yields_.emplace_back();
  if (elaboration_.scope.sink.error_count() == errors) block_(syntax.body);
  std::optional<ScanYield> result = std::move(yields_.back());
  yields_.pop_back();
  names_.leave();
  const bool failed = elaboration_.scope.sink.error_count() != errors;
  if (!failed && !result) {
    scope_.error("E-yield", span, "the body of this scan does not end in `yield`; expected `yield (%next) stack (%y)`");
  }
  if (failed || !result) return std::nullopt;
  result->check_states = elaboration_.states_skipped;
  elaboration_.states_skipped |= skipped_before;
  return result;
}

void Scans::define(const std::vector<BindingSyntax>& bindings, const std::vector<std::string>& names,
                   const std::vector<ValueId>& values) {
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (names_.check_free(names[i], bindings[i].inside.span))
      names_.define(names[i], values[i], bindings[i].inside.span);
  }
}

void Scans::find(const std::vector<Operand>& operands, std::vector<ValueId>& values) {
  for (const Operand& operand : operands) values.push_back(operands_.one(operand));
}

void Scans::yield(const YieldSyntax& syntax, const Span& span) {
  if (yields_.empty()) {
    scope_.error("E-yield", span, "`yield` ends the body of a scan; expected `return` here");
    return;
  }
  ScanYield yield;
  yield.location = scope_.at(span);
  find(syntax.carries, yield.carries);
  find(syntax.stacked, yield.stacked);
  yields_.back() = std::move(yield);
}

bool Scans::may_go_on(const Span& span) {
  if (yields_.empty() || !yields_.back()) return true;
  scope_.error("E-yield", span, "the body of a scan ends in one `yield`; expected nothing after it");
  return false;
}

std::vector<std::pair<const TypeSyntax*, ValueId>> Scans::annotations(const ScanSyntax& syntax,
                                                                      const std::vector<ValueId>& results) const {
  std::vector<std::pair<const TypeSyntax*, ValueId>> found;
  if (results.empty() || !results[0].valid()) return found;
  const Program& program = builder_.program();
  const std::vector<ValueId>& arguments = program.op(program.value(results[0]).definition).regions[0].arguments;
  size_t next = syntax.index ? 1 : 0;
  for (const auto* bindings : {&syntax.carries, &syntax.stacked}) {
    for (const BindingSyntax& binding : *bindings) {
      if (binding.type) found.push_back({&*binding.type, arguments[next]});
      ++next;
    }
  }
  return found;
}

}  // namespace isoshard::text
