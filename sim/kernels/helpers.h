#pragma once

#include <cstdint>
#include <functional>

namespace isoshard::sim {

/// Threads that may take part in the work of one operation while they have none of their own.
class Helpers {
 public:
  virtual ~Helpers() = default;

  /// About how many have nothing to do now.
  virtual std::int64_t spare() const = 0;
  /// Calls `part` once with each number below `count`, on this thread and on others, in any order and at the same time;
  /// returns when all calls have, and throws what one of them threw.
  virtual void share(std::int64_t count, const std::function<void(std::int64_t)>& part) = 0;

  /// Those of the thread that calls, or null.
  static Helpers* here();
};

/// Makes `helpers` those of this thread while it lives, then the former ones again.
class HelpersHere {
 public:
  explicit HelpersHere(Helpers* helpers);
  ~HelpersHere();
  HelpersHere(const HelpersHere&) = delete;
  HelpersHere& operator=(const HelpersHere&) = delete;

 private:
  Helpers* former_;
};

}  // namespace isoshard::sim
