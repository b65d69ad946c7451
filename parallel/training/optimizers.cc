// SGD, momentum, Adam and AdamW as optax has them (Kingma and Ba 2015; Loshchilov and Hutter 2019;
// docs/adr/0022-training-steps.md). An optimizer sees blocks of arrays and their layout, and every operation is
// elementwise, so that the same code serves all shardings and nothing is communicated. The correction 1 - b^t is kept
// as state of its own, the mean of ones that begins with 0, instead of a counter and a power, since the checker would
// have to draw the counter. The global norm sums squares once per set of axes that split leaves, so that copies are not
// counted twice, and one all_reduce serves all leaves of a set. Cost: one pass over parameters and moments.
#include "parallel/training/optimizers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/support/check.h"
#include "core/support/rational_gmp.h"
#include "parallel/layers/dense.h"

namespace isoshard {
namespace {

ValueId error(ModelBuilder& m, const std::string& message, const Location& location) {
  return m.error("C-optimizer", message, location);
}

bool check_decay(ModelBuilder& m, const char* name, const Rational& value, const Location& location) {
  if (!value.negative() && value.finite() && to_mpq(value) < 1) return true;
  error(m, std::string("optimizer: ") + name + " is " + value.to_string() + "; expected 0 or more and less than 1",
        location);
  return false;
}

bool check_optimizer(ModelBuilder& m, const Optimizer& o, const Location& location) {
  switch (o.kind) {
    case OptimizerKind::sgd:
      return true;
    case OptimizerKind::momentum:
      return check_decay(m, "momentum", o.momentum, location);
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      break;
  }
  if (!check_decay(m, "b1", o.b1, location) || !check_decay(m, "b2", o.b2, location)) return false;
  if (o.epsilon.finite() && !o.epsilon.negative()) return true;
  error(m, "optimizer: epsilon is " + o.epsilon.to_string() + "; expected a number that is not negative", location);
  return false;
}

/// One step of one optimizer.
class Step {
 public:
  Step(ModelBuilder& m, const Optimizer& optimizer, const Location& location)
      : m_(m), optimizer_(optimizer), location_(location) {}

  std::vector<ValueId> run(const std::vector<Trained>& params) {
    const bool adam = optimizer_.kind == OptimizerKind::adam || optimizer_.kind == OptimizerKind::adamw;
    if (adam) {
      const DType dtype = type_of(params.front()).dtype;
      c1_ = correction("adam.c1", dtype, optimizer_.b1);
      c2_ = correction("adam.c2", dtype, optimizer_.b2);
    }
    std::vector<ValueId> result;
    for (const Trained& p : params) {
      const ValueId by = times(adam ? adam_direction(p) : direction(p), optimizer_.learning_rate);
      result.push_back(m_.op(Subtract{}, {p.value, by}, "next." + m_.module().global(p.param).name, location_));
    }
    return result;
  }

 private:
  /// A copy: the module grows.
  TensorType type_of(const Trained& p) const { return m_.module().global(p.param).type; }
  ValueId times(ValueId x, const Rational& factor) { return m_.with_constant(Multiply{}, x, factor, "", location_); }

  /// What the global of that name holds, which begins with zeros; invalid after an error.
  ValueId state(const std::string& name, const TensorType& type, const Layout& layout) {
    Module& module = m_.module();
    std::optional<GlobalId> id = module.find_global(name);
    if (!id) {
      id = declare(module, name, type.shape, Role::state, InitKind::zeros, location_);
      module.globals[id->index()].type.dtype = type.dtype;
    }
    const Global& global = module.global(*id);
    if (global.role == Role::state && global.type == type) return m_.view(*id, layout, "", {}, location_);
    return error(m_,
                 "optimizer: @" + name + " is " + to_string(global.type) + " " +
                     std::string(isoshard::name(global.role)) + "; expected " + to_string(type) +
                     " state, which the optimizer keeps there",
                 location_);
  }

  /// decay of what was, 1 - decay of x.
  ValueId mean(ValueId before, ValueId x, const Rational& decay) {
    const Rational rest = from_mpq(1 - to_mpq(decay));
    return m_.add(times(before, decay), times(x, rest), "", location_);
  }

  ValueId updated(const std::string& name, ValueId next, const Layout& layout) {
    if (next.valid()) m_.builder().update(*m_.module().find_global(name), next, layout, location_);
    return next;
  }

  /// 1 - decay^t: the mean of ones that begins with 0.
  ValueId correction(const std::string& name, DType dtype, const Rational& decay) {
    const ValueId before = state(name, TensorType{dtype, {}}, {});
    if (!before.valid()) return {};
    return updated(name, mean(before, m_.constant_like(before, Rational(1), "", location_), decay), {});
  }

  ValueId direction(const Trained& p) {
    if (optimizer_.kind == OptimizerKind::sgd) return p.gradient;
    const std::string name = m_.module().global(p.param).name + ".trace";
    const ValueId before = state(name, type_of(p), p.layout);
    const ValueId next = updated(name, m_.add(times(before, optimizer_.momentum), p.gradient, "", location_), p.layout);
    return optimizer_.nesterov ? m_.add(p.gradient, times(next, optimizer_.momentum), "", location_) : next;
  }

  ValueId corrected(ValueId moment, ValueId c) {
    return m_.op(Divide{}, {moment, m_.broadcast_like(c, {}, moment, "", location_)}, "", location_);
  }

  ValueId moment(const std::string& suffix, const Trained& p, ValueId x, const Rational& decay) {
    const std::string name = m_.module().global(p.param).name + suffix;
    return updated(name, mean(state(name, type_of(p), p.layout), x, decay), p.layout);
  }

  ValueId adam_direction(const Trained& p) {
    const ValueId first = corrected(moment(".m", p, p.gradient, optimizer_.b1), c1_);
    const ValueId square = m_.multiply(p.gradient, p.gradient, "", location_);
    const ValueId second = corrected(moment(".v", p, square, optimizer_.b2), c2_);
    const ValueId root = m_.op(Sqrt{}, {second}, "", location_);
    const ValueId scale = m_.with_constant(Add{}, root, optimizer_.epsilon, "", location_);
    const ValueId step = m_.op(Divide{}, {first, scale}, "", location_);
    if (optimizer_.kind == OptimizerKind::adam) return step;
    return m_.add(step, times(p.value, optimizer_.weight_decay), "", location_);
  }

  ModelBuilder& m_;
  const Optimizer& optimizer_;
  const Location& location_;
  ValueId c1_{}, c2_{};
};

/// The sum of the squares of a device's block: P over the axes that split the array.
ValueId sum_of_squares(ModelBuilder& m, ValueId x, const Group& axes, const Location& location) {
  if (!x.valid()) return {};
  const ValueId square = m.multiply(x, x, "", location);
  std::vector<int64_t> dims(m.shape(x).size());
  std::iota(dims.begin(), dims.end(), 0);
  if (dims.empty()) return as_state(m, square, axes, State::partial, location);
  return m.op(Reduce{Reducer::add, std::move(dims), m.typed() ? axes.set() : AxisSet()}, {square}, "", location);
}

bool poisoned(const std::vector<Trained>& params) {
  return std::any_of(params.begin(), params.end(),
                     [](const Trained& p) { return !p.value.valid() || !p.gradient.valid(); });
}

}  // namespace

std::vector<ValueId> apply_optimizer(ModelBuilder& m, const Optimizer& optimizer, const std::vector<Trained>& params,
                                     const Location& location) {
  const std::vector<ValueId> nothing(params.size());
  if (params.empty() || poisoned(params) || !check_optimizer(m, optimizer, location)) return nothing;
  return Step(m, optimizer, location).run(params);
}

ValueId global_norm(ModelBuilder& m, const std::vector<ShardedValue>& tree, const Location& location) {
  ISOSHARD_CHECK(!tree.empty(), "the norm of something");
  std::vector<std::pair<Group, ValueId>> sums;  // one for each set of axes, in order of appearance
  for (const ShardedValue& leaf : tree) {
    const Group axes = m.mesh().in_order(splitting_axes(leaf.layout));
    const ValueId own = sum_of_squares(m, leaf.value, axes, location);
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == axes; });
    if (known != sums.end()) {
      known->second = m.add(known->second, own, "", location);
    } else {
      sums.emplace_back(axes, own);
    }
  }
  std::vector<ValueId> whole;
  for (const auto& [axes, sum] : sums) {
    whole.push_back(axes.empty() ? sum : m.op(AllReduce{axes, std::nullopt}, {sum}, "", location));
  }
  return m.op(Sqrt{}, {m.sum(whole, "", location)}, "norm", location);
}

std::vector<ValueId> clip_by_global_norm(ModelBuilder& m, const std::vector<ShardedValue>& tree,
                                         const Rational& max_norm, const Location& location) {
  std::vector<ValueId> result(tree.size());
  if (tree.empty()) return result;
  if (!max_norm.finite() || max_norm.negative() || max_norm.is_zero()) {
    error(m, "clip_by_global_norm: max_norm is " + max_norm.to_string() + "; expected a number above 0", location);
    return result;
  }
  const ValueId norm = global_norm(m, tree, location);
  const ValueId larger = m.with_constant(Maximum{}, norm, max_norm, "", location);
  const ValueId limit = m.constant_like(larger, max_norm, "", location);
  const ValueId factor = m.op(Divide{}, {limit, larger}, "", location);
  for (size_t i = 0; i < tree.size(); ++i) {
    const ValueId own = m.broadcast_like(factor, {}, tree[i].value, "", location);
    result[i] = m.multiply(tree[i].value, own, "", location);
  }
  return result;
}

}  // namespace isoshard
