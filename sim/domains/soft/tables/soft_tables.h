#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace isoshard::sim {

/// One table of a formal sum over variables, in ascending order: row-major, the first variable outermost, and 0
/// wherever one of them takes its first entry.
struct SoftPart {
  std::vector<uint32_t> variables;
  std::vector<int64_t> table;
  bool operator==(const SoftPart&) const = default;
};

/// A constant and tables over different sets of variables: each function of the variables has one such form.
struct SoftSum {
  int64_t constant = 0;
  std::vector<SoftPart> parts{};  ///< ascending by variables
  bool operator==(const SoftSum&) const = default;
};

struct SoftRange {
  int64_t low = 0, high = 0;
  uint64_t distance() const { return static_cast<uint64_t>(high) - static_cast<uint64_t>(low); }
};

/// A variable: so many entries, their weights per residue (adjacent per entry), and, where it counts what a formal sum
/// is worth, that sum: entry k is where it is k. `of_floats`: whether floats are as a predicate asks.
struct SoftVariable {
  size_t entries = 0;
  std::vector<uint64_t> weights;
  std::optional<SoftSum> counts{};
  bool of_floats = false;
};

/// The variables of a domain, and the algebra of formal sums over them. Not thread-safe.
class SoftTables {
 public:
  using Variables = std::vector<uint32_t>;

  uint32_t add(SoftVariable variable);
  const SoftVariable& variable(uint32_t id) const { return variables_[id]; }

  static Variables variables_of(const SoftSum& sum);
  static Variables united(const Variables& a, const Variables& b);
  /// Entries of a table over all of them, `most` + 1 where there are more.
  size_t entries(const Variables& variables, size_t most) const;

  /// The values of the sum over a table of `variables`, which hold all of its own; modulo 2^64.
  std::vector<int64_t> dense(const SoftSum& sum, const Variables& variables) const;

  // Nothing where a number of the result's tables leaves 64 bits.
  std::optional<SoftSum> from_dense(std::vector<int64_t> table, const Variables& variables) const;
  /// a x + b y.
  static std::optional<SoftSum> combined(int64_t a, const SoftSum& x, int64_t b, const SoftSum& y);
  /// Nothing either where a table would have more than `most` entries, or there would be too many.
  std::optional<SoftSum> product(const SoftSum& x, const SoftSum& y, size_t most) const;
  /// The range that the values of a sum lie in.
  SoftRange range(const SoftSum& sum) const;

 private:
  void spread(const SoftPart& part, const Variables& over, std::vector<int64_t>& out) const;
  static bool add_part(SoftPart part, SoftSum& sum);
  bool take_count(SoftSum& sum) const;

  std::vector<SoftVariable> variables_;
};

}  // namespace isoshard::sim
