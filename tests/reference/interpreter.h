#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "tests/reference/array.h"

namespace isoshard::reference {

/// One output of a program, or the next value of a global, put together from what the devices return.
template <class T>
struct AssembledOutput {
  Array<T> whole;
  bool covered = true;         ///< every element was written
  bool replicas_agree = true;  ///< devices that wrote the same element wrote the same
};

/// The padding of uneven blocks; what depends on it differs between the first two. `first` is nan in doubles.
enum class Padding : uint8_t { first, second, zero };

template <class T>
struct Outputs {
  std::vector<AssembledOutput<T>> all;  ///< results, then updates
  /// Every float of every value was an integer of at most 2^8, so that sums of up to 2^8 products are exact in any
  /// float format. Only known for rationals.
  bool small_integers = true;
};

/// Runs program `id` on all devices of its mesh, op by op in lockstep; `globals[i]` is the whole of module.globals[i].
///
/// Throws Unsupported.
template <class T>
Outputs<T> run(const Module& module, ProgramId id, const std::vector<Array<T>>& globals,
               Padding padding = Padding::first);

/// What each device has of a value, by position in the mesh.
template <class T>
using OnDevices = std::vector<Array<T>>;

/// Applies a function on all devices of its mesh: one entry per argument and result. `globals` are those of the module,
/// where the function views any.
///
/// Throws Unsupported.
template <class T>
std::vector<OnDevices<T>> call(const Module& module, ProgramId function, std::vector<OnDevices<T>> arguments,
                               const std::vector<Array<T>>& globals = {});

}  // namespace isoshard::reference
