// The pipeline with several stages per device (Lamy-Poirier 2022; docs/spec/originals.md, "Looping pipeline"). A
// micro-batch goes round the devices once per round, and each round uses other parameters of the device. What a device
// does in an iteration follows from iteration and index alone: t = iteration - device counts micro-batches over all
// rounds, t / M is the round and t modulo M the micro-batch. The first device keeps the waiting micro-batches as a
// carry, and overwrites an entry when it comes round; so M must be at least N where there is more than one round.
// Quotients are counted by comparisons, since integers have no division op. Cost: rounds M + N - 1 iterations, so a
// smaller bubble, and as many permutes.
#include "parallel/pipelines/looping_pipeline.h"

#include <numeric>
#include <utility>

#include "parallel/pipelines/pipeline_body.h"
#include "parallel/sharding/ring_collectives.h"

namespace isoshard {
namespace {

constexpr const char* kLoopingPipeline = "execute_looping_pipeline";

/// Integers of one iteration.
class Integers {
 public:
  Integers(ModelBuilder& m, const Location& location) : m_(m), location_(location) {}

  ValueId constant(int64_t value) { return m_.op(Constant{Rational(value), DType::i32, {}}, {}, "", location_); }
  ValueId compare(ValueId x, Direction direction, int64_t value, const std::string& name = "") {
    return m_.with_constant(Compare{direction}, x, Rational(value), name, location_);
  }
  ValueId minus(ValueId x, int64_t value) {
    return value == 0 ? x : m_.with_constant(Subtract{}, x, Rational(value), "", location_);
  }
  ValueId both(ValueId a, ValueId b) { return m_.op(And{}, {a, b}, "", location_); }
  /// 0 <= x < limit.
  ValueId within(ValueId x, int64_t limit) {
    const ValueId from = compare(x, Direction::ge, 0);
    return both(from, compare(x, Direction::lt, limit));
  }
  ValueId modulo(ValueId x, int64_t by) { return m_.with_constant(Remainder{}, x, Rational(by), "", location_); }
  ValueId where(ValueId holds, ValueId x, int64_t otherwise, const std::string& name) {
    return m_.op(Select{}, {holds, x, constant(otherwise)}, name, location_);
  }
  /// x / by rounded down for 0 <= x < count * by: how many of by, 2 by, .. are not above x.
  ValueId quotient(ValueId x, int64_t by, int64_t count) {
    const ValueId steps = m_.op(Iota{DType::i32, {count}, 0}, {}, "", location_);
    const ValueId begins = m_.with_constant(Multiply{}, steps, Rational(by), "", location_);
    const ValueId repeated = m_.broadcast_like(x, {}, begins, "", location_);
    const ValueId reached = m_.op(Compare{Direction::ge}, {repeated, begins}, "", location_);
    const ValueId numbers = m_.op(Convert{DType::i32}, {reached}, "", location_);
    return minus(m_.op(Reduce{Reducer::add, {0}, {}}, {numbers}, "", location_), 1);
  }

 private:
  ModelBuilder& m_;
  const Location& location_;
};

/// One looping pipeline while it is built.
class Loop {
 public:
  Loop(ModelBuilder& m, LoopingSchedule schedule, PipelineBody body, const Location& location)
      : m_(m), schedule_(std::move(schedule)), body_(std::move(body)), location_(location) {}

  /// [iterations, rows, ..]; invalid after an error. `params` are those of all rounds.
  ValueId run(const std::vector<ValueId>& params, ValueId x) {
    ScanOperands operands;
    operands.trips = schedule_.iterations();
    operands.with_index = true;
    operands.index_name = "iteration";
    const ValueId state = m_.op(Constant{Rational(0), body_.type().dtype, body_.type().shape}, {}, "", location_);
    operands.initial = {state, micro_batches_of(m_, x, schedule_.micro_batches, location_)};
    operands.carry_names = {"state", "inputs"};
    body_.add_operands(operands, params, schedule_.iterations());
    return m_.builder()
        .scan(
            operands, [&](const ScanArguments& in, bool) { return iteration(in); }, location_)
        .back();
  }

 private:
  std::optional<ScanYield> iteration(const ScanArguments& in) {
    const LoopingIndices index = looping_indices(m_, schedule_, in.index, location_);
    const ValueId inputs = kept(in.carries[1], in.carries[0], index.update);
    const ValueId taken = entry(inputs, index.input);
    const ValueId x = choose(index.input, taken, in.carries[0], "x");
    std::vector<ValueId> params = body_.params(in);
    for (ValueId& value : params) value = entry(value, index.params);
    Scope scope = body_.scope(in, params);
    const ValueId y = body_.module(in, index.number)(scope, x);
    if (!y.valid()) return std::nullopt;
    const ValueId zeros = m_.constant_like(y, Rational(0), "", location_);
    const ValueId output = choose(index.output, y, zeros, "output");
    std::vector<ValueId> next = in.carries;
    next[0] = ring_step(m_, y, schedule_.axis, true, "next", location_);
    next[1] = inputs;
    return ScanYield{std::move(next), {output}, location_};
  }

  /// values[index], clamped.
  ValueId entry(ValueId values, ValueId index) { return m_.op(Gather{0}, {values, index}, "", location_); }

  /// `a` where there is an index, else `b`.
  ValueId choose(ValueId index, ValueId a, ValueId b, const std::string& name) {
    const ValueId any = Integers(m_, location_).compare(index, Direction::ge, 0);
    return m_.op(Select{}, {any, a, b}, name, location_);
  }

  /// The waiting micro-batches, `state` in the place `index` of them.
  ValueId kept(ValueId inputs, ValueId state, ValueId index) {
    Shape shape = m_.shape(inputs);
    shape[0] = 1;
    std::vector<int64_t> behind(shape.size() - 1);
    std::iota(behind.begin(), behind.end(), 1);
    const ValueId zero = Integers(m_, location_).constant(0);
    const ValueId entry = m_.op(BroadcastInDim{behind, std::move(shape)}, {state}, "", location_);
    std::vector<ValueId> operands{inputs, entry, index};
    operands.insert(operands.end(), behind.size(), zero);
    const ValueId updated = m_.op(DynamicUpdateSlice{}, std::move(operands), "", location_);
    return choose(index, updated, inputs, "waiting");
  }

  ModelBuilder& m_;
  LoopingSchedule schedule_;
  PipelineBody body_;
  const Location& location_;
};

bool check_schedule(ModelBuilder& m, const LoopingSchedule& schedule, const Location& location) {
  if (schedule.loops < 1) {
    pipeline_error(m, kLoopingPipeline, std::to_string(schedule.loops) + " loops; expected at least 1", location);
    return false;
  }
  if (schedule.loops == 1 || schedule.micro_batches >= schedule.stages) return true;
  pipeline_error(m, kLoopingPipeline,
                 std::to_string(schedule.micro_batches) + " micro-batches on " + std::to_string(schedule.stages) +
                     " devices; expected as many micro-batches as devices or more, because the first one has to be "
                     "back at the first device when its next round begins",
                 location);
  return false;
}

}  // namespace

LoopingIndices looping_indices(ModelBuilder& m, const LoopingSchedule& schedule, ValueId iteration,
                               const Location& location) {
  const auto [axis, stages, loops, micro_batches] = schedule;
  Integers i(m, location);
  const ValueId stage = m.op(AxisIndex{axis}, {}, "stage", location);
  const ValueId first = i.compare(stage, Direction::eq, 0, "first");
  const ValueId last = i.compare(stage, Direction::eq, stages - 1, "last");
  // The number of the micro-batch, counted over all rounds: that of the device, and the one that is back.
  const ValueId turn = m.op(Subtract{}, {iteration, stage}, "turn", location);
  const ValueId back = i.minus(iteration, stages);
  const ValueId busy = i.within(turn, loops * micro_batches);
  const ValueId round = i.quotient(turn, micro_batches, loops);
  const ValueId returns = i.both(first, i.within(back, (loops - 1) * micro_batches));
  const ValueId done = i.minus(turn, (loops - 1) * micro_batches);
  const ValueId leaves = i.both(last, i.compare(done, Direction::ge, 0));
  const ValueId number = i.modulo(turn, micro_batches), place = i.modulo(back, micro_batches);
  LoopingIndices result;
  result.input = i.where(i.both(first, busy), number, -1, "input");
  result.update = i.where(returns, place, -1, "update");
  result.params = i.where(busy, round, 0, "round");
  result.output = i.where(leaves, done, -1, "leaves");
  result.number = m.op(Select{}, {busy, number, turn}, "number", location);
  return result;
}

ValueId execute_looping_pipeline(Scope& self, const Pipeline& pipeline, int64_t loops, const PipelineFn& module,
                                 ValueId x, const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  const LoopingSchedule schedule{pipeline.axis, m.mesh().size(pipeline.axis), loops, pipeline.num_microbatches};
  if (!x.valid() || !check_schedule(m, schedule, location)) return {};
  x = pipeline_input(m, kLoopingPipeline, pipeline, x, location);
  if (!x.valid()) return {};
  const Scope rounds = self.transformed(ParamTransform{ParamTransform::Kind::layers, {}, true, std::nullopt, loops});
  std::optional<PipelineBody> body =
      PipelineBody::find(self, rounds.in_micro_batches(), kLoopingPipeline, pipeline, module, x, location);
  if (!body) return {};
  std::vector<ValueId> params;
  for (const ParamSpec& spec : body->found().params) params.push_back(self.value_of(spec));
  const ValueId outputs = Loop(m, schedule, *std::move(body), location).run(params, x);
  return outputs.valid() ? joined_outputs(m, outputs, pipeline.num_microbatches, name, location) : ValueId();
}

ValueId looping_pipeline_module(Scope& self, const Group& axis, int64_t num_microbatches, int64_t loops,
                                const ModuleFn& module_fn, ValueId x, const std::string& name,
                                const Location& location) {
  const PipelineFn module = [&](Scope& scope, ValueId v, const std::vector<ValueId>&) { return module_fn(scope, v); };
  return execute_looping_pipeline(self, Pipeline{axis, num_microbatches}, loops, module, x, name, location);
}

}  // namespace isoshard
