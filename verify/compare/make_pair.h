#pragma once

#include "core/ir/module.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Reports outputs that do not stand on both sides with one dtype and global shape (rule C-outputs), and updates
/// (check_updates).
bool check_outputs(const Module& module, const Check& check, DiagnosticSink& sink);

/// Lowers both sides; requires check_outputs.
Pair make_pair_of(const Module& module, const Check& check);

/// The pair of `sharded` and its `reference`, which may have more devices, on the globals of `module`; outputs of each
/// stand on the other one, too. `check` says which globals start as one, how many steps there are, and nothing else.
Pair pair_sides(const Module& module, const Check& check, Side sharded, Side reference);

}  // namespace isoshard::verify
