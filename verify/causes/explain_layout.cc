// Mistakes that follow from how the operands of an op are laid out over devices, once each operand is known to be a
// value of the reference in some folds (match.cc). A sum over devices that do not hold terms of it counts too often; a
// gather in another order or along another dimension than blocks lie transposes them; a term of a sum beside a whole
// value, or under a function that is not linear, lacks a reduction; two operands whose blocks start at different places
// of the reference's dimension do not belong together, which is how a ring that runs the wrong way shows. These are the
// layouts' own laws, so what is found here is explained and no likeness. Costs devices times dimensions per op.
#include <algorithm>
#include <iterator>

#include "verify/answers/words.h"
#include "verify/causes/explain.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

/// The axes of `group` that `id` holds in this way; axes of size 1 do not count.
std::vector<AxisId> within(const Evidence& e, PlanValueId id, const Group& group, FoldKind kind) {
  std::vector<AxisId> result;
  for (const AxisId axis : group.axes) {
    if (e.mesh().axis(axis).size > 1 && e.kind(id, axis) == kind) result.push_back(axis);
  }
  return result;
}

std::vector<AxisId> outside(const std::vector<AxisId>& axes, const Group& group) {
  std::vector<AxisId> result;
  const AxisSet in = group.set();
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(result), [&](AxisId a) { return !in.contains(a); });
  return result;
}

std::string size_as_factor(const Evidence& e, const std::vector<AxisId>& axes) {
  const Group group{axes};
  return std::to_string(e.mesh().size(group)) + "x";
}

std::string sizes(const Evidence& e, const std::vector<AxisId>& axes) {
  std::string text;
  for (const AxisId axis : axes) text += (text.empty() ? "size(" : "*size(") + e.mesh().axis(axis).name + ")";
  return text;
}

std::string over(const Evidence& e, const std::vector<AxisId>& axes) {
  return " over " + axes_in_words(axes, e.mesh());
}

Explanation wrong_axis(const Evidence& e, const Instruction& i, const Group& group, const std::vector<AxisId>& terms) {
  const PlanValueId x = i.operands[0];
  const bool split = !within(e, x, group, FoldKind::concat).empty();
  return {
      "wrong axis: " + i.op() + over(e, group.axes) + " instead of" + axes_in_words(terms, e.mesh()).insert(0, 1, ' '),
      e.name(x) + " holds terms of a sum" + over(e, terms) + "; along " + axes_in_words(group.axes, e.mesh()) +
          (split ? " the devices hold different blocks, which are added up" : " it is complete")};
}

/// A sum over a group whose members do not hold terms of it.
std::optional<Explanation> explain_sum(const Evidence& e, const Instruction& i, const Collective& c) {
  const Group& group = e.plan().communicators[c.communicator.index()].group;
  const PlanValueId x = i.operands[0];
  const std::vector<AxisId> complete = within(e, x, group, FoldKind::equal);
  const std::vector<AxisId> split = within(e, x, group, FoldKind::concat);
  const std::vector<AxisId> terms = outside(e.axes_of_kind(x, FoldKind::sum), group);
  if ((!complete.empty() || !split.empty()) && !terms.empty()) return wrong_axis(e, i, group, terms);
  const Match* match = e.match(x);  // null: a block as it is read
  const std::string& reference = match != nullptr ? e.name(*match->reference) : e.name(x);
  if (!split.empty()) {
    const std::string what = match != nullptr ? describe(e, *match) + " (" + reference + ")" : "a block on each device";
    return Explanation{i.op() + over(e, split) + " adds up different blocks",
                       e.name(x) + " is " + what + "; these are blocks, not terms of a sum"};
  }
  if (complete.empty()) return std::nullopt;
  const std::string what = match != nullptr ? " already is " + reference : " is the same";
  return Explanation{"one " + i.op() + over(e, complete) + " too many: " + size_as_factor(e, complete) +
                         " too large (= " + sizes(e, complete) + ")",
                     e.name(x) + what + " on every device of " + axes_in_words(complete, e.mesh()) +
                         "; summing it again makes it " + size_as_factor(e, complete) + " too large"};
}

std::string tuple(const Evidence& e, std::vector<AxisId> axes) { return e.mesh().to_string(Group{std::move(axes)}); }

/// A gather along another dimension or in another order than the blocks lie.
std::optional<Explanation> explain_gather(const Evidence& e, const Instruction& i, const Collective& c) {
  const Group& group = e.plan().communicators[c.communicator.index()].group;
  const PlanValueId x = i.operands[0];
  const Match* match = e.match(x);
  if (match == nullptr) return std::nullopt;
  const std::vector<AxisId> terms = within(e, x, group, FoldKind::sum);
  if (!terms.empty()) {
    return Explanation{"all_gather of terms of a sum" + over(e, terms) + ", all_reduce is meant",
                       e.name(x) + " holds terms of a sum" + over(e, terms)};
  }
  std::vector<AxisId> order;  // of the blocks, major first
  for (auto step = match->steps.rbegin(); step != match->steps.rend(); ++step) {
    if (step->kind != FoldKind::concat || !group.set().contains(step->axis)) continue;
    if (static_cast<int64_t>(step->dim) != c.dim) {
      return Explanation{
          "all_gather along dim " + std::to_string(c.dim) + " instead of dim " + std::to_string(step->dim),
          e.name(x) + " is " + describe(e, *match) + " (" + e.name(*match->reference) + ")"};
    }
    order.push_back(step->axis);
  }
  if (order.size() < 2 || order == group.axes) return std::nullopt;
  return Explanation{"transposed shard order: gathered as " + tuple(e, group.axes) + ", stored as " + tuple(e, order),
                     "the blocks of " + e.name(*match->reference) + " lie in the order " + tuple(e, order) +
                         " along dim " + std::to_string(c.dim) + ", " + e.name(i.results[0]) +
                         " gathers them in the order " + tuple(e, group.axes)};
}

bool is_sum(const Collective& c) {
  return c.kind == CollectiveKind::all_reduce || c.kind == CollectiveKind::reduce_scatter;
}

/// Whether the results of `i` are linear in what `reached` marks among its operands.
bool is_linear(const Instruction& i, const std::vector<char>& reached) {
  const auto reaches = [&](size_t n) { return reached[i.operands[n].index()] != 0; };
  if (const Collective* c = std::get_if<Collective>(&i.data())) {
    return c->kind != CollectiveKind::all_reduce_max && c->kind != CollectiveKind::all_reduce_min;
  }
  const LocalOp* local = local_op(i);
  if (local == nullptr) return true;
  if (is_one_of<Multiply, DotGeneral>(local)) return !reaches(0) || !reaches(1);
  if (is_one_of<Divide>(local)) return !reaches(1);
  const OpClass kind = op_facts(local->op).kind;
  return kind == OpClass::linear || kind == OpClass::movement || is_one_of<Convert>(local);
}

/// The sum collective over `axis` that `from` flows into through linear ops, if any.
std::optional<Instruction> later_sum(const Evidence& e, PlanValueId from, AxisId axis) {
  std::vector<char> reached(e.plan().values.size(), 0);
  reached[from.index()] = 1;
  for (const Instruction& i : e.plan().instructions) {
    const bool uses =
        std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return reached[id.index()] != 0; });
    if (!uses) continue;
    const Collective* c = std::get_if<Collective>(&i.data());
    if (c != nullptr && is_sum(*c) && e.plan().communicators[c->communicator.index()].group.set().contains(axis)) {
      return i;
    }
    if (!is_linear(i, reached)) continue;
    for (const PlanValueId id : i.results) reached[id.index()] = 1;
  }
  return std::nullopt;
}

Explanation missing_reduction(const Evidence& e, const Instruction& i, PlanValueId x, AxisId axis) {
  const std::string name = "`" + e.mesh().axis(axis).name + "`";
  const Match& match = *e.match(x);
  const std::string part =
      match.micro ? "the part of micro-batch " + std::to_string(match.micro->index) + " of " : std::string();
  return {"missing all_reduce of " + e.name(x) + " over " + name + " before " + i.op(),
          e.name(x) + " holds terms of a sum over " + name + " (the sum is " + part + e.name(*match.reference) + "); " +
              i.op() + " uses one term as if it were the whole"};
}

/// Random bits, of which sums are those of others by accident.
bool is_bits(const Evidence& e, PlanValueId id) { return is_unsigned(e.plan().value(id).type().dtype); }

/// Terms of a sum meet a whole value in a linear op.
std::optional<Explanation> explain_mixed(const Evidence& e, const Instruction& i) {
  for (size_t a = 0; a < e.mesh().axis_count(); ++a) {
    const AxisId axis(a);
    PlanValueId term, whole;
    for (const PlanValueId id : i.operands) (e.kind(id, axis) == FoldKind::sum ? term : whole) = id;
    if (!term.valid() || !whole.valid() || is_bits(e, term)) continue;
    const std::optional<Instruction> sum = later_sum(e, i.results[0], axis);
    if (!sum) return missing_reduction(e, i, term, axis);
    const std::string size = std::to_string(e.mesh().axis(axis).size), name = e.mesh().axis(axis).name;
    return Explanation{
        e.name(whole) + " is added on every device of `" + name + "`: counted " + size + "x (= size(" + name + "))",
        e.name(term) + " holds terms of a sum over `" + name + "`; the " + sum->op() + " at " +
            sum->location().to_string() + " then counts " + e.name(whole) + " " + size + " times instead of once"};
  }
  return std::nullopt;
}

/// Terms of a sum in an op that is not linear in them.
std::optional<Explanation> explain_nonlinear(const Evidence& e, const Instruction& i) {
  for (const PlanValueId id : i.operands) {
    const std::vector<AxisId> terms = e.axes_of_kind(id, FoldKind::sum);
    if (!terms.empty() && !is_bits(e, id)) return missing_reduction(e, i, id, terms[0]);
  }
  return std::nullopt;
}

/// Each device takes its block of its own term.
std::optional<Explanation> explain_take(const Evidence& e, const Instruction& i, const TakeBlock& take) {
  for (const AxisId axis : e.axes_of_kind(i.operands[0], FoldKind::sum)) {
    if (take.block.axes().contains(axis)) return missing_reduction(e, i, i.operands[0], axis);
  }
  return std::nullopt;
}

std::string range(int64_t start, int64_t length) {
  return std::to_string(start) + ".." + std::to_string(start + length);
}

/// Two operands, dimension by dimension: the same place of the two reference values must meet.
std::optional<Explanation> explain_places(const Evidence& e, const Instruction& i, const std::vector<int64_t>& lhs,
                                          const std::vector<int64_t>& rhs) {
  const PlanValueId x = i.operands[0], y = i.operands[1];
  const Match *mx = e.match(x), *my = e.match(y);
  if (mx == nullptr || my == nullptr || mx->is_sum() || my->is_sum()) return std::nullopt;
  const Shape &sx = e.plan().value(x).type().shape, &sy = e.plan().value(y).type().shape;
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    if (e.sharded.groups().home(x, p) != p) continue;  // another rank group
    const std::vector<int64_t> a = e.matcher.start(*mx, sx, p), b = e.matcher.start(*my, sy, p);
    for (size_t k = 0; k < lhs.size(); ++k) {
      const size_t l = static_cast<size_t>(lhs[k]), r = static_cast<size_t>(rhs[k]);
      if (mx->reference->type.shape[l] != my->reference->type.shape[r] || a[l] == b[r]) continue;
      return Explanation{i.op() + " joins blocks that do not belong together",
                         "on device " + device_name(e.mesh(), p) + " it meets " + range(a[l], sx[l]) + " (dim " +
                             std::to_string(l) + ") of " + e.name(*mx->reference) + " with " + range(b[r], sy[r]) +
                             " (dim " + std::to_string(r) + ") of " + e.name(*my->reference)};
    }
  }
  return std::nullopt;
}

/// The permute that brought `id` here, if any.
std::optional<Instruction> last_permute(const Evidence& e, PlanValueId id) {
  const Instruction i = e.plan().instruction(e.definition[id.index()]);
  return std::holds_alternative<Permute>(i.data()) ? std::optional(i) : std::nullopt;
}

/// Blocks of the same dimension, shifted round `group` in opposite directions.
bool opposite_shifts(const Evidence& e, const Instruction& i, const DotGeneral& dot, const Group& group) {
  const PlanValueId x = i.operands[0], y = i.operands[1];
  const Shape &sx = e.plan().value(x).type().shape, &sy = e.plan().value(y).type().shape;
  const int64_t size = e.mesh().size(group);
  for (size_t k = 0; k < dot.contract.lhs.size(); ++k) {
    const size_t l = static_cast<size_t>(dot.contract.lhs[k]), r = static_cast<size_t>(dot.contract.rhs[k]);
    bool opposite = sx[l] > 0 && sy[r] > 0;
    for (int64_t p = 0; p < e.mesh().device_count() && opposite; ++p) {
      const int64_t own = e.mesh().index_in(group, p);
      const int64_t a = e.matcher.start(*e.match(x), sx, p)[l] / sx[l] - own;
      const int64_t b = e.matcher.start(*e.match(y), sy, p)[r] / sy[r] - own;
      opposite = (a + b) % size == 0 && (a - b) % size != 0;
    }
    if (opposite) return true;
  }
  return false;
}

std::optional<Explanation> explain_dot(const Evidence& e, const Instruction& i, const DotGeneral& dot) {
  std::optional<Explanation> found = explain_places(e, i, dot.contract.lhs, dot.contract.rhs);
  if (!found) return explain_nonlinear(e, i);
  for (const PlanValueId id : i.operands) {
    const std::optional<Instruction> permute = last_permute(e, id);
    if (!permute) continue;
    const CommunicatorId communicator = std::get<Permute>(permute->data()).communicator;
    if (!opposite_shifts(e, i, dot, e.plan().communicators[communicator.index()].group)) continue;
    found->cause = "the ring runs the wrong way: " + permute->op() + " at " + permute->location().to_string() +
                   " brings the blocks in the opposite order";
  }
  return found;
}

/// The numbers that `id` is on the devices along `axis`: `4, 4 and 2`; empty where they are alike, or no numbers.
std::string numbers_along(const Evidence& e, PlanValueId id, AxisId axis) {
  if (e.indices[id.index()] == 0 || !e.sharded.keeps_values()) return "";
  const Group group{{axis}};
  std::vector<std::string> numbers;
  bool differ = false;
  for (int64_t m = 0; m < e.mesh().size(group); ++m) {
    const sim::Value& value = e.sharded.value(id, e.mesh().member(group, 0, m));
    if (value.size() == 0) return "";
    const std::optional<Ratio> number =
        e.matcher.fingerprinter().small_ratio(e.matcher.fingerprinter().of_element(value, 0));
    if (!number) return "";
    numbers.push_back(to_string(*number));
    differ = differ || numbers.back() != numbers[0];
  }
  return differ ? enumerated(numbers) : "";
}

/// Each device multiplies its term of a sum with, or divides it by, a number of its own.
std::optional<Explanation> explain_own_factor(const Evidence& e, const Instruction& i) {
  for (size_t n = 0; n < 2; ++n) {
    const PlanValueId term = i.operands[n], factor = i.operands[1 - n];
    for (const AxisId axis : e.axes_of_kind(term, FoldKind::sum)) {
      const std::string numbers = numbers_along(e, factor, axis);
      if (numbers.empty()) continue;
      const std::string name = "`" + e.mesh().axis(axis).name + "`";
      const bool divides = i.op() == Divide::kName;
      return Explanation{"each device of " + name + (divides ? " divides" : " multiplies") +
                             " its term of a sum by its own " + e.name(factor),
                         e.name(term) + " holds terms of a sum over " + name + " (the sum is " +
                             e.name(*e.match(term)->reference) + "), and " + e.name(factor) + " is " + numbers +
                             " on its devices"};
    }
  }
  return std::nullopt;
}

std::optional<Explanation> explain_local(const Evidence& e, const Instruction& i, const OpData& op) {
  if (const DotGeneral* dot = std::get_if<DotGeneral>(&op)) return explain_dot(e, i, *dot);
  const bool linear = is_one_of<Add, Subtract>(op);
  if (linear || std::holds_alternative<Concatenate>(op)) {
    if (std::optional<Explanation> mixed = explain_mixed(e, i)) return mixed;
  }
  const bool product = is_one_of<Multiply, Divide>(op);
  if (linear || product) {
    std::vector<int64_t> dims(e.plan().value(i.results[0]).type().shape.size());
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<int64_t>(d);
    if (std::optional<Explanation> places = explain_places(e, i, dims, dims)) return places;
  }
  if (product) {
    if (std::optional<Explanation> own = explain_own_factor(e, i)) return own;
  }
  const bool nonlinear = is_one_of<Exponential, Tanh, Logistic>(op);
  const bool scaled = product && (e.constant[i.operands[0].index()] != 0 || e.constant[i.operands[1].index()] != 0);
  return nonlinear || (product && !scaled) ? explain_nonlinear(e, i) : std::nullopt;
}

}  // namespace

std::optional<Explanation> explain_by_layout(const Evidence& e, const Instruction& i) {
  const bool known = std::all_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return e.known(id); });
  if (!known) return std::nullopt;
  if (const Collective* c = std::get_if<Collective>(&i.data())) {
    if (c->kind == CollectiveKind::all_gather) return explain_gather(e, i, *c);
    return is_sum(*c) ? explain_sum(e, i, *c) : std::nullopt;
  }
  if (const LocalOp* local = std::get_if<LocalOp>(&i.data())) return explain_local(e, i, local->op);
  if (const TakeBlock* take = std::get_if<TakeBlock>(&i.data())) return explain_take(e, i, *take);
  return std::nullopt;
}

std::string describe(const Evidence& e, const Match& match) {
  if (!match.starts.empty()) return "a block of it on each device";
  std::string text;
  if (match.micro) {
    text = std::string(match.micro->kind == FoldKind::sum ? "the term" : "the part") + " of micro-batch " +
           std::to_string(match.micro->index);
  }
  for (const FoldStep& step : match.steps) {
    if (step.kind == FoldKind::equal) continue;
    const std::string axis = "`" + e.mesh().axis(step.axis).name + "`";
    text += text.empty() ? "" : ", ";
    if (step.kind == FoldKind::sum) {
      text += "a term of a sum over " + axis;
    } else {
      text += "split over " + axis + " along dim " + std::to_string(step.dim);
      if (step.rotation != 0) text += ", shifted by " + std::to_string(step.rotation);
    }
  }
  return text.empty() ? "whole on every device" : text;
}

}  // namespace isoshard::verify
