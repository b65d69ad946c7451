#pragma once

#include <cstddef>
#include <memory>

namespace isoshard::exec {

/// A function on a stack of its own that goes on in turns with whoever resumes it, both on one OS thread.
/// AddressSanitizer and ThreadSanitizer are told of each turn.
class Fibre {
 public:
  /// What it runs; it never returns.
  using Body = void (*)(void* argument);

  Fibre(Body body, void* argument);
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// Goes on with the body until that pauses.
  void resume();
  /// Ends the turn; the body calls it.
  void pause();

 private:
  struct State;
  static void enter(State* state);

  std::unique_ptr<State> state_;
};

}  // namespace isoshard::exec
