#pragma once

#include <string>
#include <vector>

#include "tests/files/runner/expectations.h"

namespace isoshard::file_test {

/// Runs everything a file asks for; returns one text per expectation that does not hold. With `bless`, golden blocks
/// that differ are rewritten in the file instead.
std::vector<std::string> run_file(const std::string& binary, const TestFile& file, bool bless);

/// Prints every accepted run's programs, reads them back and prints again, plain and with types: nothing may change,
/// and the printed file must get the same verdicts. A file without an accepted run is a failure.
std::vector<std::string> run_fixpoint(const std::string& binary, const TestFile& file);

}  // namespace isoshard::file_test
