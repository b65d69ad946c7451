// From the indices of gathers, scatters and dynamic slices back to the global that they are read from: through
// movement, conversions between integers, clamps, the choice `i < 0 ? i + n : i` that JAX puts before each, and that of
// a row for an ignored label, `i == -100 ? 0 : i`, which is a number of the global, too, where all its uses say so.
// Only globals that are used as they are get a range; what is computed of them does not. Cost: the length of each way
// back.
#include "core/import/stablehlo/index_ranges.h"

#include <algorithm>
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

  /// A global, and a number of which another one takes the place before it is an index.
  struct Index {
    GlobalId global;
    std::optional<int64_t> ignored{};
    bool operator==(const Index&) const = default;
  };

  /// The global that a value is, moved and wrapped; nothing for what is computed.
  std::optional<Index> global_of(ValueId value, int64_t size, int depth = 0) const {
    constexpr int kMostSteps = 100;
    const OpId maker = makers_[value.index()];
    if (!maker.valid() || depth > kMostSteps) return std::nullopt;
    const Op& op = program_.op(maker);
    if (const auto* view = std::get_if<View>(&op.data)) return Index{view->global};
    if (std::holds_alternative<Clamp>(op.data)) return global_of(op.operands[1], size, depth + 1);
    if (std::holds_alternative<Select>(op.data) && is_constant(op.operands[2], size)) {
      return global_of(op.operands[1], size, depth + 1);  // of a scatter, which drops what lies outside
    }
    if (std::optional<Index> kept = without_ignored(op, size, depth)) return kept;
    if (std::holds_alternative<Select>(op.data)) {
      const auto wrapped = added_to(op.operands[1], size, depth + 1),
                 plain = global_of(op.operands[2], size, depth + 1);
      return wrapped == plain ? plain : std::nullopt;
    }
    if (!moves(op.data)) return std::nullopt;
    return is_integer(program_.value(op.operands[0]).type.tensor.dtype) ? global_of(op.operands[0], size, depth + 1)
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
      } else if (const auto* scatter = std::get_if<ScatterAdd>(&op.data)) {
        use(op.operands[1], size(op.operands[0], scatter->dim));
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
  static bool moves(const OpData& op) {
    return std::holds_alternative<Reshape>(op) || std::holds_alternative<BroadcastInDim>(op) ||
           std::holds_alternative<Transpose>(op) || std::holds_alternative<Slice>(op) ||
           std::holds_alternative<Reverse>(op) || std::holds_alternative<Convert>(op);
  }
  std::optional<int64_t> number(ValueId value) const {
    const OpId maker = makers_[value.index()];
    const auto* constant = maker.valid() ? std::get_if<Constant>(&program_.op(maker).data) : nullptr;
    if (constant == nullptr || !is_integer_of(DType::i32, constant->value)) return std::nullopt;
    return static_cast<int64_t>(constant->value.to_double());
  }
  bool is_constant(ValueId value, int64_t expected) const { return number(value) == std::optional(expected); }

  /// Of `x == n ? row : x`, or the same turned round, n beside the rows.
  std::optional<Index> without_ignored(const Op& op, int64_t size, int depth) const {
    const OpId asked = std::holds_alternative<Select>(op.data) ? makers_[op.operands[0].index()] : OpId();
    const auto* compare = asked.valid() ? std::get_if<Compare>(&program_.op(asked).data) : nullptr;
    if (compare == nullptr || (compare->direction != Direction::eq && compare->direction != Direction::ne)) return {};
    const Op& question = program_.op(asked);
    const size_t other = compare->direction == Direction::eq ? 2 : 1;
    const std::optional<int64_t> ignored = number(question.operands[1]), row = number(op.operands[3 - other]);
    const bool fits = ignored && row && *row >= 0 && *row < size && question.operands[0] == op.operands[other];
    std::optional<Index> kept = fits ? global_of(op.operands[other], size, depth + 1) : std::nullopt;
    if (!kept || kept->ignored) return std::nullopt;
    kept->ignored = ignored;
    return kept;
  }

  int64_t size(ValueId value, int64_t dim) const {
    return program_.value(value).type.tensor.shape[static_cast<size_t>(dim)];
  }
  /// The global x of x + n.
  std::optional<Index> added_to(ValueId value, int64_t size, int depth) const {
    const OpId maker = makers_[value.index()];
    if (!maker.valid() || !std::holds_alternative<Add>(program_.op(maker).data)) return std::nullopt;
    return global_of(program_.op(maker).operands[0], size, depth);
  }

  const Program& program_;
  std::vector<OpId> makers_;
};

}  // namespace

void give_index_ranges(Module& module, ProgramId program) {
  const IndexUses uses(module.program(program));
  uses.each([&](ValueId index, int64_t size) {
    const std::optional<IndexUses::Index> found = uses.global_of(index, size);
    if (!found || size < 1) return;
    Global& global = module.globals[found->global.index()];
    if (!is_integer(global.type.dtype)) return;
    ValueRange range{0, size};
    if (found->ignored && !range.contains(*found->ignored)) range.others = {*found->ignored};
    if (global.range) {
      range.high = std::min(range.high, global.range->high);
      if (global.range->others != range.others) range.others.clear();  // some use has no guard for it
    }
    global.range = range;
  });
}

}  // namespace isoshard::stablehlo
