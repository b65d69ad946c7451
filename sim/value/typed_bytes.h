#pragma once

#include <cstddef>

/// Elements that are given as bytes.
namespace isoshard::sim {

template <class T>
T* as(std::byte* p) {
  return reinterpret_cast<T*>(p);
}
template <class T>
const T* as(const std::byte* p) {
  return reinterpret_cast<const T*>(p);
}

inline const double* doubles(const std::byte* p) { return as<double>(p); }
inline double* doubles(std::byte* p) { return as<double>(p); }

}  // namespace isoshard::sim
