#include "sim/domains/soft/tables/soft_order.h"

#include <algorithm>

namespace isoshard::sim {

void SoftOrder::exponential(const Element& result, const std::vector<std::byte>& argument) {
  const std::lock_guard lock(mutex_);
  if (images_.size() >= kMostElements) return;
  images_.emplace(result, Image{argument, {}});
  positive_.insert(result);
}

void SoftOrder::sum(const Element& result, const std::vector<Element>& terms) {
  const std::lock_guard lock(mutex_);
  const auto is_positive = [&](const Element& x) { return positive_.count(x) != 0; };
  if (!terms.empty() && std::all_of(terms.begin(), terms.end(), is_positive)) positive_.insert(result);
}

void SoftOrder::quotient(const Element& result, const Element& x, const Element& y) {
  const std::lock_guard lock(mutex_);
  const auto image = images_.find(x);
  if (image == images_.end() || !image->second.divisor.empty() || positive_.count(y) == 0) return;
  images_.emplace(result, Image{image->second.argument, y});
  positive_.insert(result);
}

std::optional<std::vector<std::vector<std::byte>>> SoftOrder::arguments(const std::vector<Element>& row) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::vector<std::byte>> result;
  const Element* divisor = nullptr;
  for (const Element& element : row) {
    const auto image = images_.find(element);
    if (image == images_.end()) return std::nullopt;
    if (divisor == nullptr) divisor = &image->second.divisor;
    if (*divisor != image->second.divisor) return std::nullopt;
    result.push_back(image->second.argument);
  }
  return result;
}

}  // namespace isoshard::sim
