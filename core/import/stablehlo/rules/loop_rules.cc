// Loops. A while whose trips are bounded (loop_count.h) is a scan whose carries are its loop values; the counter is
// computed from the iteration, and what a body takes from outside becomes a carry that stays as it is, since regions of
// the language capture nothing. Where more than the counter may end it, a carry `goes on` says whether it still runs,
// and where it does not the loop values stay: the same values as those of the loop that has ended. Devices that talk
// in the body must go on together (agreement.h). Cost: the ops of the body a few times, and its trips to the bound.
#include <set>
#include <utility>

#include "core/import/stablehlo/idioms/agreement.h"
#include "core/import/stablehlo/idioms/loop_count.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/import/stablehlo/text/uses.h"

namespace isoshard::stablehlo {
namespace {

class Loop {
 public:
  Loop(Lowering& lowering, const Operation& op, Scope& scope)
      : lowering_(lowering), op_(op), scope_(scope), condition_(op.regions.at(0)), body_(op.regions.at(1)) {}

  std::vector<Wire> run() {
    count_ = count_of(lowering_, op_, scope_);
    for (size_t i = 0; i < op_.operands.size(); ++i) initial_.push_back(lowering_.wire(op_, i, scope_));
    std::vector<ValueUse> outer = captured();
    ScanOperands operands;
    operands.trips = count_.trips;
    operands.with_index = reads_counter();
    for (size_t i = 0; i < initial_.size(); ++i) {
      if (is_carried(i)) operands.initial.push_back(lowering_.value(initial_[i], op_));
    }
    for (const ValueUse& use : outer)
      operands.initial.push_back(lowering_.value(*scope_.find(use.name, use.index), op_));
    if (!count_.exact) operands.initial.push_back(lowering_.splat(Rational(1), {DType::pred, {}}, op_));
    if (counts_trips()) operands.initial.push_back(lowering_.splat(Rational(0), {DType::i32, {}}, op_));
    const auto make = [&](const ScanArguments& arguments, bool) -> std::optional<ScanYield> {
      return lowering_.in_new_region([&] { return yield(arguments, outer); });
    };
    const std::vector<ValueId> results = lowering_.builder().scan(operands, make, lowering_.location(op_));
    return results_of(results);
  }

 private:
  /// Beyond the step that the body returns, and the comparison that ends the loop.
  bool reads_counter() const {
    if (count_.counter == LoopCount::kNone) return false;
    const std::string_view next = body_.operations.back().operands[count_.counter].name;
    const std::string_view counter = body_.arguments[count_.counter].name;
    return !count_.exact || uses_of(body_, counter) > 1 || uses_of(body_, next) > 1;
  }

  bool counts_trips() const { return !count_.exact && count_.counter != LoopCount::kNone; }

  /// What becomes a carry: neither the counter nor a constant or position that stays.
  bool is_carried(size_t i) const {
    const bool known = initial_[i].constant != nullptr || initial_[i].digit.has_value();
    return i != count_.counter && !(known && stays(body_, i));
  }

  /// Values from around the loop that it uses; constants and positions need no carry.
  std::vector<ValueUse> captured() const {
    std::vector<ValueUse> found;
    std::set<std::pair<std::string_view, uint32_t>> seen;
    collect(body_, {}, seen, found);
    if (!count_.exact || count_.counter == LoopCount::kNone) collect(condition_, {}, seen, found);
    return found;
  }

  void collect(const Region& region, std::set<std::string_view> defined,
               std::set<std::pair<std::string_view, uint32_t>>& seen, std::vector<ValueUse>& found) const {
    for (const BlockArgument& argument : region.arguments) defined.insert(argument.name);
    for (const Operation& op : region.operations) {
      for (const ValueUse& use : op.operands) {
        const Wire* wire = defined.count(use.name) > 0 ? nullptr : scope_.find(use.name, use.index);
        if (wire == nullptr || wire->constant || wire->digit) continue;
        if (seen.insert({use.name, use.index}).second) found.push_back(use);
      }
      for (const Region& inner : op.regions) collect(inner, defined, seen, found);
      if (!op.result.empty()) defined.insert(op.result);
      for (const std::string_view further : op.further_results) defined.insert(further);
    }
  }

  /// The counter after `trips` of them, an i32.
  ValueId counted(ValueId trips) {
    const TensorType& type = initial_[count_.counter].type;
    if (type.dtype != DType::i32) trips = lowering_.append(Convert{type.dtype}, {trips}, op_);
    const auto number = [&](int64_t n) { return lowering_.splat(Rational(n), type, op_); };
    const int64_t size = std::abs(count_.step);
    if (size != 1) trips = lowering_.append(Multiply{}, {trips, number(size)}, op_);
    if (count_.step < 0) return lowering_.append(Subtract{}, {number(count_.start), trips}, op_);
    return count_.start == 0 ? trips : lowering_.append(Add{}, {trips, number(count_.start)}, op_);
  }

  Wire counter_inside(const ScanArguments& arguments) {
    const TensorType& type = initial_[count_.counter].type;
    if (!arguments.index.valid()) return Wire{type, lowering_.splat(Rational(0), type, op_)};  // nobody reads it
    if (count_.trips > 0) lowering_.set_bounds(arguments.index, Bounds{0, count_.trips - 1});
    return Wire{type, counted(arguments.index)};
  }

  std::optional<ScanYield> yield(const ScanArguments& arguments, const std::vector<ValueUse>& outer) {
    lowering_.forget(arguments.carries);
    lowering_.forget({arguments.index});
    std::vector<Wire> now;
    size_t carry = 0;
    for (size_t i = 0; i < initial_.size(); ++i) {
      Wire wire = i == count_.counter ? counter_inside(arguments) : initial_[i];
      if (is_carried(i)) wire = Wire{initial_[i].type, arguments.carries[carry++]};
      now.push_back(std::move(wire));
    }
    Scope around(&scope_);
    const size_t first_outer = carry;
    define_outer(around, arguments, first_outer, outer);
    const size_t first_op = lowering_.builder().program().op_count();
    const std::vector<Wire> next = in_region(body_, around, now);
    if (next.size() != initial_.size())
      lowering_.fail("M-type", op_, "a while whose body does not return its loop values");
    ValueId runs;
    if (!count_.exact) runs = goes_on(arguments, around, now, first_op);
    if (count_.counter == LoopCount::kNone && talks_since(lowering_, first_op)) {
      agreed(lowering_, lowering_.value(in_region(condition_, around, now).at(0), op_), first_op, op_);
    }
    ScanYield yield{{}, {}, lowering_.location(op_), false};
    for (size_t i = 0; i < next.size(); ++i) {
      if (is_carried(i)) yield.carries.push_back(chosen(runs, lowering_.value(next[i], op_), now[i].id));
    }
    for (size_t i = 0; i < outer.size(); ++i) yield.carries.push_back(arguments.carries[first_outer + i]);
    if (runs.valid()) yield.carries.push_back(runs);
    if (counts_trips()) {
      const ValueId done = arguments.carries.back(), one = lowering_.splat(Rational(1), {DType::i32, {}}, op_);
      yield.carries.push_back(chosen(runs, lowering_.append(Add{}, {done, one}, op_), done));
    }
    return yield;
  }

  /// By name: a name of which one result is used inside stands for these results only.
  void define_outer(Scope& around, const ScanArguments& arguments, size_t carry, const std::vector<ValueUse>& outer) {
    std::map<std::string_view, std::vector<Wire>> from_outside;
    for (const ValueUse& use : outer) {
      std::vector<Wire>& wires = from_outside[use.name];
      if (wires.size() <= use.index) wires.resize(use.index + 1);
      wires[use.index] = Wire{scope_.find(use.name, use.index)->type, arguments.carries[carry++]};
    }
    for (auto& [name, wires] : from_outside) around.define(name, std::move(wires));
  }

  /// What a region gives for these loop values.
  std::vector<Wire> in_region(const Region& region, const Scope& around, const std::vector<Wire>& values) {
    Scope inside(&around);
    for (size_t i = 0; i < values.size(); ++i) inside.define(region.arguments[i].name, {values[i]});
    return lowering_.body(region, inside);
  }

  /// Whether the loop still runs: it has so far, and its condition holds. Devices that talk in it agree.
  ValueId goes_on(const ScanArguments& arguments, const Scope& around, const std::vector<Wire>& now, size_t first_op) {
    const std::vector<Wire> holds = in_region(condition_, around, now);
    const ValueId so_far = arguments.carries[arguments.carries.size() - (counts_trips() ? 2 : 1)];
    const ValueId both = lowering_.append(And{}, {so_far, lowering_.value(holds.at(0), op_)}, op_);
    return agreed(lowering_, both, first_op, op_);
  }

  ValueId chosen(ValueId runs, ValueId next, ValueId now) {
    return runs.valid() && next != now ? lowering_.append(Select{}, {runs, next, now}, op_) : next;
  }

  std::vector<Wire> results_of(const std::vector<ValueId>& carries) {
    lowering_.forget(carries);
    std::vector<Wire> results = initial_;
    size_t carry = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      if (!is_carried(i)) continue;
      const ValueId id = carries.at(carry++);
      if (!id.valid()) throw NotLowered{};
      results[i] = Wire{initial_[i].type, id};
    }
    if (count_.counter == LoopCount::kNone) return results;
    Wire& counter = results[count_.counter];
    if (count_.exact) {
      const int64_t last = count_.start + count_.trips * count_.step;
      counter.constant = std::make_shared<const ConstantArray>(ConstantArray{counter.type, {Rational(last)}});
    } else {
      lowering_.set_bounds(carries.back(), Bounds{0, count_.trips});
      counter = Wire{counter.type, counted(carries.back())};
    }
    return results;
  }

  Lowering& lowering_;
  const Operation& op_;
  Scope& scope_;
  const Region& condition_;
  const Region& body_;
  LoopCount count_;
  std::vector<Wire> initial_;
};

std::vector<Wire> while_loop(Lowering& lowering, const Operation& op, Scope& scope) {
  if (op.regions.size() != 2 || op.regions[1].arguments.size() != op.operands.size() ||
      op.regions[0].arguments.size() != op.operands.size() || op.regions[1].operations.empty()) {
    lowering.fail("M-operands", op, "a while without a condition and a body for its loop values");
  }
  return Loop(lowering, op, scope).run();
}

}  // namespace

std::span<const NamedRule> loop_rules() {
  static constexpr NamedRule kRules[] = {{"stablehlo.while", while_loop}};
  return kRules;
}

}  // namespace isoshard::stablehlo
