// Fused chains give the bits of ops one by one: random programs of elementwise ops, with broadcasts, transposes, other
// shapes and dtypes, sums, joins and products between them, in as little memory as a plan finds, so that what nothing
// reads any more is soon written over.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/plan/memory/plan_memory.h"
#include "core/support/result.h"
#include "sim/lockstep/run.h"
#include "tests/nightly.h"
#include "tests/property/fused_runs.h"
#include "tests/property/generator/dice.h"

namespace isoshard::fusion_test {
namespace {

using calls::CallList;
using isoshard::testing::along_rows;
using isoshard::testing::count_of;
using isoshard::testing::Dice;
using isoshard::testing::list_of;
using isoshard::testing::plan_of;
using isoshard::testing::rows;
using isoshard::testing::run;

struct Value {
  std::string name, dtype;
  std::vector<int64_t> shape;
};

std::string text_of(const std::vector<int64_t>& shape) {
  std::string text("[");
  for (size_t d = 0; d < shape.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
  return text += "]";
}

/// Writes a program of one device, op by op.
class Writer {
 public:
  explicit Writer(uint64_t seed, bool with_products = false) : dice_(seed), with_products_(with_products) {
    const int64_t rows = dice_.in(2, 3), columns = dice_.chance(10) ? 4100 : dice_.in(2, 6);
    shapes_ = {{}, {columns}, {rows, columns}, {columns, rows}, {rows * columns}};
  }

  std::string write() {
    std::string globals;
    for (const char* const dtype : {"f32", "f32", "bf16", "i32"}) {
      Value global{"x" + std::to_string(values_.size()), dtype, dice_.pick(shapes_)};
      globals += "global @" + global.name + " : " + dtype + text_of(global.shape) + " input\n";
      std::string dims;
      for (size_t d = 0; d < global.shape.size(); ++d) dims += d == 0 ? "-" : ", -";
      line("view @" + global.name + " [" + dims + "]", global);
    }
    const int64_t ops = dice_.in(4, 40);
    for (int64_t i = 0; i < ops; ++i) op();
    return "isoshard 1\nmesh @m [x=1]\n" + globals + "program @p on @m {\n" + body_ + returns() + "}\n";
  }

 private:
  Value line(const std::string& text, Value value) {
    value.name = "v" + std::to_string(values_.size());
    body_ += "  %" + value.name + " = " + text + "\n";
    values_.push_back(value);
    return value;
  }

  /// The last values that are not scalars, which have lived longest.
  std::string returns() {
    std::string text;
    for (size_t i = 0; i < 2; ++i) {
      const Value& value = values_[values_.size() - 1 - i];
      std::string dims;
      for (size_t d = 0; d < value.shape.size(); ++d) dims += d == 0 ? "-" : ", -";
      text += "  return @r" + std::to_string(i) + " = %" + value.name + " [" + dims + "]\n";
    }
    return text;
  }

  /// One of the last values, so that chains are long; else any.
  Value some() {
    const size_t last = std::min<size_t>(values_.size(), 3);
    return dice_.chance(60) ? values_[values_.size() - 1 - dice_.below(last)] : dice_.pick(values_);
  }

  Value as(const Value& value, const std::string& dtype) {
    if (value.dtype == dtype) return value;
    return line("convert %" + value.name + " {dtype=" + dtype + "}", {"", dtype, value.shape});
  }
  Value constant(const std::string& dtype) {
    const std::string number = dtype == "i32" ? std::to_string(dice_.in(-3, 5)) : dice_.pick(kNumbers);
    return line("constant {value=" + number + ", dtype=" + dtype + "}", {"", dtype, {}});
  }
  Value shaped(const Value& value, const std::vector<int64_t>& shape) {
    if (value.shape == shape) return value;
    const auto to = [&](const std::string& op) { return line(op, {"", value.dtype, shape}); };
    const std::string name = "%" + value.name;
    if (value.shape.empty()) return to("broadcast_in_dim " + name + " {dims=[], shape=" + text_of(shape) + "}");
    if (element_count(value.shape) == element_count(shape)) {
      if (value.shape.size() == 2 && shape.size() == 2 && dice_.chance(50)) {
        return to("transpose " + name + " {permutation=[1, 0]}");
      }
      return to("reshape " + name + " {shape=" + text_of(shape) + "}");
    }
    for (size_t d = 0; d < shape.size() && value.shape.size() == 1; ++d) {
      if (shape[d] != value.shape[0]) continue;
      return to("broadcast_in_dim " + name + " {dims=[" + std::to_string(d) + "], shape=" + text_of(shape) + "}");
    }
    std::string dims("[");
    for (size_t d = 0; d < value.shape.size(); ++d) dims += (d == 0 ? "" : ", ") + std::to_string(d);
    if (value.dtype == "pred") return shaped(as(value, "i32"), shape);
    const Value largest = line("reduce " + name + " {op=max, dims=" + dims + "]}", {"", value.dtype, {}});
    return shaped(largest, shape);
  }

  /// With the shape and the dtype of another value.
  Value like(const Value& value, const Value& other) { return as(shaped(value, other.shape), other.dtype); }

  void op() {
    const Value a = some();
    const std::string name = " %" + a.name;
    const bool is_float = a.dtype == "f32" || a.dtype == "bf16";
    switch (dice_.below(with_products_ ? 10 : 8)) {
      case 0:
        if (a.dtype == "pred") return void(line("not" + name, a));
        return void(line(dice_.pick(is_float ? kFloatUnary : kUnary) + name, a));
      case 1:
        return void(shaped(a, dice_.pick(shapes_)));
      case 2:
        return void(as(a, dice_.pick(kDtypes)));
      case 3: {
        const Value b = like(some(), a);
        const std::string direction = a.dtype == "pred" ? "ne" : dice_.pick(kDirections);
        return void(line("compare" + name + ", %" + b.name + " {direction=" + direction + "}", {"", "pred", a.shape}));
      }
      case 4: {
        const Value predicate = as(shaped(some(), a.shape), "pred"), b = like(some(), a);
        return void(line("select %" + predicate.name + "," + name + ", %" + b.name, a));
      }
      case 5:
        if (a.dtype == "pred") return;
        return void(binary(a, constant(a.dtype)));
      case 6:
        return reduction(as(a, a.dtype == "pred" ? "i32" : a.dtype));
      case 7:
        return void(binary(a, some()));
      default:
        return product();
    }
  }

  /// Of a matrix and a square one, which may become larger; mostly something is added, in a row or as a matrix.
  void product() {
    const std::vector<int64_t>& shape = shapes_[2];
    if (shape[1] > 100) return;
    const Value a = as(shaped(some(), shape), "f32"), row = as(shaped(some(), shapes_[1]), "f32");
    const std::vector<int64_t> square{shape[1], shape[1]};
    const Value b = line("broadcast_in_dim %" + row.name + " {dims=[" + std::to_string(dice_.below(2)) +
                             "], shape=" + text_of(square) + "}",
                         {"", "f32", square});
    const Value v = line("dot_general %" + a.name + ", %" + b.name + " {contract=[1]x[0]}", {"", "f32", shape});
    if (dice_.chance(20)) return;
    const Value added = like(dice_.chance(50) ? as(shaped(some(), shapes_[1]), "f32") : some(), v);
    line(dice_.chance(50) ? "add %" + v.name + ", %" + added.name : "add %" + added.name + ", %" + v.name, v);
  }

  /// Over the dimension that leaves as many elements as programs have columns, or over all.
  void reduction(const Value& a) {
    const std::string op = dice_.pick(kReducers);
    const auto over = [&](const std::string& dims, const std::vector<int64_t>& shape) {
      line("reduce %" + a.name + " {op=" + op + ", dims=" + dims + "}", {"", a.dtype, shape});
    };
    const int64_t columns = shapes_[1][0];
    if (a.shape.size() == 2 && dice_.chance(70)) return over(a.shape[1] == columns ? "[0]" : "[1]", {columns});
    if (a.shape.size() == 2) return over("[0, 1]", {});
    if (a.shape.size() == 1) over("[0]", {});
  }

  void binary(const Value& a, const Value& other) {
    const Value b = like(other, a);
    const std::string& op = dice_.pick(a.dtype == "pred" ? kLogic : kBinary);
    line(op + " %" + a.name + ", %" + b.name, a);
  }

  inline static const std::vector<std::string> kDtypes{"f32", "f32", "bf16", "i32", "pred"},
      kDirections{"lt", "ge", "eq"}, kNumbers{"0.5", "3", "-1.25"}, kUnary{"negate", "abs", "sign"},
      kFloatUnary{"negate", "abs", "sign", "tanh", "logistic", "exponential"}, kLogic{"and", "or", "xor"},
      kReducers{"add", "add", "max"}, kBinary{"add", "subtract", "multiply", "maximum", "minimum"};

  Dice dice_;
  bool with_products_;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<Value> values_;
  std::string body_;
};

TEST(Fusion, GivesTheBitsOfOneOpAfterAnother) {
  size_t alone = 0, fused = 0, longest = 0, reductions = 0, computed = 0, rows = 0;
  for (uint64_t seed = 0; seed < isoshard::testing::cases(1000); ++seed) {
    const std::string text = Writer(seed).write();
    std::optional<Plan> plan = plan_of(text);
    ASSERT_TRUE(plan) << text;
    const Result<MemoryPlan> memory = plan_memory(*plan, seed % 2 == 0 ? Reuse::ordered : Reuse::tokens);
    const CallList one_by_one = list_of(*plan, *memory, false), chains = list_of(*plan, *memory, true);
    ASSERT_EQ(run(*plan, one_by_one, Dice(seed)), run(*plan, chains, Dice(seed))) << "seed " << seed << "\n" << text;
    alone += count_of<calls::Map>(one_by_one), fused += count_of<calls::Map>(chains);
    reductions += count_of<calls::Reduction>(one_by_one), computed += count_of<calls::ReducedMap>(chains);
    rows += count_of<calls::RowMap>(chains);
    for (const calls::Call& call : chains.calls) {
      if (const auto* map = std::get_if<calls::Map>(&call.what)) {
        longest = std::max(longest, static_cast<size_t>(map->steps_used));
      }
    }
  }
  std::printf(
      "%zu kernels one by one, %zu fused, at most %zu steps; %zu reductions, %zu of them compute their terms; %zu "
      "kernels of rows\n",
      alone, fused, longest, reductions, computed, rows);
  EXPECT_LT(5 * fused, 4 * alone);
  EXPECT_GT(longest, 12U);
  EXPECT_GT(6 * computed, reductions);
}

TEST(Fusion, OfProductsGivesTheBitsOfOneOpAfterAnother) {
  size_t products = 0, biases = 0, residuals = 0;
  for (uint64_t seed = 0; seed < isoshard::testing::cases(1000); ++seed) {
    const std::string text = Writer(seed, true).write();
    std::optional<Plan> plan = plan_of(text);
    ASSERT_TRUE(plan) << text;
    const Result<MemoryPlan> memory = plan_memory(*plan, seed % 2 == 0 ? Reuse::ordered : Reuse::tokens);
    const CallList one_by_one = list_of(*plan, *memory, false, calls::Products::library);
    const CallList chains = list_of(*plan, *memory, true, calls::Products::library);
    ASSERT_EQ(run(*plan, one_by_one, Dice(seed)), run(*plan, chains, Dice(seed))) << "seed " << seed << "\n" << text;
    ASSERT_EQ(count_of<calls::Product>(one_by_one), count_of<calls::Product>(chains));
    products += count_of<calls::Product>(chains);
    for (const calls::Call& call : chains.calls) {
      const auto* const product = std::get_if<calls::Product>(&call.what);
      if (product == nullptr) continue;
      biases += product->epilogue == calls::Epilogue::bias;
      residuals += product->epilogue == calls::Epilogue::residual;
    }
  }
  std::printf("%zu products, %zu with a bias, %zu with a residual\n", products, biases, residuals);
  EXPECT_GT(60 * biases, products);
  EXPECT_GT(60 * residuals, products);
}

/// Softmax and norms are one kernel behind what loads rows, up to a length; longer rows are softmaxes that write their
/// exponentials while they add them, and norms that write only their differences.
TEST(Fusion, SoftmaxAndNormsAreOneKernelARow) {
  for (const std::string dtype : {"f32", "bf16", "f64"}) {
    for (const int64_t columns : {1, 5, 40, 512, 700, 1100, 40000}) {
      const std::string softmax = "  %m = reduce %x {op=max, dims=[1]}\n" + along_rows("a", "m", columns) +
                                  "  %d = subtract %x, %a\n  %e = exponential %d\n"
                                  "  %s = reduce %e {op=add, dims=[1]}\n" +
                                  along_rows("b", "s", columns) + "  %y = divide %e, %b\n";
      const std::string norm = "  %m = reduce %x {op=add, dims=[1]}\n" + along_rows("a", "m", columns) +
                               "  %d = subtract %x, %a\n  %e = multiply %d, %d\n"
                               "  %s = reduce %e {op=add, dims=[1]}\n  %r = rsqrt %s\n" +
                               along_rows("b", "r", columns) + "  %z = multiply %d, %b\n  %y = add %x, %z\n";
      for (const std::string& ops : {softmax, norm}) {
        const std::string text = rows(dtype, columns, ops);
        std::optional<Plan> plan = plan_of(text);
        ASSERT_TRUE(plan) << text;
        const Result<MemoryPlan> memory = plan_memory(*plan, Reuse::ordered);
        const CallList one_by_one = list_of(*plan, *memory, false), chains = list_of(*plan, *memory, true);
        EXPECT_EQ(run(*plan, one_by_one, Dice(1)), run(*plan, chains, Dice(1))) << text;
        const bool is_long = columns == 40000;
        EXPECT_EQ(count_of<calls::RowMap>(chains), is_long ? 0U : 1U) << text;
        EXPECT_EQ(count_of<calls::Reduction>(chains), is_long ? 1U : 0U);
        EXPECT_EQ(count_of<calls::ReducedMap>(chains), is_long ? 1U : 0U);
        EXPECT_EQ(count_of<calls::Map>(chains), !is_long ? 1U : ops == softmax ? 2U : 3U) << text;
      }
    }
  }
}

/// A row that is reduced again and again has kernels of at most so many passes, and needs all of them.
TEST(Fusion, ReductionsOneAfterAnotherTakeAllPassesOfAKernel) {
  constexpr size_t kReductions = 6;
  std::string ops, last = "x";
  for (size_t n = 0; n < kReductions; ++n) {
    const std::string at = std::to_string(n);
    ops += "  %m" + at + " = reduce %" + last + " {op=max, dims=[1]}\n" + along_rows("a" + at, "m" + at, 40) + "  %d" +
           at + " = subtract %" + last + ", %a" + at + "\n";
    last = "d" + at;
  }
  std::optional<Plan> plan = plan_of(rows("f32", 40, ops + "  %y = negate %" + last + "\n"));
  ASSERT_TRUE(plan);
  const Result<MemoryPlan> memory = plan_memory(*plan, Reuse::ordered);
  const CallList one_by_one = list_of(*plan, *memory, false), chains = list_of(*plan, *memory, true);
  EXPECT_EQ(run(*plan, one_by_one, Dice(1)), run(*plan, chains, Dice(1)));
  std::vector<int> passes;
  for (const calls::Call& call : chains.calls) {
    if (const auto* const kernel = std::get_if<calls::RowMap>(&call.what)) passes.push_back(kernel->passes_used);
  }
  ASSERT_FALSE(passes.empty());
  EXPECT_EQ(std::ranges::count(passes, calls::kMostPasses), 1) << ::testing::PrintToString(passes);
  EXPECT_EQ(std::ranges::max(passes), calls::kMostPasses);
}

/// Writes programs of rows: ops for elements and for rows, reductions, and what rows share.
class RowsWriter {
 public:
  explicit RowsWriter(uint64_t seed)
      : dice_(seed),
        columns_(dice_.chance(15) ? dice_.in(500, 1600) : dice_.in(1, 40)),
        text_(std::to_string(columns_)) {}

  std::string write() {
    const std::string dtype = dice_.pick(kTypes);
    std::string globals = "isoshard 1\nmesh @m [x=1]\nglobal @x : " + dtype + "[6, " + text_ +
                          "] input\nglobal @g : " + dtype + "[" + text_ + "] input\nglobal @q : " + dtype +
                          "[6] input\n";
    line("view @x [-, -]", whole_), line("view @q [-]", per_row_);
    const std::string shared = line("view @g [-]", others_);
    line("broadcast_in_dim %" + shared + " {dims=[1], shape=[6, " + text_ + "]}", whole_);
    for (int64_t ops = dice_.in(6, 20); ops > 0; --ops) op(dtype);
    std::string returns = "  return @a = %" + whole_.back() + " [-, -]\n";
    if (dice_.chance(15)) returns += "  return @b = %" + per_row_.back() + " [-]\n";
    if (dice_.chance(15)) returns += "  return @c = %" + dice_.pick(whole_) + " [-, -]\n";
    return globals + "program @p on @m {\n" + body_ + returns + "}\n";
  }

 private:
  using Names = std::vector<std::string>;

  std::string line(const std::string& text, Names& names) {
    names.push_back("v" + std::to_string(lines_++));
    body_ += "  %" + names.back() + " = " + text + "\n";
    return names.back();
  }
  std::string some(const Names& names) { return "%" + (dice_.chance(60) ? names.back() : dice_.pick(names)); }

  void op(const std::string& dtype) {
    Names& names = dice_.chance(70) ? whole_ : per_row_;
    switch (dice_.below(6)) {
      case 0:
        return void(line("reduce " + some(whole_) + " {op=" + dice_.pick(kReducers) + ", dims=[1]}", per_row_));
      case 1:
      case 2:
        return with_row();
      case 3:
        return void(line(dice_.pick(kUnary) + " " + some(names), names));
      case 4: {
        const std::string number = line("constant {value=" + dice_.pick(kNumbers) + ", dtype=" + dtype + "}", others_);
        const bool is_whole = &names == &whole_;
        const std::string shape = is_whole ? "[6, " + text_ + "]" : "[6]";
        const std::string all = line("broadcast_in_dim %" + number + " {dims=[], shape=" + shape + "}", others_);
        return void(line("multiply " + some(names) + ", %" + all, names));
      }
      default:
        return void(line(dice_.pick(kBinary) + " " + some(names) + ", " + some(names), names));
    }
  }

  /// An element with what its row has.
  void with_row() {
    const std::string all =
        line("broadcast_in_dim " + some(per_row_) + " {dims=[0], shape=[6, " + text_ + "]}", others_);
    line(dice_.pick(kBinary) + " " + some(whole_) + ", %" + all, whole_);
  }

  inline static const Names kTypes{"f32", "bf16", "i32", "f64"}, kReducers{"add", "add", "max", "min"},
      kUnary{"negate", "abs", "sign"}, kNumbers{"3", "-1"}, kBinary{"add", "subtract", "multiply", "maximum"};

  Dice dice_;
  int64_t columns_;
  std::string text_, body_;
  Names whole_, per_row_, others_;
  int lines_ = 0;
};

TEST(Fusion, RowsHaveTheBitsOfOneOpAfterAnother) {
  size_t kernels = 0, most_passes = 0, per_row = 0, waiting = 0, without = 0;
  for (uint64_t seed = 0; seed < isoshard::testing::cases(1000); ++seed) {
    const std::string text = RowsWriter(seed).write();
    std::optional<Plan> plan = plan_of(text);
    ASSERT_TRUE(plan) << text;
    const Result<MemoryPlan> memory = plan_memory(*plan, seed % 2 == 0 ? Reuse::ordered : Reuse::tokens);
    const CallList one_by_one = list_of(*plan, *memory, false), chains = list_of(*plan, *memory, true);
    ASSERT_EQ(run(*plan, one_by_one, Dice(seed)), run(*plan, chains, Dice(seed))) << "seed " << seed << "\n" << text;
    ASSERT_EQ(isoshard::testing::take_finding(), "") << text;
    without += count_of<calls::RowMap>(chains) == 0;
    for (const calls::Call& call : chains.calls) {
      const auto* const rows = std::get_if<calls::RowMap>(&call.what);
      if (rows == nullptr) continue;
      ++kernels, per_row += static_cast<size_t>(rows->per_row);
      waiting += rows->slots > 1;
      most_passes = std::max(most_passes, static_cast<size_t>(rows->passes_used));
    }
  }
  std::printf(
      "%zu kernels of rows, %zu for one element a row, %zu with two values or more that wait, at most %zu passes; "
      "%zu programs without\n",
      kernels, per_row, waiting, most_passes, without);
  EXPECT_GT(kernels, 300U);
  EXPECT_GT(per_row, 20U);
  EXPECT_GT(waiting, 20U);
  EXPECT_GT(most_passes, 2U);
}

}  // namespace
}  // namespace isoshard::fusion_test
