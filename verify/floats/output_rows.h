#pragma once  // internal

#include <map>
#include <string>
#include <vector>

#include "sim/value/value.h"
#include "verify/answers/ring_output.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Which numbers of indices that no file limits the verdict of each output is about: those that it was covered for, or
/// where its own lookups in the reference are rows. Differences outside of them are none.
class OutputRows {
 public:
  /// `known`: per output of the sharded program, or empty.
  OutputRows(const Pair& pair, const std::vector<RingOutput>& known);

  /// The outputs whose verdicts are not about the integers of one run.
  class Missed {
   public:
    explicit Missed(const OutputRows& rows) : rows_(rows), missed_(rows.ranges_.size(), false) {}
    /// One of the globals, with native integers.
    void take(const Global& global, const sim::Value& value);
    bool holds(size_t output) const { return output < missed_.size() && missed_[output]; }

   private:
    const OutputRows& rows_;
    std::vector<bool> missed_;
  };

 private:
  std::vector<std::map<std::string, ValueRange>> ranges_;  ///< per output; empty: none has any
};

}  // namespace isoshard::verify
