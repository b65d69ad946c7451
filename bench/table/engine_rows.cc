#include <algorithm>
#include <string>

#include "bench/table/measure/engine_rates.h"
#include "bench/table/measure/program_times.h"
#include "bench/table/table.h"

namespace isoshard::bench {
namespace {

std::string on(std::int64_t devices) { return std::to_string(devices) + " devices"; }

Row instruction_row(std::int64_t devices, int workers, Order order, Scale scale) {
  const std::int64_t run = scale == Scale::quick ? 8 : devices;
  std::string name = "instruction, " + on(devices) + ", " + std::to_string(workers);
  name += workers == 1 ? " worker" : " workers";
  if (order == Order::drawn) name += ", interleaved";
  return {"engine, per instruction, device and worker",
          name,
          at_most(order == Order::drawn ? 1 : 0.3, "us"),
          "",
          "",
          60,
          [=] { return instruction_cost(run, workers, order); }};
}

Row small_row(AppendCollective append, const char* kind, std::int64_t devices, Scale scale) {
  const std::int64_t rounds_devices = scale == Scale::quick ? std::min<std::int64_t>(devices, 8) : devices;
  return {"collectives",
          std::string(kind) + " of 1 KiB, " + on(devices),
          at_most(devices == 8 ? 5 : 70, "us"),
          "",
          "",
          60,
          [=] { return collective_cost(append, rounds_devices, 1024); }};
}

Row permute_row(std::int64_t devices, Scale scale) {
  const std::int64_t bytes = scale == Scale::quick ? 1 << 16 : 16 << 20;
  return {"collectives",
          "permute of 16 MiB against 1 KiB, " + on(devices),
          at_most(2, "x"),
          "1x: pointers move",
          "",
          60,
          [=] { return permute_of_large_over_small(devices, bytes); }};
}

Row large_row(std::int64_t devices, double target, const char* limit, Scale scale) {
  const std::int64_t bytes = scale == Scale::quick ? 1 << 16 : 16 << 20;
  Target reached = at_least(target, "x");
  reached.megabytes = devices == 64 ? 1100 : 300;  // what goes in, one result, and the program
  return {"collectives",
          "all_reduce of 16 MiB against JAX, " + on(devices),
          reached,
          limit,
          devices == 64 ? "2 to 4 GB" : "",
          120,
          [=] { return large_all_reduce(devices, bytes); }};
}

Row ring_row(Scale scale) {
  const std::int64_t devices = scale == Scale::quick ? 8 : 4096;
  const ProgramFile file{"ring_all_reduce", {{"ring", devices}}, {}};
  return {"ring of 4096 devices",
          "all_reduce as 2 x 4095 permutes with real values, 33.5 million messages",
          at_most(25, "s", 500),
          "ASTRA-sim, times only: 104 s, 5.4 GB",
          "about a minute",
          240,
          [=] { return program_seconds(file); }};
}

}  // namespace

Rows engine_rows(Scale scale) {
  Rows rows;
  for (const std::int64_t devices : {8, 64, 512, 4096}) {
    rows.push_back(instruction_row(devices, 1, Order::natural, scale));
    rows.push_back(instruction_row(devices, 2, Order::natural, scale));
    rows.push_back(instruction_row(devices, 1, Order::drawn, scale));
  }
  const std::int64_t idle = scale == Scale::quick ? 64 : 4096;
  rows.push_back({"engine, per instruction, device and worker", "memory of a device with one number, 4096 devices",
                  at_most(2, "KB"), "", "", 60, [=] { return idle_device(idle); }});
  rows.push_back(ring_row(scale));
  for (const std::int64_t devices : {8, 64}) {
    rows.push_back(small_row(append_all_reduce, "all_reduce", devices, scale));
    rows.push_back(small_row(append_all_gather, "all_gather", devices, scale));
    rows.push_back(small_row(append_reduce_scatter, "reduce_scatter", devices, scale));
    rows.push_back(permute_row(devices, scale));
  }
  rows.push_back(large_row(8, 2, "2.3x", scale));
  rows.push_back(large_row(64, 5, "6x", scale));
  return rows;
}

}  // namespace isoshard::bench
