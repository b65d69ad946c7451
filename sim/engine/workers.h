#pragma once

#include <cstdint>
#include <string_view>

#include "sim/engine/caller.h"

namespace isoshard::sim {

/// Who does a run, and who waits for it.
struct Workers {
  int count = 0;             ///< threads; 0 = one per core. Results are bitwise the same for any number.
  Caller* caller = nullptr;  ///< null: nobody asks how it goes on

  Workers() = default;
  Workers(int threads) : count(threads) {}

  void begin_part(std::string_view part) const {
    if (caller != nullptr) caller->begin_part(part);
  }
  void begin_run(const Plan& plan) const {
    if (caller != nullptr) caller->begin_run(plan);
  }
  void found(std::string_view what) const {
    if (caller != nullptr) caller->found(what);
  }
  void go_on(int64_t instructions = 1) const {
    if (caller != nullptr) caller->go_on(instructions);
  }
  /// The same caller, and one thread.
  Workers alone() const {
    Workers result = *this;
    result.count = 1;
    return result;
  }
};

}  // namespace isoshard::sim
