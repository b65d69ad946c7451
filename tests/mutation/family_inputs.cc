// A mistake of one index or one comparison shows at one value of one integer, which random numbers miss: so all values
// where they are few, and what the programs name, beside what they name, where they are many. A combination of integers
// costs one run of each program, 2^12 of them some tenths of a second.
#include "tests/mutation/family_inputs.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/support/rational_gmp.h"
#include "tests/property/generator/dice.h"

namespace isoshard::mutation {
namespace {

using reference::Rounded;
using testing::Dice;

constexpr size_t kMostCombinations = size_t{1} << 12;
constexpr size_t kRandomDraws = 192;  ///< random ones, beside or in place of all combinations

/// The constants of all programs.
struct Constants {
  std::set<int64_t> integers{0, 1};
  std::vector<double> floats{0, 1};
};

Constants constants_of(const Module& module) {
  Constants result;
  for (const Program& program : module.programs) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Constant* constant = std::get_if<Constant>(&program.op(OpId(i)).data);
      if (constant == nullptr || !constant->value.finite()) continue;
      const double value = constant->value.to_double();
      if (is_float(constant->dtype)) {
        if (std::abs(value) < 1e6) result.floats.push_back(value);
      } else {
        result.integers.insert(to_mpq(constant->value).get_num().get_si());
      }
    }
  }
  return result;
}

/// What an element of a global may be.
struct Candidates {
  std::vector<int64_t> values;
  bool all = true;
};

/// Whether all numbers of its range are tried: few, or few combinations of them.
bool few(const Global& global) {
  const uint64_t size = global.range->size();
  if (size == 0 || size > kMostCombinations) return false;
  uint64_t combinations = 1;
  for (int64_t i = 0; i < element_count(global.type.shape) && combinations <= kMostCombinations; ++i) {
    combinations *= size;
  }
  return size <= 16 || combinations <= kMostCombinations;
}

Candidates candidates_of(const Global& global, const Constants& constants) {
  if (global.type.dtype == DType::pred) return {{0, 1}, true};
  Candidates result{{}, global.range.has_value() && few(global)};
  if (result.all) {
    for (uint64_t i = 0; i < global.range->size(); ++i) result.values.push_back(global.range->at(i));
    return result;
  }
  std::set<int64_t> values;
  const auto add = [&](int64_t value) {
    for (const int64_t near : {value - 1, value, value + 1}) {
      const bool held = global.type.dtype != DType::i32 ||
                        (near >= std::numeric_limits<int32_t>::min() && near <= std::numeric_limits<int32_t>::max());
      if (held && (!global.range || global.range->contains(near))) values.insert(near);
    }
  };
  for (const int64_t value : constants.integers) add(value);
  if (global.range) {
    add(global.range->low);
    add(global.range->high - 1);
    for (const int64_t other : global.range->others) add(other);
  } else {
    for (const int64_t end :
         {int64_t{std::numeric_limits<int32_t>::min()}, int64_t{std::numeric_limits<int32_t>::max()}}) {
      add(end);
    }
  }
  result.values.assign(values.begin(), values.end());
  return result;
}

/// What the floats of one draw are like.
enum class Floats : uint8_t { plain, quarters, constants, zero, sparse, positive, large };
constexpr size_t kKindsOfFloats = 7;

double drawn_float(Floats kind, const Constants& constants, Dice& dice) {
  const double quarter = static_cast<double>(dice.in(-8, 8)) / 4;
  switch (kind) {
    case Floats::plain:
      return dice.bell();
    case Floats::quarters:
      return quarter;
    case Floats::constants: {
      const double c = dice.pick(constants.floats), by = static_cast<double>(dice.in(-1, 1)) / 4;
      return (dice.chance(30) ? -c : c) + by;
    }
    case Floats::zero:
      return dice.chance(10) ? quarter : 0;
    case Floats::sparse:
      return dice.chance(50) ? dice.bell() : 0;
    case Floats::positive:
      return std::abs(quarter) + 0.25;
    case Floats::large:
      return 8 * dice.bell();
  }
  return 0;
}

class Drawing {
 public:
  Drawing(const Module& module, uint64_t seed) : module_(module), constants_(constants_of(module)), dice_(seed) {
    for (const Global& global : module.globals) candidates_.push_back(candidates_of(global, constants_));
  }

  FamilyInputs all() {
    FamilyInputs result;
    const size_t combinations = count();
    if (combinations <= kMostCombinations) {
      for (size_t c = 0; c < combinations && combinations > 1; ++c) result.draws.push_back(draw(c, Floats::plain));
      result.all_integers = knows_all();
    }
    for (size_t d = 0; d < kRandomDraws; ++d) {
      const auto kind = static_cast<Floats>(d % kKindsOfFloats);
      result.draws.push_back(combinations <= kMostCombinations ? draw(dice_.below(combinations), kind) : guided(kind));
    }
    return result;
  }

 private:
  static bool varies(const Global& g) { return !is_float(g.type.dtype) && g.type.dtype != DType::key; }

  /// Combinations of integers, or one more than the most.
  size_t count() const {
    size_t result = 1;
    for (size_t g = 0; g < module_.globals.size(); ++g) {
      if (!varies(module_.globals[g])) continue;
      for (int64_t i = element_count(module_.globals[g].type.shape); i > 0; --i) {
        result *= candidates_[g].values.size();
        if (result > kMostCombinations) return kMostCombinations + 1;
      }
    }
    return result;
  }

  bool knows_all() const {
    for (size_t g = 0; g < candidates_.size(); ++g) {
      if (!is_float(module_.globals[g].type.dtype) && !candidates_[g].all) return false;
    }
    return true;
  }

  template <class Integer>
  Inputs filled(Floats kind, const Integer& integer) {
    Inputs result;
    for (size_t g = 0; g < module_.globals.size(); ++g) {
      const Global& global = module_.globals[g];
      reference::Array<Rounded> array{global.type, {}};
      for (int64_t i = 0; i < element_count(global.type.shape); ++i) {
        if (is_float(global.type.dtype)) {
          array.elements.push_back({Rounded(drawn_float(kind, constants_, dice_)), 0});
        } else if (global.type.dtype == DType::key) {
          array.elements.push_back({Rounded(), dice_.in(0, (int64_t{1} << 62) - 1)});
        } else {
          array.elements.push_back({Rounded(), integer(candidates_[g].values, i)});
        }
      }
      result.push_back(std::move(array));
    }
    return result;
  }

  /// Combination number `rest`, the first element least significant.
  Inputs draw(size_t rest, Floats kind) {
    return filled(kind, [&rest](const std::vector<int64_t>& values, int64_t) {
      const int64_t value = values[rest % values.size()];
      rest /= values.size();
      return value;
    });
  }

  Inputs guided(Floats kind) {
    const int64_t way = dice_.in(0, 3);
    const size_t first = dice_.below(size_t{1} << 16);
    return filled(kind, [&](const std::vector<int64_t>& values, int64_t element) {
      const size_t n = values.size();
      if (way == 0) return values[first % n];                                   // all equal
      if (way == 1) return values[(first + static_cast<size_t>(element)) % n];  // ascending
      if (way == 2) return dice_.chance(80) ? values[first % n] : dice_.pick(values);
      return dice_.pick(values);
    });
  }

  const Module& module_;
  const Constants constants_;
  std::vector<Candidates> candidates_;  ///< per global
  Dice dice_;
};

}  // namespace

FamilyInputs family_inputs(const Module& module, uint64_t seed) { return Drawing(module, seed).all(); }

}  // namespace isoshard::mutation
