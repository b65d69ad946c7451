#pragma once

#include <string>

namespace isoshard {

/// A number of bytes for people, three digits: `3.2 TiB`.
std::string binary_size(double bytes);

}  // namespace isoshard
