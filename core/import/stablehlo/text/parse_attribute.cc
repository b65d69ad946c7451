// Attributes, types and locations of MLIR's printed form. Attributes are read without knowing what they are for: a list
// of items and fields stands for all that is bracketed, so that the many printed forms need one reader. The types of
// numbers are dropped, as no op that is read depends on them. Cost: one pass.
#include "core/import/stablehlo/text/parse_attribute.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/ir/types/size_limit.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

Attribute of_kind(Attribute::Kind kind, const Token& token) { return Attribute{kind, token.span, token.text}; }

/// `i64`, `f32`, `index`: what may stand behind `4 :`.
bool is_scalar_type(const Token& token) {
  if (token.kind != TokenKind::name) return false;
  if (token.text == "index") return true;
  const size_t digits = token.text.find_first_of("0123456789");
  return digits != std::string_view::npos && digits <= 2 && token.text.find('.') == std::string_view::npos;
}

bool begins_item(const Token& token) {
  return token.kind != TokenKind::end && (token.kind != TokenKind::punctuation || token.is("[") || token.is("{") ||
                                          token.is("<") || token.is("?") || token.is("("));
}

/// `4`, `4 : i64`, `0:4:2`.
Attribute parse_number(Lexer& lexer) {
  Attribute number = of_kind(Attribute::Kind::number, lexer.take());
  if (!lexer.peek().is(":")) return number;
  if (is_scalar_type(lexer.second())) {
    lexer.take();
    lexer.take();
    return number;
  }
  if (lexer.second().kind != TokenKind::number) return number;
  Attribute range{Attribute::Kind::product, number.span};
  range.items.push_back(std::move(number));
  while (lexer.accept(":"))
    range.items.push_back(of_kind(Attribute::Kind::number, lexer.expect(TokenKind::number, "an index")));
  return range;
}

/// `array<i64: 1, 8>`.
Attribute parse_array(Lexer& lexer) {
  const Token inside = lexer.take_angle("behind `array`");
  Attribute list{Attribute::Kind::list, inside.span, "array"};
  const size_t colon = inside.text.find(':');
  if (colon == std::string_view::npos) return list;
  size_t at = colon + 1;
  while (at < inside.text.size()) {
    const size_t end = std::min(inside.text.find(',', at), inside.text.size());
    std::string_view item = inside.text.substr(at, end - at);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    const bool word = item == "true" || item == "false";
    list.items.push_back(Attribute{word ? Attribute::Kind::word : Attribute::Kind::number, inside.span, item});
    at = end + 1;
  }
  return list;
}

TensorType tensor_type(const Lexer& lexer, const Token& inside);

/// The type of an attribute's array; nothing for `tensor<2xindex>`, the layouts of custom calls, which no value has.
std::optional<TensorType> array_type(Lexer& lexer) {
  if (!lexer.peek().is_name("tensor")) return parse_type(lexer);
  lexer.take();
  const Token inside = lexer.take_angle("behind `tensor`");
  if (inside.text.ends_with("index")) return std::nullopt;
  return tensor_type(lexer, inside);
}

Attribute parse_elements(Lexer& lexer) {
  Attribute elements = of_kind(Attribute::Kind::elements, lexer.take_angle("behind `dense`"));
  lexer.expect(":", "and the type of the array behind `dense<...>`");
  elements.type = array_type(lexer);
  return elements;
}

/// A name, and what belongs to it.
Attribute parse_word(Lexer& lexer) {
  if (lexer.peek().is_name("tensor") && lexer.second().is("<")) {
    Attribute type = of_kind(Attribute::Kind::word, lexer.peek());
    type.type = parse_type(lexer);
    return type;
  }
  Attribute word = of_kind(Attribute::Kind::word, lexer.take());
  if (!lexer.peek().is("<") || lexer.peek().span.begin != word.span.end) return word;
  if (word.text == "dense") return parse_elements(lexer);
  if (word.text == "array") return parse_array(lexer);
  lexer.take_angle("");
  return word;
}

/// `#stablehlo.gather<...>`, `#stablehlo<comparison_direction LT>`, `#loc4`.
Attribute parse_alias(Lexer& lexer) {
  const Token name = lexer.take();
  if (!lexer.peek().is("<")) return of_kind(Attribute::Kind::alias, name);
  lexer.take();
  Attribute list = parse_list(lexer, ">");
  list.text = name.text;
  return list;
}

/// `[0] x [1]`, `[b, 0, f]x[0, i, o]->[b, 0, f]`.
Attribute parse_product(Lexer& lexer) {
  lexer.take();
  Attribute first = parse_list(lexer, "]");
  if (!lexer.peek().is_name("x")) return first;
  Attribute product{Attribute::Kind::product, first.span};
  product.items.push_back(std::move(first));
  while (lexer.accept_name("x") || lexer.accept("->")) {
    lexer.expect("[", "behind `x` or `->`");
    product.items.push_back(parse_list(lexer, "]"));
  }
  return product;
}

std::optional<DType> element_type(std::string_view text) {
  static constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f64", DType::f64},         {"f32", DType::f32},       {"f16", DType::f16}, {"bf16", DType::bf16},
      {"f8E4M3FN", DType::f8e4m3}, {"f8E5M2", DType::f8e5m2}, {"i1", DType::pred}, {"i8", DType::i8},
      {"i32", DType::i32},         {"i64", DType::i64},       {"ui8", DType::u8},  {"ui32", DType::u32},
      {"ui64", DType::u64}};
  for (const auto& [name, dtype] : kTypes) {
    if (name == text) return dtype;
  }
  return std::nullopt;
}

/// `4x8xf32`, which is what stands in `tensor<...>` at `inside`.
TensorType tensor_type(const Lexer& lexer, const Token& inside) {
  TensorType type;
  std::string_view rest = inside.text;
  while (!rest.empty() && ((rest[0] >= '0' && rest[0] <= '9') || rest[0] == '?')) {
    if (rest[0] == '?') {
      lexer.fail("M-unsupported", inside.span,
                 "not supported: the dynamic shape in tensor<" + std::string(inside.text) +
                     ">; lower the program for arguments of fixed shapes");
    }
    int64_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || end == rest.data() + rest.size() || *end != 'x') break;
    type.shape.push_back(size);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()) + 1);
  }
  const std::optional<DType> dtype = element_type(rest);
  if (!dtype) {
    lexer.fail("M-unsupported", inside.span,
               "not supported: elements " + quoted(rest) + " of tensor<" + std::string(inside.text) +
                   ">; expected f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i32, i64, ui8, ui32 or ui64");
  }
  type.dtype = *dtype;
  if (!is_countable(type.shape)) {
    lexer.fail("M-type", inside.span, "tensor<" + std::string(inside.text) + ">; expected at most 2^40 elements");
  }
  return type;
}

/// What is inside of `loc(...)`.
Attribute parse_place(Lexer& lexer) {
  const Nesting nesting(lexer);
  const Token first = lexer.take();
  Attribute place{Attribute::Kind::list, first.span, first.text};
  if (first.kind == TokenKind::alias) return of_kind(Attribute::Kind::alias, first);
  if (first.kind == TokenKind::string) {
    place.items.push_back(of_kind(Attribute::Kind::string, first));
    if (lexer.accept("(")) {  // "name"(inner)
      place.text = "name";
      place.items.push_back(parse_place(lexer));
      lexer.expect(")", "behind a named location");
    } else if (lexer.accept(":")) {  // "file":8:36 to :57
      place.text = "file";
      place.items.push_back(of_kind(Attribute::Kind::number, lexer.expect(TokenKind::number, "a line")));
      while (lexer.peek().is(":") || lexer.peek().is_name("to") || lexer.peek().kind == TokenKind::number) {
        const Token part = lexer.take();
        if (part.kind == TokenKind::number) place.items.push_back(of_kind(Attribute::Kind::number, part));
      }
    } else {
      place.text = "name";
    }
    return place;
  }
  if (first.is_name("callsite") && lexer.accept("(")) {
    place.items.push_back(parse_place(lexer));
    if (!lexer.accept_name("at")) lexer.fail_expected("`at` in a callsite");
    place.items.push_back(parse_place(lexer));
    lexer.expect(")", "behind a callsite");
  } else if (first.is_name("fused")) {
    if (lexer.peek().is("<")) lexer.take_angle("");
    lexer.expect("[", "behind `fused`");
    do {
      place.items.push_back(parse_place(lexer));
    } while (lexer.accept(","));
    lexer.expect("]", "behind fused locations");
  } else if (!first.is_name("unknown")) {
    lexer.fail("M-syntax", first.span, in_words(first) + " here; expected a location, as in loc(\"a.py\":8:36)");
  }
  return place;
}

}  // namespace

Attribute parse_list(Lexer& lexer, std::string_view close) {
  Attribute list{Attribute::Kind::list, lexer.peek().span};
  while (!lexer.accept(close)) {
    if (!begins_item(lexer.peek())) lexer.fail_expected("an attribute or `" + std::string(close) + "`");
    const bool keyed =
        lexer.second().is("=") && (lexer.peek().kind == TokenKind::name || lexer.peek().kind == TokenKind::string);
    if (keyed) {
      const std::string_view key = lexer.take().text;
      lexer.take();
      list.fields.push_back(field_of(key, parse_attribute(lexer)));
    } else {
      list.items.push_back(parse_attribute(lexer));
    }
    if (!lexer.accept(",")) lexer.accept("->");  // of `#sdy.op_sharding_rule<([i, j])->([k])>`
  }
  return list;
}

Attribute parse_attribute(Lexer& lexer) {
  const Nesting nesting(lexer);
  const Token& next = lexer.peek();
  switch (next.kind) {
    case TokenKind::number:
      return parse_number(lexer);
    case TokenKind::string:
      return of_kind(Attribute::Kind::string, lexer.take());
    case TokenKind::symbol:
      return of_kind(Attribute::Kind::symbol, lexer.take());
    case TokenKind::alias:
      return parse_alias(lexer);
    case TokenKind::name:
      return parse_word(lexer);
    default:
      break;
  }
  if (next.is("[")) return parse_product(lexer);
  if (next.is("?")) return of_kind(Attribute::Kind::word, lexer.take());
  if (lexer.accept("{")) return parse_list(lexer, "}");
  if (lexer.accept("<")) return parse_list(lexer, ">");
  if (lexer.accept("(")) return parse_list(lexer, ")");
  lexer.fail_expected("the value of an attribute");
}

TensorType parse_type(Lexer& lexer) {
  if (!lexer.peek().is_name("tensor")) {
    if (lexer.peek().text == "!stablehlo.token") {
      lexer.fail("M-unsupported", lexer.peek().span,
                 "not supported: values of type " + in_words(lexer.peek()) +
                     "; a token puts effects in order, as of jax.debug.print(..., ordered=True) and "
                     "io_callback(..., ordered=True): leave them out, or say ordered=False");
    }
    if (lexer.peek().kind != TokenKind::name) lexer.fail_expected("a type, as in tensor<4x8xf32>");
    lexer.fail("M-unsupported", lexer.peek().span,
               "not supported: values of type " + in_words(lexer.peek()) + "; expected tensors, as in tensor<4x8xf32>");
  }
  lexer.take();
  return tensor_type(lexer, lexer.take_angle("behind `tensor`"));
}

std::vector<TensorType> parse_types(Lexer& lexer) {
  std::vector<TensorType> types;
  const bool bracketed = lexer.accept("(");
  if (bracketed && lexer.accept(")")) return types;
  do {
    types.push_back(parse_type(lexer));
  } while (lexer.accept(","));
  if (bracketed) lexer.expect(")", "behind types");
  return types;
}

Attribute parse_location(Lexer& lexer) {
  if (!lexer.peek().is_name("loc") || !lexer.second().is("(")) return {};
  lexer.take();
  lexer.take();
  Attribute place = parse_place(lexer);
  lexer.expect(")", "behind a location");
  return place;
}

ValueUse parse_use(Lexer& lexer) {
  const Token name = lexer.expect(TokenKind::value, "a value, as in %0");
  ValueUse use{name.text, 0, name.span};
  const Token& behind = lexer.peek();
  if (behind.kind != TokenKind::alias || behind.span.begin != name.span.end) return use;
  const auto [end, error] = std::from_chars(behind.text.data(), behind.text.data() + behind.text.size(), use.index);
  if (error != std::errc() || end != behind.text.data() + behind.text.size()) {
    lexer.fail_expected("the number of a result, as in %0#1");
  }
  use.span.end = behind.span.end;
  lexer.take();
  return use;
}

}  // namespace isoshard::stablehlo
