#pragma once

#include <string>
#include <vector>

#include "core/ir/types/global.h"
#include "core/ir/types/value.h"

namespace isoshard {

using ProgramId = Id<struct ProgramTag>;

/// A func as the ops that apply it see it; valid as long as its Program.
struct FunctionSignature {
  std::string name;  ///< without `@`
  bool typed = true;
  std::vector<const Value*> parameters, results;  ///< never null
};

/// What ops name by id. A Module is one; ops stand below the Module, which holds programs of ops, and their inference
/// looks up globals and funcs here.
class SymbolTable {
 public:
  virtual const Global& global(GlobalId id) const = 0;
  virtual FunctionSignature function(ProgramId id) const = 0;

 protected:
  SymbolTable() = default;
  SymbolTable(const SymbolTable&) = default;
  SymbolTable& operator=(const SymbolTable&) = default;
  ~SymbolTable() = default;
};

}  // namespace isoshard
