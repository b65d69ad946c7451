// Functions of variables with few entries each, as sums of tables. Anchoring every table at the first entries makes the
// form unique (the tables are the terms of the functional ANOVA decomposition at that point; W. Hoeffding 1948), so
// that equal functions are equal objects, and two integers are compared by comparing words. A table over k variables is
// split into at most 2^k; only those that are not 0 are kept. A count of n masks is so n tables of two entries, where a
// joint table would have 2^n. Sums and multiples act table by table; everything else goes through a dense joint table
// and back, as long as that has few entries. Cost: the entries of the tables, times 2^k to split.
#include "sim/domains/soft/tables/soft_tables.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace isoshard::sim {
namespace {

constexpr size_t kMostParts = 512;

int64_t saturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

bool is_zero(const std::vector<int64_t>& table) {
  return std::all_of(table.begin(), table.end(), [](int64_t x) { return x == 0; });
}

}  // namespace

uint32_t SoftTables::add(SoftVariable variable) {
  variables_.push_back(std::move(variable));
  return static_cast<uint32_t>(variables_.size() - 1);
}

SoftTables::Variables SoftTables::united(const Variables& a, const Variables& b) {
  Variables result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

SoftTables::Variables SoftTables::variables_of(const SoftSum& sum) {
  Variables result;
  for (const SoftPart& part : sum.parts) result = united(result, part.variables);
  return result;
}

size_t SoftTables::entries(const Variables& variables, size_t most) const {
  size_t result = 1;
  for (const uint32_t id : variables) {
    result *= variables_[id].entries;
    if (result > most) return most + 1;
  }
  return result;
}

/// Adds a table to one over more variables.
void SoftTables::spread(const SoftPart& part, const Variables& over, std::vector<int64_t>& out) const {
  std::vector<size_t> strides(over.size(), 0), index(over.size(), 0);
  size_t stride = 1;
  for (size_t d = over.size(), own = part.variables.size(); d-- > 0;) {
    if (own == 0 || part.variables[own - 1] != over[d]) continue;
    strides[d] = stride;
    stride *= variables_[over[d]].entries;
    --own;
  }
  size_t from = 0;
  for (int64_t& entry : out) {
    entry = static_cast<int64_t>(static_cast<uint64_t>(entry) + static_cast<uint64_t>(part.table[from]));
    for (size_t d = over.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < variables_[over[d]].entries) break;
      from -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

std::vector<int64_t> SoftTables::dense(const SoftSum& sum, const Variables& variables) const {
  std::vector<int64_t> result(entries(variables, SIZE_MAX / 2), sum.constant);
  for (const SoftPart& part : sum.parts) spread(part, variables, result);
  return result;
}

/// Nothing is left out where it says no: the sum is then no longer of use.
bool SoftTables::add_part(SoftPart part, SoftSum& sum) {
  if (part.variables.empty()) return !__builtin_add_overflow(sum.constant, part.table[0], &sum.constant);
  if (is_zero(part.table)) return true;
  const auto place = std::lower_bound(sum.parts.begin(), sum.parts.end(), part.variables,
                                      [](const SoftPart& p, const Variables& v) { return p.variables < v; });
  if (place == sum.parts.end() || place->variables != part.variables) {
    sum.parts.insert(place, std::move(part));
    return true;
  }
  for (size_t i = 0; i < part.table.size(); ++i) {
    if (__builtin_add_overflow(place->table[i], part.table[i], &place->table[i])) return false;
  }
  if (is_zero(place->table)) sum.parts.erase(place);
  return true;
}

/// A table that is linear in what its variable counts becomes that sum itself.
bool SoftTables::take_count(SoftSum& sum) const {
  for (size_t i = 0; i < sum.parts.size(); ++i) {
    const SoftPart& part = sum.parts[i];
    const std::optional<SoftSum>& counts = variables_[part.variables[0]].counts;
    if (part.variables.size() != 1 || !counts) continue;
    const int64_t factor = part.table[1];
    int64_t k = 0, multiple = 0;
    const bool linear = std::all_of(part.table.begin(), part.table.end(), [&](int64_t entry) {
      return !__builtin_mul_overflow(k++, factor, &multiple) && entry == multiple;
    });
    SoftSum rest = sum;
    rest.parts.erase(rest.parts.begin() + static_cast<std::ptrdiff_t>(i));
    std::optional<SoftSum> counted = linear ? combined(1, rest, factor, *counts) : std::nullopt;
    if (!counted) continue;
    sum = std::move(*counted);
    return true;
  }
  return false;
}

/// Axis by axis: what stands at the first entry does not depend on that variable; the rest is 0 there.
std::optional<SoftSum> SoftTables::from_dense(std::vector<int64_t> table, const Variables& variables) const {
  std::vector<SoftPart> rests{{{}, std::move(table)}};
  for (const uint32_t id : variables) {
    const size_t n = variables_[id].entries;
    std::vector<SoftPart> next;
    for (SoftPart& rest : rests) {
      const size_t outer = entries(rest.variables, SIZE_MAX / 2), inner = rest.table.size() / outer / n;
      std::vector<int64_t> base(outer * inner);
      for (size_t o = 0; o < outer; ++o) {
        for (size_t i = 0; i < inner; ++i) {
          const int64_t first = base[o * inner + i] = rest.table[o * n * inner + i];
          for (size_t k = 0; k < n; ++k) {
            int64_t& entry = rest.table[(o * n + k) * inner + i];
            if (__builtin_sub_overflow(entry, first, &entry)) return std::nullopt;
          }
        }
      }
      next.push_back({rest.variables, std::move(base)});
      if (is_zero(rest.table)) continue;
      rest.variables.push_back(id);
      next.push_back(std::move(rest));
    }
    rests = std::move(next);
  }
  SoftSum result;
  for (SoftPart& rest : rests) {
    if (!add_part(std::move(rest), result)) return std::nullopt;
  }
  while (take_count(result)) {
  }
  return result;
}

std::optional<SoftSum> SoftTables::combined(int64_t a, const SoftSum& x, int64_t b, const SoftSum& y) {
  SoftSum result;
  for (const auto& [factor, sum] : {std::pair(a, &x), std::pair(b, &y)}) {
    const auto add = [&, factor = factor](SoftPart part) {
      for (int64_t& entry : part.table) {
        if (__builtin_mul_overflow(entry, factor, &entry)) return false;
      }
      return add_part(std::move(part), result);
    };
    if (!add(SoftPart{{}, {sum->constant}}) || !std::all_of(sum->parts.begin(), sum->parts.end(), add)) {
      return std::nullopt;
    }
  }
  return result;
}

/// A product of anchored tables is anchored.
std::optional<SoftSum> SoftTables::product(const SoftSum& x, const SoftSum& y, size_t most) const {
  const auto as_parts = [](const SoftSum& sum) {
    std::vector<SoftPart> parts = sum.parts;
    if (sum.constant != 0) parts.insert(parts.begin(), SoftPart{{}, {sum.constant}});
    return parts;
  };
  SoftSum result;
  for (const SoftPart& a : as_parts(x)) {
    for (const SoftPart& b : as_parts(y)) {
      const Variables over = united(a.variables, b.variables);
      const size_t n = entries(over, most);
      if (n > most || result.parts.size() > kMostParts) return std::nullopt;
      SoftPart part{over, std::vector<int64_t>(n, 0)};
      std::vector<int64_t> other(n, 0);
      spread(a, over, part.table);
      spread(b, over, other);
      for (size_t i = 0; i < n; ++i) {
        if (__builtin_mul_overflow(part.table[i], other[i], &part.table[i])) return std::nullopt;
      }
      if (!add_part(std::move(part), result)) return std::nullopt;
    }
  }
  return result;
}

/// By the bounds of the parts; where no number can leave 64 bits and there are few, exactly.
SoftRange SoftTables::range(const SoftSum& sum) const {
  constexpr size_t kExact = 1024;
  SoftRange result{sum.constant, sum.constant};
  for (const SoftPart& part : sum.parts) {
    const auto [low, high] = std::minmax_element(part.table.begin(), part.table.end());
    result.low = saturated(result.low, *low);
    result.high = saturated(result.high, *high);
  }
  using Limits = std::numeric_limits<int64_t>;
  const Variables variables = variables_of(sum);
  if (result.low == Limits::min() || result.high == Limits::max() || entries(variables, kExact) > kExact) return result;
  const std::vector<int64_t> table = dense(sum, variables);
  const auto [low, high] = std::minmax_element(table.begin(), table.end());
  return {*low, *high};
}

}  // namespace isoshard::sim
