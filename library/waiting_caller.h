#pragma once  // internal

#include <isoshard/programs.h>

#include <string>
#include <string_view>
#include <utility>

#include "sim/engine/caller.h"

namespace isoshard::library {

/// A caller with a token and a callback.
class WaitingCaller : public sim::Caller {
 public:
  WaitingCaller(StopToken stop, ProgressCallback progress) : stop_(std::move(stop)), progress_(std::move(progress)) {}

  void begin_part(std::string_view part) override {
    go_on(1);
    if (progress_) progress_(std::string(part));
  }
  /// Throws a StoppedError once the token was asked.
  void go_on(int64_t) override {
    if (stop_.stop_requested()) throw StoppedError("stopped, as was asked");
  }

 private:
  StopToken stop_;
  ProgressCallback progress_;
};

}  // namespace isoshard::library
