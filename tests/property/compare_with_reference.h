#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/ir/module.h"

namespace isoshard::testing {

/// What came of running one program on one draw of its globals, in the simulator and in the reference interpreter.
struct Compared {
  std::string wrong;              ///< the first element that is wrong in some domain; empty when there is none
  std::set<std::string> domains;  ///< in which elements were judged
  bool padding_leaks = false;     ///< an output depends on the padding of uneven blocks: nothing is compared
};

/// Runs program `id` in every domain of the simulator against the reference.
///
/// `bounded`: values with bounds enclose the exact result, or are near the reference's doubles. `f64`, and `float`
/// where the program has no other floats: within that bound. `f32` and `float`: equal where all numbers are small
/// integers. `ring`: residues of the exact result, where the program has no function and no order of floats, which
/// mean something else in a ring. Integers are equal everywhere.
Compared compare_with_reference(const Module& module, ProgramId id, uint64_t seed);

}  // namespace isoshard::testing
