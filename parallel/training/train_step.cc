// One step of training on any mesh (docs/adr/0022-training-steps.md): read and gather parameters, differentiate,
// complete gradients, clip, update. Which reduction a gradient needs is read from its states: it is a sum over exactly
// the axes where it is P, so that no rule per kind of parallelism exists. Where moments are split over such axes, a
// reduce_scatter gives each device its own block (FSDP and ZeRO, Rajbhandari et al. 2020); ZeRO 1 reduces whole and
// cuts. The optimizer then works on blocks, and new values are gathered where parameters are kept whole. What is cut is
// the largest dimension that all devices divide. Cost: per parameter one gather, one reduction and one pass.
#include "parallel/training/train_step.h"

#include <algorithm>
#include <utility>

#include "core/support/check.h"

namespace isoshard {
namespace {

Group joined_axes(const Group& a, const Group& b) {
  Group result = a;
  result.axes.insert(result.axes.end(), b.axes.begin(), b.axes.end());
  return result;
}

bool contains(const Group& group, AxisId axis) {
  return std::find(group.axes.begin(), group.axes.end(), axis) != group.axes.end();
}

/// The axes of `group` that `other` does not have.
Group without(const Group& group, const Group& other) {
  Group result;
  for (const AxisId axis : group.axes) {
    if (!contains(other, axis)) result.axes.push_back(axis);
  }
  return result;
}

/// A parameter and where it is kept.
struct Kept {
  GlobalId global{};
  Layout stored{};     ///< of the parameter
  Layout moments{};    ///< of what the optimizer sees
  size_t dim = 0;      ///< which these cut more finely than the loss reads it
  Group gathered{};    ///< over which `stored` does
  Group split{};       ///< over which `moments` does, and `stored` not
  ValueId block{};     ///< what is stored
  ValueId value{};     ///< what the loss reads
  ValueId gradient{};  ///< complete, in the layout of the moments
};

class StepBuilder {
 public:
  StepBuilder(ModelBuilder& m, const TrainStep& step, const Location& location)
      : m_(m), step_(step), location_(location) {}

  void run(const MinibatchLossFn& loss, const std::vector<ValueId>& batch, ValueId key) {
    std::vector<ValueId> values;
    for (const TrainParam& param : step_.params) values.push_back(read(param));
    const MinibatchLossFn with_metric = [&](ModelBuilder& f, const std::vector<ValueId>& params,
                                            const std::vector<ValueId>& rows, ValueId own_key) {
      MinibatchLoss made = loss(f, params, rows, own_key);
      made.metrics = {made.loss};
      return made;
    };
    const auto made = accumulate_gradients(m_, with_metric, values, batch, key, step_.accumulate, location_);
    if (!made) return;
    for (size_t i = 0; i < kept_.size(); ++i) kept_[i].gradient = complete(made->gradients[i], kept_[i]);
    const Rational count(step_.accumulate.num_minibatches);
    const ValueId mean = m_.with_constant(Divide{}, made->metrics.front(), count, "", location_);
    m_.output("loss", all_reduce(mean, partial_axes(mean), "loss"), {}, location_);
    for (const Kept& k : kept_) m_.output("grad." + name(k), k.gradient, k.moments, location_);
    update(clipped());
  }

 private:
  const std::string& name(const Kept& k) const { return m_.module().global(k.global).name; }

  GlobalId global(const TrainParam& param) {
    const std::optional<GlobalId> known = m_.module().find_global(param.name);
    return known ? *known : declare(m_.module(), param.name, param.shape, Role::param, param.init, location_);
  }

  /// The dimension of the blocks of that layout that the devices of `axes` divide: the largest, of equal ones the last.
  std::optional<size_t> divided_dim(const TrainParam& param, const Group& axes) const {
    const Shape local = block_shape(param.shape, param.layout, m_.mesh());
    std::optional<size_t> best;
    for (size_t d = 0; d < local.size() && !axes.empty(); ++d) {
      if (local[d] % m_.mesh().size(axes) == 0 && (!best || local[d] >= local[*best])) best = d;
    }
    return best;
  }

  Kept place(const TrainParam& param) {
    const StateSharding& s = step_.sharding;
    Kept result{global(param), param.layout, param.layout};
    for (const Group& data : {s.zero == 0 ? Group{} : s.data, Group{}}) {
      const Group axes = joined_axes(s.fsdp, data);
      const std::optional<size_t> dim = divided_dim(param, axes);
      if (!dim) continue;
      result.dim = *dim;
      result.gathered = s.zero == 3 ? axes : s.fsdp;
      result.split = without(axes, result.gathered);
      result.stored[*dim].axes = joined_axes(param.layout[*dim].axes, result.gathered);
      result.moments[*dim].axes = joined_axes(param.layout[*dim].axes, axes);
      break;
    }
    return result;
  }

  /// The whole of what the loss reads.
  ValueId read(const TrainParam& param) {
    Kept k = place(param);
    k.block = m_.view(k.global, k.stored, param.name, param.invariant, location_);
    k.value = k.block;
    if (!k.gathered.empty()) {
      k.value = m_.all_gather(k.block, k.gathered, static_cast<int64_t>(k.dim), "", location_);
    }
    kept_.push_back(k);
    return k.value;
  }

  Group partial_axes(ValueId x) const {
    return x.valid() ? axes_in(m_.builder().type(x).states, State::partial) : Group();
  }

  ValueId all_reduce(ValueId x, const Group& axes, const std::string& label = "") {
    return axes.empty() ? x : m_.op(AllReduce{axes, std::nullopt}, {x}, label, location_);
  }

  /// The sum of a gradient over the axes where it is P, or the device's block of it.
  ValueId complete(ValueId gradient, const Kept& k) {
    const auto dim = static_cast<int64_t>(k.dim);
    const Group partial = partial_axes(gradient), cut = joined_axes(k.gathered, k.split);
    const Group scatter = step_.sharding.zero == 1 ? k.gathered : cut;
    ISOSHARD_CHECK(without(scatter, partial).empty(), "what the loss reads as R has a gradient that is P");
    const Group reduce = without(partial, scatter), slice = without(cut, scatter);
    const std::string label = "grad." + name(k);  // of the last of them
    gradient = all_reduce(gradient, reduce, scatter.empty() && slice.empty() ? label : "");
    if (!scatter.empty()) {
      gradient = m_.op(ReduceScatter{scatter, dim}, {gradient}, slice.empty() ? label : "", location_);
    }
    return own_block(gradient, slice, dim, label);
  }

  ValueId own_block(ValueId x, const Group& axes, int64_t dim, const std::string& label = "") {
    return axes.empty() ? x : m_.op(SliceBlock{axes, dim}, {x}, label, location_);
  }

  std::vector<Trained> clipped() {
    std::vector<Trained> result;
    std::vector<ShardedValue> tree;
    for (const Kept& k : kept_) {
      const ValueId value = own_block(k.block, k.split, static_cast<int64_t>(k.dim));
      result.push_back(Trained{k.global, k.moments, value, k.gradient});
      tree.push_back(ShardedValue{k.gradient, k.moments});
    }
    if (!step_.max_norm) return result;
    const std::vector<ValueId> shorter = clip_by_global_norm(m_, tree, *step_.max_norm, location_);
    for (size_t i = 0; i < result.size(); ++i) result[i].gradient = shorter[i];
    return result;
  }

  void update(const std::vector<Trained>& params) {
    const std::vector<ValueId> next = apply_optimizer(m_, step_.optimizer, params, location_);
    for (size_t i = 0; i < kept_.size(); ++i) {
      const Kept& k = kept_[i];
      const bool split = !k.split.empty();
      const ValueId whole =
          split ? m_.all_gather(next[i], k.split, static_cast<int64_t>(k.dim), "", location_) : next[i];
      m_.builder().update(k.global, whole, k.stored, location_);
    }
  }

  ModelBuilder& m_;
  const TrainStep& step_;
  const Location& location_;
  std::vector<Kept> kept_;
};

}  // namespace

void train_step(ModelBuilder& m, const TrainStep& step, const MinibatchLossFn& loss, const std::vector<ValueId>& batch,
                ValueId key, const Location& location) {
  ISOSHARD_CHECK(m.typed(), "reductions are read from states");
  StepBuilder(m, step, location).run(loss, batch, key);
}

}  // namespace isoshard
