// Makes text of others harmless in pages. Names and paths of a program may hold any bytes; what stands in a page must
// be UTF-8, free of the characters that XML forbids even as entities, and must end no tag, attribute or script. UTF-8
// is decoded here, a code point at a time: the lead byte says how many bytes follow, and overlong forms, surrogates and
// what lies beyond U+10FFFF are no characters. Cost: the length of the text.
#include "pictures/markup/escape.h"

#include <cstdint>

namespace isoshard::pictures {
namespace {

constexpr uint32_t kNone = 0xffffffffU;

struct CodePoint {
  uint32_t value = kNone;
  size_t bytes = 1;
};

/// How many bytes follow a lead byte; -1: it is none.
int following(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) return 2;
  return lead >= 0xf0 && lead <= 0xf4 ? 3 : -1;
}

CodePoint code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const int more = following(lead);
  if (more < 0 || text.size() <= static_cast<size_t>(more)) return {};
  uint32_t value = more == 0 ? lead : lead & (0x3fU >> more);
  for (int i = 1; i <= more; ++i) {
    const auto byte = static_cast<unsigned char>(text[static_cast<size_t>(i)]);
    if ((byte & 0xc0U) != 0x80U) return {};
    value = value << 6 | (byte & 0x3fU);
  }
  constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (value < kLeast[more]) return {};
  return {value, static_cast<size_t>(more) + 1};
}

/// Whether XML 1.0 has the character.
bool is_character(uint32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n';
  return c != 0x7f && (c < 0xd800 || c > 0xdfff) && c != 0xfffe && c != 0xffff && c <= 0x10ffff;
}

std::string_view entity(uint32_t c) {
  switch (c) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = code_point(text);
    const std::string_view named = entity(c.value);
    out += !named.empty() ? named : is_character(c.value) ? text.substr(0, c.bytes) : "\xef\xbf\xbd";
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string script_json(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace isoshard::pictures
