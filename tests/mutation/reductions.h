#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "tests/mutation/suite.h"
#include "tests/mutation/truth.h"

/// All mistakes of one kind in a program and the functions that it calls: a reduction is left out or made twice.
namespace isoshard::mutation {

/// A place in a program or in a function that it calls where something is reduced, and what is done wrong there.
struct ReductionSite {
  enum class Mistake : uint8_t {
    drop,   ///< a reduction over devices, a division by a count, what an accumulation has so far: left out
    twice,  ///< a reduction over devices, a division by a count: made twice
    mark,   ///< `partial`: left out, which changes a state and no value
  };
  ProgramId program;
  OpId op;
  Mistake mistake;
};
/// All of them in the left program of the module's check and its functions.
std::vector<ReductionSite> reduction_sites(const Module& module);

/// The module with that mistake, its check about the wrong program, and where it is.
struct WrongProgram {
  Module module;
  std::string what;
};
/// Everything that calls the wrong function calls it in the wrong program, too. Nothing where the mistake cannot be
/// written.
std::optional<WrongProgram> with_mistake(const Module& module, const ReductionSite& site);

/// A mistake as the interpreter and the checker see it.
struct JudgedMistake {
  WrongProgram wrong;
  Truth truth;
  Answer answer;

  bool contradiction() const { return contradicts(truth, answer.verdict); }
};
/// Counted in `count`; nothing where the interpreter does not know. What is SAME and called NOT EQUAL is judged on more
/// inputs.
std::optional<JudgedMistake> judged(WrongProgram wrong, const Judge& judge, const Checker& checker, Count& count);

/// One line per kind of mistake, all of them 0.
std::vector<Count> reduction_counts();
/// The line of that kind of mistake.
Count& line_of(std::vector<Count>& counts, ReductionSite::Mistake mistake);
/// The lines as a table of Markdown.
std::string reductions_table(const std::vector<Count>& counts);

}  // namespace isoshard::mutation
