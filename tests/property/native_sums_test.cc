// Sums over devices with `precision=native`: the bits of the definition on random meshes, and the bound that holds in
// whatever order a library adds (docs/adr/0054-precision-of-collectives.md).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"

namespace isoshard::sim::native_sums_test {
namespace {

constexpr size_t kColumns = 4;

/// The significant bits of bf16 and f16.
int digits(DType dtype) { return dtype == DType::bf16 ? 8 : 11; }

/// The nearest number of so many significant bits, ties to even. Numbers here are far from the ends of both ranges.
double nearest(double x, int digits) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
}

/// A double holds the sum of two terms exactly, so each add is rounded once.
double rounded_sum(const std::vector<double>& terms, DType dtype) {
  double sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) sum = nearest(sum + terms[i], digits(dtype));
  return sum;
}

/// n - 1 roundings, each of at most half a unit of a partial sum.
double bound(const std::vector<double>& terms, DType dtype) {
  const double magnitude =
      std::accumulate(terms.begin(), terms.end(), 0.0, [](double sum, double term) { return sum + std::fabs(term); });
  const double unit = std::ldexp(1.0, -digits(dtype)), n = static_cast<double>(terms.size());
  return (n - 1) * unit * std::pow(1 + unit, n - 1) * magnitude;
}

/// A mesh of two axes, and a row of numbers of `dtype` for each of its devices.
struct Case {
  int64_t a, b;
  DType dtype;
  std::vector<std::vector<double>> rows;

  size_t devices() const { return static_cast<size_t>(a * b); }
  /// What the members of the group over all devices bring for one column, in the order of (a, b) or of (b, a).
  std::vector<double> terms(size_t column, bool b_first) const {
    std::vector<double> result;
    for (int64_t i = 0; i < a * b; ++i) {
      const int64_t position = b_first ? i % a * b + i / a : i;
      result.push_back(rows[static_cast<size_t>(position)][column]);
    }
    return result;
  }
};

Case draw_case(std::mt19937& random) {
  const auto draw = [&](int64_t low, int64_t high) { return std::uniform_int_distribution(low, high)(random); };
  Case c{draw(1, 4), draw(1, 4), draw(0, 1) == 0 ? DType::bf16 : DType::f16, {}};
  for (size_t d = 0; d < c.devices(); ++d) {
    c.rows.emplace_back();
    for (size_t k = 0; k < kColumns; ++k) {
      const double significand = static_cast<double>(draw(-(1 << digits(c.dtype)), 1 << digits(c.dtype)));
      c.rows.back().push_back(nearest(std::ldexp(significand, static_cast<int>(draw(-12, -4))), digits(c.dtype)));
    }
  }
  return c;
}

/// Sums over all devices: whole, and of as many copies as there are devices, one for each.
std::string program_text(const Case& c, bool b_first) {
  const std::string axes = b_first ? "(b, a)" : "(a, b)", dtype(name(c.dtype));
  std::string copies = "%t";
  for (size_t i = 1; i < c.devices(); ++i) copies += ", %t";
  return "isoshard 1\nmesh @m [a=" + std::to_string(c.a) + ", b=" + std::to_string(c.b) + "]\nglobal @x : " + dtype +
         "[" + std::to_string(c.devices()) + ", " + std::to_string(kColumns) +
         "] input\nprogram @p on @m {\n  %x = view @x [(a, b), -]\n  %t = reinterpret %x {axis=(a, b), to=P}\n"
         "  %y = all_reduce %t {axis=" +
         axes + ", to=R, precision=native}\n  %c = concatenate " + copies +
         " {dim=1}\n  %z = reduce_scatter %c {axis=" + axes +
         ", dim=1, precision=native}\n  return @y = %y [-, -]\n  return @z = %z [-, " + axes + "]\n}\n";
}

struct Sums {
  std::vector<std::vector<double>> whole, blocks;  ///< by position
};

std::vector<double> numbers(const Value& value) {
  const auto plane = value.plane<float>(0);
  return {plane.begin(), plane.end()};
}

Sums simulate(const Case& c, bool b_first, uint64_t seed) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"t.shard", program_text(c, b_first)});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  if (!module) return {};
  std::vector<double> flat;
  for (const auto& row : c.rows) flat.insert(flat.end(), row.begin(), row.end());
  RunOptions options;
  options.workers = 2;
  options.interleave_seed = seed;
  options.small_work = 0;
  const Plan plan = lower(*module, *module->find_program("p"));
  const Result<RunResult> result =
      run(plan, float_domain(), {from_doubles(module->globals[0].type, flat, float_domain())}, options);
  Sums sums;
  if (!result) return sums;
  for (const auto& block : result->outputs[0]) sums.whole.push_back(numbers(block.value));
  for (const auto& block : result->outputs[1]) sums.blocks.push_back(numbers(block.value));
  return sums;
}

RC_GTEST_PROP(NativeSums, HaveTheBitsOfTheirDefinition, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  std::mt19937 random(seed);
  const Case c = draw_case(random);
  const bool b_first = random() % 2 == 0;
  const Sums sums = simulate(c, b_first, seed);
  RC_ASSERT(sums.whole.size() == c.devices() && sums.blocks.size() == c.devices());
  for (size_t p = 0; p < c.devices(); ++p) {
    for (size_t k = 0; k < kColumns; ++k) {
      const double expected = rounded_sum(c.terms(k, b_first), c.dtype);
      RC_ASSERT(sums.whole[p][k] == expected);
      RC_ASSERT(sums.blocks[p][k] == expected);
    }
  }
}

/// NCCL adds in cyclic orders from a rank that depends on the place; the bound is that of any order.
RC_GTEST_PROP(NativeSums, StayWithinTheirBoundInAnyOrder, ()) {
  std::mt19937 random(*rc::gen::arbitrary<uint32_t>());
  const Case c = draw_case(random);
  for (size_t k = 0; k < kColumns; ++k) {
    std::vector<double> terms = c.terms(k, false);
    const double exact = std::accumulate(terms.begin(), terms.end(), 0.0), most = bound(terms, c.dtype);
    for (size_t i = 0; i < terms.size(); ++i) {
      std::rotate(terms.begin(), terms.begin() + 1, terms.end());
      RC_ASSERT(std::fabs(rounded_sum(terms, c.dtype) - exact) <= most);
    }
    for (int i = 0; i < 20; ++i) {
      std::shuffle(terms.begin(), terms.end(), random);
      RC_ASSERT(std::fabs(rounded_sum(terms, c.dtype) - exact) <= most);
    }
  }
}

/// One rounding is not the bound: five halves of a unit are lost one by one.
TEST(NativeSums, OneRoundingIsNoBound) {
  const std::vector<double> terms{256, 1, 1, 1, 1, 1};
  EXPECT_EQ(rounded_sum(terms, DType::bf16), 256);
  EXPECT_GT(261 - 256, 261 * std::ldexp(1.0, -8));
  EXPECT_LE(261 - 256, bound(terms, DType::bf16));
}

}  // namespace
}  // namespace isoshard::sim::native_sums_test
