// Addresses of stores as texts.
#include "exec/store/store_address.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace isoshard::exec {
namespace {

constexpr std::string_view kExpected = "expected HOST:PORT with a port from 1 to 65535, or file://FOLDER";

tl::unexpected<std::string> no_address(std::string_view text) {
  std::string words(1, '"');
  words.append(text).append("\" is no address of a store: ").append(kExpected);
  return tl::unexpected(std::move(words));
}

}  // namespace

std::string StoreAddress::text() const {
  if (host.empty()) return "file://" + folder;
  const bool has_colon = host.find(':') != std::string::npos;
  return (has_colon ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

tl::expected<StoreAddress, std::string> parse_store_address(std::string_view text) {
  constexpr std::string_view kFile = "file://", kTcp = "tcp://";
  StoreAddress address;
  if (text.substr(0, kFile.size()) == kFile) {
    address.folder = text.substr(kFile.size());
    if (address.folder.empty() || address.folder[0] != '/') return no_address(text);
    return address;
  }
  std::string_view place = text;
  if (place.substr(0, kTcp.size()) == kTcp) place.remove_prefix(kTcp.size());
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return no_address(text);
  const std::string_view port = place.substr(colon + 1);
  std::string_view host = place.substr(0, colon);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size() || address.port == 0) return no_address(text);
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  const bool has_colon = host.find(':') != std::string_view::npos;
  const bool odd = std::any_of(host.begin(), host.end(), [](char c) { return c <= ' ' || c == '/'; });
  if (host.empty() || has_colon != in_brackets || odd) return no_address(text);
  address.host = host;
  return address;
}

}  // namespace isoshard::exec
