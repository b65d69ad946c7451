#include "parallel/module/param_key.h"

#include <nettle/sha1.h>

#include <array>

#include "core/support/check.h"

namespace isoshard {

uint32_t param_fold(const std::vector<std::string>& path, int64_t counter) {
  ISOSHARD_CHECK(counter > 0, "counters start at 1");
  sha1_ctx hash;
  sha1_init(&hash);
  for (const std::string& name : path) {
    sha1_update(&hash, name.size(), reinterpret_cast<const uint8_t*>(name.data()));
  }
  bool leading = true;
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<uint8_t>(counter >> shift);
    leading = leading && byte == 0;
    if (!leading) sha1_update(&hash, 1, &byte);
  }
  std::array<uint8_t, 4> first{};
  sha1_digest(&hash, first.size(), first.data());
  return uint32_t{first[0]} << 24 | uint32_t{first[1]} << 16 | uint32_t{first[2]} << 8 | first[3];
}

int64_t draw_counter(int64_t draws, int64_t draw, int64_t scans) {
  ISOSHARD_CHECK(0 <= scans && scans <= 30 && 1 <= draw && draw <= draws, "a draw of the scope");
  return ((int64_t{1} << scans) - 1) * draws + draw;
}

}  // namespace isoshard
