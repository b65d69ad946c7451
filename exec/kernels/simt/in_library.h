#pragma once

#include <cstdint>

namespace isoshard::exec {

/// A function that each library has for itself, from which the places of others in it are counted.
[[gnu::visibility("hidden")]] inline void anchor_of_library() {}

/// A function or a constant of this library, as its distance from another one: these bytes mean the same in each
/// process that has loaded the library, be it where it may.
template <class T>
class InLibrary {
 public:
  InLibrary() = default;
  explicit InLibrary(T* place) : distance_(reinterpret_cast<uintptr_t>(place) - anchor()) {}
  T* get() const { return reinterpret_cast<T*>(anchor() + distance_); }

 private:
  static uintptr_t anchor() { return reinterpret_cast<uintptr_t>(&anchor_of_library); }
  uintptr_t distance_ = 0;
};

}  // namespace isoshard::exec
