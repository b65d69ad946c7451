#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/import/stablehlo/text/syntax.h"
#include "core/ir/types/value.h"
#include "core/ir/types/view.h"
#include "core/support/rational.h"

namespace isoshard::stablehlo {

/// The elements of a constant: one for all, or each.
struct ConstantArray {
  TensorType type;
  std::vector<Rational> elements;     ///< one, or as many as the type has
  std::vector<size_t> minus_zeros{};  ///< the elements that are -0, which a Rational does not tell from 0

  bool is_splat() const { return elements.size() == 1; }
};

/// (position in the mesh / divisor) mod modulus, what JAX prints for an index over axes; no modulus means that nothing
/// is cut off.
struct PositionDigit {
  int64_t divisor = 1;
  std::optional<int64_t> modulus;
};

/// Bits of a float: n under an exponent e, which are 2^e (1 + n / 2^f) with f bits in a fraction.
struct Scientific {
  ValueId fraction;
  int exponent = 0;
};

/// The bits of floats as integers, or without their last ones.
struct BitsOfFloats {
  ValueId floats;
  bool shortened = false;
};

/// An array with infinities of one sign around it.
struct InfinitePadding {
  ValueId inside;
  std::vector<int64_t> low{};  ///< by dimension, how many before it
  bool negative = false;
};

/// What stands behind a name of the text: a value of the program, or what becomes one only where it is used.
///
/// Constants and positions become values in the region that uses them, so that no region captures them. Outside of
/// manual computations a value is a whole array: an argument of main that nobody has read yet, blocks that a manual
/// computation has left (`id` with `layout`), or what every device has whole.
struct Wire {
  TensorType type;
  ValueId id{};  ///< invalid for all others
  std::shared_ptr<const ConstantArray> constant{};
  std::optional<PositionDigit> digit{};
  std::optional<size_t> argument{};        ///< the number of the argument of main
  Layout layout{};                         ///< of `id`, where it is a block of the value; empty: whole
  std::string_view sharding{};             ///< what `@Sharding` says of it, in texts that have custom calls
  std::optional<Scientific> scientific{};  ///< the integers are such bits
  std::optional<BitsOfFloats> bits{};      ///< and no value: what is made of it is
  std::optional<int64_t> counted{};        ///< the dimension along which the elements are 0, 1, 2, ...
  std::optional<int64_t> different{};      ///< the dimension along which no integer stands twice in a row
  bool permutation = false;                ///< the elements are 0, 1, 2, ... in some order
  ValueId inverse{};                       ///< this permutation is the inverse of that one, which has one dimension
  std::optional<int64_t> joined{};         ///< the dimension along which parts are joined here
  std::set<int64_t> told_apart{};          ///< dimensions along which one of these parts is counted
  std::set<int64_t> apart_in_rows{};       ///< dimensions along which one of these parts is different
  std::optional<InfinitePadding> padding{};
  bool minus_zero = false;  ///< the number -0, which no constant is
  bool plus_zero = false;   ///< floats among which is no -0 ...
  bool one_nan = false;     ///< ... and whose nans are made alike
};

/// What names mean in a region; names of a region around it are seen, too.
class Scope {
 public:
  explicit Scope(const Scope* around = nullptr) : around_(around) {}

  void define(std::string_view name, std::vector<Wire> wires) { wires_[name] = std::move(wires); }
  /// Null for a name that nothing defines, or for a result that it does not have.
  const Wire* find(std::string_view name, uint32_t index) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->around_) {
      const auto found = scope->wires_.find(name);
      if (found != scope->wires_.end()) return index < found->second.size() ? &found->second[index] : nullptr;
    }
    return nullptr;
  }

 private:
  const Scope* around_;
  std::map<std::string_view, std::vector<Wire>> wires_;
};

}  // namespace isoshard::stablehlo
