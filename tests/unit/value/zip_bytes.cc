#include "tests/unit/value/zip_bytes.h"

namespace isoshard::testing {
namespace {

void put(std::string& out, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

uint32_t crc32(const std::string& data) {
  uint32_t crc = ~0U;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

/// The fields that a local header and a line of the directory share.
void put_common(std::string& out, const ZipEntry& entry) {
  put(out, 20, 2);  // version needed
  put(out, entry.flags, 2);
  put(out, entry.method, 2);
  put(out, 0, 2);
  put(out, 33, 2);  // 1980-01-01
  put(out, entry.crc ? *entry.crc : crc32(entry.data), 4);
  put(out, entry.data.size(), 4);
  put(out, entry.size ? *entry.size : entry.data.size(), 4);
  put(out, entry.name.size(), 2);
  put(out, 0, 2);  // extra field
}

}  // namespace

std::string zip_bytes(const std::vector<ZipEntry>& entries) {
  std::string out, directory;
  for (const ZipEntry& entry : entries) {
    directory += "PK\x01\x02";
    put(directory, 20, 2);
    put_common(directory, entry);
    directory.append(10, '\0');  // comment, disk, attributes
    put(directory, out.size(), 4);
    directory += entry.name;
    out += "PK\x03\x04";
    put_common(out, entry);
    out += entry.name + entry.data;
  }
  const size_t start = out.size();
  out += directory + "PK\x05\x06";
  put(out, 0, 4);
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);
  return out;
}

std::string npy_bytes(const std::string& header, const std::string& data) {
  std::string padded = header;
  padded.append((64 - (10 + padded.size() + 1) % 64) % 64, ' ');
  padded += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put(out, padded.size(), 2);
  return out + padded + data;
}

}  // namespace isoshard::testing
