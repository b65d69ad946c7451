#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::command_line {

/// What a sweep finds, for `--format` github and sarif: each rule once per place, however many rows have it.
class SweepFindings {
 public:
  /// Keeps what was found in the row `row`, such as `model=2`; empty for what is so in all rows.
  void add(const std::string& row, const std::vector<Diagnostic>& found);
  /// In the order of their first rows; each message ends with the first row and how many more there are.
  std::vector<Diagnostic> all() const;

 private:
  struct Finding {
    Diagnostic first;
    std::string first_row, last_row;
    size_t rows = 1;
  };

  std::vector<Finding> findings_;
};

}  // namespace isoshard::command_line
