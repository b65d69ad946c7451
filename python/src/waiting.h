#pragma once

#include <isoshard/stop_token.h>

#include <chrono>
#include <future>
#include <utility>

namespace isoshard::python {

/// Python's handlers of signals; true when one has raised, as that of Ctrl-C does. The caller holds no lock of
/// Python's.
bool signal_raised();

/// Throws what a handler has raised.
[[noreturn]] void throw_raised();

/// Does `work` on a thread of its own while this one, without Python's lock, looks for Ctrl-C, which asks `stop`.
/// Throws what work throws, or what a handler of signals has raised.
template <class Work>
auto wait_for(const StopToken& stop, Work work) {
  constexpr std::chrono::milliseconds kBetween{50};
  auto result = std::async(std::launch::async, std::move(work));
  bool raised = false;
  while (result.wait_for(kBetween) != std::future_status::ready) {
    if (!raised && signal_raised()) {
      raised = true;
      stop.request_stop();
    }
  }
  if (raised) throw_raised();
  return result.get();
}

}  // namespace isoshard::python
