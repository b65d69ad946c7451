// From the indices of gathers, scatters and dynamic slices back to the global that they are read from: through
// movement, conversions between integers, clamps, the choice `i < 0 ? i + n : i` that JAX puts before each, and that of
// a row for an ignored label, `i == -100 ? 0 : i`, which is a number of the global, too, where all its uses say so.
// A number that is added or subtracted shifts the range, as of the last token at `lengths - 1`; a maximum or minimum
// with an index that lies inside leaves that end open, as of `maximum(labels, 0)`, which is an index for all numbers
// below. Of several indices that are joined to one place, each as `x[jnp.arange(n), labels]` has them, all lie inside
// where their clamps or the guard of a scatter say so. What is computed of globals in other ways gives them no range.
// Cost: the length of each way back.
#include "core/import/stablehlo/index_ranges.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/value/integers.h"

namespace isoshard::stablehlo {
namespace {

class IndexUses {
 public:
  explicit IndexUses(const Program& program) : program_(program), makers_(program.value_count()) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      for (const ValueId result : program.op(OpId(i)).results) makers_[result.index()] = OpId(i);
    }
  }

  /// The numbers from `low` to before `high` that a value may be.
  struct Ends {
    int64_t low = 0, high = 0;
    bool contains(int64_t number) const { return number >= low && number < high; }
    bool operator==(const Ends&) const = default;
  };

  /// A global, what it may be, and a number of which another one takes the place before it is an index.
  struct Index {
    GlobalId global;
    Ends ends;
    std::optional<int64_t> ignored{};
    bool operator==(const Index&) const = default;
  };

  /// The global that a value is, moved, shifted and wrapped, where the value may be one of `ends`; nothing for what is
  /// computed otherwise.
  std::optional<Index> global_of(ValueId value, const Ends& ends, int depth = 0) const {
    constexpr int kMostSteps = 100;
    const OpId maker = makers_[value.index()];
    if (!maker.valid() || depth > kMostSteps) return std::nullopt;
    const Op& op = program_.op(maker);
    if (const auto* view = std::get_if<View>(&op.data)) return Index{view->global, ends};
    if (std::holds_alternative<Clamp>(op.data)) return global_of(op.operands[1], ends, depth + 1);
    if (std::holds_alternative<Select>(op.data) && is_constant(op.operands[2], ends.high)) {
      return global_of(op.operands[1], ends, depth + 1);  // of a scatter, which drops what lies outside
    }
    if (std::optional<Index> kept = without_ignored(op, ends, depth)) return kept;
    if (std::holds_alternative<Select>(op.data)) {
      const auto wrapped = added_to(op.operands[1], ends, depth + 1),
                 plain = global_of(op.operands[2], ends, depth + 1);
      return wrapped == plain ? plain : std::nullopt;
    }
    if (const std::optional<Ends> before = ends_before(op, ends)) return global_of(op.operands[0], *before, depth + 1);
    if (const std::optional<ValueId> part = part_of(op)) return global_of(*part, ends, depth + 1);
    if (!moves(op.data)) return std::nullopt;
    return is_integer(program_.value(op.operands[0]).type.tensor.dtype) ? global_of(op.operands[0], ends, depth + 1)
                                                                        : std::nullopt;
  }

  /// Calls `use(index, size)` for each index, which is one of 0 to size - 1.
  template <class Use>
  void each(const Use& use) const {
    const auto place = [&](ValueId start, int64_t last) {
      if (last > 0) use(start, last + 1);  // a block that is all of a dimension lies at 0 whatever the start is
    };
    for (size_t i = 0; i < program_.op_count(); ++i) {
      const Op& op = program_.op(OpId(i));
      if (const auto* gather = std::get_if<Gather>(&op.data)) {
        use(op.operands[1], size(op.operands[0], gather->dim));
        each_joined(op.operands[1], use);
      } else if (const auto* scatter = std::get_if<ScatterAdd>(&op.data)) {
        use(op.operands[1], size(op.operands[0], scatter->dim));
        each_joined(op.operands[1], use);
      } else if (const std::optional<int64_t> places = places_of(op)) {
        use(masked(op), *places);
        each_joined(masked(op), use);
      } else if (const auto* slice = std::get_if<DynamicSlice>(&op.data)) {
        for (size_t d = 1; d < op.operands.size(); ++d) {
          const auto dim = static_cast<int64_t>(d - 1);
          place(op.operands[d], size(op.operands[0], dim) - slice->sizes[d - 1]);
        }
      } else if (std::holds_alternative<DynamicUpdateSlice>(op.data)) {
        for (size_t d = 2; d < op.operands.size(); ++d) {
          const auto dim = static_cast<int64_t>(d - 2);
          place(op.operands[d], size(op.operands[0], dim) - size(op.operands[1], dim));
        }
      }
    }
  }

 private:
  /// The number of places that an index is compared with, one by one, as scatters that bound or multiply do.
  std::optional<int64_t> places_of(const Op& op) const {
    const auto* compare = std::get_if<Compare>(&op.data);
    const Op* places = compare != nullptr && compare->direction == Direction::eq ? made_by(op.operands[1]) : nullptr;
    const auto* iota = places == nullptr ? nullptr : std::get_if<Iota>(&places->data);
    const Op* guard = iota == nullptr ? nullptr : made_by(masked(op));
    if (guard == nullptr || !std::holds_alternative<Select>(guard->data)) return std::nullopt;
    const int64_t size = iota->shape[static_cast<size_t>(iota->dim)];
    return is_constant(guard->operands[2], size) ? std::optional(size) : std::nullopt;
  }
  /// The index of such a comparison.
  ValueId masked(const Op& op) const {
    const Op* made = made_by(op.operands[0]);
    const bool wide = made != nullptr && std::holds_alternative<BroadcastInDim>(made->data);
    return wide ? made->operands[0] : op.operands[0];
  }
  static bool moves(const OpData& op) {
    return std::holds_alternative<Reshape>(op) || std::holds_alternative<BroadcastInDim>(op) ||
           std::holds_alternative<Transpose>(op) || std::holds_alternative<Slice>(op) ||
           std::holds_alternative<Reverse>(op) || std::holds_alternative<Convert>(op);
  }
  const Op* made_by(ValueId value) const {
    const OpId maker = makers_[value.index()];
    return maker.valid() ? &program_.op(maker) : nullptr;
  }

  /// What one part of several that are joined is, where a slice takes nothing else.
  std::optional<ValueId> part_of(const Op& op) const {
    const auto* slice = std::get_if<Slice>(&op.data);
    const Op* joined = slice == nullptr ? nullptr : made_by(op.operands[0]);
    const auto* concatenate = joined == nullptr ? nullptr : std::get_if<Concatenate>(&joined->data);
    if (concatenate == nullptr) return std::nullopt;
    const auto dim = static_cast<size_t>(concatenate->dim);
    int64_t begin = 0;
    for (const ValueId part : joined->operands) {
      const int64_t end = begin + size(part, concatenate->dim);
      if (slice->start[dim] >= begin && slice->limit[dim] <= end) return part;
      begin = end;
    }
    return std::nullopt;
  }

  /// The indices that `joined` is made of by products with numbers and sums, as far as clamps or a guard bound them.
  template <class Use>
  void each_joined(ValueId joined, const Use& use) const {
    const Op* op = made_by(joined);
    if (op == nullptr) return;
    if (std::holds_alternative<Select>(op->data)) return each_guarded(op->operands[0], use);
    if (std::holds_alternative<Add>(op->data)) each_clamped(joined, use, 0);
  }

  /// Of `a * n + b`, each of them clamped.
  template <class Use>
  void each_clamped(ValueId value, const Use& use, int depth) const {
    constexpr int kMostSums = 16;
    const Op* op = made_by(value);
    if (op == nullptr || depth > kMostSums) return;
    if (std::holds_alternative<Add>(op->data)) each_clamped(op->operands[1], use, depth + 1);
    if (std::holds_alternative<Add>(op->data) || std::holds_alternative<Multiply>(op->data) || moves(op->data))
      return each_clamped(op->operands[0], use, depth + 1);
    const std::optional<int64_t> last =
        std::holds_alternative<Clamp>(op->data) ? number(op->operands[2]) : std::nullopt;
    if (last && number(op->operands[0]) == 0) use(op->operands[1], *last + 1);
  }

  /// Of `0 <= a and a <= n and ...`.
  template <class Use>
  void each_guarded(ValueId value, const Use& use) const {
    const Op* op = made_by(value);
    if (op == nullptr) return;
    if (moves(op->data)) return each_guarded(op->operands[0], use);  // one for a window
    for (size_t i = 0; std::holds_alternative<And>(op->data) && i < 2; ++i) each_guarded(op->operands[i], use);
    const auto* compare = std::get_if<Compare>(&op->data);
    if (compare == nullptr || compare->direction != Direction::le) return;
    if (const std::optional<int64_t> last = number(op->operands[1])) use(op->operands[0], *last + 1);
  }

  std::optional<int64_t> number(ValueId value) const {
    const OpId maker = makers_[value.index()];
    const auto* constant = maker.valid() ? std::get_if<Constant>(&program_.op(maker).data) : nullptr;
    if (constant == nullptr || !is_integer_of(DType::i32, constant->value)) return std::nullopt;
    return static_cast<int64_t>(constant->value.to_double());
  }
  bool is_constant(ValueId value, int64_t expected) const { return number(value) == std::optional(expected); }

  /// What x may be where x + n, x - n, max(x, n) or min(x, n) of an i32 is one of `ends`; nothing for other ops, and
  /// where the sum would wrap around.
  std::optional<Ends> ends_before(const Op& op, const Ends& ends) const {
    constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(), kBehind = -kLeast;
    if (op.operands.size() != 2 || program_.value(op.operands[0]).type.tensor.dtype != DType::i32) return std::nullopt;
    const std::optional<int64_t> n = number(op.operands[1]);
    if (!n) return std::nullopt;
    if (std::holds_alternative<Maximum>(op.data))
      return ends.contains(*n) ? std::optional(Ends{kLeast, ends.high}) : std::nullopt;
    if (std::holds_alternative<Minimum>(op.data))
      return ends.contains(*n) ? std::optional(Ends{ends.low, kBehind}) : std::nullopt;
    const bool adds = std::holds_alternative<Add>(op.data);
    if (!adds && !std::holds_alternative<Subtract>(op.data)) return std::nullopt;
    const int64_t shift = adds ? -*n : *n;
    const Ends shifted{ends.low + shift, ends.high + shift};
    return shifted.low >= kLeast && shifted.high <= kBehind ? std::optional(shifted) : std::nullopt;
  }

  /// Of `x == n ? row : x`, or the same turned round, n beside the rows.
  std::optional<Index> without_ignored(const Op& op, const Ends& ends, int depth) const {
    const OpId asked = std::holds_alternative<Select>(op.data) ? makers_[op.operands[0].index()] : OpId();
    const auto* compare = asked.valid() ? std::get_if<Compare>(&program_.op(asked).data) : nullptr;
    if (compare == nullptr || (compare->direction != Direction::eq && compare->direction != Direction::ne)) return {};
    const Op& question = program_.op(asked);
    const size_t other = compare->direction == Direction::eq ? 2 : 1;
    const std::optional<int64_t> ignored = number(question.operands[1]), row = number(op.operands[3 - other]);
    const bool fits = ignored && row && ends.contains(*row) && question.operands[0] == op.operands[other];
    std::optional<Index> kept = fits ? global_of(op.operands[other], ends, depth + 1) : std::nullopt;
    if (!kept || kept->ignored || kept->ends != ends) return std::nullopt;  // shifted, so would the number be
    kept->ignored = ignored;
    return kept;
  }

  int64_t size(ValueId value, int64_t dim) const {
    return program_.value(value).type.tensor.shape[static_cast<size_t>(dim)];
  }
  /// The global x of x + n.
  std::optional<Index> added_to(ValueId value, const Ends& ends, int depth) const {
    const OpId maker = makers_[value.index()];
    if (!maker.valid() || !std::holds_alternative<Add>(program_.op(maker).data)) return std::nullopt;
    return global_of(program_.op(maker).operands[0], ends, depth);
  }

  const Program& program_;
  std::vector<OpId> makers_;
};

}  // namespace

void give_index_ranges(Module& module, ProgramId program) {
  const IndexUses uses(module.program(program));
  uses.each([&](ValueId index, int64_t size) {
    const std::optional<IndexUses::Index> found = uses.global_of(index, {0, size});
    if (!found || size < 1) return;
    Global& global = module.globals[found->global.index()];
    if (!is_integer(global.type.dtype)) return;
    ValueRange range{found->ends.low, found->ends.high};
    if (found->ignored && !range.contains(*found->ignored)) range.others = {*found->ignored};
    if (global.range) {
      range.low = std::max(range.low, global.range->low);
      range.high = std::min(range.high, global.range->high);
      if (range.low >= range.high) return;                             // no number suits all uses
      if (global.range->others != range.others) range.others.clear();  // some use has no guard for it
    }
    global.range = range;
  });
}

}  // namespace isoshard::stablehlo
