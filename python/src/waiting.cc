#include "python/src/waiting.h"

#include <nanobind/nanobind.h>

namespace isoshard::python {

bool signal_raised() {
  const nanobind::gil_scoped_acquire lock;
  return PyErr_CheckSignals() != 0;
}

void throw_raised() {
  const nanobind::gil_scoped_acquire lock;
  nanobind::raise_python_error();
}

}  // namespace isoshard::python
