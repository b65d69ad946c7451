#pragma once

#include <compare>
#include <cstddef>
#include <iterator>

namespace isoshard {

/// Goes through what hands out its items by value: Source is copied and has a `value_type` and
/// `value_type operator[](size_t) const`.
template <class Source>
class ValueIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = typename Source::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = value_type;

  ValueIterator() = default;
  ValueIterator(Source source, size_t at) : source_(source), at_(at) {}

  [[gnu::always_inline]] value_type operator*() const { return source_[at_]; }
  value_type operator[](difference_type n) const { return *(*this + n); }
  ValueIterator& operator++() { return *this += 1; }
  ValueIterator& operator--() { return *this -= 1; }
  ValueIterator operator++(int) { return (*this += 1) - 1; }
  ValueIterator operator--(int) { return (*this -= 1) + 1; }
  ValueIterator& operator+=(difference_type n) {
    at_ += static_cast<size_t>(n);
    return *this;
  }
  ValueIterator& operator-=(difference_type n) { return *this += -n; }
  friend ValueIterator operator+(ValueIterator i, difference_type n) { return i += n; }
  friend ValueIterator operator+(difference_type n, ValueIterator i) { return i += n; }
  friend ValueIterator operator-(ValueIterator i, difference_type n) { return i -= n; }
  friend difference_type operator-(const ValueIterator& a, const ValueIterator& b) {
    return static_cast<difference_type>(a.at_ - b.at_);
  }
  friend bool operator==(const ValueIterator& a, const ValueIterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const ValueIterator& a, const ValueIterator& b) { return a.at_ <=> b.at_; }

 private:
  Source source_{};
  size_t at_ = 0;
};

/// The items of a list that stays where it is.
template <class List>
struct ItemsOf {
  using value_type = typename List::value_type;
  const List* list = nullptr;
  [[gnu::always_inline]] value_type operator[](size_t i) const { return (*list)[i]; }
};

}  // namespace isoshard
