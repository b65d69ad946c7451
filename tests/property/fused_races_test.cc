// Fused kernels with every access watched, in several orders of threads, and with one mistake at a time: what
// kernel_races_test.cc does with the kernels of single ops. Only fused calls are watched and get the mistakes, so that
// it is their own cases that find these.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/plan/memory/plan_memory.h"
#include "core/support/result.h"
#include "exec/kernels/simt/simt.h"
#include "tests/property/fused_runs.h"

namespace isoshard::fused_races_test {
namespace {

using exec::Site;
using exec::trial;
using exec::Trial;
using testing::along_rows;
using testing::Dice;

/// A program, its calls, and the bytes that one op after another gives.
class FusedCase {
 public:
  explicit FusedCase(std::string text) : text_(std::move(text)), plan_(*testing::plan_of(text_)) {
    const Result<MemoryPlan> memory = plan_memory(plan_, Reuse::ordered);
    list_ = testing::list_of(plan_, *memory, true);
    expected_ = testing::run(plan_, testing::list_of(plan_, *memory, false), Dice(1));
  }
  /// What differs or is wrong, or nothing.
  std::string difference() const {
    const std::vector<std::byte> found = testing::run(plan_, list_, Dice(1));
    const std::string finding = testing::take_finding();
    return finding.empty() && found != expected_ ? "other bits" : finding;
  }
  const std::string& text() const { return text_; }
  const calls::CallList& list() const { return list_; }

 private:
  std::string text_;
  Plan plan_;
  calls::CallList list_;
  std::vector<std::byte> expected_;
};

/// The terms of a sum, or of a maximum, of the squares of rows.
std::string squares(const std::string& dtype, int64_t columns, const std::string& op, const std::string& dims) {
  return testing::rows(dtype, columns, "  %a = multiply %x, %x\n  %y = reduce %a {op=" + op + ", dims=" + dims + "}\n",
                       dims == "[0, 1]" ? "[]" : "[-]");
}

/// Exponentials divided by their sum.
std::string softmax(const std::string& dtype, int64_t columns, const std::string& end = "") {
  return testing::rows(dtype, columns,
                       "  %m = reduce %x {op=max, dims=[1]}\n" + along_rows("a", "m", columns) +
                           "  %d = subtract %x, %a\n  %e = exponential %d\n  %s = reduce %e {op=add, dims=[1]}\n" +
                           along_rows("b", "s", columns) +
                           (end.empty() ? "  %y = divide %e, %b\n" : "  %q = divide %e, %b\n  %y = " + end + "\n"));
}

/// The same where what follows is computed in other numbers, so that it is not one kernel: the sum writes the
/// exponentials, and may be over the maxima.
std::string softmax_in_parts(int64_t columns) { return softmax("f32", columns, "convert %q {dtype=f64}"); }

std::string norm(const std::string& dtype, int64_t columns) {
  return testing::rows(dtype, columns,
                       "  %m = reduce %x {op=add, dims=[1]}\n" + along_rows("a", "m", columns) +
                           "  %d = subtract %x, %a\n  %e = multiply %d, %d\n  %s = reduce %e {op=add, dims=[1]}\n"
                           "  %r = abs %s\n" +
                           along_rows("b", "r", columns) + "  %z = multiply %d, %b\n  %y = add %x, %z\n");
}

/// The largest difference to the mean of each row.
std::string spread(const std::string& dtype, int64_t columns) {
  return testing::rows(dtype, columns,
                       "  %m = reduce %x {op=add, dims=[1]}\n" + along_rows("a", "m", columns) +
                           "  %d = subtract %x, %a\n  %s = reduce %d {op=max, dims=[1]}\n  %y = negate %s\n",
                       "[-]");
}

/// The squares of a matrix, seen as another one of so many columns, added over its rows or columns.
std::string reshaped(int64_t columns, int64_t to, const std::string& op, const std::string& dims) {
  const std::string shape = "[" + std::to_string(6 * columns / to) + ", " + std::to_string(to) + "]";
  return testing::rows("f32", columns,
                       "  %r = reshape %x {shape=" + shape + "}\n  %a = multiply %r, %r\n  %y = reduce %a {op=" + op +
                           ", dims=" + dims + "}\n",
                       "[-]");
}

std::vector<FusedCase> reduced_maps() {
  std::vector<FusedCase> all;
  for (const std::string op : {"add", "max"}) {
    for (const int64_t columns : {5, 31, 32, 40, 512, 513, 1030, 5000}) {
      for (const std::string dtype : {"f32", "bf16", "f64", "i32"}) {
        all.emplace_back(squares(dtype, columns, op, "[1]"));
      }
      all.emplace_back(squares("f32", columns, op, "[0]"));
      all.emplace_back(squares("f32", columns, op, "[0, 1]"));
    }
    for (const int64_t to : {8, 33, 40}) {
      all.emplace_back(reshaped(4 * 33 * 40, to, op, "[0]"));
      all.emplace_back(reshaped(4 * 33 * 40, to, op, "[1]"));
    }
  }
  all.emplace_back(reshaped(8 * 33 * 512, 8, "add", "[0]"));  // chunks apart
  all.emplace_back(squares("bf16", 17000, "max", "[1]"));
  for (const int64_t columns : {5, 40, 700}) all.emplace_back(softmax_in_parts(columns));
  return all;
}

std::vector<FusedCase> row_maps() {
  std::vector<FusedCase> all;
  for (const int64_t columns : {1, 5, 40, 120, 512, 700, 2100}) {
    for (const std::string dtype : {"f32", "bf16", "f64"}) {
      all.emplace_back(softmax(dtype, columns)), all.emplace_back(norm(dtype, columns));
    }
    all.emplace_back(spread("i32", columns)), all.emplace_back(spread("f32", columns));
  }
  return all;
}

TEST(FusedRaces, CasesAreFused) {
  for (const FusedCase& c : row_maps()) EXPECT_EQ(testing::count_of<calls::RowMap>(c.list()), 1U) << c.text();
  for (const FusedCase& c : reduced_maps()) {
    EXPECT_EQ(testing::count_of<calls::ReducedMap>(c.list()), 1U) << c.text();
  }
}

void expect_none(const std::vector<FusedCase>& all) {
  for (const uint64_t order : {0U, 1U, 2U, 3U}) {
    trial() = Trial{order, order == 0 ? 8192 : 2};
    for (const FusedCase& c : all) EXPECT_EQ(c.difference(), "") << c.text();
  }
  trial() = Trial{};
}

TEST(FusedRaces, NoneInAnyOrderOfThreads) {
  expect_none(reduced_maps());
  expect_none(row_maps());
}

bool is_found(const std::vector<FusedCase>& all) {
  for (const FusedCase& c : all) {
    if (c.difference() != "") return true;
  }
  return false;
}

void expect_barriers_to_be_missed(const std::vector<FusedCase>& all, size_t count) {
  trial() = Trial{1, 1};
  ASSERT_FALSE(is_found(all));
  const std::set<Site> barriers = trial().barriers;
  EXPECT_EQ(barriers.size(), count);
  for (const Site& barrier : barriers) {
    trial() = Trial{1, 1, barrier};
    EXPECT_TRUE(is_found(all)) << to_string(barrier);
  }
  trial() = Trial{};
}

TEST(FusedRaces, EachBarrierThatIsLeftOutIsFound) {
  expect_barriers_to_be_missed(reduced_maps(), 5);
  expect_barriers_to_be_missed(row_maps(), 2);
}

void expect_bounds_to_be_found(const std::vector<FusedCase>& all, size_t count) {
  trial() = Trial{};
  ASSERT_FALSE(is_found(all));
  const std::set<Site> bounds = trial().bounds;
  EXPECT_EQ(bounds.size(), count);
  for (const Site& bound : bounds) {
    trial() = Trial{0, 8192, {}, bound};
    EXPECT_TRUE(is_found(all)) << to_string(bound);
  }
  trial() = Trial{};
}

TEST(FusedRaces, EachBoundThatIsOneTooFarIsFound) {
  expect_bounds_to_be_found(reduced_maps(), 8);
  expect_bounds_to_be_found(row_maps(), 4);
}

}  // namespace
}  // namespace isoshard::fused_races_test
