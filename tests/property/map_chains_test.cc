// Chains of steps that one kernel goes through for each element, with values that are kept in slots and rounded or
// wrapped on the way, against the simulator op by op: few elements, and so many that threads take sixteen at once.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

#include "core/ir/all_ops.h"
#include "exec/kernels/launch.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "tests/property/generator/dice.h"

namespace isoshard::map_chains_test {
namespace {

using calls::From;
using calls::Map;
using calls::Source;
using calls::Step;
using calls::StepOp;
using isoshard::testing::Dice;

constexpr int kInputs = 3;

/// A chain, and what the simulator makes of its inputs.
class Chain {
 public:
  Chain(uint64_t seed, DType dtype, int64_t size) : dice_(seed), type_{dtype, {size}} {
    for (int i = 0; i < kInputs; ++i) inputs_.push_back(sim::from_tensor(drawn(), sim::float_domain()));
    map_.dims = 1;
    map_.size[0] = size;
    map_.inputs_used = kInputs;
    map_.compute = dtype == DType::f32 ? calls::Compute::f32 : calls::Compute::i64;
    value_ = inputs_[0];
    add({StepOp::take, kept(), {From::input, 0, 0}, {}});
    for (int s = 0; s < 8; ++s) dtype == DType::f32 ? float_step() : integer_step();
  }

  /// The bytes of the result by the kernel.
  std::vector<std::byte> run() {
    const size_t bytes = static_cast<size_t>(type_.shape[0]) * info(type_.dtype).bytes;
    std::vector<std::byte> memory((kInputs + 1) * bytes + 64);
    for (int i = 0; i <= kInputs; ++i) {
      calls::Array& array = i < kInputs ? map_.inputs[i] : map_.output;
      array.place = static_cast<calls::Place>(static_cast<size_t>(i) * bytes);
      array.dtype = type_.dtype;
      array.stride[0] = 1;
      if (i < kInputs) std::memcpy(memory.data() + array.place, inputs_[static_cast<size_t>(i)].data.get(), bytes);
    }
    exec::launch(map_, memory.data(), nullptr);
    const auto first = memory.begin() + map_.output.place;
    return {first, first + static_cast<std::ptrdiff_t>(bytes)};
  }
  std::vector<std::byte> expected() const { return {value_.data.get(), value_.data.get() + value_.bytes()}; }
  bool used_slots() const { return used_slots_; }

 private:
  Tensor drawn() {
    const auto size = static_cast<size_t>(type_.shape[0]);
    std::vector<float> floats;
    std::vector<int32_t> integers;
    for (size_t i = 0; i < size; ++i) {
      integers.push_back(static_cast<int32_t>(dice_.below(2001)) - 1000);
      floats.push_back(static_cast<float>(integers.back()) / 300);
    }
    return type_.dtype == DType::f32 ? Tensor::from<float>(DType::f32, type_.shape, floats)
                                     : Tensor::from<int32_t>(DType::i32, type_.shape, integers);
  }

  sim::Value of(const OpData& op, const std::vector<sim::Value>& operands, DType dtype) const {
    return sim::evaluate(op, operands, {dtype, type_.shape}, sim::float_domain());
  }
  sim::Value through(DType dtype) const {
    return of(Convert{type_.dtype}, {of(Convert{dtype}, {value_}, dtype)}, type_.dtype);
  }

  void add(const Step& step) {
    map_.steps[map_.steps_used++] = step;
    if (step.keep != 0) slots_[step.keep - 1U] = value_;
  }
  /// A slot to keep the value of a step in, or none.
  uint8_t kept() { return static_cast<uint8_t>(dice_.below(3) == 0 ? 1 + dice_.below(calls::kSlots) : 0); }

  /// An input or a slot that holds something, with its values.
  Source drawn_source(sim::Value& values) {
    const auto slot = static_cast<uint8_t>(dice_.below(calls::kSlots));
    if (slots_[slot] && dice_.below(2) == 0) {
      used_slots_ = true;
      values = *slots_[slot];
      return {From::slot, slot, 0};
    }
    const auto input = static_cast<uint8_t>(dice_.below(kInputs));
    values = inputs_[input];
    return {From::input, input, 0};
  }

  template <class Op>
  Step binary(StepOp step, const Op& op) {
    sim::Value b;
    const Source source = drawn_source(b);
    value_ = of(op, {value_, b}, type_.dtype);
    return {step, 0, source, {}};
  }

  void float_step() {
    Step step;
    switch (dice_.below(6)) {
      case 0:
        step = binary(StepOp::add, Add{});
        break;
      case 1:
        step = binary(StepOp::multiply, Multiply{});
        break;
      case 2:
        step = binary(StepOp::maximum, Maximum{});
        break;
      case 3:
        step = {StepOp::tanh, 0, {}, {}};
        value_ = of(Tanh{}, {value_}, type_.dtype);
        break;
      case 4:
        step = {StepOp::round_bf16, 0, {}, {}};
        value_ = through(DType::bf16);
        break;
      default:
        step = {StepOp::round_f8e5m2, 0, {}, {}};
        value_ = through(DType::f8e5m2);
    }
    step.keep = kept();
    add(step);
  }

  /// Integers of 32 bits are computed in 64 and wrapped behind each op.
  void integer_step() {
    Step step;
    if (dice_.below(3) == 0) {
      step = {StepOp::wrap_i8, 0, {}, {}};
      value_ = through(DType::i8);
    } else {
      const Step wide = dice_.below(2) == 0 ? binary(StepOp::add, Add{}) : binary(StepOp::multiply, Multiply{});
      map_.steps[map_.steps_used++] = wide;
      step = {StepOp::wrap_i32, 0, {}, {}};
    }
    step.keep = kept();
    add(step);
  }

  Dice dice_;
  TensorType type_;
  std::vector<sim::Value> inputs_;
  Map map_;
  sim::Value value_;
  std::optional<sim::Value> slots_[calls::kSlots];
  bool used_slots_ = false;
};

TEST(MapChains, HaveTheBitsOfTheirOps) {
  int slots = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    for (const DType dtype : {DType::f32, DType::i32}) {
      for (const int64_t size : {5, 6151}) {
        Chain chain(seed, dtype, size);
        ASSERT_EQ(chain.run(), chain.expected()) << name(dtype) << ", seed " << seed << ", size " << size;
        slots += chain.used_slots() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(slots, 60);
}

}  // namespace
}  // namespace isoshard::map_chains_test
