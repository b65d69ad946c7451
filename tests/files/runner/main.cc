// Runs one test file: file_test [--fixpoint] FILE. The program is $ISOSHARD_BINARY; ISOSHARD_BLESS=1 rewrites golden
// blocks. Exit code 0: everything holds; 1: something does not; 2: the file or the environment is wrong.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tests/files/runner/run_file.h"

int main(int argc, char** argv) {
  const bool fixpoint = argc == 3 && std::string(argv[1]) == "--fixpoint";
  const char* binary = std::getenv("ISOSHARD_BINARY");
  const char* bless = std::getenv("ISOSHARD_BLESS");
  if (binary == nullptr || (argc != 2 && !fixpoint)) {
    std::fputs("usage: ISOSHARD_BINARY=... file_test [--fixpoint] FILE\n", stderr);
    return 2;
  }
  // The program must print without colours, whatever the caller's terminal.
  setenv("NO_COLOR", "1", 1);
  try {
    namespace file_test = isoshard::file_test;
    const file_test::TestFile file = file_test::read_expectations(argv[argc - 1]);
    const auto failures = fixpoint ? file_test::run_fixpoint(binary, file)
                                   : file_test::run_file(binary, file, bless != nullptr && std::string(bless) == "1");
    for (const std::string& failure : failures) std::printf("%s\n", failure.c_str());
    return failures.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
