#pragma once  // internal

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace isoshard::text {

/// Names that are words of the text and no two of them equal; those that are so already stay.
class UniqueNames {
 public:
  /// `wanted` if nobody has it, otherwise with `between` and a number behind it.
  std::string add(const std::string& wanted, const char* between);
  bool is_taken(const std::string& name) const { return taken_.contains(name); }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int64_t> next_;  ///< the number to try, by name
};

/// Words joined by dots: `x of iteration 3, 0` is `x.of.iteration.3.0`.
std::string dotted_name(const std::string& name);

/// A name of a group or queue as it is written: as it is, or without signs that the text cannot have.
std::string plain_name(const std::string& name);

}  // namespace isoshard::text
