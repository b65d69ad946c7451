// Gradients of a batch as the mean over its minibatches (docs/spec/originals.md, "Gradient accumulation"). The loss is
// written into a function of its own, `build_grad` derives its gradient, and that function is called once per
// minibatch, in a loop that is unrolled or in one scan which carries the sums; the order of additions is the same. Rows
// behind the last whole minibatch are dropped, and leaves with fewer rows are cut as Python slices or, in a scan, as
// dynamic slices do, because the original does. The sums are divided at the end, once. Cost: one derivation per shape
// of minibatches, usually one, and one run of it per minibatch.
#include "parallel/training/accumulate_gradients.h"

#include <algorithm>
#include <utility>

#include "core/transform/autodiff/vjp.h"

namespace isoshard {
namespace {

/// The function that gives loss, metrics, mutables and gradients of one minibatch.
struct Derived {
  ProgramId function{};
  size_t metrics = 0, mutables = 0;
};

class Accumulation {
 public:
  Accumulation(ModelBuilder& m, const MinibatchLossFn& loss, const std::vector<ValueId>& params,
               const std::vector<ValueId>& batch, ValueId key, const AccumulateOptions& options,
               const Location& location)
      : m_(m), loss_(loss), params_(params), batch_(batch), key_(key), options_(options), location_(location) {}

  std::optional<AccumulatedGradients> run() {
    if (!check()) return std::nullopt;
    rows_ = m_.shape(batch_.front()).front() / options_.num_minibatches;
    const int64_t count = options_.num_minibatches;
    keys_ = options_.split_key ? m_.op(RngSplit{count}, {key_}, "", location_)
                               : m_.op(BroadcastInDim{{}, {count}}, {key_}, "", location_);
    return options_.use_scan ? scan() : loop();
  }

 private:
  bool check() {
    const auto error = [&](const std::string& message) {
      m_.error("C-accumulate", "accumulate_gradients: " + message, location_);
      return false;
    };
    if (options_.num_minibatches < 1) {
      return error(std::to_string(options_.num_minibatches) + " minibatches; expected at least 1");
    }
    const auto scalar = [&](ValueId leaf) { return m_.shape(leaf).empty(); };
    if (batch_.empty() || std::any_of(batch_.begin(), batch_.end(), scalar)) {
      return error("a batch without rows; expected leaves whose first dimension counts samples");
    }
    return true;
  }

  /// Rows `start` to `limit` of a leaf, as far as it has them.
  ValueId rows(ValueId leaf, int64_t start, int64_t limit) {
    Shape from(m_.shape(leaf).size(), 0), to = m_.shape(leaf);
    from[0] = std::min(start, to[0]);
    to[0] = std::min(limit, to[0]);
    return m_.op(Slice{std::move(from), std::move(to), {}}, {leaf}, "", location_);
  }

  /// The derivative for minibatches of these types; nothing after an error.
  std::optional<Derived> derive(const std::vector<ValueType>& batch) {
    ModelBuilder f(m_.module(), options_.name, m_.builder().program().shared_mesh(), m_.sink(),
                   BuilderOptions{ProgramKind::function, m_.typed(), location_});
    const auto arguments = [&](const std::vector<ValueType>& types) {
      std::vector<ValueId> values;
      for (const ValueType& type : types) values.push_back(f.builder().argument("", type));
      return values;
    };
    std::vector<ValueType> params;
    for (const ValueId param : params_) params.push_back(m_.builder().type(param));
    const std::vector<ValueId> own = arguments(params), leaves = arguments(batch);
    ValueType key = m_.builder().type(key_);
    const MinibatchLoss made = loss_(f, own, leaves, f.builder().argument("", std::move(key)));
    std::vector<ValueId> results{made.loss};
    for (const auto* more : {&made.metrics, &made.mutables}) results.insert(results.end(), more->begin(), more->end());
    if (std::any_of(results.begin(), results.end(), [](ValueId v) { return !v.valid(); })) return std::nullopt;
    f.builder().results(std::move(results), location_);
    const std::optional<ProgramId> function = f.finish();
    if (!function) return std::nullopt;
    std::vector<size_t> wrt;
    for (size_t i = 0; i < params_.size(); ++i) wrt.push_back(i);
    const std::optional<ProgramId> derived = autodiff::build_grad(m_.module(), *function, wrt, m_.sink(), location_);
    if (!derived) return std::nullopt;
    return Derived{in_place_of(*function, *derived), made.metrics.size(), made.mutables.size()};
  }

  /// Nobody calls the loss itself: what has been derived from it takes its place, unless other functions stand between.
  ProgramId in_place_of(ProgramId loss, ProgramId derived) {
    std::vector<Program>& programs = m_.module().programs;
    if (derived.index() != loss.index() + 1 || derived.index() + 1 != programs.size()) return derived;
    programs.erase(programs.begin() + static_cast<std::ptrdiff_t>(loss.index()));
    return loss;
  }

  std::vector<ValueId> call(const Derived& derived, const std::vector<ValueId>& params,
                            const std::vector<ValueId>& batch, ValueId key) {
    std::vector<ValueId> operands = params;
    operands.insert(operands.end(), batch.begin(), batch.end());
    operands.push_back(key);
    return m_.builder().append(Call{derived.function}, std::move(operands), {}, location_);
  }

  std::vector<ValueType> types(const std::vector<ValueId>& values) const {
    std::vector<ValueType> result;
    for (const ValueId value : values) result.push_back(m_.builder().type(value));
    return result;
  }

  /// Of what a call gives: the metrics, then the gradients.
  static std::vector<ValueId> summed(const Derived& derived, const std::vector<ValueId>& results) {
    const auto metrics = results.begin() + 1, mutables = metrics + static_cast<std::ptrdiff_t>(derived.metrics);
    std::vector<ValueId> values(metrics, mutables);
    values.insert(values.end(), mutables + static_cast<std::ptrdiff_t>(derived.mutables), results.end());
    return values;
  }
  static std::vector<ValueId> stacked(const Derived& derived, const std::vector<ValueId>& results) {
    const auto first = results.begin() + 1 + static_cast<std::ptrdiff_t>(derived.metrics);
    return {first, first + static_cast<std::ptrdiff_t>(derived.mutables)};
  }

  AccumulatedGradients finished(const Derived& derived, const std::vector<ValueId>& sums,
                                std::vector<ValueId> mutables) {
    const auto gradients = sums.begin() + static_cast<std::ptrdiff_t>(derived.metrics);
    AccumulatedGradients result{{}, {sums.begin(), gradients}, std::move(mutables)};
    const Rational count(options_.num_minibatches);
    for (auto it = gradients; it != sums.end(); ++it) {
      result.gradients.push_back(m_.with_constant(Divide{}, *it, count, "", location_));
    }
    return result;
  }

  std::optional<AccumulatedGradients> loop() {
    std::vector<ValueId> sums;
    std::vector<std::vector<ValueId>> parts;
    std::vector<ValueType> known;
    Derived derived;
    for (int64_t i = 0; i < options_.num_minibatches; ++i) {
      std::vector<ValueId> batch;
      for (const ValueId leaf : batch_) batch.push_back(rows(leaf, i * rows_, (i + 1) * rows_));
      if (i == 0 || types(batch) != known) {  // short leaves have shorter parts
        known = types(batch);
        const std::optional<Derived> own = derive(known);
        if (!own) return std::nullopt;
        derived = *own;
      }
      const std::vector<ValueId> results = call(derived, params_, batch, m_.element(keys_, i, "", location_));
      const std::vector<ValueId> terms = summed(derived, results);
      for (size_t k = 0; k < terms.size(); ++k) {
        if (i == 0) sums.push_back(terms[k]);
        if (i != 0) sums[k] = m_.add(sums[k], terms[k], "", location_);
      }
      parts.push_back(stacked(derived, results));
    }
    std::vector<ValueId> mutables;
    for (size_t k = 0; k < derived.mutables; ++k) {
      std::vector<ValueId> values;
      for (const std::vector<ValueId>& part : parts) values.push_back(part[k]);
      mutables.push_back(m_.stack(values, "", location_));
    }
    return finished(derived, sums, std::move(mutables));
  }

  /// [minibatches, rows, ...]: where a leaf ends too early, its last parts start earlier (lax.dynamic_slice).
  ValueId minibatches(ValueId leaf) {
    const int64_t size = std::min(rows_, m_.shape(leaf).front());
    std::vector<ValueId> parts;
    for (int64_t i = 0; i < options_.num_minibatches; ++i) {
      const int64_t start = std::min(i * rows_, m_.shape(leaf).front() - size);
      parts.push_back(rows(leaf, start, start + size));
    }
    return m_.stack(parts, "", location_);
  }

  /// Carries the sums, which begin with zeros, and the parameters.
  std::optional<AccumulatedGradients> scan() {
    ScanOperands operands;
    for (const ValueId leaf : batch_) operands.stacked.push_back(minibatches(leaf));
    operands.stacked.push_back(keys_);
    std::vector<ValueType> batch = types(operands.stacked);
    batch.pop_back();
    for (ValueType& type : batch) type.tensor = Scan::slice(std::move(type.tensor));
    const std::optional<Derived> derived = derive(batch);
    if (!derived) return std::nullopt;
    const Program function = m_.module().program(derived->function);
    for (const ValueId id : summed(*derived, function.body().results)) {
      const TensorType& type = function.value(id).type.tensor;
      operands.initial.push_back(m_.op(Constant{Rational(0), type.dtype, type.shape}, {}, "", location_));
    }
    const size_t sums = operands.initial.size();
    operands.initial.insert(operands.initial.end(), params_.begin(), params_.end());
    const ScanBody body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
      const auto params = in.carries.begin() + static_cast<std::ptrdiff_t>(sums);
      const std::vector<ValueId> leaves(in.slices.begin(), in.slices.end() - 1);
      const std::vector<ValueId> results = call(*derived, {params, in.carries.end()}, leaves, in.slices.back());
      if (!results.front().valid()) return std::nullopt;
      std::vector<ValueId> next = in.carries;
      const std::vector<ValueId> terms = summed(*derived, results);
      for (size_t k = 0; k < terms.size(); ++k) next[k] = m_.add(in.carries[k], terms[k], "", location_);
      return ScanYield{std::move(next), stacked(*derived, results), location_};
    };
    const std::vector<ValueId> made = m_.builder().scan(operands, body, location_);
    if (!made.front().valid()) return std::nullopt;
    const auto first = made.begin() + static_cast<std::ptrdiff_t>(operands.initial.size());
    return finished(*derived, {made.begin(), made.begin() + static_cast<std::ptrdiff_t>(sums)}, {first, made.end()});
  }

  ModelBuilder& m_;
  const MinibatchLossFn& loss_;
  const std::vector<ValueId>& params_;
  const std::vector<ValueId>& batch_;
  ValueId key_;
  const AccumulateOptions& options_;
  const Location& location_;
  int64_t rows_ = 0;
  ValueId keys_;
};

}  // namespace

std::optional<AccumulatedGradients> accumulate_gradients(ModelBuilder& m, const MinibatchLossFn& loss,
                                                         const std::vector<ValueId>& params,
                                                         const std::vector<ValueId>& batch, ValueId key,
                                                         const AccumulateOptions& options, const Location& location) {
  const auto invalid = [](ValueId v) { return !v.valid(); };
  if (std::any_of(params.begin(), params.end(), invalid) || std::any_of(batch.begin(), batch.end(), invalid)) return {};
  return key.valid() ? Accumulation(m, loss, params, batch, key, options, location).run() : std::nullopt;
}

}  // namespace isoshard
