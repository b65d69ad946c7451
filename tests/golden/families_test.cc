// Which families of cases there are, and which ones no test runs yet: a file that is copied here has to be run.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/golden/golden.h"

namespace isoshard::golden::families_test {
namespace {

/// Cases of each family of the original's data that tests run, in part or in full; flax.json is our own.
const std::map<std::string, size_t> kRun{{"rng", 300},   {"array_utils", 28}, {"ring", 188},  {"tp", 80},
                                         {"tp_mlp", 14}, {"pipeline", 33},    {"curves", 17}, {"data_parallel", 41},
                                         {"flax", 29},   {"accumulate", 38}};

TEST(Golden, EveryFamilyIsRunOrNamed) {
  std::set<std::string> here;
  for (const auto& file : std::filesystem::directory_iterator("tests/data/jax")) {
    if (file.path().extension() == ".json") here.insert(file.path().stem());
  }
  for (const auto& [name, cases] : kRun) {
    EXPECT_EQ(here.erase(name), 1U) << name << ".json is missing";
    EXPECT_EQ(load_family(name).cases.size(), cases) << name;
  }
  EXPECT_TRUE(here.empty()) << *here.begin() << ".json is run by no test";
}

}  // namespace
}  // namespace isoshard::golden::families_test
