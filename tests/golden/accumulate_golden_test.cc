// Gradient accumulation: every case of accumulate.json, as a loop of calls and as a scan.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/value/threefry.h"
#include "parallel/training/accumulate_gradients.h"
#include "tests/golden/golden.h"
#include "tests/golden/program_run.h"
#include "tests/golden/same_bits.h"
#include "verify/check.h"

namespace isoshard::golden::accumulate_golden_test {
namespace {

constexpr double kAbsolute = 1e-6, kRelative = 1e-5;

ValueId total(ModelBuilder& m, ValueId x) {
  std::vector<int64_t> dims;
  for (size_t d = 0; d < m.shape(x).size(); ++d) dims.push_back(static_cast<int64_t>(d));
  return m.op(Reduce{Reducer::add, std::move(dims), {}}, {x});
}

ValueId number(ModelBuilder& m, int64_t value) { return m.op(Constant{Rational(value), DType::f32, {}}, {}); }

/// err of each row: sum over j of (x w + b (+ noise) - target)^2.
ValueId errors(ModelBuilder& m, const std::vector<ValueId>& params, const std::vector<ValueId>& batch, ValueId key,
               bool noisy) {
  const ValueId inputs = batch[0], targets = batch[1];
  ValueId y = m.matmul(inputs, params[1]);
  y = m.add(y, m.broadcast_rows(params[0], m.shape(y).front()));
  if (noisy) y = m.add(y, normal(m, key, Draw{m.shape(y)}));
  const ValueId error = m.op(Subtract{}, {y, targets});
  return m.op(Reduce{Reducer::add, {1}, {}}, {m.multiply(error, error)});
}

/// The losses of the data: plain, noise, none (without mutables) and weighted.
MinibatchLossFn loss_of(const std::string& kind) {
  return [kind](ModelBuilder& m, const std::vector<ValueId>& params, const std::vector<ValueId>& batch, ValueId key) {
    const ValueId error = errors(m, params, batch, key, kind == "noise");
    const bool weighted = kind == "weighted";
    const ValueId sum = total(m, weighted ? m.multiply(error, batch[2]) : error);
    const ValueId count = weighted ? total(m, batch[2]) : number(m, m.shape(error).front());
    MinibatchLoss result{m.op(Divide{}, {sum, count}), {sum, count, total(m, batch[0])}};
    if (kind != "none") result.mutables = {error, m.op(BitcastConvert{DType::u32}, {key})};
    return result;
  };
}

/// Runs the accumulation on the arrays of a case; outputs by the names of its fields.
std::map<std::string, Tensor> run_case(const Json& c, const MinibatchLossFn& loss,
                                       const std::vector<std::string>& mutables) {
  ProgramRun run;
  std::vector<ValueId> params, batch;
  for (const Json& leaf : c.at("params")) {
    params.push_back(run.input(leaf.at("path"), array(leaf), Role::param));
  }
  for (const char* name : {"inputs", "targets", "weight"}) {
    if (c.at("batch").contains(name)) batch.push_back(run.input(name, array(c.at("batch").at(name)), Role::constant));
  }
  const uint64_t words = threefry::to_key({c.at("key").at(0).get<uint32_t>(), c.at("key").at(1).get<uint32_t>()});
  const ValueId key = run.input("key", Tensor::from<uint64_t>(DType::key, {}, std::vector{words}), Role::key);
  const AccumulateOptions options{c.at("num_minibatches"), c.at("use_scan")};
  const auto made = accumulate_gradients(run.m(), loss, params, batch, key, options);
  if (!made) throw std::runtime_error(run.messages());
  run.output("b", made->gradients[0]);
  run.output("w", made->gradients[1]);
  const char* const metrics[] = {"loss/0", "loss/1", "last_input"};
  for (size_t i = 0; i < made->metrics.size(); ++i) run.output("metric" + std::to_string(i), made->metrics[i]);
  for (size_t i = 0; i < made->mutables.size(); ++i) run.output(mutables.at(i), made->mutables[i]);
  std::map<std::string, Tensor> result;
  for (auto& [name, arrays] : run.run()) {
    const bool metric = name.rfind("metric", 0) == 0;
    result[metric ? metrics[name.back() - '0'] : name] = arrays.front();
  }
  return result;
}

void accumulate_case(const Json& c) {
  const std::map<std::string, Tensor> made = run_case(c, loss_of(c.at("loss")), {"err", "key"});
  for (const char* field : {"grads", "metrics", "mutable"}) {
    if (c.at(field).is_null()) continue;
    for (const Json& leaf : c.at(field)) {
      const std::string path = leaf.at("path");
      const Tensor expected = array(leaf);
      const bool exact = expected.dtype() != DType::f32;
      EXPECT_TRUE(exact ? same_bits(made.at(path), expected) : close(made.at(path), expected, kAbsolute, kRelative))
          << path;
    }
  }
  EXPECT_EQ(made.contains("err"), !c.at("mutable").is_null());
}

/// A leaf with fewer rows than the others: shorter parts in a loop, parts that start earlier in a scan.
void short_leaf_case(const Json& c) {
  ProgramRun run;
  const std::vector<ValueId> batch{run.input("inputs", array(c.at("inputs")), Role::constant),
                                   run.input("weight", array(c.at("weight")), Role::constant)};
  const ValueId w = run.input("w", Tensor::from<float>(DType::f32, {}, std::vector{1.0F}), Role::param);
  const ValueId key = run.input("key", Tensor::from<uint64_t>(DType::key, {}, std::vector<uint64_t>{0}), Role::key);
  const MinibatchLossFn loss = [](ModelBuilder& m, const std::vector<ValueId>& params,
                                  const std::vector<ValueId>& leaves, ValueId) {
    const ValueId length = m.op(Constant{Rational(m.shape(leaves[1]).front()), DType::i32, {}}, {});
    return MinibatchLoss{m.multiply(params[0], total(m, leaves[0])), {}, {length, total(m, leaves[1])}};
  };
  const AccumulateOptions options{c.at("num_minibatches"), c.at("use_scan")};
  const auto made = accumulate_gradients(run.m(), loss, {w}, batch, key, options);
  ASSERT_TRUE(made.has_value()) << run.messages();
  run.output("weight_len", made->mutables[0]);
  run.output("weight_sum", made->mutables[1]);
  auto outputs = run.run();
  for (const Json& leaf : c.at("mutable")) {
    EXPECT_TRUE(same_bits(outputs.at(leaf.at("path")).front(), array(leaf))) << leaf.at("path");
  }
}

/// No minibatches are an error; a metric that is a text cannot be written down here.
void error_case(const Json& c) {
  const std::string name = c.at("name");
  if (name.find("string_metric") != std::string::npos) {
    EXPECT_TRUE(c.at("error").is_null() || c.at("error").at("type") == "TypeError") << "about the type of a metric";
    return;
  }
  ProgramRun run;
  const ValueId x = run.input("x", Tensor::from<float>(DType::f32, {2, 1}, std::vector{1.0F, 2.0F}), Role::param);
  const ValueId key = run.input("key", Tensor::from<uint64_t>(DType::key, {}, std::vector<uint64_t>{0}), Role::key);
  const AccumulateOptions options{0, name.find("scan") != std::string::npos};
  run.output("x", x);
  EXPECT_FALSE(accumulate_gradients(run.m(), loss_of("plain"), {x}, {x}, key, options).has_value());
  EXPECT_EQ(run.messages(), "C-accumulate accumulate_gradients: 0 minibatches; expected at least 1\n");
}

void run(const Json& c) {
  const std::string op = c.at("op");
  op == "error" ? error_case(c) : op == "short_leaf" ? short_leaf_case(c) : accumulate_case(c);
}

TEST(Golden, Accumulate) { run_family("accumulate", 38, "", run); }

/// @whole or an accumulation over `minibatches`, whose gradients update the parameters by outputs of their names.
std::optional<ProgramId> gradients(Module& module, DiagnosticSink& sink, const std::string& name, int64_t minibatches,
                                   bool use_scan, const std::string& kind) {
  ModelBuilder m(module, name, std::make_shared<const Mesh>(), sink);
  const auto view = [&](const char* global) {
    const GlobalId id = *module.find_global(global);
    return m.view(id, Layout(module.global(id).type.shape.size()), global);
  };
  const std::vector<ValueId> params{view("b"), view("w")}, batch{view("x"), view("t"), view("weight")};
  const auto made = accumulate_gradients(m, loss_of(kind), params, batch, view("key"), {minibatches, use_scan});
  if (!made) return std::nullopt;
  m.output("b", made->gradients[0], Layout(1));
  m.output("w", made->gradients[1], Layout(2));
  return m.finish();
}

/// The verdict about `minibatches` in a loop or a scan against the whole batch in one.
int compared(const std::string& kind, int64_t minibatches, bool use_scan) {
  Module module;
  DiagnosticSink sink;
  declare(module, "b", {2}, Role::param, InitKind::normal);
  declare(module, "w", {3, 2}, Role::param, InitKind::normal);
  declare(module, "x", {6, 3}, Role::input, InitKind::normal);
  declare(module, "t", {6, 2}, Role::input, InitKind::normal);
  declare(module, "weight", {6}, Role::input, InitKind::normal);
  module.globals.push_back(Global{"key", TensorType{DType::key, {}}, Role::key, {}, {}});
  const auto parts = gradients(module, sink, "parts", minibatches, use_scan, kind);
  const auto whole = gradients(module, sink, "whole", 1, false, kind);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return verify::check(module, Check{parts.value(), whole.value(), {}}).exit_code();
}

/// A plain mean is the mean of the minibatches' means; a weighted one is not (mean of means).
TEST(AccumulateGradients, AreThoseOfTheWholeBatchForAPlainMean) {
  for (const bool use_scan : {false, true}) {
    for (const int64_t minibatches : {1, 2, 3, 6}) {
      EXPECT_EQ(compared("plain", minibatches, use_scan), 0) << minibatches << (use_scan ? " scan" : " loop");
    }
    EXPECT_EQ(compared("weighted", 1, use_scan), 0);
    EXPECT_EQ(compared("weighted", 3, use_scan), 1) << "a mean of means";
    EXPECT_EQ(compared("noise", 2, use_scan), 1) << "other keys";
    EXPECT_EQ(compared("plain", 4, use_scan), 1) << "two rows are dropped";
  }
}

}  // namespace
}  // namespace isoshard::golden::accumulate_golden_test
