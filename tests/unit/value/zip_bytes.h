#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isoshard::testing {

/// One file of a hand-made archive; the optional fields are lies to tell in place of the truth.
struct ZipEntry {
  std::string name;
  std::string data;                   ///< as it lies in the archive
  unsigned method = 0;                ///< 0 stored, 8 deflated
  std::optional<uint32_t> size = {};  ///< inflated
  std::optional<uint32_t> crc = {};
  unsigned flags = 0;  ///< bit 0: encrypted
};

/// A zip archive made without any library, so that tests can make it wrong in one place.
std::string zip_bytes(const std::vector<ZipEntry>& entries);

/// A `.npy` file: version 1.0, `header` padded to 64, `data`.
std::string npy_bytes(const std::string& header, const std::string& data);

}  // namespace isoshard::testing
