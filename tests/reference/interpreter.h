#pragma once

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "tests/reference/array.h"

namespace isoshard::reference {

/// One output of a program, put together from what the devices return.
template <class T>
struct AssembledOutput {
  Array<T> whole;
  bool covered = true;         ///< every element was written
  bool replicas_agree = true;  ///< devices that wrote the same element wrote the same
};

/// Runs program `id` on all devices of its mesh, op by op in lockstep; `globals[i]` is the whole of module.globals[i].
///
/// Padding of uneven blocks is nan, or a number that no input is near. Throws Unsupported.
template <class T>
std::vector<AssembledOutput<T>> run(const Module& module, ProgramId id, const std::vector<Array<T>>& globals);

}  // namespace isoshard::reference
