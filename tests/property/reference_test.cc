#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "core/text/text.h"
#include "tests/property/compare_with_reference.h"
#include "tests/property/generator/features.h"
#include "tests/property/generator/random_program.h"
#include "tests/property/generator/shrink.h"

/// The simulator in every domain against the reference interpreter, on random programs.
namespace isoshard::testing::reference_test {
namespace {

constexpr uint64_t kCases = 12;
constexpr uint64_t kProgramsPerCase = 20;

/// Programs of all sizes; some of doubles only and without exponentials, so that every domain has much to judge.
RandomProgramOptions options_of(uint64_t number, bool typed) {
  RandomProgramOptions options;
  options.seed = number + (typed ? 0 : 1000000);
  options.typed = typed;
  options.ops = 4 + number % kProgramsPerCase;
  options.max_elements = 64;
  options.exponentials = number % 2 == 1;
  options.doubles = number % 3 == 0;
  options.updates = number % 4 == 0;
  return options;
}

Compared compare(const Module& module, uint64_t seed) {
  const std::optional<ProgramId> program = module.find_program("p");
  return program ? compare_with_reference(module, *program, seed) : Compared{};
}

/// A failure with the smallest program that still fails, or none.
void expect_right(const RandomProgram& random, const Compared& compared, uint64_t seed) {
  EXPECT_FALSE(compared.padding_leaks) << "seed " << seed << ": an output of the generator depends on padding";
  if (compared.wrong.empty()) return;
  const auto still_wrong = [&](const Module& module) { return !compare(module, seed).wrong.empty(); };
  ADD_FAILURE() << compared.wrong << " (seed " << seed << ")\n" << shrink(random.module, still_wrong);
}

class AgainstTheReference : public ::testing::TestWithParam<uint64_t> {
 protected:
  static void run_case(uint64_t number, bool typed) {
    for (uint64_t k = 0; k < kProgramsPerCase && !HasFailure(); ++k) {
      const RandomProgramOptions options = options_of(number * kProgramsPerCase + k, typed);
      const RandomProgram random = random_program(options);
      expect_right(random, compare_with_reference(random.module, random.program, options.seed), options.seed);
    }
  }
};

TEST_P(AgainstTheReference, TypedPrograms) { run_case(GetParam(), true); }
TEST_P(AgainstTheReference, UntypedPrograms) { run_case(GetParam(), false); }

INSTANTIATE_TEST_SUITE_P(Seeds, AgainstTheReference, ::testing::Range(uint64_t{0}, kCases));

/// Every op and every feature is drawn in the programs of the test above.
TEST(RandomPrograms, HaveEveryOpAndEveryFeature) {
  std::map<std::string, int> found;
  for (uint64_t number = 0; number < kCases * kProgramsPerCase; ++number) {
    for (const bool typed : {true, false}) {
      const RandomProgram random = random_program(options_of(number, typed));
      for (const std::string& name : ops_that_matter(random.module, random.program)) ++found[name];
      for (const std::string& name : features_of(random.module)) ++found[name];
    }
  }
  for (const std::string& name : all_op_names()) EXPECT_GE(found[name], 3) << name;
  for (const std::string& name : all_features()) EXPECT_GE(found[name], 3) << name;
}

/// A hash of the texts of some programs: the standard leaves open in which order the arguments of a call are evaluated,
/// so that a generator that draws in them gives other programs with another compiler.
TEST(RandomPrograms, AreTheSameWithEveryCompiler) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (uint64_t number = 0; number < 40; ++number) {
    const RandomProgram random = random_program(options_of(number, number % 2 == 0));
    for (const char c : text::print(random.module)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  EXPECT_EQ(hash, 17650311653361137491u) << "after a change of the generator write the new hash here";
}

using Pairs = std::set<std::string>;  ///< `domain op`

/// Ops that were not judged in some domain before only `apart` was left: an element of an output that depends on the
/// op was compared.
Pairs never_compared(const Pairs& apart) {
  Pairs missing;
  for (const char* domain : {"bounded", "f64", "float", "f32", "ring"}) {
    for (const std::string& op : all_op_names()) missing.insert(std::string(domain) + " " + op);
  }
  for (uint64_t number = 0; number < 2000 && missing != apart; ++number) {
    RandomProgramOptions options = options_of(kCases * kProgramsPerCase + number, number % 3 != 1);
    options.ops = 3 + number % 6;
    options.max_axes = 2;
    options.max_axis_size = 3;
    options.max_elements = 24;
    const RandomProgram random = random_program(options);
    const Compared compared = compare_with_reference(random.module, random.program, options.seed);
    expect_right(random, compared, options.seed);
    for (const std::string& op : ops_that_matter(random.module, random.program)) {
      for (const std::string& domain : compared.domains) missing.erase(domain + " " + op);
    }
  }
  return missing;
}

/// Functions of floats without an exact value are opaque in a ring and have no bound in f32, and a floor or a power of
/// floats needs an order in a ring. tests/property/functions_apart_test.cc has the functions one by one.
TEST(RandomPrograms, CompareEveryOpInEveryDomain) {
  Pairs apart = {
      "ring floor", "ring power", "ring is_finite", "ring ceil", "ring round_nearest_even", "ring round_nearest_afz"};
  for (const char* op : {"exponential", "log", "tanh", "logistic", "sqrt", "rsqrt", "sine", "cosine", "erf_inv",
                         "exponential_minus_one", "log_plus_one", "cbrt", "erf", "erfc", "atan2"}) {
    for (const char* domain : {"ring ", "f32 "}) apart.insert(std::string(domain) + op);
  }
  EXPECT_EQ(never_compared(apart), apart);
}

}  // namespace
}  // namespace isoshard::testing::reference_test
