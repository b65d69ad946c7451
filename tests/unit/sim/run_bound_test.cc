// Runs that round in their dtypes and add in random orders stay within their bounds: random programs, the models of the
// catalogue in several dtypes; and a wrong result does not.
#include "sim/domains/floats/run_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>

#include "catalogue/catalogue.h"
#include "core/ir/scalar/format.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/array_difference.h"
#include "sim/run/assemble.h"
#include "sim/run/draw.h"
#include "sim/value/typed_bytes.h"
#include "tests/nightly.h"
#include "tests/property/random_plan.h"

namespace isoshard::sim::run_bound_test {
namespace {

using Answer = ArrayDifference::Answer;
using isoshard::testing::cases;
using isoshard::testing::random_plan;

/// Floats as written, but sums and products are added in an order that differs from element to element, and sums over
/// devices are rounded after each term, as NCCL does.
class AnyOrder final : public FloatDomain {
 public:
  /// With `tf32`, products of f32 round their operands to 11 bits, or cut them off.
  explicit AnyOrder(uint64_t seed, bool tf32 = false) : seed_(seed), tf32_(tf32) {}

  const isoshard::sim::InPlaceDot* in_place_dot() const override { return nullptr; }

  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override {
    if (dtype == DType::f64) {
      dot_in(m, n, k, as<double>(a), as<double>(b), as<double>(out));
    } else if (tf32_ && dtype == DType::f32) {
      dot_in(m, n, k, in_tf32(m * k, as<float>(a)).data(), in_tf32(k * n, as<float>(b)).data(), as<float>(out));
    } else {
      dot_in(m, n, k, as<float>(a), as<float>(b), as<float>(out));
    }
    finish_sum(dtype, m * n, out);
  }

  /// Of a random half, plus that of the other.
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override {
    const DType wide = dtype == DType::f64 ? DType::f64 : DType::f32;
    const auto bytes = static_cast<int64_t>(storage(wide).element_bytes);
    const int64_t n = plan.input_size();
    std::vector<std::byte> one(x, x + n * bytes), other = one;
    std::vector<std::byte> second(static_cast<size_t>(plan.output_size() * bytes));
    std::mt19937_64 random(seed_);
    for (int64_t i = 0; i < n; ++i) {
      std::vector<std::byte>& out_of = (random() & 1) != 0 ? one : other;
      std::fill_n(out_of.data() + i * bytes, bytes, std::byte{0});
    }
    FloatDomain::sum(wide, plan, one.data(), out);
    FloatDomain::sum(wide, plan, other.data(), second.data());
    FloatDomain::binary(BinaryOp::add, wide, plan.output_size(), out, second.data(), out);
    FloatDomain::finish_sum(dtype, plan.output_size(), out);
  }

  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override {
    FloatDomain::accumulate(dtype, n, acc, x);
    FloatDomain::finish_sum(dtype, n, acc);
  }

  void add_up(DType dtype, int64_t n, std::span<const std::byte* const> terms, std::byte* out) const override {
    Domain::add_up(dtype, n, terms, out);
  }

 private:
  template <class T>
  void dot_in(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* out) const {
    std::vector<int64_t> order(static_cast<size_t>(k));
    for (int64_t i = 0; i < k; ++i) order[static_cast<size_t>(i)] = i;
    std::mt19937_64 random(seed_);
    for (int64_t i = 0; i < m; ++i) {
      std::shuffle(order.begin(), order.end(), random);
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (const int64_t t : order) sum = sum + a[i * k + t] * b[t * n + j];
        out[i * n + j] = scalar::canonical(sum);
      }
    }
  }

  std::vector<float> in_tf32(int64_t n, const float* x) const {
    std::vector<float> taken(x, x + n);
    taken.push_back(0);  // never without memory
    for (float& value : taken) {
      if (!std::isfinite(value)) continue;
      const uint32_t up = seed_ % 2 == 0 ? 0x1000 : 0;
      value = std::bit_cast<float>((std::bit_cast<uint32_t>(value) + up) & ~uint32_t{0x1fff});
    }
    return taken;
  }

  uint64_t seed_;
  bool tf32_;
};

std::vector<Tensor> draw(const Plan& plan, uint64_t seed) {
  std::vector<Tensor> globals;
  for (const Global& global : plan.globals) globals.push_back(draw_global(global, seed));
  return globals;
}

std::optional<RunResult> run_in(const Plan& plan, const Domain& domain, const std::vector<Tensor>& globals) {
  std::vector<Value> values;
  for (const Tensor& global : globals) values.push_back(from_tensor(global, domain));
  Result<RunResult> result = run(plan, domain, values, {});
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

/// How many float elements have bounds, over all programs of a test.
struct Counts {
  int64_t elements = 0, bounded = 0, other_bits = 0;
  double of_bound = 0;
};

void expect_bounded(const Plan& plan, uint64_t seed, const std::string& name, Counts& counts, bool tf32 = false) {
  const std::vector<Tensor> globals = draw(plan, seed);
  const RunBoundDomain bounds(plan.mesh->device_count(), tf32);
  const AnyOrder any(seed, tf32);
  const Domain& sim = float_domain();
  const auto bound = run_in(plan, bounds, globals), other = run_in(plan, any, globals),
             of_sim = run_in(plan, sim, globals);
  if (!bound || !other || !of_sim || bounds.ties() != 0) return;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const TensorType& type = plan.outputs[o].type;
    if (!is_float(type.dtype)) continue;
    const Value value = assemble(type, bound->outputs[o]).value;
    const auto values = value.plane<double>(0), errors = value.plane<double>(1);
    const ElementBounds elements{{values.begin(), values.end()}, {errors.begin(), errors.end()}};
    const auto array = [&](const RunResult& run, const Domain& domain) {
      return to_tensor(assemble(type, run.outputs[o]).value, domain);
    };
    counts.elements += static_cast<int64_t>(errors.size());
    counts.bounded += std::count_if(errors.begin(), errors.end(), [](double e) { return e < INFINITY; });
    for (const Tensor& one : {array(*other, any), array(*of_sim, sim)}) {
      const ArrayDifference difference = difference_of(one, array(*of_sim, sim), elements);
      EXPECT_NE(difference.answer, Answer::differs)
          << name << " @" << plan.outputs[o].name << " " << to_string(type.dtype, type.shape) << " of bound "
          << difference.of_bound << " largest " << difference.absolute;
      counts.other_bits += difference.differing;
      counts.of_bound = std::max(counts.of_bound, difference.of_bound);
    }
    for (size_t i = 0; i < errors.size(); ++i) {
      const double x = number_at(array(*of_sim, sim), i);
      if (!(errors[i] < INFINITY) || !std::isfinite(x)) continue;
      EXPECT_LE(std::fabs(x - values[i]), errors[i]) << name << " @" << plan.outputs[o].name << " at " << i;
    }
  }
}

TEST(RunBound, HoldsForRandomPrograms) {
  Counts counts;
  for (uint64_t seed = 0; seed < cases(400); ++seed) {
    expect_bounded(random_plan(seed), seed, "seed " + std::to_string(seed), counts);
  }
  std::printf("%lld elements, %lld with a bound, %lld with other bits, at most %.3g of the bound\n",
              static_cast<long long>(counts.elements), static_cast<long long>(counts.bounded),
              static_cast<long long>(counts.other_bits), counts.of_bound);
  EXPECT_GT(counts.bounded, counts.elements / 2);
  EXPECT_GT(counts.other_bits, 0);
}

void expect_catalogue_bounded(bool tf32) {
  Counts counts;
  for (const ModelInfo& model : catalogue()) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model({model.name, {}, {}}, sink);
    ASSERT_TRUE(module.has_value()) << model.name;
    for (size_t p = 0; p < module->programs.size(); ++p) {
      if (module->programs[p].kind() != ProgramKind::program) continue;
      const Plan plan = lower(*module, ProgramId(p));
      double size = 0;
      for (const Global& global : plan.globals) size += static_cast<double>(element_count(global.type.shape));
      if (size < 1e5) expect_bounded(plan, 1, model.name + " @" + plan.program, counts, tf32);
    }
  }
  std::printf("%lld elements, %lld with a bound, %lld with other bits, at most %.3g of the bound\n",
              static_cast<long long>(counts.elements), static_cast<long long>(counts.bounded),
              static_cast<long long>(counts.other_bits), counts.of_bound);
  EXPECT_GT(counts.bounded, counts.elements / 2);
  EXPECT_GT(counts.other_bits, 0);
}

TEST(RunBound, HoldsForTheCatalogue) { expect_catalogue_bounded(false); }
TEST(RunBound, HoldsForTheCatalogueInTf32) { expect_catalogue_bounded(true); }

/// `body` makes %y of the f32[8] %x.
void expect_rule(const std::string& dtype, const std::string& body, Counts& counts) {
  const std::string text = "isoshard 1\nmesh @m [d=2]\nglobal @x : " + dtype +
                           "[2, 8] input\nprogram @p on @m {\n  %x = view @x [d, -]\n" + body +
                           "  return @y = %y [-, -]\n}\n";
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"rule.shard", text});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << text << render(d);
  if (!module) return;
  const Plan plan = lower(*module, ProgramId(0));
  for (uint64_t seed = 0; seed < 20; ++seed) expect_bounded(plan, seed, dtype + "\n" + body, counts);
}

TEST(RunBound, HoldsForNarrowFloats) {
  Counts counts;
  for (const std::string dtype : {"f32", "bf16", "f16", "f64", "f8e5m2", "f8e4m3"}) {
    for (const std::string op : {"exponential", "tanh", "logistic", "sine", "cosine"}) {
      expect_rule(dtype, "  %a = " + op + " %x\n  %b = multiply %a, %x\n  %y = all_reduce %b {axis=d}\n", counts);
    }
  }
  EXPECT_GT(counts.bounded, counts.elements / 2);
}

/// One element of a domain: its value, then its bound.
struct Element {
  double value;
  double error;
};

Element binary(const RunBoundDomain& domain, BinaryOp op, DType dtype, Element x, Element y) {
  Element result{};
  domain.binary(op, dtype, 1, reinterpret_cast<const std::byte*>(&x), reinterpret_cast<const std::byte*>(&y),
                reinterpret_cast<std::byte*>(&result));
  return result;
}

TEST(RunBound, RulesOneByOne) {
  const RunBoundDomain domain(2);
  EXPECT_EQ(binary(domain, BinaryOp::add, DType::f32, {3, 0}, {4, 0}).error, 0);
  EXPECT_GE(binary(domain, BinaryOp::add, DType::f32, {0x1p24, 0}, {1, 0}).error, 1);  // does not fit an f32
  EXPECT_GE(binary(domain, BinaryOp::add, DType::bf16, {256, 0}, {1, 0}).error, 1);
  EXPECT_GE(binary(domain, BinaryOp::divide, DType::f32, {1, 0}, {3, 0}).error, 0x1p-24 / 3);
  EXPECT_LE(binary(domain, BinaryOp::divide, DType::f32, {1, 0}, {3, 0}).error, 0x1.1p-24 / 3);
  EXPECT_EQ(binary(domain, BinaryOp::multiply, DType::f32, {1e30, 0}, {1e30, 0}).error, INFINITY);      // overflows
  EXPECT_EQ(binary(domain, BinaryOp::multiply, DType::f32, {0, 0}, {1e60, INFINITY}).error, INFINITY);  // 0 inf
  EXPECT_EQ(binary(domain, BinaryOp::divide, DType::f32, {1, 0}, {0, 0}).error, INFINITY);     // 0 has lost its sign
  EXPECT_EQ(binary(domain, BinaryOp::divide, DType::f8e4m3, {1, 0}, {0, 0}).error, INFINITY);  // which has none
}

/// The bound of the product of one number and 1.
double bound_of_product(bool tf32, DType dtype, Element x) {
  const RunBoundDomain domain(2, tf32);
  const Element one{1, 0};
  Element result{};
  domain.dot(dtype, 1, 1, 1, reinterpret_cast<const std::byte*>(&x), reinterpret_cast<const std::byte*>(&one),
             reinterpret_cast<std::byte*>(&result));
  return result.error;
}

TEST(RunBound, OperandsInTf32Have11Bits) {
  const double more = 1 + 0x1p-11;
  EXPECT_LT(bound_of_product(false, DType::f32, {more, 0}), 0x1p-20);
  EXPECT_GE(bound_of_product(true, DType::f32, {more, 0}), 0x1p-11);  // 1 in its place, or 1 + 2^-10
  EXPECT_LE(bound_of_product(true, DType::f32, {more, 0}), 0x1.1p-10);
  EXPECT_EQ(bound_of_product(true, DType::f32, {2047, 0}), 0);
  EXPECT_GE(bound_of_product(true, DType::f32, {2049, 0}), 1);
  EXPECT_GE(bound_of_product(true, DType::f32, {2047, 0x1p-30}), 1);  // it may be another number
  EXPECT_LT(bound_of_product(true, DType::f64, {more, 0}), 0x1p-40);
  EXPECT_EQ(bound_of_product(true, DType::f32, {0x1.FFFFFEp127, 0}), INFINITY);  // rounded up it is infinite
}

}  // namespace
}  // namespace isoshard::sim::run_bound_test
