// Floats as tables. Every op of the ring works on arrays, so a table is one array and an op on tables is the ring's own
// op; only the mean needs the weights.
#include "sim/domains/soft/tables/soft_floats.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace isoshard::sim {

size_t SoftFloats::element_bytes(DType dtype) const {
  const Storage storage = ring_.storage(dtype);
  return storage.element_bytes * storage.planes;
}

std::vector<std::byte> SoftFloats::element(DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  std::vector<std::byte> result(element_bytes(dtype));
  move(dtype, n, x, i, 1, 0, result.data());
  return result;
}

void SoftFloats::move(DType dtype, int64_t m, const std::byte* x, int64_t j, int64_t n, int64_t i,
                      std::byte* out) const {
  const Storage storage = ring_.storage(dtype);
  const auto move_all = [&](auto width) {
    for (size_t p = 0; p < storage.planes; ++p) {
      std::memcpy(out + (p * static_cast<size_t>(n) + static_cast<size_t>(i)) * width,
                  x + (p * static_cast<size_t>(m) + static_cast<size_t>(j)) * width, width);
    }
  };
  // Of a width that the compiler knows: calls of memcpy took a third of a check with large tables.
  if (storage.element_bytes == 4) return move_all(std::integral_constant<size_t, 4>());
  if (storage.element_bytes == 8) return move_all(std::integral_constant<size_t, 8>());
  move_all(storage.element_bytes);
}

const SoftFloat& SoftFloats::at(Id id) const {
  const std::lock_guard lock(mutex_);
  return tables_[id - 1];
}

std::vector<std::byte> SoftFloats::spread(const SoftFloat* x, std::span<const std::byte> plain,
                                          SoftIntegers::Partition over, DType dtype) const {
  if (x != nullptr && x->partition == over) return x->elements;
  const std::vector<uint32_t> places =
      integers_.places(x == nullptr ? SoftIntegers::Partition{SoftPartitions::kWhole} : x->partition, over);
  const auto n = std::ssize(places);
  std::vector<std::byte> result(element_bytes(dtype) * places.size());
  const std::byte* from = x == nullptr ? plain.data() : x->elements.data();
  for (int64_t i = 0; i < n; ++i) {
    move(dtype, x == nullptr ? 1 : x->parts, from, places[static_cast<size_t>(i)], n, i, result.data());
  }
  return result;
}

/// Of the ring's one float dtype: all store elements alike.
const std::vector<std::byte>& SoftFloats::weights(SoftIntegers::Partition partition, DType dtype) {
  const std::lock_guard lock(mutex_);
  const auto known = weights_.find(partition);
  if (known != weights_.end()) return known->second;
  const std::vector<uint64_t> joint = integers_.joint_weights(partition);
  const size_t residues = integers_.residues();
  const auto n = static_cast<int64_t>(joint.size() / residues);
  std::vector<std::byte> result(element_bytes(dtype) * static_cast<size_t>(n));
  const std::vector<int64_t> zeros(static_cast<size_t>(n), 0);
  ring_.from_integers(dtype, n, zeros.data(), result.data());
  for (int64_t i = 0; i < n; ++i) {
    ring_.write_residues(n, i, std::span(joint).subspan(static_cast<size_t>(i) * residues, residues), result.data());
  }
  return weights_.emplace(partition, std::move(result)).first->second;
}

SoftFloat SoftFloats::merged(SoftFloat table, DType dtype) const {
  const size_t bytes = element_bytes(dtype);
  std::vector<char> elements(bytes * static_cast<size_t>(table.parts));  // the planes of each side by side
  std::unordered_map<std::string_view, uint32_t> known;
  std::vector<uint32_t> labels;
  for (int64_t i = 0; i < table.parts; ++i) {
    char* const text = elements.data() + static_cast<size_t>(i) * bytes;
    move(dtype, table.parts, table.elements.data(), i, 1, 0, reinterpret_cast<std::byte*>(text));
    labels.push_back(known.try_emplace({text, bytes}, static_cast<uint32_t>(known.size())).first->second);
  }
  if (std::ssize(known) == table.parts) return table;
  SoftFloat result{integers_.merged(table.partition, labels),
                   std::vector<std::byte>(element_bytes(dtype) * known.size()), std::ssize(known)};
  const std::vector<uint32_t> part_of = integers_.places(result.partition, table.partition);
  for (int64_t i = 0; i < table.parts; ++i) {
    move(dtype, table.parts, table.elements.data(), i, result.parts, part_of[static_cast<size_t>(i)],
         result.elements.data());
  }
  return result;
}

bool SoftFloats::all_finite(const SoftFloat& table) const {
  for (int64_t k = 0; k < table.parts; ++k) {
    if (!ring_.is_finite(table.parts, table.elements.data(), k)) return false;
  }
  return true;
}

/// A table with infinities has no mean, but where it has two parts, a number and an infinity: that is what the ring's
/// select is.
bool SoftFloats::has_mean(const SoftFloat& table) const { return table.parts <= 2 || all_finite(table); }

std::optional<std::vector<std::byte>> SoftFloats::mean(const SoftFloat& table, DType dtype) {
  if (table.parts == 1) return table.elements;
  const std::vector<std::byte>& weight = weights(table.partition, dtype);
  std::vector<std::byte> result(element_bytes(dtype));
  if (all_finite(table)) {
    ring_.dot(dtype, 1, 1, table.parts, weight.data(), table.elements.data(), result.data());
    return result;
  }
  if (!has_mean(table)) return std::nullopt;
  const std::vector<std::byte> first = element(dtype, 2, table.elements.data(), 0);
  const std::vector<std::byte> second = element(dtype, 2, table.elements.data(), 1);
  ring_.select(dtype, 1, element(dtype, 2, weight.data(), 1).data(), second.data(), first.data(), result.data());
  return result;
}

SoftFloats::Id SoftFloats::keep(SoftFloat table, DType dtype, int64_t n, int64_t i, std::byte* out) {
  if (merging_ && integers_.merges(table.partition)) table = merged(std::move(table), dtype);
  const std::optional<std::vector<std::byte>> of_table = mean(table, dtype);
  if (!of_table) return 0;
  move(dtype, 1, of_table->data(), 0, n, i, out);
  if (table.parts == 1) return 0;
  const std::lock_guard lock(mutex_);
  kept_ += static_cast<size_t>(table.parts);
  if (kept_ > integers_.limits().kept) return 0;
  tables_.push_back(std::move(table));
  return static_cast<Id>(tables_.size());
}

}  // namespace isoshard::sim
