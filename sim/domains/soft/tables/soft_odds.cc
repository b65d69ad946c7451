// Why odds decide orders: let v be T to the power of an element's rank and t be 1/T^(1/n); as T grows, the odds of
// every row become 1 for its first largest element and 0 for the others, of all rows at once. What holds for all v and
// t holds in this limit, which is the program on numbers of that order.
#include "sim/domains/soft/tables/soft_odds.h"

#include <utility>

namespace isoshard::sim {
namespace {

enum SoftOddsFunction : uint64_t { kOdds = uint64_t{1} << 34, kPlace };

}  // namespace

/// One random residue each.
std::vector<uint64_t> SoftOdds::opaque(uint64_t function, std::span<const uint64_t> numbers) const {
  std::vector<uint64_t> two = integers_.weights(integers_.name(function, numbers), 2);
  two.resize(integers_.weight_residues());
  return two;
}

SoftOdds::Odds SoftOdds::odds_of(const std::vector<uint64_t>& element) const {
  const auto known = largest_.find(element);
  return known == largest_.end() ? Odds{opaque(kOdds, element), 1} : known->second;
}

std::vector<uint64_t> SoftOdds::weights(std::span<const std::vector<uint64_t>> row,
                                        const std::vector<uint64_t>& largest) {
  const std::lock_guard lock(mutex_);
  const size_t residues = integers_.weight_residues();
  const std::vector<uint64_t> place = opaque(kPlace, {});
  std::vector<uint64_t> result(row.size() * residues), power(residues, 1);
  Odds total{std::vector<uint64_t>(residues, 0), 0};
  for (size_t i = 0; i < row.size(); ++i) {
    const Odds odds = odds_of(row[i]);
    for (size_t r = 0; r < residues; ++r) {
      const PrimeField& field = integers_.field(r);
      result[i * residues + r] = field.multiply(odds.value[r], power[r]);
      total.value[r] = field.add(total.value[r], result[i * residues + r]);
      power[r] = field.multiply(power[r], field.power(place[r], odds.places));
    }
    total.places += odds.places;
  }
  for (size_t r = 0; r < residues; ++r) {
    const PrimeField& field = integers_.field(r);
    const uint64_t inverse = field.inverse(total.value[r]);
    for (size_t i = 0; i < row.size(); ++i) {
      result[i * residues + r] = field.multiply(result[i * residues + r], inverse);
    }
  }
  if (total.places <= most_places_) largest_.try_emplace(largest, std::move(total));
  return result;
}

}  // namespace isoshard::sim
