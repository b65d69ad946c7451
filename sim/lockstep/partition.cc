// Partitions of devices by what they hold. Classes are numbered by their first devices, so that equal partitions are
// equal lists, which are kept once: whether two values are cut alike is a comparison of addresses, and what two of them
// have in common is computed once per pair. Cost: one pass over the devices for each new question, none for old ones.
#include "sim/lockstep/partition.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/support/mix.h"

namespace isoshard::sim {
namespace {

uint64_t hash_of_labels(const std::vector<uint32_t>& numbers) {
  uint64_t hash = numbers.size();
  for (const uint32_t number : numbers) hash = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
  return mix(hash);
}

/// Numbers labels in the order in which they come.
std::vector<uint32_t> numbered(std::span<const int64_t> labels) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> result(labels.size());
  const auto [least, most] = std::minmax_element(labels.begin(), labels.end());
  const uint64_t range = static_cast<uint64_t>(*most) - static_cast<uint64_t>(*least);
  if (range < 4 * labels.size()) {  // most labels are places or classes
    std::vector<uint32_t> numbers(static_cast<size_t>(range + 1), kNone);
    uint32_t next = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      uint32_t& number = numbers[static_cast<size_t>(labels[i] - *least)];
      result[i] = number = number == kNone ? next++ : number;
    }
    return result;
  }
  std::unordered_map<int64_t, uint32_t> numbers;
  for (size_t i = 0; i < labels.size(); ++i) {
    result[i] = numbers.try_emplace(labels[i], static_cast<uint32_t>(numbers.size())).first->second;
  }
  return result;
}

}  // namespace

Partitions::Partitions(size_t devices) {
  std::vector<uint32_t> numbers(devices, 0);
  together_ = &intern(numbers);
  std::iota(numbers.begin(), numbers.end(), 0U);
  apart_ = &intern(std::move(numbers));
}

/// `labels` are numbered in order.
const Partition& Partitions::intern(std::vector<uint32_t> labels) {
  const uint64_t hash = hash_of_labels(labels);
  const auto [begin, end] = all_.equal_range(hash);
  for (auto i = begin; i != end; ++i) {
    if (i->second->class_of == labels) return *i->second;
  }
  auto made = std::make_unique<Partition>();
  for (size_t device = 0; device < labels.size(); ++device) {
    if (labels[device] == made->first.size()) made->first.push_back(static_cast<uint32_t>(device));
  }
  made->class_of = std::move(labels);
  return *all_.emplace(hash, std::move(made))->second;
}

const Partition& Partitions::by(std::span<const int64_t> numbers) { return intern(numbered(numbers)); }

const Partition& Partitions::meet(const Partition& a, const Partition& b) {
  if (&a == &b || &b == together_ || &a == apart_) return a;
  if (&a == together_ || &b == apart_) return b;
  const Partition*& known = meets_[std::minmax(&a, &b)];
  if (known == nullptr) {
    std::vector<int64_t> both(a.devices());
    for (size_t i = 0; i < both.size(); ++i) both[i] = int64_t{a.class_of[i]} << 32 | b.class_of[i];
    known = &by(both);
  }
  return *known;
}

}  // namespace isoshard::sim
