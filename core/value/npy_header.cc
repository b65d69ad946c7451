// Parses the header of a .npy file: a magic, a version, a length and a Python dictionary as text. NumPy evaluates it
// with Python's parser; this reader knows only what NumPy writes, strings, True and False, tuples of sizes, and a
// structured dtype as text for the message, in any order and with any blanks. It never reads beyond the stated length,
// and a header that is not understood is refused with the place where it went wrong, since guessing a shape would read
// wrong numbers. Cost: linear in the header. Source: numpy.lib.format.
#include "core/value/npy_header.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "core/support/quoted.h"

namespace isoshard {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

tl::unexpected<std::string> wrong(std::string what) { return tl::unexpected<std::string>(std::move(what)); }

/// Reads the dictionary of a header; every method skips leading blanks and leaves `rest_` behind what it read.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  /// The whole header into `header`; an empty text or what was expected and not found.
  std::string read(NpyHeader& header) {
    if (!accept("{")) return expected("a dictionary");
    while (!accept("}")) {
      std::string error = read_entry(header);
      if (!error.empty()) return error;
      if (!accept(",") && !peek('}')) return expected("',' or '}'");
    }
    skip_blanks();
    if (!rest_.empty()) return expected("nothing after the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_) return "expected the keys 'descr', 'fortran_order' and 'shape'";
    return {};
  }

 private:
  std::string read_entry(NpyHeader& header) {
    std::string key;
    if (!read_string(key)) return expected("a key in quotes");
    if (!accept(":")) return expected("':'");
    if (key == "descr" && !std::exchange(has_descr_, true)) return read_descr(header.descr);
    if (key == "fortran_order" && !std::exchange(has_order_, true)) return read_bool(header.fortran_order);
    if (key == "shape" && !std::exchange(has_shape_, true)) return read_shape(header.shape);
    return "expected the keys 'descr', 'fortran_order' and 'shape' once each, found " + quoted(key);
  }

  std::string read_descr(std::string& descr) {
    if (peek('[')) return read_list(descr);
    return read_string(descr) ? std::string() : expected("a type descriptor in quotes");
  }

  /// A structured type, kept as text: only the message about the type uses it.
  std::string read_list(std::string& text) {
    size_t depth = 0, i = 0;
    for (; i < rest_.size(); ++i) {
      if (rest_[i] == '[') ++depth;
      if (rest_[i] == ']' && --depth == 0) break;
    }
    if (i == rest_.size()) return expected("a closed list");
    text = rest_.substr(0, i + 1);
    rest_.remove_prefix(i + 1);
    return {};
  }

  std::string read_bool(bool& value) {
    value = accept("True");
    return value || accept("False") ? std::string() : expected("True or False");
  }

  std::string read_shape(Shape& shape) {
    if (!accept("(")) return expected("a tuple of sizes");
    while (!accept(")")) {
      int64_t size = 0;
      if (!read_size(size)) return expected("a size of at least 0");
      shape.push_back(size);
      if (!accept(",") && !peek(')')) return expected("',' or ')'");
    }
    return {};
  }

  bool read_size(int64_t& size) {
    skip_blanks();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    if (error != std::errc() || size < 0) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  bool read_string(std::string& text) {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool accept(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool peek(char c) {
    skip_blanks();
    return !rest_.empty() && rest_[0] == c;
  }

  void skip_blanks() {
    const size_t begin = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  std::string expected(const char* what) const {
    return std::string("expected ") + what + (rest_.empty() ? " before its end" : ", found " + quoted(rest_, 24));
  }

  std::string_view rest_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

/// The little-endian number in the `width` bytes of `text` at `offset`.
size_t little_endian(std::string_view text, size_t offset, size_t width) {
  size_t value = 0;
  for (size_t i = width; i-- > 0;) value = value << 8U | static_cast<unsigned char>(text[offset + i]);
  return value;
}

}  // namespace

tl::expected<NpyHeader, std::string> parse_npy_header(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) return wrong("is empty; expected an array in .npy format");
  if (!text.starts_with(kMagic.substr(0, text.size()))) {
    return wrong("is not in .npy format (it starts with " + quoted(text, 8) + "); expected \"\\x93NUMPY\"");
  }
  if (text.size() < 8) return wrong("is truncated: it ends inside its .npy header");
  const unsigned major = static_cast<unsigned char>(text[6]), minor = static_cast<unsigned char>(text[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return wrong("has .npy format version " + std::to_string(major) + "." + std::to_string(minor) +
                 "; expected 1.0, 2.0 or 3.0");
  }
  const size_t width = major == 1 ? 2 : 4;
  if (text.size() < 8 + width) return wrong("is truncated: it ends inside its .npy header");
  const size_t length = little_endian(text, 8, width), begin = 8 + width;
  if (length > text.size() - begin) {
    return wrong("is truncated: its .npy header should have " + std::to_string(length) + " bytes, " +
                 std::to_string(text.size() - begin) + " are there");
  }
  NpyHeader header;
  header.data_offset = begin + length;
  const std::string error = LiteralReader(text.substr(begin, length)).read(header);
  if (!error.empty()) return wrong("has a malformed .npy header: " + error);
  return header;
}

}  // namespace isoshard
