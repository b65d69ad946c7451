// A module: meshes, functions, and aliases of locations, which may stand before, inside or behind it and be used before
// they are defined; so they are only collected here. Cost: one pass.
#include "core/import/stablehlo/text/parse.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/import/stablehlo/text/parse_operation.h"
#include "core/import/stablehlo/text/written_types.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

int64_t whole_number(const Lexer& lexer, const Attribute& number, std::string_view what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(number.text.data(), number.text.data() + number.text.size(), value);
  const bool read =
      number.kind == Attribute::Kind::number && error == std::errc() && end == number.text.data() + number.text.size();
  if (!read) {
    lexer.fail("M-syntax", number.span,
               quoted(number.text) + " here; expected " + std::string(what) + ", a whole number");
  }
  return value;
}

class ModuleReader {
 public:
  ModuleReader(Lexer& lexer, ModuleText& module) : lexer_(lexer), module_(module) {}

  void read() {
    bool seen = false;
    while (lexer_.peek().kind != TokenKind::end) {
      if (lexer_.peek().kind == TokenKind::alias) {
        alias();
      } else if (lexer_.peek().is_name("module") || lexer_.peek().is_name("func.func")) {
        if (seen) {
          lexer_.fail("M-syntax", lexer_.peek().span,
                      "a second module; expected one in a file, as one jit(f).lower(...).as_text() prints it");
        }
        seen = true;
        top();
      } else {
        lexer_.fail_expected("`module @name { ... }`, as jax.jit(f).lower(...).as_text() prints it");
      }
    }
    if (!seen) lexer_.fail_expected("`module @name { ... }`, as jax.jit(f).lower(...).as_text() prints it");
  }

 private:
  void top() {
    if (!lexer_.accept_name("module")) return items(false);
    if (lexer_.peek().kind == TokenKind::symbol) lexer_.take();
    if (lexer_.accept_name("attributes")) lexer_.expect("{", "behind `attributes`"), parse_list(lexer_, "}");
    lexer_.expect("{", "and the items of the module");
    items(true);
    parse_location(lexer_);
  }

  /// What a module holds, up to `}` or, of a text without one, to its end.
  void items(bool braced) {
    while (braced ? !lexer_.accept("}") : lexer_.peek().kind != TokenKind::end) {
      const Token& next = lexer_.peek();
      if (next.is_name("func.func")) {
        function();
      } else if (next.is_name("sdy.mesh")) {
        mesh();
      } else if (next.kind == TokenKind::alias) {
        alias();
      } else if (next.is_name("module")) {
        lexer_.fail("M-unsupported", next.span, "not supported: a module inside of a module");
      } else {
        lexer_.fail_expected("func.func or sdy.mesh");
      }
    }
  }

  /// `#loc6 = loc(...)`; other aliases mean nothing here.
  void alias() {
    const std::string_view name = lexer_.take().text;
    lexer_.expect("=", "behind an alias");
    if (lexer_.peek().is_name("loc")) {
      module_.aliases.insert_or_assign(name, parse_location(lexer_));
    } else {
      parse_attribute(lexer_);
    }
  }

  /// `sdy.mesh @mesh = <["data"=2, "model"=4], device_ids=[1, 0]>`.
  void mesh() {
    lexer_.take();
    const Token name = lexer_.expect(TokenKind::symbol, "the name of a mesh");
    MeshText mesh{name.text, name.span, {}, {}};
    lexer_.expect("=", "and the axes of a mesh");
    const Attribute axes = parse_attribute(lexer_);
    if (!axes.items.empty()) {
      for (const Attribute& axis : axes.items.front().fields) {
        mesh.axes.push_back(MeshAxis{std::string(axis.key), whole_number(lexer_, axis, "the size of an axis")});
      }
    }
    if (const Attribute* order = axes.find("device_ids")) {
      for (const Attribute& device : order->items) {
        mesh.device_order.push_back(whole_number(lexer_, device, "a device"));
      }
    }
    if (lexer_.accept("{")) parse_list(lexer_, "}");
    parse_location(lexer_);
    module_.meshes.push_back(std::move(mesh));
  }

  void function() {
    lexer_.take();
    while (lexer_.peek().is_name("public") || lexer_.peek().is_name("private") || lexer_.peek().is_name("nested")) {
      lexer_.take();
    }
    const Token name = lexer_.expect(TokenKind::symbol, "the name of a function");
    Function function{name.text, name.span, {}, {}};
    lexer_.expect("(", "and the arguments of a function");
    std::vector<BlockArgument> arguments = parse_arguments(lexer_);
    if (lexer_.accept("->")) results(function);
    if (lexer_.accept_name("attributes")) lexer_.expect("{", "behind `attributes`"), parse_list(lexer_, "}");
    lexer_.expect("{", "and the body of a function");
    function.body = parse_region(lexer_);
    function.body.arguments = std::move(arguments);
    parse_location(lexer_);
    module_.functions.push_back(std::move(function));
  }

  void results(Function& function) {
    const bool bracketed = lexer_.accept("(");
    if (bracketed && lexer_.accept(")")) return;
    do {
      FunctionResult result{parse_type(lexer_), {}};
      if (lexer_.peek().is("{") && bracketed) {
        lexer_.take();
        result.attributes = parse_list(lexer_, "}");
      }
      function.results.push_back(std::move(result));
    } while (bracketed && lexer_.accept(","));
    if (bracketed) lexer_.expect(")", "behind the results of a function");
  }

  Lexer& lexer_;
  ModuleText& module_;
};

}  // namespace

const Attribute* Attribute::find(std::string_view wanted) const {
  for (const Attribute& field : fields) {
    if (field.key == wanted) return &field;
  }
  for (const Attribute& item : items) {
    if (item.kind == Kind::word && item.text == wanted) return &item;
  }
  return nullptr;
}

const Function* ModuleText::find_function(std::string_view name) const {
  for (const Function& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

Location ModuleText::location(Span span) const {
  const auto behind = std::upper_bound(line_begins.begin(), line_begins.end(), span.begin);
  const auto line = static_cast<uint32_t>(behind - line_begins.begin());
  const auto column = static_cast<uint32_t>(span.begin - *(behind - 1) + 1);
  return Location::span(file, line, column,
                        column + static_cast<uint32_t>(std::max(span.end, span.begin + 1) - span.begin),
                        static_cast<uint32_t>(*(behind - 1)));
}

std::optional<ModuleText> parse(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink) {
  try {
    Lexer lexer(file, sink);
    ModuleText module;
    module.file = file;
    module.has_custom_calls = file->text.find("@SPMDFullToShardShape") != std::string::npos;
    module.line_begins = {0};
    for (size_t i = 0; i < file->text.size(); ++i) {
      if (file->text[i] == '\n') module.line_begins.push_back(i + 1);
    }
    ModuleReader(lexer, module).read();
    if (!agrees_with_itself(module, sink)) return std::nullopt;
    return module;
  } catch (const Unreadable&) {
    return std::nullopt;
  }
}

bool looks_like_mlir(std::string_view text) {
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    const bool skipped = text.starts_with("//") || text.starts_with("#loc");
    if (!skipped) return text.starts_with("module") || text.starts_with("func.func");
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

}  // namespace isoshard::stablehlo
