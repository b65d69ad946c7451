#pragma once

#include "sim/engine/engine.h"
#include "verify/compare/pair.h"
#include "verify/compare/ratio.h"
#include "verify/compare/stand_ins.h"

namespace isoshard::verify {

/// `x` times `ratio`.
sim::Value multiplied(const sim::Value& x, const Ratio& ratio, const sim::Domain& domain);

/// What a run of `side` of `pair` in `domain` takes for its values: in exact rings an opaque function of those that
/// `generic` names, on rung E also what the side itself marks; empty where that is nothing. In f64 an identity is one.
/// All arguments must outlive it.
sim::Substitute substitution(const Pair& pair, const Side& side, const Generic& generic, const sim::Domain& domain);
/// Whether that makes the same of the same value on every device: all of it does but maxima that each device draws.
bool substitutes_alike(const Side& side);

}  // namespace isoshard::verify
