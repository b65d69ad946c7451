// Operations as MLIR prints them. Most pretty forms are a list of operands, `key = value` and words before the types,
// so one loose loop reads them all, also those of ops that nothing is known of, which are refused by name where the
// program is made. Four have a grammar of their own: while, reduce, manual_computation and whatever is printed
// generically,
// `"name"(...) <{...}> ({...}) : ...`. Cost: one pass.
#include "core/import/stablehlo/text/parse_operation.h"

#include <charconv>
#include <utility>

#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

void add_fields(Attribute list, Operation& op) {
  for (Attribute& field : list.fields) op.attributes.fields.push_back(std::move(field));
  for (Attribute& item : list.items) op.attributes.items.push_back(std::move(item));
}

/// `%a, %b` up to `)`.
void parse_operands(Lexer& lexer, Operation& op) {
  if (lexer.accept(")")) return;
  do {
    op.operands.push_back(parse_use(lexer));
  } while (lexer.accept(","));
  lexer.expect(")", "behind operands");
}

/// `: (T, T) -> T`, `: T -> T`, `: T, T`, `: T`: of operands and results.
void parse_signature(Lexer& lexer, Operation& op) {
  const bool bracketed = lexer.peek().is("(");
  op.operand_types = parse_types(lexer);
  if (lexer.accept("->")) {
    op.result_types = parse_types(lexer);
  } else if (bracketed) {
    lexer.fail_expected("`->` and the types of results");
  } else if (op.result_count == 1) {
    op.result_types = {op.operand_types.back()};  // of `select` the predicate stands first
  } else {
    op.result_types = op.operand_types;
  }
}

/// `"name"(%a) <{...}> ({...}, {...}) {...} : (T) -> T`.
void parse_generic(Lexer& lexer, Operation& op) {
  lexer.expect("(", "and operands behind " + quoted(op.name));
  parse_operands(lexer, op);
  if (lexer.accept("<")) {
    lexer.expect("{", "behind `<`");
    add_fields(parse_list(lexer, "}"), op);
    lexer.expect(">", "behind properties");
  }
  if (lexer.accept("(")) {
    do {
      lexer.expect("{", "and a region");
      op.regions.push_back(parse_region(lexer));
    } while (lexer.accept(","));
    lexer.expect(")", "behind regions");
  }
  if (lexer.accept("{")) add_fields(parse_list(lexer, "}"), op);
  lexer.expect(":", "and types behind " + quoted(op.name));
  parse_signature(lexer, op);
}

/// `while(%i = %a, %j = %b) : T, T cond {...} do {...}`.
void parse_while(Lexer& lexer, Operation& op) {
  std::vector<BlockArgument> arguments;
  lexer.expect("(", "behind `while`");
  while (!lexer.accept(")")) {
    const Token name = lexer.expect(TokenKind::value, "a loop value, as in %iterArg = %0");
    arguments.push_back(BlockArgument{name.text, name.span, {}});
    lexer.expect("=", "and what the loop value begins as");
    op.operands.push_back(parse_use(lexer));
    lexer.accept(",");
  }
  if (lexer.accept(":")) op.operand_types = parse_types(lexer);
  op.result_types = op.operand_types;
  if (op.operand_types.size() != arguments.size()) {
    lexer.fail("M-syntax", op.span,
               "a while with " + std::to_string(arguments.size()) + " loop values and " +
                   std::to_string(op.operand_types.size()) + " types; expected one each");
  }
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].type = op.operand_types[i];
  if (lexer.accept_name("attributes")) {
    lexer.expect("{", "behind `attributes`");
    add_fields(parse_list(lexer, "}"), op);
  }
  for (const std::string_view word : {"cond", "do"}) {
    if (!lexer.accept_name(word)) lexer.fail_expected(quoted(word) + " and its region");
    lexer.expect("{", "behind " + quoted(word));
    op.regions.push_back(parse_region(lexer));
    op.regions.back().arguments = arguments;
  }
}

/// `reduce(%a init: %c), (%b init: %d) across dimensions = [1] : (...) -> (...) reducer(%p: t, %q: t) ... {...}`, or
/// `reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (...) -> T`. Operands, then initial values.
void parse_reduce(Lexer& lexer, Operation& op) {
  std::vector<ValueUse> initial;
  do {
    lexer.expect("(", "behind `reduce`");
    op.operands.push_back(parse_use(lexer));
    if (!lexer.accept_name("init")) lexer.fail_expected("`init:` and the initial value");
    lexer.expect(":", "behind `init`");
    initial.push_back(parse_use(lexer));
    lexer.expect(")", "behind the initial value");
  } while (lexer.accept(","));
  op.operands.insert(op.operands.end(), initial.begin(), initial.end());
  if (lexer.accept_name("applies")) op.words.push_back(parse_attribute(lexer));
  if (!lexer.accept_name("across")) lexer.fail_expected("`across dimensions = [...]`");
  const Token key = lexer.expect(TokenKind::name, "`dimensions`");
  lexer.expect("=", "behind `dimensions`");
  op.attributes.fields.push_back(field_of(key.text, parse_attribute(lexer)));
  if (lexer.accept("{")) add_fields(parse_list(lexer, "}"), op);
  lexer.expect(":", "and types behind `reduce`");
  parse_signature(lexer, op);
  if (!lexer.accept_name("reducer")) return;
  // Printed by pairs, (%a: t, %b: t) for each operand; the region has all first and then all second.
  std::vector<BlockArgument> second, first;
  while (lexer.accept("(")) {
    std::vector<BlockArgument> pair = parse_arguments(lexer);
    if (pair.size() != 2) lexer.fail("M-syntax", op.span, "a reducer takes its arguments by pairs");
    first.push_back(pair[0]);
    second.push_back(pair[1]);
  }
  lexer.expect("{", "and the region of a reducer");
  op.regions.push_back(parse_region(lexer));
  first.insert(first.end(), second.begin(), second.end());
  op.regions.back().arguments = std::move(first);
}

/// `manual_computation(%a) in_shardings=[...] out_shardings=[...] manual_axes={...} (%b: t) {...} : (T) -> T`.
void parse_manual_computation(Lexer& lexer, Operation& op) {
  lexer.expect("(", "behind `sdy.manual_computation`");
  parse_operands(lexer, op);
  while (lexer.peek().kind == TokenKind::name) {
    const Token key = lexer.take();
    lexer.expect("=", "behind " + quoted(key.text));
    op.attributes.fields.push_back(field_of(key.text, parse_attribute(lexer)));
  }
  lexer.expect("(", "and the arguments of the manual computation");
  std::vector<BlockArgument> arguments = parse_arguments(lexer);
  lexer.expect("{", "and the body of the manual computation");
  op.regions.push_back(parse_region(lexer));
  op.regions.back().arguments = std::move(arguments);
  lexer.expect(":", "and types behind a manual computation");
  parse_signature(lexer, op);
}

/// Whether what comes next is a part of the pretty form of `op`, which is taken then.
bool parse_part(Lexer& lexer, Operation& op) {
  const Token& next = lexer.peek();
  if (next.is("(") || next.is(")") || next.is(",")) {
    lexer.take();
    return true;
  }
  if (next.kind == TokenKind::value) {
    if (lexer.second().is("=")) return false;  // the next operation
    op.operands.push_back(parse_use(lexer));
    return true;
  }
  if (next.kind == TokenKind::symbol) {
    Attribute callee{Attribute::Kind::symbol, next.span, next.text};
    op.attributes.fields.push_back(field_of("callee", std::move(callee)));
    lexer.take();
    return true;
  }
  if (next.is("{")) {
    lexer.take();
    add_fields(parse_list(lexer, "}"), op);
    return true;
  }
  if (next.kind == TokenKind::name && lexer.second().is("=")) {
    const std::string_view key = lexer.take().text;
    lexer.take();
    op.attributes.fields.push_back(field_of(key, parse_attribute(lexer)));
    return true;
  }
  const bool word = next.kind == TokenKind::name || next.kind == TokenKind::string || next.kind == TokenKind::alias ||
                    next.is("[") || next.is("<");
  if (!word || next.is_name("loc")) return false;
  op.words.push_back(parse_attribute(lexer));
  return true;
}

/// What is printed after a name that is not in quotes.
void parse_pretty(Lexer& lexer, Operation& op) {
  if (op.name == "stablehlo.while") return parse_while(lexer, op);
  if (op.name == "stablehlo.reduce") return parse_reduce(lexer, op);
  if (op.name == "sdy.manual_computation") return parse_manual_computation(lexer, op);
  if (op.name == "stablehlo.constant") {
    if (lexer.accept("{")) add_fields(parse_list(lexer, "}"), op);
    op.attributes.fields.push_back(field_of("value", parse_attribute(lexer)));
    return;
  }
  const bool returns = op.result_count == 0;
  while (!lexer.peek().is(":")) {
    const Token& next = lexer.peek();
    if (returns && op.operands.empty() && (next.is("}") || next.is_name("loc"))) return;  // `return` of nothing
    if (!parse_part(lexer, op)) lexer.fail_expected("`:` and types behind " + quoted(op.name));
  }
  lexer.take();
  parse_signature(lexer, op);
}

void parse_results(Lexer& lexer, Operation& op) {
  if (lexer.peek().kind != TokenKind::value) return;
  op.result = lexer.take().text;
  op.result_count = 1;
  if (lexer.accept(":")) {
    const Token count = lexer.expect(TokenKind::number, "how many results there are, as in %0:2");
    const auto [end, error] =
        std::from_chars(count.text.data(), count.text.data() + count.text.size(), op.result_count);
    if (error != std::errc() || end != count.text.data() + count.text.size() || op.result_count > 100'000) {
      lexer.fail("M-syntax", count.span, quoted(count.text) + " results; expected how many, as in %0:2");
    }
  }
  while (lexer.accept(",")) {
    op.further_results.push_back(lexer.expect(TokenKind::value, "a result").text);
    ++op.result_count;
  }
  lexer.expect("=", "behind results");
}

std::string_view full_name(std::string_view name) {
  if (name == "return") return "func.return";
  return name == "call" ? "func.call" : name;
}

}  // namespace

Operation parse_operation(Lexer& lexer) {
  const Nesting nesting(lexer);
  Operation op;
  op.attributes.kind = Attribute::Kind::list;
  op.span = lexer.peek().span;
  parse_results(lexer, op);
  const Token name = lexer.peek();
  if (name.kind != TokenKind::string && name.kind != TokenKind::name) {
    lexer.fail_expected("an operation, as in stablehlo.add %0, %1 : tensor<4xf32>");
  }
  lexer.take();
  op.name = full_name(name.text);
  op.span = name.span;
  if (name.kind == TokenKind::string) {
    parse_generic(lexer, op);
  } else {
    parse_pretty(lexer, op);
  }
  const Attribute* value = op.find("value");
  if (value != nullptr && value->type && op.result_types.empty()) op.result_types = {*value->type};
  op.location = parse_location(lexer);
  if (op.result_types.size() != op.result_count && op.result_count > 0) {
    lexer.fail("M-syntax", op.span,
               quoted(op.name) + " has " + std::to_string(op.result_count) + " results and " +
                   std::to_string(op.result_types.size()) + " types of results; expected one each");
  }
  return op;
}

/// A return ends its region, and nothing else does: who lowers a region may look at either end of it.
void check_returns(Lexer& lexer, const Region& region) {
  for (const Operation& op : region.operations) {
    const bool last = &op == &region.operations.back();
    if (last && !op.returns()) {
      lexer.fail("M-syntax", op.span, quoted(op.name) + " at the end of a region; expected a return");
    }
    if (!last && op.returns()) {
      lexer.fail("M-syntax", op.span, quoted(op.name) + " before the end of its region; expected nothing behind it");
    }
    if (last && op.result_count > 0) {
      lexer.fail("M-syntax", op.span, quoted(op.name) + " with a result; expected none of a return");
    }
  }
}

Region parse_region(Lexer& lexer) {
  Region region;
  if (lexer.peek().kind == TokenKind::label) {
    lexer.take();
    if (lexer.accept("(")) region.arguments = parse_arguments(lexer);
    lexer.expect(":", "behind the label of a block");
  }
  while (!lexer.accept("}")) {
    if (lexer.peek().kind == TokenKind::label) {
      lexer.fail("M-unsupported", lexer.peek().span, "not supported: a second block in a region");
    }
    region.operations.push_back(parse_operation(lexer));
  }
  check_returns(lexer, region);
  return region;
}

std::vector<BlockArgument> parse_arguments(Lexer& lexer) {
  std::vector<BlockArgument> arguments;
  while (!lexer.accept(")")) {
    const Token name = lexer.expect(TokenKind::value, "an argument, as in %arg0: tensor<4xf32>");
    lexer.expect(":", "and the type of an argument");
    BlockArgument argument{name.text, name.span, parse_type(lexer)};
    if (lexer.accept("{")) argument.attributes = parse_list(lexer, "}");
    argument.location = parse_location(lexer);
    arguments.push_back(std::move(argument));
    if (!lexer.peek().is(")")) lexer.expect(",", "or `)` behind an argument");
  }
  return arguments;
}

}  // namespace isoshard::stablehlo
