#pragma once  // internal

#include <cstddef>
#include <memory>
#include <new>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// Uninitialised storage for what one thread packs; it grows to what was needed and is freed with the thread.
template <typename T>
class Panel {
 public:
  T* reserve(Index count) {
    if (count > capacity_) {
      data_.reset();
      data_.reset(static_cast<T*>(::operator new(static_cast<std::size_t>(count) * sizeof(T), kAlignment)));
      capacity_ = count;
    }
    return data_.get();
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(T* p) const { ::operator delete(p, kAlignment); }
  };
  std::unique_ptr<T, Free> data_;
  Index capacity_ = 0;
};

}  // namespace isoshard::sim
