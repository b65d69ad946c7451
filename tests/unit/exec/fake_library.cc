// A library with a FakeBackend, for tests of the command line: $ISOSHARD_FAKE is `DEVICES RANK FAULT STEP`, numbers.
#include <cstdio>
#include <cstdlib>

#include "tests/unit/exec/fake_rank.h"

/// See kBackendSymbol.
extern "C" isoshard::exec::Backend* isoshard_exec_backend() {
  using isoshard::exec::testing::Fault;
  using isoshard::exec::testing::Faults;
  int devices = 0, rank = 0, fault = 0, step = 1;
  const char* text = std::getenv("ISOSHARD_FAKE");
  if (text != nullptr) std::sscanf(text, "%d %d %d %d", &devices, &rank, &fault, &step);
  static isoshard::exec::testing::FakeBackend backend(
      Faults{static_cast<size_t>(rank), static_cast<Fault>(fault), step}, devices);
  return &backend;
}
