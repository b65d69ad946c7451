#pragma once

#include <string>
#include <vector>

namespace isoshard::file_test {

/// What a finished process left behind.
struct Outcome {
  int exit_code = 0;  ///< 128 + signal number when a signal ended it
  std::string out, err;
};

/// Runs `arguments` (the first is the program) with empty stdin and without colours; throws std::runtime_error when the
/// process cannot be started.
Outcome run_process(const std::vector<std::string>& arguments);

/// The bytes of a file; throws std::runtime_error when it cannot be read.
std::string read_file(const std::string& path);

}  // namespace isoshard::file_test
