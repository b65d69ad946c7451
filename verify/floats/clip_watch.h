#pragma once  // internal

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Sees in rung F which operands the maxima, minima and selects of one program take, over any number of runs: an input
/// that leaves a clip inactive says nothing about its limit. Thread-safe while running.
class ClipWatch final : public sim::ValueObserver {
 public:
  /// `plan` must outlive it.
  explicit ClipWatch(const Plan& plan);

  bool needed() const { return !clips_.empty(); }
  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;

  /// Some op has taken one side only.
  bool one_sided() const;

 private:
  struct Clip {
    Instruction op;
    uint8_t sides = 0;  ///< bits
  };

  void see(Clip& clip, int64_t position) const;

  std::vector<Clip> clips_;
  std::vector<std::vector<size_t>> of_result_;  ///< per value: the clips that make it, or (selects) that it decides
  std::vector<bool> kept_;                      ///< per value: an operand of a maximum or minimum
  std::map<std::pair<PlanValueId, int64_t>, sim::Value> last_;
  std::mutex mutex_;
};

}  // namespace isoshard::verify
