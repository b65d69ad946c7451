// Quotes text from files and command lines in messages. Printable ASCII and well-formed UTF-8 stay as they are; all
// other bytes, among them control characters that could drive a terminal, become escapes. Overlong forms and surrogates
// are not well formed. A limit cuts long texts at the border of a character. Cost: linear in what is shown.
#include "core/support/quoted.h"

#include <cstdint>
#include <cstdio>

namespace isoshard {
namespace {

unsigned byte_at(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

/// The length of the well-formed multi-byte UTF-8 sequence at `i`, or 0; overlong forms and surrogates are not.
size_t utf8_length(std::string_view text, size_t i) {
  const unsigned lead = byte_at(text, i);
  const size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                        : lead >= 0xe0 && lead <= 0xef ? 3
                        : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                       : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(text, i + 1);
  const bool bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                   (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f) ||
                   (lead == 0xc2 && second < 0xa0);  // C1 controls drive terminals
  return bad ? 0 : length;
}

void append_escaped(std::string& out, unsigned byte) {
  if (byte == '\n') {
    out += "\\n";
  } else if (byte == '"' || byte == '\\') {
    out += '\\';
    out += static_cast<char>(byte);
  } else if (byte >= 0x20 && byte < 0x7f) {
    out += static_cast<char>(byte);
  } else {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\x%02x", byte);
    out += buffer;
  }
}

}  // namespace

std::string quoted(std::string_view text, size_t limit) {
  std::string out = "\"";
  size_t i = 0;
  while (i < text.size()) {
    const size_t length = utf8_length(text, i);
    const size_t step = length == 0 ? 1 : length;
    if (i + step > limit) break;
    if (length == 0) append_escaped(out, byte_at(text, i));
    if (length != 0) out += text.substr(i, length);
    i += step;
  }
  out += '"';
  return i < text.size() ? out + "..." : out;
}

}  // namespace isoshard
