// What tests call: standin.h. A process that only loads the stand-in cannot call it: it asks for an inspection at its
// end.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/standin/calls.h"
#include "tests/standin/captures.h"
#include "tests/standin/communicators.h"
#include "tests/standin/faults.h"
#include "tests/standin/graphs.h"
#include "tests/standin/memory.h"
#include "tests/standin/nccl_matching.h"
#include "tests/standin/streams.h"

namespace standin {

void reset(const Options& options) {
  const Lock lock(Machine::get().mutex);
  Machine::get().reset(options);
  reset_faults();
  reset_graphs();
  reset_captures();
  reset_streams();
  reset_communicators();
  reset_matching();
  reset_memory();
}

void leave() {
  const Lock lock(Machine::get().mutex);
  Machine::get().depart();
}

std::vector<std::string> problems() {
  const Lock lock(Machine::get().mutex);
  check_guards();
  return Machine::get().problems();
}

namespace {

void tell_unreached() {
  const Lock lock(Machine::get().mutex);
  tell_unreached_fault();
}

struct Inspection {
  ~Inspection() {
    constexpr int kProblems = 70;
    tell_unreached();
    if (std::getenv("STANDIN_STRICT") == nullptr) return;
    const std::vector<std::string> found = problems();
    for (const std::string& problem : found) std::fprintf(stderr, "stand-in: %s\n", problem.c_str());
    if (!found.empty()) _exit(kProblems);
  }
} inspection;

}  // namespace

std::vector<std::string> trace() {
  const Lock lock(Machine::get().mutex);
  return Machine::get().trace();
}

}  // namespace standin
