#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/value.h"
#include "verify/facts/integer_values.h"
#include "verify/pair.h"

namespace isoshard::verify {

/// Which numbers of indices that no file limits the verdict of each output is about: those that it was covered for, or
/// where its own lookups in the reference are rows. Differences outside of them are none.
class OutputRows {
 public:
  /// `covered_by`: per output of the sharded program, null where it is not covered; may be empty.
  OutputRows(const Pair& pair, const std::vector<std::shared_ptr<const IntegerInputs>>& covered_by);

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
