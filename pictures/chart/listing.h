#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/plan/plan.h"
#include "pictures/chart/device_blocks.h"

namespace isoshard::pictures {

/// A value, or an output, as a page lists it.
struct ListedValue {
  std::string name;                 ///< `%y`, `@y` of an output
  std::string op;                   ///< that makes it; `return`, `update` of an output, `argument` of a body
  std::string text;                 ///< its operands and fields
  std::string type;                 ///< `f32[8,16]`, of one device; of an output the whole
  States states;                    ///< by axis; none of outputs and of Plans
  std::vector<size_t> operands;     ///< the values that it is made of, by their place in the list
  std::vector<std::string> errors;  ///< of states
  Location location;
  size_t depth = 0;                      ///< loops around
  std::string function{};                ///< of the first value of a func: its name
  std::optional<DeviceBlocks> blocks{};  ///< where it is a block of a whole array
};

/// The values of a program, then those of the functions that it calls.
struct Listing {
  std::vector<ListedValue> values;
  size_t left_out = 0;  ///< values behind kMostValues
};

/// At most so many values are listed, the first ones.
inline constexpr size_t kMostValues = 4000;

/// The values of `program` in the order of their ops, then its outputs.
Listing listing_of(const Module& module, ProgramId program);
/// The values of `plan` in issue order. A Plan has no states.
Listing listing_of(const Plan& plan);

/// What an instruction does, in a word: the name of a local op, otherwise that of the text of Plans.
std::string word_of(const Instruction& instruction);

}  // namespace isoshard::pictures
