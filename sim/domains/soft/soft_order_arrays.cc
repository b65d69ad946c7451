// The order of exponentials and of softmaxes, for indices of maxima: exp is increasing, so that the largest of exp(x)
// are the largest of x, ties included.
#include "sim/domains/soft/soft_order_arrays.h"

#include <utility>

#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {

void SoftOrderArrays::note_exponentials(DType dtype, int64_t n, const std::byte* x, const std::byte* result) const {
  for (int64_t i = 0; i < n; ++i)
    order_.exponential(arrays_.element_of(n, result, i), arrays_.floats().element(dtype, n, x, i));
}

void SoftOrderArrays::note_quotients(int64_t n, const std::byte* x, const std::byte* y, const std::byte* result) const {
  for (int64_t i = 0; i < n; ++i) {
    order_.quotient(arrays_.element_of(n, result, i), arrays_.element_of(n, x, i), arrays_.element_of(n, y, i));
  }
}

void SoftOrderArrays::note_sums(const ReducePlan& plan, const std::byte* x, const std::byte* result) const {
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    std::vector<SoftOrder::Element> terms;
    for (const int64_t j : reduced) {
      terms.push_back(arrays_.element_of(plan.input_size(), x, kept[static_cast<size_t>(i)] + j));
    }
    order_.sum(arrays_.element_of(plan.output_size(), result, i), terms);
  }
}

/// The row, or one whose elements are in the same order.
std::vector<std::byte> SoftOrderArrays::ordered_row(DType dtype, int64_t length, std::vector<std::byte> row) const {
  std::vector<SoftOrder::Element> elements;
  for (int64_t i = 0; i < length; ++i) elements.push_back(arrays_.element_of(length, row.data(), i));
  const auto arguments = order_.arguments(elements);
  for (int64_t i = 0; arguments && i < length; ++i) {
    arrays_.floats().move(dtype, 1, (*arguments)[static_cast<size_t>(i)].data(), 0, length, i, row.data());
  }
  return row;
}

}  // namespace isoshard::sim
