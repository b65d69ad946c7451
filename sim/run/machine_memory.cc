// How much memory a run may take: the least of the machine's own, the limits of the process and those of its cgroup and
// all groups around it, of version 1 and 2. Containers have their limit in the cgroup only, where a run that takes more
// is killed without a word. A limit that cannot be read does not count. The source of the limit is kept, so that a
// refusal can name it.
#include "sim/run/machine_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

namespace isoshard::sim {
namespace {

void lower_to(MemoryLimit& limit, double bytes, const char* source) {
  if (bytes < limit.bytes) limit = MemoryLimit{bytes, source};
}

void read_rlimit(int resource, const char* source, MemoryLimit& limit) {
  rlimit value{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &value) != 0 || value.rlim_cur == RLIM_INFINITY) return;
  lower_to(limit, static_cast<double>(value.rlim_cur), source);
}

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

/// The next line without its end; false at the end of the file.
bool read_line(FILE* file, std::string& line) {
  line.clear();
  int c = std::fgetc(file);
  if (c == EOF) return false;
  for (; c != EOF && c != '\n'; c = std::fgetc(file)) line += static_cast<char>(c);
  return true;
}

/// The number in a file of the cgroup file system; nothing for `max` and for files that do not exist.
std::optional<double> read_number(const std::string& path) {
  const File file(std::fopen(path.c_str(), "re"), &std::fclose);
  std::string line;
  if (!file || !read_line(file.get(), line)) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(line.c_str(), &end);
  return end != line.c_str() && *end == '\0' ? std::optional(number) : std::nullopt;
}

/// Limits hold for a group and everything below it: the process's own group and its parents.
void read_cgroups(const std::string& root, const char* file, std::string group, MemoryLimit& limit) {
  while (true) {
    if (const std::optional<double> bytes = read_number(root + group + "/" + file)) {
      lower_to(limit, *bytes, "the limit of its cgroup");
    }
    if (group.empty()) return;
    group.erase(group.rfind('/'));
  }
}

/// `0::/user.slice/x` of version 2, `4:memory:/x` of version 1.
void read_cgroup_limits(MemoryLimit& limit) {
  const File file(std::fopen("/proc/self/cgroup", "re"), &std::fclose);
  for (std::string line; file && read_line(file.get(), line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || line.compare(second + 1, 1, "/") != 0) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    if (controllers.empty()) read_cgroups("/sys/fs/cgroup", "memory.max", group, limit);
    if (controllers == "memory") read_cgroups("/sys/fs/cgroup/memory", "memory.limit_in_bytes", group, limit);
  }
}

}  // namespace

MemoryLimit machine_memory() {
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  MemoryLimit limit{pages * static_cast<double>(sysconf(_SC_PAGE_SIZE)), "its physical memory"};
  read_cgroup_limits(limit);
  read_rlimit(RLIMIT_AS, "the limit of `ulimit -v`", limit);
  read_rlimit(RLIMIT_DATA, "the limit of `ulimit -d`", limit);
  return limit;
}

}  // namespace isoshard::sim
