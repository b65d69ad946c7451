#include "tests/property/generator/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/text/text.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::testing::shrink_test {
namespace {

template <class Op>
bool has(const Module& module) {
  return std::any_of(module.programs.begin(), module.programs.end(), [](const Program& program) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      if (std::holds_alternative<Op>(program.op(OpId(i)).data)) return true;
    }
    return false;
  });
}

size_t line_count(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST(Shrink, LeavesWhatTheFailureNeedsAndNothingElse) {
  const std::optional<Module> module = module_of(R"(isoshard 1
mesh @m [model=2]
global @x : f32[4] input
global @unused : f32[4] input
program @p on @m {
  %x = view @x [-]
  %a = negate %x
  %b = tanh %a
  %c = add %b, %a
  %d = multiply %c, %x
  return @y = %d [-]
  return @z = %a [-]
}
)");
  ASSERT_TRUE(module);
  const std::string small = shrink(*module, has<Tanh>);
  EXPECT_EQ(small, R"(isoshard 1
mesh @m [model=2]
global @x : f32[4] input
program @p on @m {
  %x = view @x [-] : f32[4] {R: model}
  %b = tanh %x : f32[4] {R: model}
  return @y = %b [-]
}
)");
}

TEST(Shrink, RandomProgramsStayValidAndStillFail) {
  size_t shrunk = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomProgramOptions options;
    options.seed = seed;
    const RandomProgram random = random_program(options);
    if (!has<Multiply>(random.module)) continue;
    const std::string small = shrink(random.module, has<Multiply>);
    const std::optional<Module> module = module_of(small);
    ASSERT_TRUE(module) << small;
    EXPECT_TRUE(has<Multiply>(*module)) << small;
    EXPECT_LE(line_count(small), line_count(text::print(random.module)));
    if (line_count(small) < 12) ++shrunk;
  }
  EXPECT_GT(shrunk, 10u);
}

}  // namespace
}  // namespace isoshard::testing::shrink_test
