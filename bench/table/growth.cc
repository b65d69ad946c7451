#include "bench/table/growth.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "bench/table/isolated.h"
#include "bench/table/measure/engine_rates.h"
#include "bench/table/measure/numbers.h"
#include "bench/table/measure/parsing.h"
#include "bench/table/measure/plan_runs.h"
#include "bench/table/measure/whole_processes.h"

namespace isoshard::bench {
namespace {

/// Something that grows: what it takes at a size, in CPU seconds, which neighbours of the machine disturb least.
struct Series {
  std::string title, size;
  std::vector<std::int64_t> sizes;
  std::function<Measured(std::int64_t)> measure;
};

Measured engine_run(std::int64_t devices) {
  Measured cost = instruction_cost(devices, 1, Order::natural);
  cost.value = cost.parts.at("run_s");
  return cost;
}

Measured check_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"check", "-q"});
  Measured cost = process_time({std::move(words), 0}, 1);
  cost.value = cost.parts.at("cpu_s");
  return cost;
}

Measured check_devices(std::int64_t devices) {
  // Two rows, and a hidden feature per device: what grows is the number of devices.
  const std::string n = std::to_string(devices);
  return check_of({"tp_mlp", "--mesh", "data=1,model=" + n, "--set", "b=2,d=4,f=" + n});
}

Measured check_ring(std::int64_t devices) {
  return check_of({path_of({"ring_all_reduce", {}, {}}), "--mesh", "ring=" + std::to_string(devices)});
}

Measured check_scanned(std::int64_t layers) {
  return check_of({"tp_transformer_block", "--mesh", "data=2,model=2", "--set", "layers=" + std::to_string(layers)});
}

Measured check_unrolled(std::int64_t layers) {
  return check_of(
      {std::string(ISOSHARD_SOURCE) + "/examples/scan_layers.shard", "--set", "f=16,n=" + std::to_string(layers)});
}

Measured parsed(std::int64_t bytes) {
  const ParseCost cost = parse_file_of(bytes);
  return {cost.seconds, 0, "", {}};
}

std::vector<Series> all_series(Scale scale) {
  const bool quick = scale == Scale::quick;
  using Sizes = std::vector<std::int64_t>;
  const Sizes devices = quick ? Sizes{2, 4} : Sizes{1, 8, 64, 512, 4096};
  const Sizes rings = quick ? Sizes{2, 4} : Sizes{2, 8, 32, 128, 512, 2048};
  const Sizes layers = quick ? Sizes{1, 2} : Sizes{1, 2, 4, 8, 16, 32, 64, 128};
  const Sizes bytes = quick ? Sizes{10'000, 20'000} : Sizes{100'000, 1'000'000, 10'000'000, 100'000'000};
  return {{"32 negations and all_reduces of a number, one worker", "devices", devices, engine_run},
          {"`check tp_mlp`, a hidden feature per device", "devices", devices, check_devices},
          {"`check` of a ring all_reduce written out: work grows with the square", "devices", rings, check_ring},
          {"`check tp_transformer_block` on 2 x 2 devices, layers in a scan", "layers", layers, check_scanned},
          {"`check examples/scan_layers.shard`, a scan against layers written out", "layers", layers, check_unrolled},
          {"parse and verify a `.shard` file", "bytes", bytes, parsed}};
}

/// The exponent of `y` as a power of `x` between two points.
std::string exponent(double x0, double y0, double x1, double y1) {
  if (x0 <= 0 || y0 <= 0) return "";
  return digits(std::log(y1 / y0) / std::log(x1 / x0));
}

/// False where a size could not be done for another reason than its time.
bool print_series(std::FILE* out, const Series& series, double deadline) {
  std::fprintf(out, "\n%s:\n\n| %s | CPU time | exponent | peak MB |\n|---|---|---|---|\n", series.title.c_str(),
               series.size.c_str());
  double size_before = 0, before = 0;
  for (const std::int64_t size : series.sizes) {
    const Measured measured = isolated([&] { return series.measure(size); }, deadline);
    if (!measured.value) {
      std::fprintf(out, "| %lld | %s | | |\n", static_cast<long long>(size), measured.note.c_str());
      return measured.note.rfind("not done", 0) == 0;
    }
    std::fprintf(out, "| %lld | %s | %s | %.0f |\n", static_cast<long long>(size), time_words(*measured.value).c_str(),
                 exponent(size_before, before, static_cast<double>(size), *measured.value).c_str(), measured.megabytes);
    std::fflush(out);
    size_before = static_cast<double>(size);
    before = *measured.value;
  }
  return true;
}

}  // namespace

bool print_growth(std::FILE* out, Scale scale, double deadline) {
  bool all = true;
  for (const Series& series : all_series(scale)) all = print_series(out, series, deadline) && all;
  return all;
}

}  // namespace isoshard::bench
