#include <string>

#include "bench/table/measure/program_times.h"
#include "bench/table/table.h"

namespace isoshard::bench {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Settings sizes(const char* b, const char* d, const char* f, Scale scale) {
  if (scale == Scale::quick) return {{"b", "4"}, {"d", "64"}, {"f", "64"}};
  return {{"b", b}, {"d", d}, {"f", f}};
}

ProgramFile mlp(const char* file, const std::string& collectives, int devices, Settings settings) {
  settings.emplace_back("collectives", collectives);
  return {file, {{"tp", devices}}, std::move(settings)};
}

std::string on_devices(int devices) { return std::to_string(devices) + " devices"; }

Row unsharded_row(int devices, int workers, double target, Scale scale) {
  const ProgramFile file = mlp("tp_mlp", "gathered", devices, sizes("512", "1024", "4096", scale));
  return {"MLP forward, 512 x 1024 x 4096",
          "against the same unsharded, " + on_devices(devices) + ", " + std::to_string(workers) +
              (workers == 1 ? " worker" : " workers"),
          at_most(target, "x"),
          "",
          "",
          60,
          [=] { return over_unsharded(file, workers); }};
}

struct PeerRow {
  const char* peer;
  const char* collectives;
  int devices;
  double target;
  const char* limit;
};

Row forward_row(const PeerRow& row, Scale scale) {
  const ProgramFile file = mlp("tp_mlp", row.collectives, row.devices, sizes("512", "1024", "4096", scale));
  const std::string key = std::string(row.peer) + "/forward/" + row.collectives + "/" + std::to_string(row.devices);
  return {"MLP forward, 512 x 1024 x 4096",
          std::string(row.collectives) + ", against JAX, " + on_devices(row.devices),
          at_least(row.target, "x"),
          row.limit,
          "",
          60,
          [=] { return program_beside_peer(file, key); }};
}

Row step_row(const PeerRow& row, Scale scale) {
  const ProgramFile file = mlp("tp_mlp_step", row.collectives, row.devices, sizes("128", "512", "2048", scale));
  const std::string key = std::string(row.peer) + "/step/" + row.collectives + "/" + std::to_string(row.devices);
  const std::string peer = std::string(row.peer) == "jax" ? "JAX" : "gloo";
  return {"MLP value and gradient, 128 x 512 x 2048",
          std::string(row.collectives) + ", against " + peer + ", " + on_devices(row.devices),
          at_least(row.target, "x"),
          row.limit,
          "",
          60,
          [=] { return program_beside_peer(file, key); }};
}

Row gpipe_row(Scale scale) {
  ProgramFile file{"gpipe", {{"pp", 8}}, {}};
  if (scale == Scale::quick) file.settings = {{"d", "16"}, {"f", "32"}};
  return {
      "GPipe forward", "8 stages, 8 micro-batches of 16 rows, against JAX", at_least(2.5, "x"), "5.9x", "", 60, [=] {
        return program_beside_peer(file, "jax/gpipe/8");
      }};
}

}  // namespace

Rows program_rows(Scale scale) {
  constexpr PeerRow kForward[] = {{"jax", "gathered", 8, 1.15, "1.33x"},
                                  {"jax", "ring", 8, 1.35, "1.6x"},
                                  {"jax", "gathered", 64, 3.2, "4.0x"},
                                  {"jax", "ring", 64, 20, "26x"}};
  constexpr PeerRow kStep[] = {{"jax", "gathered", 8, 1.6, "2.0x"}, {"jax", "ring", 8, 3.3, "4.3x"},
                               {"jax", "gathered", 64, 8, "10x"},   {"jax", "ring", 64, 100, "179x"},
                               {"gloo", "gathered", 8, 40, "50x"},  {"gloo", "ring", 8, 22, "28x"}};
  Rows rows;
  for (const int workers : {1, 2}) {
    rows.push_back(unsharded_row(8, workers, 1.10, scale));
    rows.push_back(unsharded_row(64, workers, 1.25, scale));
  }
  for (const PeerRow& row : kForward) rows.push_back(forward_row(row, scale));
  for (const PeerRow& row : kStep) rows.push_back(step_row(row, scale));
  rows.push_back(gpipe_row(scale));
  return rows;
}

}  // namespace isoshard::bench
