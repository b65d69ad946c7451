// Says in what two ops differ of which one should be the other: another op, other fields, a number, or operands that
// are values of the reference, but other ones. What is told of operands is read off the two programs; that the ops are
// what is wrong has been tried before.
#include "verify/causes/twin_words.h"

#include <algorithm>

#include "verify/answers/words.h"
#include "verify/causes/numbers.h"
#include "verify/causes/twins.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

/// Whether it makes nothing but elements that are there already.
bool is_movement(const Instruction& i) {
  const LocalOp* local = local_op(i);
  return local == nullptr || is_one_of<Reshape, Transpose, BroadcastInDim, Convert, Slice, Reverse, Concatenate>(local);
}

class TwinWords {
 public:
  TwinWords(const Evidence& e, const Mended& mended)
      : e_(e),
        m_(mended),
        makers_(definitions(e.pair.reference.plan)),
        own_(e.plan().instruction(e.definition[mended.own.index()])),
        other_(e.pair.reference.plan.instruction(makers_[mended.other.index()])) {}

  std::string cause() const {
    const std::string what = made_in_words(e_.name(m_.own), own_.op());
    const std::string missing = missing_sum();
    if (!missing.empty()) return missing;
    if (own_.op() == other_.op()) {
      const std::vector<std::string> operands = other_operands();
      if (!operands.empty()) return what + " takes " + enumerated(operands);
    }
    const std::string devices = across_devices();
    if (!devices.empty()) return devices;
    if (own_.op() != other_.op())
      return is_movement(own_) || is_movement(other_)
                 ? ""
                 : what + " stands where " + reference() + " has " + made_in_words(name(m_.other), other_.op());
    const std::string own = fields(own_), other = fields(other_);
    if (own != other && !own.empty() && !other.empty()) return what + " has {" + own + "}, not {" + other + "}";
    return what + " is not " + name(m_.other) + " of " + reference();
  }

  /// Where nothing of the two ops is compared.
  bool is_vague() const { return missing_sum().empty() && own_.op() != other_.op() && across_devices().empty(); }

  std::string fact(size_t places) const {
    const std::string mended = "with " + name(m_.other) + " of " + reference() + " in its place ";
    return places < 2 ? mended + "all outputs are right"
                      : "with what " + reference() + " has in " + std::to_string(places) +
                            " such places all outputs are right";
  }

 private:
  std::string reference() const { return "@" + e_.pair.reference.plan.program; }
  std::string name(PlanValueId id) const { return e_.pair.reference.in_words(id); }

  /// `2 instead of 1`, for each operand that differs and can be told.
  std::vector<std::string> other_operands() const {
    std::vector<std::string> result;
    const bool swap = is_crossed();
    for (size_t k = 0; k < own_.operands.size() && k < other_.operands.size(); ++k) {
      const std::string words = instead(own_.operands[k], other_.operands[swap ? 1 - k : k]);
      if (!words.empty() && others_are_known(k)) result.push_back(words);
    }
    return result;
  }

  /// Whether a number may be what is wrong: not where another operand is no value of the reference at all.
  bool others_are_known(size_t number) const {
    if (!number_in(e_.plan(), e_.definition, own_.operands[number])) return true;
    for (size_t k = 0; k < own_.operands.size(); ++k) {
      const PlanValueId id = own_.operands[k];
      const bool floats = is_float(e_.plan().value(id).type().dtype);
      if (k != number && floats && e_.match(id) == nullptr && !number_in(e_.plan(), e_.definition, id)) return false;
    }
    return true;
  }

  bool is_crossed() const {
    if (!is_one_of<Add, Multiply, Maximum, Minimum>(local_op(own_))) return false;
    const auto same = [&](size_t a, size_t b) {
      return int{is_value_of(e_, own_.operands[a], other_.operands[b])} +
             int{same_number(own_.operands[a], other_.operands[b])};
    };
    return same(0, 1) + same(1, 0) > same(0, 0) + same(1, 1);
  }

  bool same_number(PlanValueId own, PlanValueId other) const {
    const std::optional<std::string> a = number_in(e_.plan(), e_.definition, own);
    return a && a == number_in(e_.pair.reference.plan, makers_, other);
  }

  std::string instead(PlanValueId own, PlanValueId other) const {
    const std::optional<std::string> a = number_in(e_.plan(), e_.definition, own),
                                     b = number_in(e_.pair.reference.plan, makers_, other);
    if (a && b) return a == b ? "" : *a + " instead of " + *b;
    if (a) return *a + " instead of " + name(other) + " of " + reference();
    const Match* match = e_.match(own);
    const bool told = match != nullptr && is_float(e_.plan().value(own).type().dtype);  // others match by accident
    if (!told || match->is_sum() || is_value_of(e_, own, other)) return "";
    const std::string wanted = b ? *b : name(other) + " of " + reference();
    return e_.name(own) + " (" + e_.name(*match->reference) + ") instead of " + wanted;
  }

  /// An operand that is a term of a sum on each device, used as if it were the sum.
  std::string missing_sum() const {
    for (const PlanValueId id : own_.operands) {
      const Match* match = e_.match(id);
      const bool told = match != nullptr && is_float(e_.plan().value(id).type().dtype);  // others match by accident
      if (!told || match->micro || !match->is_sum()) continue;
      const std::vector<AxisId> axes = e_.axes_of_kind(id, FoldKind::sum);
      const std::vector<std::string> numbers = own_.op() == other_.op() ? other_operands() : std::vector<std::string>{};
      return "missing all_reduce of " + e_.name(id) + " over " + axes_in_words(axes, e_.mesh()) + " before " +
             own_.op() + (numbers.empty() ? "" : ", which takes " + enumerated(numbers));
    }
    return "";
  }

  /// Devices that hold different values where one is expected, or one where each should hold its block.
  std::string across_devices() const {
    const std::vector<AxisId> own = axes_where(true), same = axes_where(false);
    if (!own.empty()) {
      return "each device of " + axes_in_words(own, e_.mesh()) + " has its own " + e_.name(m_.own) + ", " +
             reference() + " one for all: " + name(m_.other);
    }
    if (same.empty()) return "";
    return made_in_words(e_.name(m_.own), own_.op()) + " is the same on every device of " +
           axes_in_words(same, e_.mesh()) + ", which " + name(m_.other) + " of " + reference() +
           " is not: the place of the device is missing";
  }

  /// The axes along which devices hold different values that should all be the same; or, not `own`, the other way
  /// round.
  std::vector<AxisId> axes_where(bool own) const {
    const Fingerprinter& f = e_.matcher.fingerprinter();
    std::vector<AxisId> result;
    for (size_t a = 0; a < e_.mesh().axis_count(); ++a) {
      bool differ = false, split = false, should = false;
      for (int64_t p = 0; p < e_.mesh().device_count(); ++p) {
        const auto leader = static_cast<size_t>(e_.mesh().leader(Group{{AxisId(a)}}, p));
        const std::vector<Fingerprint>& at = e_.sharded.at(m_.own);
        differ = differ || at[static_cast<size_t>(p)] != at[leader];
        split = split || m_.starts[static_cast<size_t>(p)] != m_.starts[leader];
        should = should || f.of(m_.values[static_cast<size_t>(p)]) != f.of(m_.values[leader]);
      }
      if (own ? differ && !split : !differ && should) result.push_back(AxisId(a));
    }
    return result;
  }

  /// `direction=lt`: the fields as they are written, but for shapes, which are those of blocks.
  static std::string fields(const Instruction& i) {
    const std::string source = source_of(i.location());
    const size_t from = source.find('{'), to = source.rfind('}');
    if (from == std::string::npos || to == std::string::npos) return "";
    std::string text = source.substr(from + 1, to - from - 1);
    const size_t shape = text.find("shape=["), end = text.find(']', shape == std::string::npos ? 0 : shape);
    if (shape == std::string::npos || end == std::string::npos) return text;
    text.erase(shape, end + 1 - shape);
    const size_t comma = text.rfind(", ", shape);
    if (shape > 0 && comma != std::string::npos) text.erase(comma, 2);
    if (text.rfind(", ", 0) == 0) text.erase(0, 2);
    return text;
  }

  const Evidence& e_;
  const Mended& m_;
  const std::vector<InstructionId> makers_;
  Instruction own_;
  Instruction other_;
};

}  // namespace

Explanation twin_in_words(const Evidence& e, const Mended& mended, size_t places) {
  const TwinWords words(e, mended);
  Explanation result;
  result.cause = words.cause();
  result.fact = words.fact(places);
  result.value = mended.own;
  result.role = "all that differs";
  result.vague = words.is_vague();
  return result;
}

}  // namespace isoshard::verify
