#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace isoshard::exec {

/// Where a store is: a port of rank 0's machine, or a folder that all ranks see.
struct StoreAddress {
  std::string host{};    ///< a name or a number; empty: a folder
  uint16_t port = 0;     ///< 0: any that is free, which only tests can use
  std::string folder{};  ///< of `file://`

  /// `127.0.0.1:29501`, `file:///shared/run7`.
  std::string text() const;
};

/// Reads `HOST:PORT`, `[ADDRESS]:PORT`, `tcp://HOST:PORT` or `file://FOLDER`; else says what is expected.
tl::expected<StoreAddress, std::string> parse_store_address(std::string_view text);

}  // namespace isoshard::exec
