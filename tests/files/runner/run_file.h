#pragma once

#include <string>
#include <vector>

#include "tests/files/runner/expectations.h"

namespace isoshard::file_test {

struct RunOptions {
  bool bless = false;     ///< golden blocks that differ are rewritten in the file instead
  bool fixpoint = false;  ///< accepted programs are printed and read again
};

/// Runs everything a file asks for; returns one text per expectation that does not hold.
///
/// With `fixpoint`, every accepted run's programs are printed, read back and printed again, plain and with types:
/// nothing may change, and the first printed file must get the same verdicts; a file without an accepted run is a
/// failure.
std::vector<std::string> run_file(const std::string& binary, const TestFile& file, const RunOptions& options);

}  // namespace isoshard::file_test
