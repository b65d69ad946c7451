#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/plan/plan.h"
#include "core/value/npz.h"

namespace isoshard::library {

/// Arrays by the index of their global.
using GivenArrays = std::map<size_t, Tensor>;

/// Whether an array is meant for a global: by its name, or by the path of a parameter, `a/b/kernel` for @a.b.kernel.
bool names_global(std::string array, const std::string& global);

/// One array per global: from the archive where it has the name, otherwise that of `first`, otherwise drawn from `seed`
/// and the global's init.
///
/// Errors go to `sink`: names that are no global (I-unknown), wrong dtypes or shapes (I-type), and an archive that
/// lacks an `input` or `const` that is read (`reads`, per global) and `first` has not (I-missing); params may be
/// missing; an integer outside of its global's range (I-range). Without an archive everything is drawn.
std::optional<std::vector<Tensor>> gather_arrays(const std::vector<Global>& globals, const std::vector<bool>& reads,
                                                 const std::optional<std::vector<NamedTensor>>& archive,
                                                 const std::string& path, const GivenArrays& first, uint64_t seed,
                                                 DiagnosticSink& sink);

/// Per global: whether the program reads it.
std::vector<bool> globals_program_reads(const Module& module, ProgramId program);

/// Per global: whether the Plan reads it.
std::vector<bool> globals_plan_reads(const Plan& plan);

/// The first element of an array of integers that is not in the range of `global`: `40 at [1, 3]`; empty: none.
std::string outside_range(const Global& global, const Tensor& array);

}  // namespace isoshard::library
