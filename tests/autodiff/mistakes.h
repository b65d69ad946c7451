#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/mutation/operators/rewrite.h"

namespace isoshard::autodiff {

using mutation::Place;
using mutation::Replacement;

/// One mistake: nothing where it does not apply to an op.
struct Mistake {
  std::function<Replacement(Place&)> apply;
  std::optional<size_t> result{};  ///< which is changed, where it is one

  template <class F>
  requires std::is_invocable_v<F, Place&> Mistake(F f, std::optional<size_t> r = std::nullopt)  // NOLINT
      : apply(std::move(f)), result(r) {}
};

/// In what an op gives, in its operands, or in which op it is.
void add_results(std::vector<Mistake>& all);
void add_operands(std::vector<Mistake>& all);
void add_ops(std::vector<Mistake>& all);
/// In its fields.
void add_shapes(std::vector<Mistake>& all);
void add_convolutions(std::vector<Mistake>& all);
void add_collectives(std::vector<Mistake>& all);

}  // namespace isoshard::autodiff
