// The report of a bug of isoshard. The hash of a file is 64-bit FNV-1a (G. Fowler, L. C. Noll, P. Vo) over its bytes,
// which any system can compute again; it tells texts apart and is no secret. A name of the catalogue, or a file that
// can not be read any more, stands alone. Cost: one read of each input.
#include "core/support/internal_error_report.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

namespace isoshard {
namespace {

std::optional<uint64_t> hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3ULL;
  }
  return hash;
}

std::string in_hex(uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, number);
  return text;
}

}  // namespace

std::string internal_error_report(const InternalError& error, const std::string& version,
                                  const std::vector<std::string>& inputs) {
  std::string report =
      std::string("internal error: ") + error.what() +
      "\nThis is a bug of isoshard and says nothing about the program: please report these lines, with "
      "the input if you may.\n  version " +
      version + "\n";
  for (const std::string& input : inputs) {
    const std::optional<uint64_t> hash = hash_of_file(input);
    report += "  input   " + input + (hash ? " (FNV-1a " + in_hex(*hash) + ")" : "") + "\n";
  }
  return report;
}

}  // namespace isoshard
