// Kernels with every access watched: none races, in several orders of threads. And with one mistake at a time: each
// barrier left out and each bound moved by one is found, by the emulator, by the watch of memory or by a result.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "exec/kernels/simt/simt.h"
#include "tests/property/local_calls_cases.h"

namespace isoshard::kernel_races_test {
namespace {

using exec::Site;
using exec::trial;
using exec::Trial;
using testing::LocalCase;
using testing::LocalCases;

constexpr DType kSomeDTypes[] = {DType::bf16, DType::f32, DType::f64, DType::i32, DType::u8};

/// Cases of all kernels, of all ways in which they can be done.
std::vector<LocalCase> cases(uint64_t seed) {
  std::vector<LocalCase> all;
  const auto add = [&](std::vector<LocalCase> more) {
    for (LocalCase& c : more) {
      if (result_types(c)) all.push_back(std::move(c));
    }
  };
  for (const DType dtype : kSomeDTypes) {
    LocalCases draw(seed + static_cast<uint64_t>(dtype));
    add(draw.all(dtype));
    add(draw.long_reductions(dtype));
    if (dtype == DType::f32) add(draw.elementwise(dtype, {2048}));
  }
  return all;
}

TEST(KernelRaces, NoneInAnyOrderOfThreads) {
  for (const uint64_t order : {0U, 1U, 2U, 3U}) {
    trial() = Trial{order, order == 0 ? 8192 : 2};
    for (const LocalCase& c : cases(order)) EXPECT_EQ(difference(c, {0, false}), "") << text_of(c);
  }
  trial() = Trial{};
}

/// Whether any case shows that something is wrong.
bool is_found(const std::vector<LocalCase>& all) {
  for (const LocalCase& c : all) {
    if (difference(c, {0, false}) != "") return true;
  }
  return false;
}

TEST(KernelRaces, EachBarrierThatIsLeftOutIsFound) {
  trial() = Trial{1, 1};
  const std::vector<LocalCase> all = cases(1);
  ASSERT_FALSE(is_found(all));
  const std::set<Site> barriers = trial().barriers;
  EXPECT_EQ(barriers.size(), 4U);
  for (const Site& barrier : barriers) {
    trial() = Trial{1, 1, barrier};
    EXPECT_TRUE(is_found(all)) << to_string(barrier);
  }
  trial() = Trial{};
}

TEST(KernelRaces, EachBoundThatIsOneTooFarIsFound) {
  trial() = Trial{};
  std::vector<LocalCase> all = cases(1);
  for (const uint64_t seed : {2U, 3U}) {
    for (LocalCase& c : cases(seed)) all.push_back(std::move(c));
  }
  ASSERT_FALSE(is_found(all));
  const std::set<Site> bounds = trial().bounds;
  EXPECT_GE(bounds.size(), 20U);
  for (const Site& bound : bounds) {
    trial() = Trial{0, 8192, {}, bound};
    EXPECT_TRUE(is_found(all)) << to_string(bound);
  }
  trial() = Trial{};
}

}  // namespace
}  // namespace isoshard::kernel_races_test
