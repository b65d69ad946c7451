// Attributes as numbers. Elements of a constant are exact rationals, of floats the shortest decimal (shortest.h),
// whether decimals or bits are printed: `0xFF800000` and the blobs of large arrays are decoded by the dtype. Cost: one
// pass over the elements.
#include "core/import/stablehlo/lower/attributes.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "core/import/stablehlo/analysis/shortest.h"
#include "core/ir/scalar/narrow.h"
#include "core/support/quoted.h"
#include "core/value/integers.h"

namespace isoshard::stablehlo {
namespace {

std::optional<int64_t> as_integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class To>
To bits_as(uint64_t bits) {
  To result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// The float that has these bits.
Rational float_of_bits(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::f64:
      return Rational::from_double(bits_as<double>(bits));
    case DType::f32:
      return Rational::from_double(static_cast<double>(bits_as<float>(bits)));
    case DType::bf16:
      return Rational::from_double(static_cast<double>(bits_as<float>(bits << 16U)));
    case DType::f16:
      return Rational::from_double(static_cast<double>(scalar::widened<scalar::F16>(bits_as<uint16_t>(bits))));
    case DType::f8e4m3:
      return Rational::from_double(static_cast<double>(scalar::widened<scalar::F8E4M3>(bits_as<uint8_t>(bits))));
    default:
      return Rational::from_double(static_cast<double>(scalar::widened<scalar::F8E5M2>(bits_as<uint8_t>(bits))));
  }
}

/// The number of any dtype that has these bits, little-endian.
Rational number_of_bits(DType dtype, uint64_t bits) {
  if (is_float(dtype)) return float_of_bits(dtype, bits);
  if (dtype == DType::pred) return Rational(bits != 0 ? 1 : 0);
  if (dtype == DType::u64 && bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return *Rational::parse(std::to_string(bits));
  }
  return Rational(wrapped_integer(dtype, static_cast<int64_t>(bits)));
}

/// `1.5`, `-3`, `true`, `0xFF800000`.
std::optional<Rational> number_of_text(DType dtype, std::string_view text) {
  if (text == "true" || text == "false") return Rational(text == "true" ? 1 : 0);
  if (!text.starts_with("0x")) return Rational::parse(text);
  uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number_of_bits(dtype, bits);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// The elements of `"0x0000803F..."`: bytes of the array; predicates are bits.
std::optional<std::vector<Rational>> elements_of_blob(const TensorType& type, std::string_view digits,
                                                      std::vector<size_t>& minus_zeros) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  const auto count = static_cast<size_t>(element_count(type.shape));
  std::vector<Rational> result;
  if (type.dtype == DType::pred) {
    if (bytes.size() == 1 && (bytes[0] == 0 || bytes[0] == 0xFF)) return std::vector<Rational>{Rational(bytes[0] & 1)};
    if (bytes.size() == count) {  // as newer versions print them
      for (const uint8_t byte : bytes) result.emplace_back(byte != 0 ? 1 : 0);
      return result;
    }
    if (bytes.size() != (count + 7) / 8) return std::nullopt;
    for (size_t i = 0; i < count; ++i) result.emplace_back(int64_t{bytes[i / 8]} >> (i % 8) & 1);
    return result;
  }
  const size_t width = info(type.dtype).bytes;
  if (bytes.size() != count * width && bytes.size() != width) return std::nullopt;
  for (size_t at = 0; at < bytes.size(); at += width) {
    uint64_t bits = 0;
    for (size_t b = 0; b < width; ++b) bits |= uint64_t{bytes[at + b]} << (8 * b);
    result.push_back(number_of_bits(type.dtype, bits));
    if (is_float(type.dtype) && bits != 0 && result.back().is_zero()) minus_zeros.push_back(result.size() - 1);
  }
  return result;
}

/// Whether a zero is written as `-0.0`, or as bits with a sign.
bool is_minus_zero(DType dtype, const Rational& number, std::string_view text) {
  if (!is_float(dtype) || !number.is_zero()) return false;
  return text.starts_with("-") || (text.starts_with("0x") && text.find_first_not_of('0', 2) != std::string_view::npos);
}

/// Whether MLIR reads a number as one of this dtype: floats have a point, integers are in range, and bits are of
/// either.
bool is_literal_of(DType dtype, const Rational& number, std::string_view text) {
  if (text.starts_with("0x")) return true;
  if (text == "true" || text == "false") return dtype == DType::pred;
  const bool point = text.find('.') != std::string_view::npos;
  if (is_float(dtype)) return point;
  const bool bit = number == Rational(0) || number == Rational(1);
  return !point && (dtype == DType::pred ? bit : is_integer_of(dtype, number));
}

/// The numbers of `[[1, 2], [3, 4]]`, row-major.
std::optional<std::vector<Rational>> elements_of_list(const TensorType& type, std::string_view text,
                                                      std::vector<size_t>& minus_zeros) {
  std::vector<Rational> result;
  size_t at = 0;
  while (at < text.size()) {
    if (std::string_view("[], \n\t\r").find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const size_t end = std::min(text.find_first_of("[], \n\t\r", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    std::optional<Rational> number = number_of_text(type.dtype, word);
    if (!number || !is_literal_of(type.dtype, *number, word)) return std::nullopt;
    if (is_minus_zero(type.dtype, *number, word)) minus_zeros.push_back(result.size());
    result.push_back(std::move(*number));
    at = end;
  }
  return result;
}

}  // namespace

ConstantArray elements_of(const Lowering& lowering, const Operation& op, const Attribute& elements) {
  if (elements.kind != Attribute::Kind::elements || !elements.type) {
    lowering.fail("M-attribute", op, "a constant without `dense<...>`; expected its elements");
  }
  ConstantArray array{*elements.type, {}};
  const std::string_view text = elements.text;
  const bool blob = text.starts_with("\"0x") && text.ends_with("\"");
  std::optional<std::vector<Rational>> numbers =
      blob ? elements_of_blob(array.type, text.substr(3, text.size() - 4), array.minus_zeros)
           : elements_of_list(array.type, text, array.minus_zeros);
  const int64_t count = element_count(array.type.shape);
  const bool fits = numbers && (static_cast<int64_t>(numbers->size()) == count || numbers->size() == 1);
  if (!fits) {
    lowering.fail("M-attribute", op,
                  "the elements " + quoted(text, 40) + " of " + to_string(array.type) + "; expected " +
                      std::to_string(count) + " numbers, or one for all");
  }
  array.elements = std::move(*numbers);
  for (Rational& number : array.elements) {
    if (is_float(array.type.dtype)) number = shortest(array.type.dtype, number);
  }
  return array;
}

std::vector<int64_t> integers_of(const Lowering& lowering, const Operation& op, const Attribute& attribute) {
  std::vector<int64_t> result;
  const auto add = [&](std::string_view text) {
    const std::optional<int64_t> number = text == "true" ? 1 : text == "false" ? 0 : as_integer(text);
    if (!number) lowering.fail("M-attribute", op, quoted(text) + " here; expected a whole number");
    result.push_back(*number);
  };
  if (attribute.kind == Attribute::Kind::elements) {
    const ConstantArray array = elements_of(lowering, op, attribute);
    const auto count = static_cast<size_t>(element_count(array.type.shape));
    constexpr size_t kMost = size_t{1} << 20;
    if (count > kMost) lowering.fail("M-attribute", op, to_string(array.type) + " here; expected at most 2^20 numbers");
    for (size_t i = 0; i < count; ++i) add(array.elements[array.is_splat() ? 0 : i].to_string());
  } else if (attribute.kind == Attribute::Kind::list) {
    for (const Attribute& item : attribute.items) add(item.text);
  } else {
    add(attribute.text);
  }
  return result;
}

std::optional<std::vector<int64_t>> find_integers(const Lowering& lowering, const Operation& op, std::string_view key) {
  const Attribute* attribute = op.find(key);
  if (attribute == nullptr) return std::nullopt;
  return integers_of(lowering, op, *attribute);
}

std::vector<int64_t> integers(const Lowering& lowering, const Operation& op, std::string_view key) {
  std::optional<std::vector<int64_t>> numbers = find_integers(lowering, op, key);
  if (!numbers) lowering.fail("M-attribute", op, quoted(op.name) + " without " + quoted(key));
  return std::move(*numbers);
}

std::vector<int64_t> integers(const Lowering& lowering, const Operation& op, std::string_view pretty,
                              std::string_view generic) {
  std::optional<std::vector<int64_t>> numbers = find_integers(lowering, op, pretty);
  return numbers ? std::move(*numbers) : integers(lowering, op, generic);
}

int64_t integer(const Lowering& lowering, const Operation& op, std::string_view key) {
  const std::vector<int64_t> numbers = integers(lowering, op, key);
  if (numbers.size() != 1) lowering.fail("M-attribute", op, quoted(key) + " is a list; expected one number");
  return numbers[0];
}

std::vector<std::vector<int64_t>> rows(const Lowering& lowering, const Operation& op, std::string_view key) {
  const Attribute* attribute = op.find(key);
  const bool matrix = attribute != nullptr && attribute->type && attribute->type->shape.size() == 2;
  if (!matrix) lowering.fail("M-attribute", op, quoted(op.name) + " without a matrix " + quoted(key));
  const std::vector<int64_t> numbers = integers_of(lowering, op, *attribute);
  const auto width = static_cast<size_t>(attribute->type->shape[1]);
  std::vector<std::vector<int64_t>> result;
  for (size_t at = 0; width > 0 && at < numbers.size(); at += width) {
    result.emplace_back(numbers.begin() + static_cast<ptrdiff_t>(at),
                        numbers.begin() + static_cast<ptrdiff_t>(at + width));
  }
  return result;
}

}  // namespace isoshard::stablehlo
