// The main function of every GoogleTest program: PROGRAM runs all cases, PROGRAM --file=unit/ir_builder_test.cc those
// that stand in this file, so that ctest has one test per file. Exit code 2: no case stands there, or some case would
// be run by no test of ctest.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/nightly.h"
#include "tests/sanitized.h"

namespace {

constexpr std::string_view kFileOption = "--file=";

/// A case of GoogleTest; each of a parametrised one.
struct Case {
  std::string name;  ///< as --gtest_filter wants it
  std::string file;  ///< where its macro stands
};

std::vector<Case> registered_cases() {
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  std::vector<Case> cases;
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int i = 0; i < suite.total_test_count(); ++i) {
      const testing::TestInfo& info = *suite.GetTestInfo(i);
      cases.push_back({std::string(suite.name()) + '.' + info.name(), info.file()});
    }
  }
  return cases;
}

/// Whether every case belongs to one test of ctest; says on stderr which do not.
bool each_has_a_test(const std::vector<Case>& cases) {
  std::set<std::string> names;
  bool right = true;
  for (const Case& one : cases) {
    if (!one.file.ends_with("_test.cc")) {
      std::fprintf(stderr, "%s stands in %s: ctest runs the cases of *_test.cc only\n", one.name.c_str(),
                   one.file.c_str());
      right = false;
    }
    if (!names.insert(one.name).second) {
      std::fprintf(stderr, "%s: two cases have the name %s\n", one.file.c_str(), one.name.c_str());
      right = false;
    }
  }
  return right;
}

/// Whether `path` ends with `file`, whole names of folders only.
bool is_file(const std::string& path, const std::string& file) { return path == file || path.ends_with('/' + file); }

/// The --gtest_filter of the cases in `file`: empty when there are none.
std::string filter_of(const std::vector<Case>& cases, const std::string& file) {
  std::string filter;
  for (const Case& one : cases) {
    if (!is_file(one.file, file)) continue;
    if (!filter.empty()) filter += ':';
    filter += one.name;
  }
  return filter;
}

/// A fixed seed, so that a run can be repeated, and how many cases of each property are tried. RC_PARAMS="seed=7
/// max_success=1000" in the environment takes precedence.
const char* parameters_of_properties() {
  if (isoshard::kSanitized) return "seed=42 max_success=10";
  return isoshard::testing::is_nightly() ? "seed=42 max_success=200" : "seed=42 max_success=50";
}

}  // namespace

int main(int argc, char** argv) {
  setenv("RC_PARAMS", parameters_of_properties(), /*overwrite=*/0);
  testing::InitGoogleTest(&argc, argv);
  const std::string_view option = argc == 2 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && !option.starts_with(kFileOption))) {
    std::fprintf(stderr, "usage: %s [--file=FOLDER/NAME_test.cc] [--gtest_OPTION...]\n", argv[0]);
    return 2;
  }
  const std::vector<Case> cases = registered_cases();
  if (!each_has_a_test(cases)) return 2;
  if (argc == 2) {
    const std::string file(option.substr(kFileOption.size()));
    const std::string filter = filter_of(cases, file);
    if (filter.empty()) {
      std::fprintf(stderr, "no case of %s stands in %s\n", argv[0], file.c_str());
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
