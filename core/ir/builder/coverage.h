#pragma once  // internal

#include <string>
#include <vector>

#include "core/ir/builder/cover.h"
#include "core/ir/module.h"

namespace isoshard {

/// The indices of the block of the device at `position` in an array of shape `whole`, without padding.
IndexRange block_place(const Shape& whole, const Layout& layout, const Mesh& mesh, int64_t position);

/// Reports (C-coverage) globals that the views of `program` read more or less often than they declare, and views of one
/// global that declare different things. Globals that the program does not read are not looked at.
bool check_views(const Program& program, const Module& module, DiagnosticSink& sink);

/// Reports (C-coverage) elements of an array of shape `whole` that no part or more than one writes; `subject` is its
/// name, `@y`, `statement` what writes it. Devices that differ only on axes on which a layout does not depend hold
/// replicas of a block.
bool check_parts(const std::vector<ReturnPart>& parts, const Shape& whole, const Mesh& mesh, const std::string& subject,
                 DiagnosticSink& sink, const std::string& statement = "return");

}  // namespace isoshard
