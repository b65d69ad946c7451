#pragma once

#include <memory>
#include <string>

#include "exec/backend.h"

/// A backend that computes nothing, and ranks that fail in the ways that are asked for.
namespace isoshard::exec::testing {

/// What a rank does wrong in a step.
enum class Fault : uint8_t {
  none,
  says_so,          ///< step() fails
  times_out,        ///< step() says that its deadline is over
  dies,             ///< the process is killed
  exits,            ///< the process ends
  cannot,           ///< step() says that it cannot do it
  throws,           ///< step() throws
  hangs,            ///< step() never returns while `release_all` is not called
  differs,          ///< the first byte of its last output has another bit
  says_late,        ///< step() fails after a tenth of a second
  waits_elsewhere,  ///< step() says that its deadline is over, in another instruction
};

struct Faults {
  size_t rank = 0;
  Fault fault = Fault::none;
  int step = 1;  ///< from then on
};

/// Each step copies the boxes of the inputs to those of the outputs, in their order; all are of f32.
class FakeBackend final : public Backend {
 public:
  FakeBackend(const Faults& faults, int devices) : faults_(faults), devices_(devices) {}

  Outcome<std::string> describe() override;
  Outcome<int> devices() override;
  Outcome<MeetingPoint> meeting_point() override;
  Outcome<std::unique_ptr<Rank>> open(const calls::CallList& list, const Seat& seat,
                                      const RankOptions& options) override;

 private:
  Faults faults_;
  int devices_;
};

/// Lets ranks go that hang in this process; those that hang from `hold_all` on stay.
void release_all();
void hold_all();

}  // namespace isoshard::exec::testing
