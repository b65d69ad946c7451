#include "bench/table/measure/parsing.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "core/text/text.h"

namespace isoshard::bench {
namespace {

/// A file that is deleted with it.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() / ("isoshard_bench." + std::to_string(getpid()) + ".shard")) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Layers until the file has so many bytes; its size.
double write_layers(const std::string& path, std::int64_t bytes) {
  std::ofstream file(path);
  file << "isoshard 1\nmesh @m [data=2, model=4]\nglobal @x : f32[24, 60] input\nglobal @W : f32[60, 60] param "
          "init=lecun_normal\n\nprogram @layers on @m {\n  %h.0 = view @x [data, -]\n  %W = view @W [-, -]\n";
  std::int64_t layer = 0;
  for (; file.tellp() < bytes; ++layer) {
    const std::string k = std::to_string(layer), next = std::to_string(layer + 1);
    file << "  %z." << k << " = dot_general %h." << k << ", %W {contract=[1]x[0]}\n"
         << "  %t." << k << " = tanh %z." << k << "  // of layer " << k << "\n"
         << "  %s." << k << " = multiply %t." << k << ", 0.5\n"
         << "  %h." << next << " = add %h." << k << ", %s." << k << "\n";
  }
  file << "  return @y = %h." << layer << " [data, -]\n}\n";
  file.flush();
  if (!file) throw std::runtime_error("not measured: " + path + " cannot be written");
  return static_cast<double>(file.tellp());
}

void read_module(const std::string& path) {
  const auto source = text::read_source(path);
  if (!source) throw std::runtime_error("not supported: " + source.error().message);
  text::ElaborateOptions options;
  options.max_ops = 1'000'000'000;
  DiagnosticSink sink;
  if (!text::parse_module(*source, options, sink)) {
    throw std::runtime_error("not supported: " + sink.diagnostics().front().message);
  }
}

}  // namespace

ParseCost parse_file_of(std::int64_t bytes) {
  const TemporaryFile file;
  const double size = write_layers(file.path(), bytes);
  return {size, seconds_once(TimeOf::thread, [&] { read_module(file.path()); })};
}

Measured parse_rate(std::int64_t bytes) {
  const TemporaryFile file;
  const double size = write_layers(file.path(), bytes);
  const double seconds = least_seconds(TimeOf::thread, {[&] { read_module(file.path()); }}, {2, 1, 20})[0];
  return {size * 1e-6 / seconds, 0, time_words(seconds) + " for " + digits(size * 1e-6) + " MB", {{"own_s", seconds}}};
}

Measured parse_growth(std::int64_t bytes) {
  const ParseCost small = parse_file_of(bytes), large = parse_file_of(10 * bytes);
  return {large.seconds / small.seconds * small.bytes * 10 / large.bytes,
          0,
          time_words(large.seconds) + " for " + digits(large.bytes * 1e-6) + " MB beside " + time_words(small.seconds),
          {{"large_s", large.seconds}, {"small_s", small.seconds}}};
}

Measured parse_memory(std::int64_t bytes) {
  const ParseCost cost = parse_file_of(bytes);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const double peak = static_cast<double>(used.ru_maxrss) * 1024;
  return {peak / cost.bytes, 0, digits(peak * 1e-6) + " MB for " + digits(cost.bytes * 1e-6) + " MB of text", {}};
}

}  // namespace isoshard::bench
