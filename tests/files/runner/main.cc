// Runs test files: file_test [--fixpoint] FILE... The program is $ISOSHARD_BINARY; ISOSHARD_BLESS=1 rewrites golden
// blocks. Every file runs, whatever the others do. Exit code 0: everything holds; 1: something does not; 2: a file or
// the environment is wrong.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "tests/files/runner/run_file.h"

namespace {

/// The exit code of one file, whose failures are printed.
int outcome_of(const std::string& path, const std::string& binary, const isoshard::file_test::RunOptions& options) {
  namespace file_test = isoshard::file_test;
  try {
    const file_test::TestFile file = file_test::read_expectations(path);
    const std::vector<std::string> failures = file_test::run_file(binary, file, options);
    for (const std::string& failure : failures) std::printf("%s\n", failure.c_str());
    if (!failures.empty()) std::printf("FAILED: %s\n", path.c_str());
    return failures.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\nFAILED: %s\n", error.what(), path.c_str());
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  const bool fixpoint = !files.empty() && files.front() == "--fixpoint";
  if (fixpoint) files.erase(files.begin());
  const char* binary = std::getenv("ISOSHARD_BINARY");
  const char* bless = std::getenv("ISOSHARD_BLESS");
  if (binary == nullptr || files.empty()) {
    std::fputs("usage: ISOSHARD_BINARY=... file_test [--fixpoint] FILE...\n", stderr);
    return 2;
  }
  // The program must print without colours, whatever the caller's terminal.
  setenv("NO_COLOR", "1", 1);
  const isoshard::file_test::RunOptions options{bless != nullptr && std::string(bless) == "1", fixpoint};
  int code = 0;
  for (const std::string& file : files) {
    code = std::max(code, outcome_of(file, binary, options));
    std::fflush(stdout);
  }
  return code;
}
