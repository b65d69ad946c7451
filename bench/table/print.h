#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/table/row.h"

namespace isoshard::bench {

enum class Verdict {
  pass,
  miss,          ///< the value, or the memory, is not what the target says; or isoshard cannot do it
  not_measured,  ///< what it is compared with is not here
  works,         ///< at a small size, which says nothing about the target
};

/// A row that was measured.
struct Line {
  Row row;
  Measured measured;
  Verdict verdict;
};

Line judged(Row row, Measured measured, Scale scale);

/// "pass", "MISS", "not measured" or "works".
const char* word(Verdict verdict);

/// "<= 100 ms", "<= 8 s, <= 1000 MB".
std::string target_words(const Target& target);

/// Prints lines of a Markdown table as they come.
class TablePrinter {
 public:
  explicit TablePrinter(std::FILE* out) : out_(out) {}
  void begin();
  void print(const Line& line);

 private:
  std::FILE* out_;
  std::string subject_;
};

nlohmann::json as_json(const Line& line);

}  // namespace isoshard::bench
