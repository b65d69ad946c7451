// The order of exponentials and of softmaxes, for indices of maxima: exp is increasing, so that the largest of exp(x)
// are the largest of x, ties included.
#include <utility>

#include "sim/domains/reduce_offsets.h"
#include "sim/domains/soft/soft_domain.h"

namespace isoshard::sim {

void SoftDomain::note_exponentials(DType dtype, int64_t n, const std::byte* x, const std::byte* result) const {
  for (int64_t i = 0; i < n; ++i) order_.exponential(element_of(n, result, i), floats_.element(dtype, n, x, i));
}

void SoftDomain::note_quotients(int64_t n, const std::byte* x, const std::byte* y, const std::byte* result) const {
  for (int64_t i = 0; i < n; ++i) {
    order_.quotient(element_of(n, result, i), element_of(n, x, i), element_of(n, y, i));
  }
}

void SoftDomain::note_sums(const ReducePlan& plan, const std::byte* x, const std::byte* result) const {
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    std::vector<SoftOrder::Element> terms;
    for (const int64_t j : reduced) {
      terms.push_back(element_of(plan.input_size(), x, kept[static_cast<size_t>(i)] + j));
    }
    order_.sum(element_of(plan.output_size(), result, i), terms);
  }
}

/// The row, or one whose elements are in the same order.
std::vector<std::byte> SoftDomain::ordered_row(DType dtype, int64_t length, std::vector<std::byte> row) const {
  std::vector<SoftOrder::Element> elements;
  for (int64_t i = 0; i < length; ++i) elements.push_back(element_of(length, row.data(), i));
  const auto arguments = order_.arguments(elements);
  for (int64_t i = 0; arguments && i < length; ++i) {
    floats_.move(dtype, 1, (*arguments)[static_cast<size_t>(i)].data(), 0, length, i, row.data());
  }
  return row;
}

/// Of a choice with few outcomes the values are a table over them.
void SoftDomain::put_chosen(DType dtype, int64_t length, const std::vector<std::byte>& row, Word index,
                            const Place& to) const {
  const SoftTables::Variables variables = integers_.variables_of(index);
  const size_t entries = integers_.entries(variables, SoftFloats::kMostEverywhere);
  if (!options_.tabled || integers_.is_known(index) || entries > SoftFloats::kMostEverywhere) return;
  std::vector<std::byte> elements(floats_.element_bytes(dtype) * entries);
  const std::vector<int64_t> places = integers_.dense(index, variables);
  for (size_t e = 0; e < entries; ++e) {
    floats_.move(dtype, length, row.data(), places[e], static_cast<int64_t>(entries), static_cast<int64_t>(e),
                 elements.data());
  }
  keep(std::move(elements), variables, dtype, to.n, to.i, to.out);
}

}  // namespace isoshard::sim
