#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "exec/run/job.h"

/// A backend that computes nothing, and ranks that fail in the ways that are asked for.
namespace isoshard::exec::testing {

/// What a rank does wrong in a step.
enum class Fault : uint8_t {
  none,
  says_so,    ///< step() fails
  times_out,  ///< step() says that its deadline is over
  dies,       ///< the process is killed
  exits,      ///< the process ends
  throws,     ///< step() throws
  hangs,      ///< step() never returns while `release_all` is not called
  differs,    ///< the first byte of its first output has another bit
};

struct Faults {
  size_t rank = 0;
  Fault fault = Fault::none;
  int step = 1;  ///< from then on
};

/// Each step copies the boxes of the inputs to those of the outputs, in their order.
OpenBackend fake_backend(const Faults& faults, int devices = 4);

/// Lets ranks go that hang in this process.
void release_all();

/// A Plan whose two devices each hold half of @x and all of @w, and give both back, @w as its next value.
Plan echo_plan();
/// What its ranks issue: nothing, in memory for their boxes.
std::vector<calls::CallList> echo_lists();
/// A job of these lists that gives up after a second.
std::shared_ptr<Job> echo_job(const Plan& plan, const OpenBackend& open_backend);

}  // namespace isoshard::exec::testing
