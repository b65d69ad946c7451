#include "bench/table/machine.h"

#include <isoshard/version.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "bench/open_blas.h"
#include "bench/table/measure/numbers.h"
#include "sim/kernels/isa.h"

namespace isoshard::bench {
namespace {

/// The text behind `word` in a file of /proc of lines `word : text`.
std::string line_of(const char* path, const std::string& word) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (line.rfind(word, 0) == 0 && colon != std::string::npos)
      return line.substr(line.find_first_not_of(" \t", colon + 1));
  }
  return "unknown";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", std::gmtime(&now));
  return std::string(text) + " UTC";
}

std::string instruction_sets() {
  const std::string flags = line_of("/proc/cpuinfo", "flags");
  if (flags.find("avx512f") != std::string::npos) return "AVX-512";
  return flags.find("avx2") != std::string::npos ? "AVX2" : "neither AVX2 nor AVX-512";
}

std::string load() {
  std::array<double, 3> averages{};
  getloadavg(averages.data(), 3);
  return digits(averages[0]) + " " + digits(averages[1]) + " " + digits(averages[2]);
}

std::string open_blas_words() {
  const OpenBlas blas;
  return blas.found() ? blas.description() : "none";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> conditions() {
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return {{"date", today()},
          {"machine", std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores of " +
                          line_of("/proc/cpuinfo", "model name") + ", " + instruction_sets() + ", " +
                          digits(memory / (1 << 30)) + " GiB"},
          {"load", load()},
          {"isoshard",
           std::string(ISOSHARD_VERSION ", kernels of ") + sim::isa_name(sim::best_isa()) + ", g++ " __VERSION__},
          {"OpenBLAS", open_blas_words()}};
}

}  // namespace isoshard::bench
