#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/support/result_fwd.h"
#include "exec/algorithms/product_algorithm.h"

namespace isoshard::exec {

/// The algorithms of a file, and what a run makes of them.
class AlgorithmCache {
 public:
  /// Reads the file at `path`; one that does not exist has none. Errors `I-algorithms`: it cannot be read, or has
  /// something else.
  static Result<AlgorithmCache> read(const std::string& path);

  /// What ranks may take.
  const KnownAlgorithms& known() const { return known_; }
  /// Takes note of what a rank uses; what it has chosen replaces what the file has for that.
  void note(const UsedAlgorithm& used);
  /// Writes the file if something was chosen: the entries of others as they were, new ones behind. Error
  /// `I-algorithms`.
  Result<void> write() const;
  /// `algorithms of FILE: 2 kinds of product, 1 known, 1 chosen and written`, and how many lines were ignored, and why.
  std::string text() const;

 private:
  using Key = std::pair<AlgorithmHost, ProductKind>;
  static Key key_of(const ProductAlgorithm& algorithm) { return {algorithm.host, algorithm.kind}; }
  std::string ignored_text() const;

  std::string path_{};
  KnownAlgorithms known_{};
  std::map<Key, UsedAlgorithm> used_{};
  std::set<AlgorithmHost> hosts_{};  ///< of ranks
};

}  // namespace isoshard::exec
