#include "catalogue/training/train_network.h"

#include <map>
#include <numeric>
#include <utility>

#include "core/support/check.h"
#include "parallel/layers/dense.h"
#include "parallel/layers/dropout.h"
#include "parallel/pipelines/pipeline_parallel.h"

namespace isoshard {
namespace {

/// `blocks.up.kernel` for the parameter `up/kernel` of a block.
std::string global_name(const std::string& prefix, const ParamSpec& spec) {
  std::string text = prefix;
  for (const std::string& word : spec.path) text += (text.empty() ? "" : ".") + word;
  return text;
}

/// A scope whose parameters are these values, in `dtype` but for scales: norms compute in f32.
Scope scope_of(ModelBuilder& m, const std::string& prefix, const std::vector<TrainParam>& params,
               const std::vector<ValueId>& values, std::optional<DType> dtype) {
  std::map<std::string, ValueId> by_name;
  for (size_t i = 0; i < params.size(); ++i) by_name[params[i].name] = values[i];
  return {m, [prefix, dtype, by_name = std::move(by_name)](ModelBuilder& builder, const ParamSpec& spec) {
            const auto known = by_name.find(global_name(prefix, spec));
            ISOSHARD_CHECK(known != by_name.end(), "the network lists its parameters");
            return spec.path.back() == "scale" ? known->second : in_dtype(builder, known->second, dtype);
          }};
}

constexpr const char* kBlocks = "blocks";

/// The blocks of one device, one after another.
class Layers {
 public:
  Layers(ModelBuilder& m, const TrainNetwork& network, const TrainSizes& sizes, bool scan)
      : m_(m), network_(network), sizes_(sizes), scan_(scan) {}

  /// `params` hold all these layers, of which place.layer is the first one's number.
  ValueId run(ValueId x, const std::vector<ValueId>& params, const TrainPlace& place) {
    if (!x.valid()) return {};
    return scan_ ? scanned(x, params, place) : in_a_row(x, params, place);
  }

 private:
  ValueId block(const std::vector<ValueId>& params, ValueId x, const TrainPlace& place) {
    Scope self = scope_of(m_, kBlocks, network_.blocks, params, sizes_.dtype);
    return network_.block(self, x, place);
  }

  ValueId in_a_row(ValueId x, const std::vector<ValueId>& params, const TrainPlace& place) {
    const int64_t layers = m_.shape(params.front()).front();
    for (int64_t l = 0; l < layers; ++l) {
      std::vector<ValueId> own;
      for (const ValueId param : params) own.push_back(m_.element(param, l));
      TrainPlace at = place;
      if (at.layer.valid()) at.layer = m_.with_constant(Add{}, place.layer, Rational(l));
      x = block(own, x, at);
    }
    return x;
  }

  ValueId scanned(ValueId x, const std::vector<ValueId>& params, const TrainPlace& place) {
    const bool drops = place.key.valid();
    ScanOperands operands;
    operands.initial = {x};
    if (drops) operands.initial.insert(operands.initial.end(), {place.key, place.row, place.layer});
    operands.stacked = params;
    operands.with_index = drops;
    const ScanBody body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
      TrainPlace at;
      if (drops) at = {in.carries[1], in.carries[2], m_.add(in.carries[3], in.index)};
      std::vector<ValueId> next = in.carries;
      next[0] = block(in.slices, in.carries[0], at);
      if (!next[0].valid()) return std::nullopt;
      return ScanYield{std::move(next), {}, Location::here()};
    };
    return m_.builder().scan(operands, body).front();
  }

  ModelBuilder& m_;
  const TrainNetwork& network_;
  const TrainSizes& sizes_;
  bool scan_;
};

ValueId i32(ModelBuilder& m, int64_t value) { return m.op(Constant{Rational(value), DType::i32, {}}, {}); }

/// The loss of one minibatch.
class Loss {
 public:
  Loss(ModelBuilder& m, const TrainNetwork& network, const TrainSizes& sizes, const TrainAxes& axes,
       const TrainRun& run)
      : m_(m), network_(network), sizes_(sizes), axes_(axes), run_(run) {}

  ValueId of(const std::vector<ValueId>& params, std::vector<ValueId> batch, ValueId key) {
    const auto blocks = params.begin() + std::ssize(network_.outer);
    TrainPlace place;
    if (sizes_.dropout != 0) {
      place = {key, m_.element(batch.back(), 0), i32(m_, 0)};
      batch.pop_back();
    }
    Scope outer = scope_of(m_, "", network_.outer, {params.begin(), blocks}, sizes_.dtype);
    ValueId x = network_.input(outer, batch);
    x = axes_.pipeline.empty() ? Layers(m_, network_, sizes_, run_.scan_layers).run(x, {blocks, params.end()}, place)
                               : pipeline(x, {blocks, params.end()}, place);
    return x.valid() ? mean(network_.losses(outer, x, batch)) : ValueId();
  }

 private:
  /// Every stage's layers; the number of a row is that of the device's first one, and those of the micro-batches
  /// before.
  ValueId pipeline(ValueId x, std::vector<ValueId> params, const TrainPlace& place) {
    if (!x.valid()) return {};
    const bool drops = place.key.valid();
    const auto count = std::ssize(params);
    const int64_t layers = m_.shape(params.front()).front(), rows = m_.shape(x).front() / run_.micro_batches;
    if (drops) params.insert(params.end(), {place.key, place.row});
    const PipelineFn stage = [&](Scope& self, ValueId v, const std::vector<ValueId>& kwargs) {
      ModelBuilder& m = self.m();
      TrainPlace at;
      if (drops) {
        const ValueId before = m.with_constant(Multiply{}, kwargs.back(), Rational(rows));
        const ValueId index = m.op(AxisIndex{axes_.pipeline}, {});
        at = {kwargs[static_cast<size_t>(count)], m.add(kwargs[static_cast<size_t>(count) + 1], before),
              m.with_constant(Multiply{}, index, Rational(layers))};
      }
      return Layers(m, network_, sizes_, run_.scan_layers).run(v, {kwargs.begin(), kwargs.begin() + count}, at);
    };
    Scope root(m_, [](ModelBuilder&, const ParamSpec&) { return ValueId(); });
    const Pipeline schedule{axes_.pipeline, run_.micro_batches, std::move(params), drops};
    const ValueId last = execute_pipeline(root, schedule, stage, x);
    if (!last.valid()) return {};
    return m_.all_reduce(as_state(m_, last, axes_.pipeline, State::partial), axes_.pipeline, State::invariant);
  }

  ValueId mean(ValueId losses) {
    if (!losses.valid()) return {};
    std::vector<int64_t> dims(m_.shape(losses).size());
    std::iota(dims.begin(), dims.end(), 0);
    const ValueId sum = m_.op(Reduce{Reducer::add, std::move(dims), axes_.batch.set()}, {losses});
    return m_.with_constant(Divide{}, sum, Rational(run_.rows * network_.losses_per_row));
  }

  ModelBuilder& m_;
  const TrainNetwork& network_;
  const TrainSizes& sizes_;
  const TrainAxes& axes_;
  const TrainRun& run_;
};

}  // namespace

std::vector<TrainParam> train_params(const TrainNetwork& network, const TrainSizes& sizes, const TrainAxes& axes) {
  std::vector<TrainParam> result = network.outer;
  for (TrainParam param : network.blocks) {
    param.shape.insert(param.shape.begin(), sizes.layers);
    param.layout.insert(param.layout.begin(), ViewEntry{axes.pipeline});
    result.push_back(std::move(param));
  }
  return result;
}

MinibatchLossFn train_loss(const TrainNetwork& network, const TrainSizes& sizes, const TrainAxes& axes,
                           const TrainRun& run) {
  return [=](ModelBuilder& m, const std::vector<ValueId>& params, const std::vector<ValueId>& batch, ValueId key) {
    return MinibatchLoss{Loss(m, network, sizes, axes, run).of(params, batch, key)};
  };
}

ValueId train_dropout(ModelBuilder& m, const TrainSizes& sizes, const Group& tensor, ValueId x,
                      const TrainPlace& place) {
  if (!x.valid() || sizes.dropout == 0) return x;
  Draw draw{m.shape(x), m.shape(x), std::vector<ValueId>(m.shape(x).size(), i32(m, 0))};
  draw.global_shape.front() = sizes.rows;
  draw.start.front() = place.row;
  if (!tensor.empty()) {
    const int64_t own = draw.shape.back();
    draw.global_shape.back() *= m.mesh().size(tensor);
    draw.start.back() = m.with_constant(Multiply{}, m.op(AxisIndex{tensor}, {}), Rational(own));
  }
  return dropout_by_coordinates(m, m.op(RngFoldIn{}, {place.key, place.layer}), sizes.dropout, x, draw);
}

ValueId enter_tensor(ModelBuilder& m, const Group& tensor, ValueId x) {
  return tensor.empty() ? x : as_state(m, x, tensor, State::replicated);
}

ValueId leave_tensor(ModelBuilder& m, const Group& tensor, ValueId terms) {
  return tensor.empty() || !terms.valid() ? terms : m.all_reduce(terms, tensor, State::invariant);
}

}  // namespace isoshard
