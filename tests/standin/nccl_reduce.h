#pragma once

#include <cstddef>
#include <vector>

#include "tests/standin/standin.h"

namespace standin {

/// out[i] = the reduction of terms[r][i] over all members r, for `count` elements. Where `chunk` is negative each part
/// of the array is added from a member of its own on, else all of it as chunk number `chunk` (Options::reduce_order).
void reduce(const std::vector<const void*>& terms, void* out, size_t count, ncclDataType_t dtype, ncclRedOp_t op,
            int chunk);

}  // namespace standin
