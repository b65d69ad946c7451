// One chain in another: where a chain reads a value, it computes it. The steps of the value go before those of the
// chain; what they end with flows on where the chain begins by taking it, and waits in a slot otherwise. A number, or
// an element that is only moved, needs no steps: the chain reads the number, or the other array. In between the value
// is rounded or wrapped to its dtype, as memory would have done, so the bits stay the same.
//
// A chain sees a value through strides: they say which dimension of the value each of its own dimensions is, or none,
// and so where it finds the inputs of the value. Where strides do not say that, as behind a reshape, values that are
// made of gapless arrays are seen as rows of elements.
//
// It stays as it is where both compute in other numbers; where the kernel would have more inputs, steps or slots than
// there are; where it would write over an input that other threads still read, which the memory plan could not know;
// and where elements that are computed by more than a few steps would be computed again and again.
// Cost: steps, and inputs times dimensions squared.
#include "core/plan/calls/fusion/inlining.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace isoshard::calls {
namespace {

bool is_comparison(StepOp op) { return op >= StepOp::equal && op <= StepOp::greater_equal; }

/// The step that makes of any number one of `dtype`, as writing and reading it does. `take` where all are one already;
/// nothing where no step can.
std::optional<StepOp> rounding_step(Compute compute, DType dtype) {
  if (compute == Compute::f32) {
    if (dtype == DType::f32) return StepOp::take;
    if (dtype == DType::bf16) return StepOp::round_bf16;
    if (dtype == DType::f16) return StepOp::round_f16;
    if (dtype == DType::f8e4m3) return StepOp::round_f8e4m3;
    if (dtype == DType::f8e5m2) return StepOp::round_f8e5m2;
  } else if (compute == Compute::f64) {
    if (dtype == DType::f64) return StepOp::take;
  } else if (compute == Compute::u64) {
    if (dtype == DType::u64 || dtype == DType::key) return StepOp::take;
  } else {
    if (dtype == DType::i64) return StepOp::take;
    if (dtype == DType::i8) return StepOp::wrap_i8;
    if (dtype == DType::u8) return StepOp::wrap_u8;
    if (dtype == DType::i32) return StepOp::wrap_i32;
    if (dtype == DType::u32) return StepOp::wrap_u32;
  }
  return std::nullopt;
}

template <class Integer>
bool is_within(uint64_t bits) {
  const auto value = static_cast<int64_t>(bits);
  return value >= std::numeric_limits<Integer>::min() && value <= std::numeric_limits<Integer>::max();
}

/// Whether a number needs no rounding to be one of `dtype`; false where that would take more than a look at its bits.
bool bits_are_of(DType dtype, Compute compute, uint64_t bits) {
  if (compute == Compute::f32) return dtype == DType::f32 || (dtype == DType::bf16 && bits % 0x10000 == 0);
  if (compute == Compute::f64) return dtype == DType::f64;
  if (dtype == DType::pred) return bits <= 1;
  if (compute == Compute::u64) return dtype == DType::u64 || dtype == DType::key;
  return dtype == DType::i64 || (dtype == DType::i8 && is_within<int8_t>(bits)) ||
         (dtype == DType::u8 && is_within<uint8_t>(bits)) || (dtype == DType::i32 && is_within<int32_t>(bits)) ||
         (dtype == DType::u32 && is_within<uint32_t>(bits));
}

bool is_gapless(const View& view, const Shape& shape) { return view.strides == row_major(shape); }
bool is_repeated(const View& view) {
  return std::all_of(view.strides.begin(), view.strides.end(), [](int64_t stride) { return stride == 0; });
}

/// By dimension of `shape`, that of the value along which `reader` goes, or none.
std::optional<std::vector<std::optional<size_t>>> dims_of_value(const View& reader, const Shape& shape,
                                                                const Held& value) {
  const Shape& whole = value.type->shape;
  const std::vector<int64_t> strides = row_major(whole);
  std::vector<bool> taken(whole.size(), false);
  std::vector<std::optional<size_t>> dims(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1 || reader.strides[d] == 0) continue;
    for (size_t w = 0; w < whole.size() && !dims[d]; ++w) {
      if (!taken[w] && strides[w] == reader.strides[d] && whole[w] >= shape[d]) dims[d] = w;
    }
    if (!dims[d]) return std::nullopt;
    taken[*dims[d]] = true;
  }
  return dims;
}

/// The value's inputs as one sees them who sees the value as `reader` along `shape`.
std::optional<std::vector<View>> inputs_through(const View& reader, const Shape& shape, const MadeValue& made) {
  std::vector<View> inputs = made.chain.inputs;
  if (made.chain.shape == made.value.type->shape) {
    if (const auto dims = dims_of_value(reader, shape, made.value)) {
      for (View& input : inputs) {
        const std::vector<int64_t> own = std::exchange(input.strides, std::vector<int64_t>(shape.size(), 0));
        for (size_t d = 0; d < shape.size(); ++d) {
          if ((*dims)[d]) input.strides[d] = own[*(*dims)[d]];
        }
      }
      return inputs;
    }
  }
  if (!is_gapless(reader, shape) || element_count(shape) != element_count(made.chain.shape)) return std::nullopt;
  for (View& input : inputs) {
    if (is_gapless(input, made.chain.shape)) {
      input.strides = row_major(shape);
    } else if (is_repeated(input)) {
      input.strides.assign(shape.size(), 0);
    } else {
      return std::nullopt;
    }
  }
  return inputs;
}

bool reads(const Source& source, uint8_t input) { return source.from == From::input && source.which == input; }

/// One take and nothing else.
bool only_takes(const Chain& chain) {
  return chain.steps.size() == 1 && chain.steps[0].op == StepOp::take && chain.steps[0].b.from != From::index;
}

/// Whether it only moves elements.
bool only_moves(const Chain& chain, DType to) {
  return only_takes(chain) && chain.inputs.size() == 1 && chain.inputs[0].dtype == to;
}

class Inlining {
 public:
  Inlining(const Chain& chain, const Held& result, const MadeValue& made)
      : chain_(chain), result_(result), made_(made) {}

  std::optional<Chain> run() {
    if (!find_readers() || !agree_on_numbers() || repeats_too_much()) return std::nullopt;
    const auto inputs = inputs_through(chain_.inputs[readers_[0]], chain_.shape, made_);
    if (!inputs) return std::nullopt;
    take_inputs(*inputs);
    if (!(only_takes(made_.chain) && is_exact() ? put_source() : put_steps())) return std::nullopt;
    drop_unread_inputs();
    if (writes_over_others(chain_, output()) || !to_map(chain_, output())) return std::nullopt;
    return std::move(chain_);
  }

 private:
  View output() const { return {result_.place, result_.type->dtype, row_major(chain_.shape)}; }

  /// The inputs that are the value, all seen in the same way.
  bool find_readers() {
    const Extent value = extent_of(view_of(made_.value), made_.value.type->shape);
    for (size_t i = 0; i < chain_.inputs.size(); ++i) {
      const View& input = chain_.inputs[i];
      if (!extent_of(input, chain_.shape).overlaps(value)) continue;
      if (input.place != made_.value.place || input.dtype != made_.value.type->dtype) return false;
      if (!readers_.empty() && !(input == chain_.inputs[readers_[0]])) return false;
      readers_.push_back(static_cast<uint8_t>(i));
    }
    return !readers_.empty();
  }

  /// What only moves elements does it in any numbers.
  bool agree_on_numbers() {
    if (chain_.compute == made_.chain.compute) return true;
    if (only_moves(made_.chain, made_.value.type->dtype)) {
      made_.chain.compute = chain_.compute;
    } else if (only_moves(chain_, result_.type->dtype)) {
      chain_.compute = made_.chain.compute;
    }
    return chain_.compute == made_.chain.compute;
  }

  bool repeats_too_much() const {
    return element_count(chain_.shape) > element_count(made_.value.type->shape) &&
           made_.chain.steps.size() > kStepsWorthRepeating;
  }

  void take_inputs(const std::vector<View>& inputs) {
    for (const View& input : inputs) {
      const auto found = std::find(chain_.inputs.begin(), chain_.inputs.end(), input);
      place_of_.push_back(static_cast<uint8_t>(found - chain_.inputs.begin()));
      if (found == chain_.inputs.end()) chain_.inputs.push_back(input);
    }
  }
  Source renumbered(Source source) const {
    if (source.from == From::input) source.which = place_of_[source.which];
    return source;
  }
  bool is_reader(const Source& source) const {
    return std::any_of(readers_.begin(), readers_.end(), [&](uint8_t reader) { return reads(source, reader); });
  }

  /// Whether what is taken is of the value's dtype already.
  bool is_exact() const {
    const Source& taken = made_.chain.steps[0].b;
    const DType dtype = made_.value.type->dtype;
    if (taken.from == From::number) return bits_are_of(dtype, made_.chain.compute, taken.bits);
    return made_.chain.inputs[taken.which].dtype == dtype;
  }

  bool put_source() {
    const Source source = renumbered(made_.chain.steps[0].b);
    for (Step& step : chain_.steps) {
      if (is_reader(step.b)) step.b = source;
      if (is_reader(step.c)) step.c = source;
    }
    return true;
  }

  bool put_steps() {
    std::vector<Step> steps;
    for (Step step : made_.chain.steps) {
      step.b = renumbered(step.b), step.c = renumbered(step.c);
      steps.push_back(step);
    }
    const auto rounded = rounding(made_.chain, made_.value.type->dtype);
    if (!rounded) return false;
    steps.insert(steps.end(), rounded->begin(), rounded->end());
    const bool flows = begins_with(chain_, made_.value);
    uint8_t& keep = steps.back().keep;
    if (flows) {
      if (chain_.steps[0].keep != 0) keep = chain_.steps[0].keep;
    } else if (const std::optional<uint8_t> slot = free_slot()) {
      keep = static_cast<uint8_t>(*slot + 1);
      for (Step& step : chain_.steps) {
        if (is_reader(step.b)) step.b = {From::slot, *slot, 0};
        if (is_reader(step.c)) step.c = {From::slot, *slot, 0};
      }
    } else {
      return false;
    }
    steps.insert(steps.end(), chain_.steps.begin() + (flows ? 1 : 0), chain_.steps.end());
    chain_.steps = std::move(steps);
    return true;
  }

  /// One that the chain does not write.
  std::optional<uint8_t> free_slot() const {
    for (uint8_t slot = 0; slot < kSlots; ++slot) {
      const auto writes = [slot](const Step& step) { return step.keep == slot + 1; };
      if (std::none_of(chain_.steps.begin(), chain_.steps.end(), writes)) return slot;
    }
    return std::nullopt;
  }

  void drop_unread_inputs() {
    std::vector<View> kept;
    std::vector<std::optional<uint8_t>> number(chain_.inputs.size());
    const auto keep = [&](Source& source) {
      if (source.from != From::input) return;
      std::optional<uint8_t>& now = number[source.which];
      if (!now) {
        now = static_cast<uint8_t>(kept.size());
        kept.push_back(chain_.inputs[source.which]);
      }
      source.which = *now;
    };
    for (Step& step : chain_.steps) keep(step.b), keep(step.c);
    chain_.inputs = std::move(kept);
  }

  Chain chain_;
  Held result_;
  MadeValue made_;
  std::vector<uint8_t> readers_;   ///< inputs of the chain
  std::vector<uint8_t> place_of_;  ///< by input of the value, which one of the chain it is
};

}  // namespace

std::optional<std::vector<Step>> rounding(const Chain& chain, DType dtype) {
  using Steps = std::vector<Step>;
  const StepOp last = chain.steps.back().op;
  if (is_comparison(last) || last == StepOp::is_finite) return Steps{};  // 0 or 1 is of every dtype
  if (dtype == DType::pred) return Steps{{StepOp::not_equal, 0, {From::number, 0, 0}, {}}};
  const std::optional<StepOp> step = rounding_step(chain.compute, dtype);
  if (!step) return std::nullopt;
  return *step == StepOp::take || *step == last ? Steps{} : Steps{{*step, 0, {}, {}}};
}

bool begins_with(const Chain& chain, const Held& value) {
  const Step& first = chain.steps[0];
  if (first.op != StepOp::take || first.b.from != From::input) return false;
  const Extent whole = extent_of(view_of(value), value.type->shape);
  const auto is_value = [&](const Source& source) {
    return source.from == From::input && extent_of(chain.inputs[source.which], chain.shape).overlaps(whole);
  };
  return is_value(first.b) && std::none_of(chain.steps.begin() + 1, chain.steps.end(),
                                           [&](const Step& step) { return is_value(step.b) || is_value(step.c); });
}

bool writes_over_others(const Chain& chain, const View& output) {
  const Extent written = extent_of(output, chain.shape);
  return std::any_of(chain.inputs.begin(), chain.inputs.end(), [&](const View& input) {
    if (!extent_of(input, chain.shape).overlaps(written)) return false;
    const bool same = input.place == output.place && info(input.dtype).bytes == info(output.dtype).bytes;
    return !same || !is_gapless(input, chain.shape);
  });
}

bool is_number(const Chain& chain) { return only_takes(chain) && chain.inputs.empty(); }

bool is_number_of(DType dtype, const Chain& number) {
  return bits_are_of(dtype, number.compute, number.steps[0].b.bits);
}

std::optional<Chain> inlined(const Chain& chain, const Held& result, const MadeValue& made) {
  return Inlining(chain, result, made).run();
}

}  // namespace isoshard::calls
