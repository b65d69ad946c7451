// Calls, loops and branches. A call is its body. A while that counts to a constant is a scan whose carries are its loop
// values; the counter is computed from the iteration, and what a body takes from outside becomes a carry that stays as
// it is, since regions of the language capture nothing. A case is all of its branches and a choice among their results:
// the same values, which is what is compared; with collectives inside all devices must take the same branch. Cost: the
// ops of all branches, and of a loop's body a few times.
#include <algorithm>
#include <set>
#include <utility>

#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"
#include "core/value/integers.h"

namespace isoshard::stablehlo {
namespace {

std::vector<Wire> call(Lowering& lowering, const Operation& op, Scope& scope) {
  const Attribute* callee = op.find("callee");
  const Function* function = callee == nullptr ? nullptr : lowering.text().find_function(callee->text);
  if (function == nullptr) {
    lowering.fail(
        "M-call", op,
        "a call of @" + std::string(callee == nullptr ? "" : callee->text) + ", which the text does not have");
  }
  std::vector<Wire> arguments;
  for (size_t i = 0; i < op.operands.size(); ++i) arguments.push_back(lowering.wire(op, i, scope));
  return lowering.call(*function, std::move(arguments), op);
}

/// The number that a wire is, of a constant of one whole number.
std::optional<int64_t> whole(const Wire* wire) {
  if (wire == nullptr || !wire->constant || !wire->constant->is_splat()) return std::nullopt;
  const Rational& value = wire->constant->elements[0];
  if (!value.is_integer() || !(std::abs(value.to_double()) < 0x1p31)) return std::nullopt;
  return static_cast<int64_t>(value.to_double());
}

/// How a loop counts: loop value `counter` from `start` by `step`, `trips` times.
struct Count {
  size_t counter = 0;
  int64_t start = 0, step = 1, trips = 0;
};

class Loop {
 public:
  Loop(Lowering& lowering, const Operation& op, Scope& scope)
      : lowering_(lowering), op_(op), scope_(scope), condition_(op.regions.at(0)), body_(op.regions.at(1)) {}

  std::vector<Wire> run() {
    count_ = counting();
    for (size_t i = 0; i < op_.operands.size(); ++i) initial_.push_back(lowering_.wire(op_, i, scope_));
    std::vector<ValueUse> outer = captured();
    ScanOperands operands;
    operands.trips = count_.trips;
    const std::string_view next = body_.operations.back().operands[count_.counter].name;
    operands.with_index = uses(body_, body_.arguments[count_.counter].name) > 1 || uses(body_, next) > 1;
    for (size_t i = 0; i < initial_.size(); ++i) {
      if (is_carried(i)) operands.initial.push_back(lowering_.value(initial_[i], op_));
    }
    for (const ValueUse& use : outer)
      operands.initial.push_back(lowering_.value(*scope_.find(use.name, use.index), op_));
    const auto make = [&](const ScanArguments& arguments, bool) -> std::optional<ScanYield> {
      return lowering_.in_new_region([&] { return yield(arguments, outer); });
    };
    const std::vector<ValueId> results = lowering_.builder().scan(operands, make, lowering_.location(op_));
    return results_of(results);
  }

 private:
  /// How often a region, with those in it, uses a name.
  static size_t uses(const Region& region, std::string_view name) {
    size_t count = 0;
    for (const Operation& op : region.operations) {
      for (const ValueUse& use : op.operands) count += static_cast<size_t>(use.name == name);
      for (const Region& inner : op.regions) count += uses(inner, name);
    }
    return count;
  }

  static const Operation* definition(const Region& region, std::string_view name) {
    for (const Operation& op : region.operations) {
      if (op.result == name) return &op;
    }
    return nullptr;
  }

  size_t argument(const Region& region, std::string_view name) const {
    for (size_t i = 0; i < region.arguments.size(); ++i) {
      if (region.arguments[i].name == name) return i;
    }
    return region.arguments.size();
  }

  /// A constant of the region, of a loop value that stays, or of what is around the loop.
  std::optional<int64_t> number(const Region& region, const ValueUse& use) {
    const size_t i = argument(region, use.name);
    if (i < region.arguments.size()) {
      return stays(i) ? whole(&lowering_.wire(op_, i, scope_)) : std::nullopt;
    }
    const Operation* made = definition(region, use.name);
    if (made == nullptr) return whole(scope_.find(use.name, use.index));
    if (made->name != "stablehlo.constant") return std::nullopt;
    Scope inside(&scope_);
    const Wire constant = find_rule(made->name)(lowering_, *made, inside).at(0);
    return whole(&constant);
  }

  /// Whether the body returns loop value i as it is.
  bool stays(size_t i) const {
    if (body_.operations.empty()) return false;
    const std::vector<ValueUse>& returned = body_.operations.back().operands;
    return i < returned.size() && returned[i].name == body_.arguments[i].name && returned[i].index == 0;
  }

  [[noreturn]] void uncounted() const {
    lowering_.unsupported(op_,
                          "a while that does not count: its condition is to compare (LT or LE upwards, GT or GE "
                          "downwards) a loop value, to which the body adds a constant, with a constant, as lax.scan "
                          "and fori_loop print it");
  }

  Count counting() {
    const bool ends = condition_.operations.size() >= 2 && condition_.operations.back().operands.size() == 1;
    const Operation* test = ends ? definition(condition_, condition_.operations.back().operands[0].name) : nullptr;
    if (test == nullptr || test->name != "stablehlo.compare" || test->operands.size() != 2) uncounted();
    Count count;
    count.counter = argument(condition_, test->operands[0].name);
    if (count.counter >= condition_.arguments.size()) uncounted();
    const std::optional<int64_t> limit = number(condition_, test->operands[1]);
    const std::optional<int64_t> start = whole(&lowering_.wire(op_, count.counter, scope_));
    const std::optional<int64_t> step = step_of(count.counter);
    if (!limit || !start || !step) uncounted();
    count.start = *start;
    count.step = *step;
    count.trips = trips(count, test->words.empty() ? std::string_view() : test->words[0].text, *limit);
    return count;
  }

  /// What the body adds to its loop value i.
  std::optional<int64_t> step_of(size_t i) {
    const std::vector<ValueUse>& returned = body_.operations.back().operands;
    const Operation* next = i < returned.size() ? definition(body_, returned[i].name) : nullptr;
    if (next == nullptr || next->operands.size() != 2) return std::nullopt;
    const bool down = next->name == "stablehlo.subtract";
    if (!down && next->name != "stablehlo.add") return std::nullopt;
    const bool first = next->operands[0].name == body_.arguments[i].name;
    if (!first && (down || next->operands[1].name != body_.arguments[i].name)) return std::nullopt;
    const std::optional<int64_t> step = number(body_, next->operands[first ? 1 : 0]);
    return step && down ? -*step : step;
  }

  /// How often a counter steps before it is at the limit. It does not wrap around on the way there.
  int64_t trips(const Count& count, std::string_view direction, int64_t limit) {
    const bool up = direction == "LT" || direction == "LE", down = direction == "GT" || direction == "GE";
    const DType dtype = lowering_.wire(op_, count.counter, scope_).type.dtype;
    if ((!up && !down) || (up ? count.step < 1 : count.step > -1) || is_float(dtype)) uncounted();
    const int64_t beyond = direction == "LE" ? limit + 1 : direction == "GE" ? limit - 1 : limit;
    const int64_t distance = up ? beyond - count.start : count.start - beyond, size = std::abs(count.step);
    if (distance <= 0) return 0;
    const int64_t trips = (distance - 1) / size + 1;
    if (!is_integer_of(dtype, Rational(count.start + trips * count.step))) uncounted();
    return trips;
  }

  /// What becomes a carry: neither the counter nor a constant or position that stays.
  bool is_carried(size_t i) const {
    const bool known = initial_[i].constant != nullptr || initial_[i].digit.has_value();
    return i != count_.counter && !(known && stays(i));
  }

  /// Values from around the loop that its body uses; constants and positions need no carry.
  std::vector<ValueUse> captured() const {
    std::vector<ValueUse> found;
    std::set<std::pair<std::string_view, uint32_t>> seen;
    std::set<std::string_view> defined;
    collect(body_, defined, seen, found);
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

  Wire counter_inside(const ScanArguments& arguments) {
    const TensorType& type = initial_[count_.counter].type;
    if (!arguments.index.valid()) return Wire{type, lowering_.splat(Rational(0), type, op_)};  // nobody reads it
    ValueId index = arguments.index;
    if (count_.trips > 0) lowering_.set_bounds(index, Bounds{0, count_.trips - 1});
    if (type.dtype != DType::i32) index = lowering_.append(Convert{type.dtype}, {index}, op_);
    const auto number = [&](int64_t n) { return lowering_.splat(Rational(n), type, op_); };
    const int64_t size = std::abs(count_.step);
    if (size != 1) index = lowering_.append(Multiply{}, {index, number(size)}, op_);
    if (count_.step < 0) return Wire{type, lowering_.append(Subtract{}, {number(count_.start), index}, op_)};
    if (count_.start != 0) index = lowering_.append(Add{}, {index, number(count_.start)}, op_);
    return Wire{type, index};
  }

  std::optional<ScanYield> yield(const ScanArguments& arguments, const std::vector<ValueUse>& outer) {
    lowering_.forget_bounds(arguments.carries);
    lowering_.forget_bounds({arguments.index});
    Scope inside(&scope_);
    size_t carry = 0;
    for (size_t i = 0; i < initial_.size(); ++i) {
      Wire wire = i == count_.counter ? counter_inside(arguments) : initial_[i];
      if (is_carried(i)) wire = Wire{initial_[i].type, arguments.carries[carry++]};
      inside.define(body_.arguments[i].name, {std::move(wire)});
    }
    // By name: a name of which one result is used inside stands for these results only.
    std::map<std::string_view, std::vector<Wire>> from_outside;
    for (const ValueUse& use : outer) {
      std::vector<Wire>& wires = from_outside[use.name];
      if (wires.size() <= use.index) wires.resize(use.index + 1);
      wires[use.index] = Wire{scope_.find(use.name, use.index)->type, arguments.carries[carry++]};
    }
    for (auto& [name, wires] : from_outside) inside.define(name, std::move(wires));
    const std::vector<Wire> next = lowering_.body(body_, inside);
    if (next.size() != initial_.size())
      lowering_.fail("M-type", op_, "a while whose body does not return its loop values");
    ScanYield yield{{}, {}, lowering_.location(op_), false};
    for (size_t i = 0; i < next.size(); ++i) {
      if (is_carried(i)) yield.carries.push_back(lowering_.value(next[i], op_));
    }
    const size_t own = yield.carries.size();
    for (size_t i = 0; i < outer.size(); ++i) yield.carries.push_back(arguments.carries[own + i]);
    return yield;
  }

  std::vector<Wire> results_of(const std::vector<ValueId>& carries) {
    lowering_.forget_bounds(carries);
    std::vector<Wire> results = initial_;
    size_t carry = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      if (!is_carried(i)) continue;
      const ValueId id = carries.at(carry++);
      if (!id.valid()) throw NotLowered{};
      results[i] = Wire{initial_[i].type, id};
    }
    const int64_t last = count_.start + count_.trips * count_.step;
    Wire& counter = results[count_.counter];
    counter.constant = std::make_shared<const ConstantArray>(ConstantArray{counter.type, {Rational(last)}});
    return results;
  }

  Lowering& lowering_;
  const Operation& op_;
  Scope& scope_;
  const Region& condition_;
  const Region& body_;
  Count count_;
  std::vector<Wire> initial_;
};

std::vector<Wire> while_loop(Lowering& lowering, const Operation& op, Scope& scope) {
  if (op.regions.size() != 2 || op.regions[1].arguments.size() != op.operands.size() ||
      op.regions[0].arguments.size() != op.operands.size() || op.regions[1].operations.empty()) {
    lowering.fail("M-operands", op, "a while without a condition and a body for its loop values");
  }
  return Loop(lowering, op, scope).run();
}

/// Whether devices talk in a region, or in what it calls.
bool communicates(const Lowering& lowering, const Region& region, int depth = 0) {
  static constexpr std::string_view kCollectives[] = {"stablehlo.all_reduce", "stablehlo.all_gather",
                                                      "stablehlo.reduce_scatter", "stablehlo.all_to_all",
                                                      "stablehlo.collective_permute"};
  for (const Operation& op : region.operations) {
    if (std::find(std::begin(kCollectives), std::end(kCollectives), op.name) != std::end(kCollectives)) return true;
    for (const Region& inner : op.regions) {
      if (communicates(lowering, inner, depth)) return true;
    }
    const Attribute* callee = op.name == "func.call" ? op.find("callee") : nullptr;
    const Function* function = callee == nullptr ? nullptr : lowering.text().find_function(callee->text);
    if (function != nullptr && depth < 100 && communicates(lowering, function->body, depth + 1)) return true;
  }
  return false;
}

/// `%which` is the branch, or the predicate of the first of two.
std::vector<Wire> choose(Lowering& lowering, const Operation& op, Scope& scope, bool by_predicate) {
  const Wire& which = lowering.wire(op, 0, scope);
  const ValueId index = lowering.value(op, 0, scope);
  const States& states = lowering.builder().type(index).states;
  const bool uniform = std::all_of(states.begin(), states.end(), [](State s) { return s == State::equal; });
  for (const Region& region : op.regions) {
    if (!uniform && communicates(lowering, region)) {
      lowering.unsupported(op,
                           "a branch with a collective that not all devices are sure to take: the choice depends on "
                           "the device");
    }
  }
  if (op.regions.empty() || (by_predicate && op.regions.size() != 2)) {
    lowering.fail("M-operands", op, quoted(op.name) + " without its branches");
  }
  std::vector<std::vector<Wire>> branches;
  for (const Region& region : op.regions) {
    Scope inside(&scope);
    branches.push_back(lowering.body(region, inside));
  }
  std::vector<Wire> results = branches.back();  // an index that is out of range takes the last branch
  for (size_t b = branches.size() - 1; b-- > 0;) {
    if (branches[b].size() != results.size()) lowering.fail("M-type", op, "branches with different numbers of results");
    ValueId taken = index;
    if (!by_predicate) {
      const ValueId number = lowering.splat(Rational(static_cast<int64_t>(b)), which.type, op);
      taken = lowering.append(Compare{Direction::eq}, {index, number}, op);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const ValueId here = lowering.value(branches[b][i], op), there = lowering.value(results[i], op);
      if (here != there) results[i] = lowering.emit(Select{}, {taken, here, there}, op);
    }
  }
  return results;
}

std::vector<Wire> case_of(Lowering& lowering, const Operation& op, Scope& scope) {
  return choose(lowering, op, scope, false);
}
std::vector<Wire> if_else(Lowering& lowering, const Operation& op, Scope& scope) {
  return choose(lowering, op, scope, true);
}

}  // namespace

std::span<const NamedRule> control_rules() {
  static constexpr NamedRule kRules[] = {
      {"func.call", call}, {"stablehlo.while", while_loop}, {"stablehlo.case", case_of}, {"stablehlo.if", if_else}};
  return kRules;
}

}  // namespace isoshard::stablehlo
