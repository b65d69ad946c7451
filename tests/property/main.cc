#include <gtest/gtest.h>

#include <cstdlib>

/// Runs the property tests with a fixed seed, so that a run can be repeated; RC_PARAMS in the environment (for example
/// `RC_PARAMS="seed=7 max_success=1000"`) takes precedence.
int main(int argc, char** argv) {
  setenv("RC_PARAMS", "seed=42", /*overwrite=*/0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
