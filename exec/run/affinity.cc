// A rank near its GPU: memory of the host and interrupts are on the socket to which the GPU is connected. What a
// launcher has allowed is only made less, never more. Cost: two small files.
#include "exec/run/affinity.h"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace isoshard::exec {

std::vector<int> numbers_of_list(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream range(part);
    int first = -1, last = -1;
    char dash = '\0';
    if (!(range >> first) || first < 0) return {};
    last = first;
    if (range >> dash && (dash != '-' || !(range >> last))) return {};
    if (last < first || last >= CPU_SETSIZE) return {};
    for (int number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

std::vector<int> processors_near(const std::string& bus_id, const std::string& sys) {
  std::string id = bus_id;
  std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return std::tolower(c); });
  if (id.empty() || id.find('/') != std::string::npos) return {};
  int node = -1;
  if (!(std::ifstream(sys + "/bus/pci/devices/" + id + "/numa_node") >> node) || node < 0) return {};
  std::string list;
  std::ifstream(sys + "/devices/system/node/node" + std::to_string(node) + "/cpulist") >> list;
  return numbers_of_list(list);
}

void stay_on(const std::vector<int>& processors) {
  cpu_set_t allowed, kept;
  CPU_ZERO(&kept);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (const int processor : processors) {
    if (CPU_ISSET(static_cast<size_t>(processor), &allowed)) CPU_SET(static_cast<size_t>(processor), &kept);
  }
  if (CPU_COUNT(&kept) > 0) sched_setaffinity(0, sizeof kept, &kept);
}

}  // namespace isoshard::exec
