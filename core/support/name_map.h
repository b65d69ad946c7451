#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace isoshard {

/// What names stand for, for hundreds of thousands of names, none of which is taken out again.
///
/// Entries lie side by side in the order in which they came, texts one behind another in blocks, and an index with open
/// addressing finds them: a third of the memory of a std::unordered_map of strings, and no allocation for a name.
/// Pointers to items are valid until the next insertion.
template <class T>
class NameMap {
 public:
  NameMap() = default;
  NameMap(NameMap&&) noexcept = default;
  NameMap& operator=(NameMap&&) noexcept = default;

  /// What `name` stands for; null where it is unknown.
  T* find(std::string_view name) { return const_cast<T*>(std::as_const(*this).find(name)); }
  const T* find(std::string_view name) const {
    if (places_.empty()) return nullptr;
    const uint32_t entry = places_[place_of(name, hash_of(name))];
    return entry == 0 ? nullptr : &entries_[entry - 1].item;
  }
  /// Makes `name` stand for `item` unless it stands for something; what it stands for now, and whether that is new.
  std::pair<T*, bool> insert(std::string_view name, T item) {
    if (2 * (entries_.size() + 1) > places_.size()) grow();
    const uint32_t hash = hash_of(name);
    uint32_t& entry = places_[place_of(name, hash)];
    const bool is_new = entry == 0;
    if (is_new) {
      entries_.push_back(Entry{keep(name), static_cast<uint32_t>(name.size()), hash, std::move(item)});
      entry = static_cast<uint32_t>(entries_.size());
    }
    return {&entries_[entry - 1].item, is_new};
  }

  size_t size() const { return entries_.size(); }
  /// Name number `i` in the order in which they came.
  std::string_view name(size_t i) const { return {entries_[i].text, entries_[i].length}; }

 private:
  static constexpr size_t kBlock = 1 << 14;

  struct Entry {
    const char* text;
    uint32_t length, hash;
    T item;
  };

  static uint32_t hash_of(std::string_view name) {
    const size_t hash = std::hash<std::string_view>()(name);
    return static_cast<uint32_t>(hash ^ (hash >> 32));
  }

  /// Where in `places_` the entry of `name` is, or would be.
  size_t place_of(std::string_view name, uint32_t hash) const {
    const size_t mask = places_.size() - 1;
    for (size_t place = hash & mask;; place = (place + 1) & mask) {
      if (places_[place] == 0) return place;
      const Entry& entry = entries_[places_[place] - 1];
      if (entry.hash == hash && std::string_view(entry.text, entry.length) == name) return place;
    }
  }

  void grow() {
    places_.assign(places_.empty() ? 16 : 2 * places_.size(), 0);
    const size_t mask = places_.size() - 1;
    for (size_t i = 0; i < entries_.size(); ++i) {
      size_t place = entries_[i].hash & mask;
      while (places_[place] != 0) place = (place + 1) & mask;
      places_[place] = static_cast<uint32_t>(i + 1);
    }
  }

  /// A copy of `name` that stays.
  const char* keep(std::string_view name) {
    if (name.size() > free_) {
      free_ = std::max(kBlock, name.size());
      blocks_.push_back(std::make_unique<char[]>(free_));
      next_ = blocks_.back().get();
    }
    char* const text = next_;
    if (!name.empty()) std::memcpy(text, name.data(), name.size());
    next_ += name.size();
    free_ -= name.size();
    return text;
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> places_;  ///< a power of two: 1 + the number of an entry, or 0
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t free_ = 0;  ///< bytes from `next_` on
};

}  // namespace isoshard
