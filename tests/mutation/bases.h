#pragma once

#include <cstdint>
#include <string>

#include "core/ir/module.h"

namespace isoshard::mutation {

/// A program to be changed and what it is compared with.
struct Base {
  std::string name;  ///< of its file, or `random`
  Module module;     ///< whose only check is subject == reference
  ProgramId subject;
  ProgramId reference;    ///< the unsharded twin; the subject itself of random programs
  bool rings = false;     ///< its devices stand in a ring and are alike: every step may go the other way
  bool ring_ops = false;  ///< both programs hold operations of a ring only: no function, no order, no division
};

/// How many kinds of bases there are: each program of tests/mutation/programs, and random programs.
size_t base_kinds();

/// A base of kind `kind`, the same on every machine: a program of tests/mutation/programs on a random mesh (axes of 2,
/// 3, 4, 5, 6 and 8 devices, seldom 1) with random sizes, or (the last kind) a random program on its own mesh.
///
/// Throws std::runtime_error when a file of the project cannot be read.
Base make_base(size_t kind, uint64_t seed);

}  // namespace isoshard::mutation
