// What tests call: standin.h.
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

std::vector<std::string> trace() {
  const Lock lock(Machine::get().mutex);
  return Machine::get().trace();
}

}  // namespace standin
