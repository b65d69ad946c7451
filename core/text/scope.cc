#include "core/text/scope.h"

#include <algorithm>
#include <charconv>

#include "core/text/suggest.h"

namespace isoshard::text {
namespace {

std::vector<std::string> axis_names(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  return names;
}

/// `a op b` in i64, or nothing when it overflows; `/` is not handled here.
std::optional<int64_t> apply(char op, int64_t a, int64_t b) {
  int64_t result = 0;
  const bool overflow = op == '+'   ? __builtin_add_overflow(a, b, &result)
                        : op == '-' ? __builtin_sub_overflow(a, b, &result)
                                    : __builtin_mul_overflow(a, b, &result);
  if (overflow) return std::nullopt;
  return result;
}

}  // namespace

const Mesh& Scope::mesh() const {
  static const Mesh one_device;
  return mesh_ != nullptr ? *mesh_ : one_device;
}

Location Scope::at(const Span& span) const {
  const Location here = locate(file_->file, span);
  return outer_ ? here.within(*outer_, note_) : here;
}

void Scope::error(std::string rule, const Span& span, std::string message) const {
  file_->sink.error(std::move(rule), at(span), std::move(message));
}

std::string Scope::quote(const Span& span) const {
  std::string result(1, '`');
  result.append(file_->file->text, span.offset, span.end - span.offset);
  return result += '`';
}

void Scope::reach_from(Location outer, std::string note) {
  outer_ = std::move(outer);
  note_ = std::move(note);
}

bool Scope::has_variable(const std::string& name) const {
  return std::any_of(variables_.begin(), variables_.end(), [&](const auto& v) { return v.first == name; });
}

bool Scope::push_variable(const std::string& name, int64_t value) {
  if (has_variable(name)) return false;
  variables_.push_back({name, value});
  return true;
}

std::optional<int64_t> Scope::name(const Expr& expr) const {
  for (const auto& [variable, value] : variables_) {
    if (variable == expr.text) return value;
  }
  const auto let = file_->lets.find(expr.text);
  if (let != file_->lets.end()) return let->second;
  const auto has_axis = [&](const auto& mesh) { return mesh->find(expr.text).has_value(); };
  if (std::any_of(file_->meshes.begin(), file_->meshes.end(), has_axis)) {
    error("E-bare-axis", expr.span,
          "the axis `" + expr.text + "` is not a number here; write size(" + expr.text +
              ") for its number of devices (a bare axis stands only in layouts and fields, as in [" + expr.text + "])");
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const auto& [known, value] : file_->lets) names.push_back(known);
  for (const auto& [known, value] : variables_) names.push_back(known);
  error("E-name", expr.span, "there is no let `" + expr.text + "`" + suggestion(expr.text, names, "", "lets"));
  return std::nullopt;
}

std::optional<int64_t> Scope::axis_size(const Expr& expr) const {
  const bool own = mesh_ != nullptr && mesh_->axis_count() != 0;
  if (own) {
    const std::optional<AxisId> id = axis(Word{expr.text, expr.span});
    return id ? std::optional(mesh_->axis(*id).size) : std::nullopt;
  }
  std::optional<int64_t> result;
  std::vector<std::string> names;
  for (const auto& mesh : file_->meshes) {
    const std::vector<std::string> more = axis_names(*mesh);
    names.insert(names.end(), more.begin(), more.end());
    const std::optional<AxisId> id = mesh->find(expr.text);
    if (!id) continue;
    const int64_t size = mesh->axis(*id).size;
    if (result && *result != size) {
      error("E-axis", expr.span,
            "the axis `" + expr.text + "` has size " + std::to_string(*result) + " in one mesh and " +
                std::to_string(size) + " in another; use size(" + expr.text + ") only in a program on one of them");
      return std::nullopt;
    }
    result = size;
  }
  if (!result) {
    error("E-axis", expr.span,
          "no mesh before this line has an axis `" + expr.text + "`" + suggestion(expr.text, names, "", "axes"));
  }
  return result;
}

std::optional<int64_t> Scope::literal(const Expr& expr) const {
  int64_t value = 0;
  const char* end = expr.text.data() + expr.text.size();
  const auto [stop, status] = std::from_chars(expr.text.data(), end, value);
  if (status == std::errc() && stop == end) return value;
  if (status == std::errc::result_out_of_range) {
    error("E-overflow", expr.span, expr.text + " does not fit 64 bits; expected at most 9223372036854775807");
  } else {
    error("E-integer", expr.span, expr.text + " is not an integer; expected one here");
  }
  return std::nullopt;
}

std::optional<int64_t> Scope::divide(const Expr& expr, size_t last, int64_t left, int64_t right) const {
  const Span span = expr.arguments.front().span.to(expr.arguments[last].span);
  const std::string numbers = std::to_string(left) + " / " + std::to_string(right);
  if (right == 0) {
    error("E-divide", span, quote(span) + " = " + numbers + " divides by zero");
    return std::nullopt;
  }
  if (right == -1) {
    const std::optional<int64_t> result = apply('-', 0, left);
    if (!result) error("E-overflow", span, quote(span) + " = " + numbers + " does not fit 64 bits");
    return result;
  }
  if (left % right == 0) return left / right;
  error("E-divide", span,
        quote(span) + " = " + numbers + " is not exact: it leaves a remainder of " + std::to_string(left % right) +
            "; choose numbers that divide");
  return std::nullopt;
}

std::optional<int64_t> Scope::integer_chain(const Expr& expr) const {
  std::optional<int64_t> result;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Expr& argument = expr.arguments[i];
    const std::optional<int64_t> right = integer(argument);
    if (!right) return std::nullopt;
    if (i == 0) {
      result = right;
    } else if (argument.op == '/') {
      result = divide(expr, i, *result, *right);
      if (!result) return std::nullopt;
    } else {
      const int64_t left = *result;
      result = apply(argument.op, left, *right);
      if (!result) {
        const Span span = expr.arguments.front().span.to(argument.span);
        error("E-overflow", span,
              quote(span) + " = " + std::to_string(left) + " " + argument.op + " " + std::to_string(*right) +
                  " does not fit 64 bits");
        return std::nullopt;
      }
    }
  }
  return result;
}

std::optional<int64_t> Scope::integer(const Expr& expr) const {
  switch (expr.kind) {
    case Expr::Kind::number:
      return literal(expr);
    case Expr::Kind::name:
      return name(expr);
    case Expr::Kind::size:
      return axis_size(expr);
    case Expr::Kind::negate: {
      const std::optional<int64_t> inner = integer(expr.arguments[0]);
      const std::optional<int64_t> result = inner ? apply('-', 0, *inner) : std::nullopt;
      if (inner && !result) error("E-overflow", expr.span, std::to_string(*inner) + " negated does not fit 64 bits");
      return result;
    }
    case Expr::Kind::sum:
    case Expr::Kind::product:
      return integer_chain(expr);
  }
  return std::nullopt;
}

std::optional<Rational> Scope::number_chain(const Expr& expr) const {
  constexpr size_t kMaxBits = size_t{1} << 16;
  mpq_class result;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Expr& argument = expr.arguments[i];
    const std::optional<Rational> right = number(argument);
    if (!right) return std::nullopt;
    if (!right->finite()) {
      error("E-number", argument.span, right->to_string() + " cannot be part of a sum or product; write it alone");
      return std::nullopt;
    }
    if (argument.op == '/' && right->is_zero()) {
      error("E-divide", expr.span, quote(expr.span) + " divides by zero");
      return std::nullopt;
    }
    if (i == 0) {
      result = right->value();
    } else if (argument.op == '+') {
      result += right->value();
    } else if (argument.op == '-') {
      result -= right->value();
    } else if (argument.op == '*') {
      result *= right->value();
    } else {
      result /= right->value();
    }
    if (mpz_sizeinbase(result.get_num_mpz_t(), 2) + mpz_sizeinbase(result.get_den_mpz_t(), 2) > kMaxBits) {
      error("E-overflow", expr.span, "the number needs more than 65536 bits; expected a smaller one");
      return std::nullopt;
    }
  }
  return Rational(result);
}

std::optional<Rational> Scope::number(const Expr& expr) const {
  const bool names_value = expr.kind == Expr::Kind::name && !has_variable(expr.text) && !file_->lets.count(expr.text);
  if (names_value && (expr.text == "inf" || expr.text == "nan")) return Rational::parse(expr.text);
  if (expr.kind == Expr::Kind::number) {
    const std::optional<Rational> value = Rational::parse(expr.text);
    if (!value) error("E-number", expr.span, expr.text + " is out of range; expected an exponent of at most 4000");
    return value;
  }
  if (expr.kind == Expr::Kind::negate) {
    const std::optional<Rational> inner = number(expr.arguments[0]);
    if (!inner) return std::nullopt;
    if (inner->finite()) return Rational(mpq_class(-inner->value()));
    return inner->is_nan() ? *inner : Rational::infinity(!inner->negative());
  }
  if (expr.kind == Expr::Kind::sum || expr.kind == Expr::Kind::product) return number_chain(expr);
  const std::optional<int64_t> value = integer(expr);
  if (!value) return std::nullopt;
  return Rational(*value);
}

std::optional<AxisId> Scope::axis(const Word& word) const {
  const std::optional<AxisId> id = mesh().find(word.text);
  if (id) return id;
  if (mesh().axis_count() == 0) {
    error("E-axis", word.span,
          "there is no axis `" + word.text + "`: " +
              (mesh_ == nullptr || mesh().name().empty() ? "the program is on no mesh; write `on @mesh` after its name"
                                                         : "the mesh @" + mesh().name() + " has no axes"));
    return std::nullopt;
  }
  error("E-axis", word.span,
        "the mesh @" + mesh().name() + " has no axis `" + word.text + "`" +
            suggestion(word.text, axis_names(mesh()), "", "axes"));
  return std::nullopt;
}

std::optional<Group> Scope::group(const std::vector<Word>& words) const {
  Group result;
  for (const Word& word : words) {
    const std::optional<AxisId> id = axis(word);
    if (!id) return std::nullopt;
    if (result.set().contains(*id)) {
      error("E-axis", word.span, "the axis `" + word.text + "` is named twice; expected each axis once");
      return std::nullopt;
    }
    result.axes.push_back(*id);
  }
  return result;
}

std::optional<Layout> Scope::layout(const LayoutSyntax& syntax) const {
  Layout result;
  for (const EntrySyntax& entry : syntax.entries) {
    const std::optional<Group> axes = group(entry.axes);
    const std::optional<int64_t> offset = entry.offset ? integer(*entry.offset) : 0;
    if (!axes || !offset) return std::nullopt;
    result.push_back(ViewEntry{*axes, *offset});
  }
  return result;
}

std::optional<TensorType> Scope::type(const TypeSyntax& syntax) const {
  constexpr int64_t kMaxElements = int64_t{1} << 40;
  const std::optional<DType> dtype = parse_dtype(syntax.dtype.text);
  if (!dtype) {
    std::vector<std::string> names;
    for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
    error("E-dtype", syntax.dtype.span,
          "there is no dtype `" + syntax.dtype.text + "`" + suggestion(syntax.dtype.text, names, "", "dtypes"));
  }
  TensorType result{dtype.value_or(DType::f32), {}};
  bool good = dtype.has_value();
  int64_t elements = 1;
  for (const Expr& size : syntax.shape) {
    const std::optional<int64_t> value = integer(size);
    if (value && (*value < 0 || (*value > 0 && elements > kMaxElements / *value))) {
      error("E-size", size.span,
            "the size is " + std::to_string(*value) + "; expected at least 0 and at most 2^40 elements in all");
      good = false;
    } else if (value && *value > 0) {
      elements *= *value;
    }
    good &= value.has_value();
    result.shape.push_back(value.value_or(0));
  }
  if (!good) return std::nullopt;
  return result;
}

}  // namespace isoshard::text
