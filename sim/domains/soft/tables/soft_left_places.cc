// The place of the last rank of a whole sort, whose weights are 1 less those of the others for each place: of n
// independent places nothing would say that each comes once. Cost: a subtraction per rank, place and residue.
#include "sim/domains/soft/tables/soft_left_places.h"

#include <numeric>
#include <span>

namespace isoshard::sim {

SoftLeftPlaces::SoftLeftPlaces(SoftIntegers& integers, size_t n)
    : integers_(integers), residues_(integers.weight_residues()), left_(n * residues_, 1) {}

void SoftLeftPlaces::take(const SoftName& variable) {
  const std::vector<uint64_t> weights = integers_.weights(variable, places());
  for (size_t i = 0; i < left_.size(); ++i) {
    left_[i] = integers_.field(i % residues_).subtract(left_[i], weights[i]);
  }
}

SoftLeftPlaces::Word SoftLeftPlaces::last(const SoftName& name) const {
  std::vector<int64_t> numbers(places());
  std::iota(numbers.begin(), numbers.end(), 0);
  return integers_.variables(name, left_, std::span(&numbers, 1))[0];
}

}  // namespace isoshard::sim
