#include "bench/planned.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/check.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/value/new_value.h"

namespace isoshard::bench {
namespace {

constexpr size_t kPiece = 4096;

double small_number(size_t i) { return (static_cast<double>(i * 7919 % 13) - 6) / 64; }

sim::Value value_of_small_numbers(const TensorType& type) {
  if (type.dtype == DType::key)
    return sim::from_tensor(Tensor::from<uint64_t>(DType::key, {}, std::vector<uint64_t>{0}), sim::float_domain());
  const sim::Domain& domain = sim::float_domain();
  if (!is_float(type.dtype)) {
    std::vector<double> elements(static_cast<size_t>(element_count(type.shape)));
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = small_number(i);
    return sim::from_doubles(type, elements, domain);
  }
  // Piece by piece: a row's peak of memory is to be that of its run.
  sim::NewValue value(type, domain.storage(type.dtype));
  std::array<double, kPiece> piece{};
  for (size_t begin = 0; begin < static_cast<size_t>(value.size()); begin += kPiece) {
    const size_t count = std::min(kPiece, static_cast<size_t>(value.size()) - begin);
    for (size_t i = 0; i < count; ++i) piece[i] = small_number(begin + i);
    domain.from_doubles(type.dtype, static_cast<int64_t>(count), piece.data(),
                        value.data.get() + begin * value.storage.element_bytes);
  }
  return std::move(value).finish();
}

}  // namespace

std::vector<sim::Value> small_numbers(const Plan& plan) {
  std::vector<sim::Value> globals;
  for (const Global& global : plan.globals) globals.push_back(value_of_small_numbers(global.type));
  return globals;
}

Module model(const ModelRequest& request) {
  DiagnosticSink sink;
  std::optional<Module> module = make_model(request, sink);
  ISOSHARD_CHECK(module.has_value(), "the catalogue makes this model");
  return std::move(*module);
}

Planned planned_model(const ModelRequest& request, Side side) {
  const Module module = model(request);
  const Check& check = module.checks.front();
  Plan plan = lower(module, side == Side::sharded ? check.left : check.right);
  std::vector<sim::Value> globals = small_numbers(plan);
  return Planned{std::move(plan), std::move(globals)};
}

}  // namespace isoshard::bench
