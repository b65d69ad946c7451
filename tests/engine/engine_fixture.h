#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/plan/passes/plan_builder.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/engine/engine.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "tests/runs_testing.h"

namespace isoshard::sim {

/// A mesh `m` with axes called x, y, z of the given sizes.
inline std::shared_ptr<const Mesh> mesh_of(const std::vector<int64_t>& sizes) {
  std::vector<MeshAxis> axes;
  for (size_t i = 0; i < sizes.size(); ++i) axes.push_back({std::string(1, static_cast<char>('x' + i)), sizes[i]});
  return std::make_shared<Mesh>("m", std::move(axes));
}

inline Group group_of(std::vector<size_t> axes) {
  Group group;
  for (const size_t axis : axes) group.axes.push_back(AxisId(axis));
  return group;
}

inline TensorType f64(Shape shape) { return TensorType{DType::f64, std::move(shape)}; }

inline Value value_of(Shape shape, const std::vector<double>& elements) {
  return from_tensor(Tensor::from<double>(DType::f64, std::move(shape), elements), float_domain());
}

inline std::vector<double> doubles(const Value& value) {
  const auto plane = value.plane<double>(0);
  return {plane.begin(), plane.end()};
}

/// Options under which even the smallest run uses its workers.
inline RunOptions with_workers(int workers, std::optional<uint64_t> seed = std::nullopt) {
  RunOptions options;
  options.workers = workers;
  options.interleave_seed = seed;
  options.small_work = 0;
  return options;
}

/// A hand-written Plan whose every device loads block `position` of the global `x` and stores what it computed.
class PlanTest : public ::testing::Test {
 protected:
  /// A location in a hand-written plan file.
  static Location at(uint32_t line) {
    static const auto file = std::make_shared<const SourceFile>(SourceFile{"plan.txt", ""});
    return Location::span(file, line, 1, 2);
  }
  void start(const std::vector<int64_t>& sizes) {
    mesh_ = mesh_of(sizes);
    builder_ = std::make_unique<PlanBuilder>(mesh_, "p");
    for (size_t i = 0; i < sizes.size(); ++i) everyone_.axes.push_back(AxisId(i));
  }
  int64_t devices() const { return mesh_->device_count(); }
  Expr position() const { return Expr::index_in(everyone_, *mesh_); }

  /// Block `position` of a new global with `per_device` elements per device.
  PlanValueId own_block(std::vector<double> elements) {
    const auto total = static_cast<int64_t>(elements.size());
    const GlobalId id = builder_->add_global(Global{"x", f64({total}), Role::input, Init{}, Location()});
    globals_.push_back(value_of({total}, elements));
    return builder_->load(id, {position()}, {devices()});
  }
  /// Every device stores `value` as its own block of a new output.
  void store_own(PlanValueId value) {
    TensorType type = builder_->type(value);
    type.shape.insert(type.shape.begin(), 1);
    const PlanValueId row = builder_->local(Reshape{type.shape}, {value}, type);
    type.shape[0] = devices();
    std::vector<Expr> block(type.shape.size());
    std::vector<int64_t> count(type.shape.size(), 1);
    block[0] = position();
    count[0] = devices();
    builder_->store(row, builder_->add_output("y" + std::to_string(outputs_++), type), block, count);
  }
  /// Each device squares its own block, a matrix of `size` rows, three times.
  void square_matrices(int64_t devices, int64_t size) {
    start({devices});
    std::vector<double> elements(static_cast<size_t>(devices * size * size));
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i * 7919 % 101) / 101 - 0.5;
    const TensorType matrix = f64({size, size});
    PlanValueId x = builder_->local(Reshape{matrix.shape}, {own_block(elements)}, matrix);
    for (int i = 0; i < 3; ++i) x = builder_->local(DotGeneral{{{1}, {0}}, {}, {}}, {x, x}, matrix);
    store_own(x);
    plan_ = builder_->finish();
  }
  Result<RunResult> run_plan(const RunOptions& options = {}) {
    if (!plan_) plan_ = builder_->finish();
    Result<RunResult> result = run_on_engine(*plan_, float_domain(), globals_, options);
    if (!is_watched(options) && options.workers.caller == nullptr) expect_same_in_step(result);
    return result;
  }
  /// Devices that take each instruction together do as those that go their own ways.
  void expect_same_in_step(const Result<RunResult>& result) const {
    const Result<RunResult> other = run(*plan_, float_domain(), globals_);
    ASSERT_EQ(other.has_value(), result.has_value());
    if (!result) {
      EXPECT_EQ(other.error().message, result.error().message);
      return;
    }
    EXPECT_TRUE(testing::same_outputs(*other, *result));
  }
  /// The diagnostic of a run as lines `file:line: message`, the same for all workers and interleavings.
  std::string failure_text() {
    std::string first;
    for (const int workers : {1, 2, 8}) {
      for (uint64_t seed = 0; seed < 5; ++seed) {
        const Result<RunResult> result =
            run_plan(with_workers(workers, seed == 0 ? std::nullopt : std::optional<uint64_t>(seed)));
        if (result.has_value()) return "no failure";
        const Diagnostic& d = result.error();
        std::string text = d.location.to_string() + ": " + d.message + " [" + d.rule + "]\n";
        for (const Note& note : d.notes) text += note.location.to_string() + ": " + note.message + "\n";
        if (first.empty()) first = text;
        EXPECT_EQ(text, first);
      }
    }
    return first;
  }
  /// The elements that device `position` stored as output `output`.
  static std::vector<double> stored(const RunResult& result, size_t output, size_t position) {
    return doubles(result.outputs[output][position].value);
  }

  std::shared_ptr<const Mesh> mesh_;
  Group everyone_;
  std::unique_ptr<PlanBuilder> builder_;
  std::optional<Plan> plan_;
  std::vector<Value> globals_;
  size_t outputs_ = 0;
};

}  // namespace isoshard::sim
