#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace isoshard::exec {

/// A process that was forked to do something and then ends. It is killed with its owner, and by the kernel where this
/// process dies before.
class Child {
 public:
  /// Forks a process that does `work`; none where the system has none left.
  static std::optional<Child> start(const std::function<void()>& work);
  Child(Child&& other) noexcept : id_(other.id_), status_(other.status_) { other.id_ = 0; }
  Child& operator=(Child&&) = delete;
  ~Child() { kill(); }

  /// Kills it unless it has ended.
  void kill();
  /// Waits for its end and says how that was: `was killed by signal 9 (Killed)`, `ended with exit code 3`.
  std::string end();

 private:
  explicit Child(pid_t id) : id_(id) {}
  void reap();

  pid_t id_;  ///< 0: reaped
  int status_ = 0;
};

}  // namespace isoshard::exec
