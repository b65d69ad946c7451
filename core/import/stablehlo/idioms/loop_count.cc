// How often a `while` runs at most. Its condition is taken apart at `and`: one part compares a loop value, to which the
// body adds a constant, with what it may be at most, and bounds the trips; a loop that other parts, too, may end is run
// to that bound with its values kept from there on (loop_rules.cc). The bound may be a constant or an integer whose
// range is known, as that of fori_loop(0, n, ...) with --range n=0..8. Loops side by side (jax.vmap) run while one of
// them does, and keep what has ended: the slowest bounds the trips. Cost: the ops of the condition.
#include "core/import/stablehlo/idioms/loop_count.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/import/stablehlo/text/uses.h"
#include "core/value/integers.h"

namespace isoshard::stablehlo {

bool stays(const Region& body, size_t i) {
  if (body.operations.empty()) return false;
  const std::vector<ValueUse>& returned = body.operations.back().operands;
  return i < returned.size() && returned[i].name == body.arguments[i].name && returned[i].index == 0;
}

namespace {

/// The number that a wire is, of a constant of one whole number.
std::optional<int64_t> whole(const Wire* wire) {
  if (wire == nullptr || !wire->constant || !wire->constant->is_splat()) return std::nullopt;
  const Rational& value = wire->constant->elements[0];
  if (!value.is_integer() || !(std::abs(value.to_double()) < 0x1p31)) return std::nullopt;
  return static_cast<int64_t>(value.to_double());
}

class Counting {
 public:
  Counting(Lowering& lowering, const Operation& loop, const Scope& scope)
      : lowering_(lowering), op_(loop), scope_(scope), condition_(loop.regions.at(0)), body_(loop.regions.at(1)) {}

  LoopCount run() {
    const std::vector<Operation>& all = condition_.operations;
    const ValueUse* end = !all.empty() && all.back().operands.size() == 1 ? &all.back().operands[0] : nullptr;
    const ValueUse* each = end == nullptr ? nullptr : asked_of_each(*end);
    one_by_one_ = each != nullptr;
    if (one_by_one_ && !ends_one_by_one(*each)) uncounted();
    if (end != nullptr) take_apart(each != nullptr ? *each : *end);
    std::optional<LoopCount> least;
    for (const Operation* test : tests_) {
      const std::optional<LoopCount> count = test == nullptr ? std::nullopt : counted_by(*test);
      if (count && (!least || count->trips < least->trips)) least = count;
    }
    if (!least) uncounted();
    least->exact = one_by_one_ || (least->exact && tests_.size() == 1);
    if (one_by_one_) least->counter = LoopCount::kNone;
    return *least;
  }

 private:
  /// The parts of a predicate that all hold where it does, each once: comparisons, and null for any other. Of very many
  /// some are not looked at, and count as others.
  void take_apart(const ValueUse& end) {
    constexpr size_t kMostParts = 1000;
    std::set<std::string_view> seen;
    std::vector<std::string_view> left{end.name};
    while (!left.empty()) {
      const std::string_view name = left.back();
      left.pop_back();
      if (!seen.insert(name).second) continue;
      const Operation* made = seen.size() > kMostParts ? nullptr : definition(condition_, name);
      const bool joins = made != nullptr && made->name == "stablehlo.and";
      if (joins || (made != nullptr && (made->name == "stablehlo.convert" || asks_for_truth(*made)))) {
        for (size_t i = 0; i < (joins ? made->operands.size() : 1); ++i) left.push_back(made->operands[i].name);
      } else {
        tests_.push_back(made != nullptr && made->name == "stablehlo.compare" ? made : nullptr);
      }
    }
  }

  /// What is asked of each element, where a condition asks whether it holds for any, as jax.vmap of a loop does.
  const ValueUse* asked_of_each(const ValueUse& end) const {
    const Operation* made = definition(condition_, end.name);
    if (made == nullptr || made->name != "stablehlo.reduce" || made->operands.size() != 2) return nullptr;
    const bool any = made->words.size() == 1 && made->regions.empty() && made->words[0].text == "stablehlo.or";
    return any && is_false(made->operands[1]) ? &made->operands[0] : nullptr;
  }

  /// Whether the body changes nothing of an element of which `each` does not hold: then it has ended for good, and all
  /// have when the slowest has. Its step is taken where it holds.
  bool ends_one_by_one(const ValueUse& each) const {
    const std::string asked = in_words(condition_, each);
    const std::vector<ValueUse>& next = body_.operations.back().operands;
    for (size_t i = 0; i < next.size(); ++i) {
      const Operation* choice = definition(body_, next[i].name);
      const bool chosen = choice != nullptr && choice->name == "stablehlo.select" && choice->operands.size() == 3 &&
                          choice->operands[2].name == body_.arguments[i].name;
      if (!stays(body_, i) && !(chosen && in_words(body_, in_rows(choice->operands[0])) == asked)) return false;
    }
    return true;
  }

  /// A predicate that is repeated for all that stands in its row.
  const ValueUse& in_rows(const ValueUse& use) const {
    const Operation* made = definition(body_, use.name);
    if (made == nullptr || made->name != "stablehlo.broadcast_in_dim") return use;
    const std::vector<int64_t> dims = integers(lowering_, *made, "dims", "broadcast_dimensions");
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] != static_cast<int64_t>(d) || made->operand_types[0].shape[d] != made->result_types[0].shape[d])
        return use;
    }
    return dims.empty() ? use : made->operands[0];
  }

  /// A value in terms of the loop values and of what is around the loop; values with one text are the same. An op with
  /// regions is like no other one.
  std::string in_words(const Region& region, const ValueUse& use) const {
    const std::string result = "#" + std::to_string(use.index);
    const size_t i = argument(region, use.name);
    if (i < region.arguments.size()) return "loop value " + std::to_string(i) + result;
    const Operation* made = definition(region, use.name);
    if (made == nullptr) return "%" + std::string(use.name) + result;
    std::string words(made->name);
    if (!made->regions.empty() || --words_left_ < 0) return words + " at " + std::to_string(made->span.begin);
    for (const Attribute& word : made->words) words += " " + source(word);
    for (const Attribute& field : made->attributes.fields) words += " " + std::string(field.key) + "=" + source(field);
    for (const TensorType& type : made->result_types) words += " " + to_string(type);
    for (const ValueUse& operand : made->operands) words += "(" + in_words(region, operand) + ")";
    return words + result;
  }
  std::string source(const Attribute& attribute) const {
    const Span& span = attribute.span;
    return lowering_.text().file->text.substr(span.begin, span.end - span.begin);
  }

  /// Whether it compares a predicate with false, as JAX does before jnp.logical_and.
  bool asks_for_truth(const Operation& op) const {
    if (op.name != "stablehlo.compare" || op.enumerator("comparison_direction", 0) != "NE") return false;
    return op.operand_types.size() == 2 && op.operand_types[0].dtype == DType::pred && is_false(op.operands[1]);
  }
  bool is_false(const ValueUse& use) const {
    const Operation* made = definition(condition_, unbroadcast(condition_, use).name);
    const Attribute* value = made != nullptr && made->name == "stablehlo.constant" ? made->find("value") : nullptr;
    return value != nullptr && value->text == "false";
  }

  std::optional<LoopCount> counted_by(const Operation& test) {
    if (test.operands.size() != 2) return std::nullopt;
    LoopCount count;
    count.counter = argument(condition_, test.operands[0].name);
    if (count.counter >= condition_.arguments.size()) return std::nullopt;
    const MaybeBounds limit = numbers(condition_, test.operands[1]);
    const std::optional<int64_t> start = whole(&lowering_.wire(op_, count.counter, scope_));
    const std::optional<int64_t> step = step_of(count.counter);
    if (!limit || !start || !step) return std::nullopt;
    count.start = *start;
    count.step = *step;
    const std::optional<int64_t> most = trips(count, test.enumerator("comparison_direction", 0), *limit);
    if (!most) return std::nullopt;
    count.trips = *most;
    count.exact = limit->least == limit->greatest;
    return count;
  }

  static size_t argument(const Region& region, std::string_view name) {
    for (size_t i = 0; i < region.arguments.size(); ++i) {
      if (region.arguments[i].name == name) return i;
    }
    return region.arguments.size();
  }

  /// What a value of the region may be: a constant of it, a loop value that stays, or what is around the loop.
  MaybeBounds numbers(const Region& region, const ValueUse& repeated) {
    const ValueUse& use = unbroadcast(region, repeated);
    const size_t i = argument(region, use.name);
    if (i < region.arguments.size()) return stays(body_, i) ? known(lowering_.wire(op_, i, scope_)) : std::nullopt;
    const Operation* made = definition(region, use.name);
    if (made == nullptr) {
      const Wire* around = scope_.find(use.name, use.index);
      return around == nullptr ? std::nullopt : known(*around);
    }
    if (made->name != "stablehlo.constant") return std::nullopt;
    Scope inside(&scope_);
    return known(find_rule(made->name)(lowering_, *made, inside).at(0));
  }
  MaybeBounds known(const Wire& wire) {
    if (const std::optional<int64_t> number = whole(&wire)) return Bounds{*number, *number};
    if (wire.constant || !is_integer(wire.type.dtype)) return std::nullopt;
    const MaybeBounds bounds = lowering_.bounds(lowering_.value(wire, op_));
    constexpr int64_t kEnd = int64_t{1} << 31;
    return bounds && bounds->least > -kEnd && bounds->greatest < kEnd ? bounds : std::nullopt;
  }

  /// What the body adds to its loop value i, where the loop runs.
  std::optional<int64_t> step_of(size_t i) {
    const std::vector<ValueUse>& returned = body_.operations.back().operands;
    const Operation* next = i < returned.size() ? definition(body_, returned[i].name) : nullptr;
    if (next != nullptr && one_by_one_ && next->name == "stablehlo.select") {
      next = definition(body_, next->operands[1].name);
    }
    if (next == nullptr || next->operands.size() != 2) return std::nullopt;
    const bool down = next->name == "stablehlo.subtract";
    if (!down && next->name != "stablehlo.add") return std::nullopt;
    const bool first = next->operands[0].name == body_.arguments[i].name;
    if (!first && (down || next->operands[1].name != body_.arguments[i].name)) return std::nullopt;
    const MaybeBounds step = numbers(body_, next->operands[first ? 1 : 0]);
    if (!step || step->least != step->greatest) return std::nullopt;
    return down ? -step->least : step->least;
  }

  /// How often a counter steps, at most, before it is at the limit. It does not wrap around on the way there.
  std::optional<int64_t> trips(const LoopCount& count, std::string_view direction, const Bounds& limit) {
    const bool up = direction == "LT" || direction == "LE", down = direction == "GT" || direction == "GE";
    const DType dtype = lowering_.wire(op_, count.counter, scope_).type.dtype;
    if ((!up && !down) || (up ? count.step < 1 : count.step > -1) || is_float(dtype)) return std::nullopt;
    const int64_t last = up ? limit.greatest : limit.least;
    const int64_t beyond = direction == "LE" ? last + 1 : direction == "GE" ? last - 1 : last;
    const int64_t distance = up ? beyond - count.start : count.start - beyond, size = std::abs(count.step);
    if (distance <= 0) return 0;
    const int64_t most = (distance - 1) / size + 1;
    if (!is_integer_of(dtype, Rational(count.start + most * count.step))) return std::nullopt;
    return most;
  }

  [[noreturn]] void uncounted() const {
    lowering_.unsupported(
        op_,
        "a while of which nothing bounds the trips: its condition, or a part of it that is joined by `and`, is to "
        "compare (LT or LE upwards, GT or GE downwards) a loop value, to which the body adds a constant, with a "
        "constant, as in (i < 100) & (error > tolerance), or with an integer whose range is given (--range n=0..9)");
  }

  Lowering& lowering_;
  const Operation& op_;
  const Scope& scope_;
  const Region& condition_;
  const Region& body_;
  std::vector<const Operation*> tests_;
  bool one_by_one_ = false;
  mutable int words_left_ = 10000;  ///< of values in words, which may grow with each use of one
};

}  // namespace

LoopCount count_of(Lowering& lowering, const Operation& loop, const Scope& scope) {
  return Counting(lowering, loop, scope).run();
}

}  // namespace isoshard::stablehlo
