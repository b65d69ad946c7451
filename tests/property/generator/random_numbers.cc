// Keys and random bits, whose small parts go on as integers.

#include <utility>

#include "tests/property/generator/random_body.h"

namespace isoshard::testing {

/// A scalar key that may differ between devices.
ValueId BodyGrower::random_key() {
  ValueId words = must(Iota{DType::u32, {2}, 0}, {});
  const bool varies = mesh_->axis_count() != 0 && dice_.chance(60);
  if (varies && dice_.chance(50)) {
    const ValueId device = must(Convert{DType::u32}, {must(AxisIndex{Group{dice_.some(axes())}}, {})});
    words = must(Xor{}, {words, must(BroadcastInDim{{}, {2}}, {device})});
  }
  ValueId key = must(BitcastConvert{DType::key}, {words});
  if (dice_.chance(40)) {
    const Rational number(dice_.in(0, 9));
    key = must(RngFoldIn{}, {key, must(Constant{number, dice_.chance(50) ? DType::i32 : DType::u32, {}}, {})});
  }
  if (varies) key = must(RngFoldIn{}, {key, must(AxisIndex{Group{dice_.some(axes())}}, {})});
  if (dice_.chance(60)) return key;
  const int64_t count = dice_.in(1, 3), which = dice_.in(0, count - 1);
  const KeyLayout layout = dice_.chance(50) ? KeyLayout::original : KeyLayout::partitionable;
  const ValueId keys = must(RngSplit{count, layout}, {key});
  return must(Reshape{{}}, {must(Slice{{which}, {which + 1}, {}}, {keys})});
}

/// The upper bits of a block of a random array, or of the words of a key.
bool BodyGrower::random_numbers() {
  const ValueId key = random_key();
  ValueId bits;
  if (dice_.chance(25)) {
    bits = must(BitcastConvert{DType::u32}, {key});
  } else {
    RngBits op;
    std::vector<ValueId> operands{key};
    op.key_layout = dice_.chance(50) ? KeyLayout::original : KeyLayout::partitionable;
    const bool cut = dice_.chance(60);
    for (int64_t d = dice_.in(cut ? 1 : 0, 2); d > 0; --d) {
      op.shape.push_back(dice_.in(1, 3));
      if (cut) op.global_shape.push_back(op.shape.back() + dice_.in(0, 4));
    }
    for (size_t d = 0; cut && d < op.shape.size(); ++d) {
      const bool by_device = mesh_->axis_count() != 0 && dice_.chance(50);
      operands.push_back(by_device ? must(AxisIndex{Group{dice_.some(axes())}}, {})
                                   : must(Constant{Rational(dice_.in(-1, 5)), DType::i32, {}}, {}));
    }
    bits = must(std::move(op), std::move(operands));
  }
  const ValueId kept = must(Constant{Rational(dice_.in(29, 30)), DType::u32, shape(bits)}, {});
  return try_op(ShiftRightLogical{}, {bits, kept});
}

}  // namespace isoshard::testing
