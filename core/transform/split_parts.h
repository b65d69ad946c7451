#pragma once  // internal

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/transform/copy_region.h"
#include "core/transform/split_result.h"

namespace isoshard {

/// Splits a function, that of a call, by its results (split_function); nothing after an error.
using SplitCallee = std::function<std::optional<SplitFunction>(ProgramId, const std::vector<size_t>& first_results)>;

/// Which part of a split function needs which values. A region's values are those of its program, so that one table per
/// part is enough.
class SplitParts {
 public:
  /// `program` is not in the module (splitting callees adds functions there) and outlives this.
  SplitParts(const Program& program, SplitCallee split_callee);

  /// Decides it; false after an error in a callee.
  bool choose(const std::vector<size_t>& first_results);

  bool in_first(ValueId v) const { return first_[v.index()]; }
  bool in_second(ValueId v) const { return second_[v.index()]; }
  /// The parts of the callee of a call that both parts need, or null.
  const SplitFunction* callee(OpId call) const;
  /// What the second part reads of the body of a scan, or (no scan) of the function's.
  const std::vector<KeptValue>& handed(std::optional<OpId> scan) const;

 private:
  /// The argument of a scan's body.
  struct BodyArgument {
    OpId scan;
    std::optional<size_t> operand;  ///< nothing for the iteration
    bool carry = false;
    bool fixed = false;  ///< a carry that no iteration changes
  };

  void describe(OpId id);
  void note_constants(const Op& op);
  std::optional<OpId> scan_of(OpId op) const;
  std::optional<OpId> home(ValueId v) const;
  const BodyArgument* argument(ValueId v) const;
  void take_first(ValueId v);
  void take_second(ValueId v);
  bool is_handed(ValueId v) const;
  void hand(const KeptValue& what, std::optional<OpId> scan);
  void split_call(OpId id, const Op& op);

  const Program& program_;
  const SplitCallee split_callee_;
  std::vector<bool> first_, second_;
  std::vector<bool> constant_;                ///< made of nothing but constants: both parts make it
  std::map<size_t, BodyArgument> arguments_;  ///< of scans' bodies, by value
  std::map<size_t, OpId> enclosing_;          ///< the scan around an op
  std::map<size_t, SplitFunction> callees_;   ///< by op
  std::map<size_t, std::vector<KeptValue>> handed_;
  std::set<size_t> known_values_;
  std::set<ExtraResult> known_extras_;
  bool good_ = true;
};

}  // namespace isoshard
