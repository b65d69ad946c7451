// Stacks the parts that iterations make. Devices share an array until their parts differ; then each class has a copy of
// what there is. Cost: one copy of each part, and one of the array per class that splits off.
#include "sim/lockstep/row_stack.h"

#include <cstring>
#include <utility>

namespace isoshard::sim {

void RowStack::put(const Row& part, int64_t index) {
  if (wholes_.empty()) {
    classes_ = part.classes;
    for (const Value& value : part.values) wholes_.emplace_back(type_, value.storage);
  }
  split(partitions_.meet(*classes_, *part.classes));
  for (size_t c = 0; c < wholes_.size(); ++c) {
    const Value& value = part.at(classes_->first[c]);
    const size_t bytes = value.plane_bytes(), start = static_cast<size_t>(index) * bytes;
    for (size_t p = 0; p < value.storage.planes && bytes > 0; ++p) {
      std::memcpy(wholes_[c].plane(p) + start, value.data.get() + p * bytes, bytes);
    }
  }
}

void RowStack::split(const Partition& classes) {
  if (&classes == classes_) return;
  std::vector<NewValue> wholes;
  wholes.reserve(classes.count());
  for (const uint32_t device : classes.first) {
    const NewValue& from = wholes_[classes_->class_of[device]];
    NewValue& to = wholes.emplace_back(type_, from.storage);
    if (to.bytes() > 0) std::memcpy(to.plane(0), from.plane(0), to.bytes());
  }
  wholes_ = std::move(wholes);
  classes_ = &classes;
}

Row RowStack::finish() && {
  Row result{classes_, {}};
  result.values.reserve(wholes_.size());
  for (NewValue& whole : wholes_) result.values.push_back(std::move(whole).finish());
  return result;
}

}  // namespace isoshard::sim
