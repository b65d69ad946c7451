#pragma once  // internal

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/transform/autodiff/adjoint.h"

namespace isoshard::autodiff {

/// What the backward pass of one iteration reads of the forward one, without computing it again.
struct ScanResiduals {
  std::vector<KeptValue> saved;  ///< to be stacked
  std::set<size_t>
      read_arguments{};  ///< arguments of the body that are known anyway: slices, carries that stay, the iteration
};

/// Finds it by differentiating the body once, for nothing but that. `analysis` knows what the scans inside the body
/// save. Nothing after an error.
std::optional<ScanResiduals> scan_residuals(Module& module, const Program& program, const Analysis& analysis, OpId scan,
                                            DiagnosticSink& sink);

/// The backward scan of one scan: carries the cotangents of the active carries and the carries that never change, reads
/// what each iteration saw or saved and the cotangents of what it stacked, all reversed, and stacks the cotangents of
/// the slices.
class BackwardScan {
 public:
  explicit BackwardScan(OpAdjoint& at);
  /// Appends it and gives the cotangents to the operands.
  void run();

 private:
  bool carried(size_t c) const { return at_.active(argument(c)); }
  bool fixed(size_t c) const { return region_.results[c] == argument(c); }
  bool reads(size_t argument) const { return read_.contains(argument); }
  ValueId argument(size_t operand) const { return region_.arguments[first_ + operand]; }
  ScanOperands operands();
  template <class Values>
  size_t bind(const ScanArguments& in, size_t first_fixed, Values& values) const;
  std::optional<ScanYield> body(const ScanArguments& in);
  std::optional<ScanYield> adjoint(const ScanArguments& in, size_t next, Primals& primals);
  void give(const std::vector<ValueId>& results);

  OpAdjoint& at_;
  const Op& op_;
  const Region& region_;
  const ScanCopy& copy_;
  const std::set<size_t>& read_;
  size_t carries_, first_;
  size_t fixed_ = 0;  ///< how many carries that never change are read
};

}  // namespace isoshard::autodiff
