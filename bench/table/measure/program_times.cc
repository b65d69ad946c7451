#include "bench/table/measure/program_times.h"

#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"
#include "bench/table/measure/peers.h"
#include "core/plan/flops.h"

namespace isoshard::bench {

Measured over_unsharded(const ProgramFile& file, int workers) {
  const Planned sharded = planned_file(file), dense = planned_file(file, Side::reference);
  const std::vector<double> s = least_seconds(workers == 1 ? TimeOf::thread : TimeOf::wall,
                                              {[&] { run_plan(sharded, workers); }, [&] { run_plan(dense, workers); }});
  const double rate = matmul_flops(dense.plan) / s[1] * 1e-9;
  return {s[0] / s[1],
          0,
          time_words(s[0]) + " beside " + time_words(s[1]) + ", " + digits(rate) + " GF",
          {{"sharded_ms", 1e3 * s[0]}, {"unsharded_ms", 1e3 * s[1]}, {"unsharded_GF", rate}}};
}

Measured program_beside_peer(const ProgramFile& file, const std::string& peer) {
  const Planned planned = planned_file(file);
  return beside_peer(peer, least_seconds(TimeOf::wall, {[&] { run_plan(planned, 0); }})[0]);
}

Measured program_seconds(const ProgramFile& file) {
  const Planned planned = planned_file(file);
  // No warming up: one run may take minutes.
  const double seconds = seconds_once(TimeOf::wall, [&] { run_plan(planned, 2); });
  return {seconds, 0, "", {{"own_s", seconds}}};
}

}  // namespace isoshard::bench
