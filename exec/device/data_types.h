#pragma once  // internal

#include <nccl.h>

#include <cstdint>

#include "core/value/dtype.h"

namespace isoshard::exec {

/// Elements as NCCL counts them.
struct NcclData {
  ncclDataType_t type;
  size_t count;
};

/// For movement: every dtype as bytes, which NCCL takes for all of them.
inline NcclData moved(DType dtype, int64_t count) {
  return {ncclUint8, static_cast<size_t>(count) * info(dtype).bytes};
}

/// For sums, maxima and minima of numbers.
inline NcclData added(DType dtype, int64_t count) {
  constexpr ncclDataType_t kTypes[] = {ncclUint8,   ncclInt8,    ncclUint8,      ncclInt32,      ncclUint32,
                                       ncclInt64,   ncclUint64,  ncclFloat8e4m3, ncclFloat8e5m2, ncclBfloat16,
                                       ncclFloat16, ncclFloat32, ncclFloat64,    ncclUint64};
  return {kTypes[static_cast<size_t>(dtype)], static_cast<size_t>(count)};
}

}  // namespace isoshard::exec
