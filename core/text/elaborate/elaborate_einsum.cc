// `einsum`: sums of products by the letters of dimensions.
// Letters that one operand has alone and the result has not are summed first, by `reduce`. Of two operands the letters
// that both have are contracted by `dot_general`, or are its batch where the result has them, too; a `transpose` puts
// the result in the order that is asked for. What these cannot say is refused with the reason: a letter twice in one
// operand is a diagonal, three operands are an order of products that the author has to choose. Cost: letters squared,
// of which there are few.
#include "core/text/elaborate/elaborate_einsum.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/text/elaborate/fields.h"

namespace isoshard::text {
namespace {

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

int64_t place_of(const std::string& letters, char letter) { return static_cast<int64_t>(letters.find(letter)); }

class Einsum {
 public:
  Einsum(const OpSyntax& syntax, const std::string& name, Builder& builder, const Scope& scope, const Span& span)
      : syntax_(syntax), name_(name), builder_(builder), scope_(scope), span_(span) {}

  ValueId run(const std::vector<ValueId>& operands) {
    const std::optional<EinsumFields> fields = read_einsum(syntax_, scope_);
    const bool valid = std::all_of(operands.begin(), operands.end(), [](ValueId id) { return id.valid(); });
    if (!fields || !read_equation(operands.size()) || !valid || !check_sizes(operands)) return ValueId();
    partial_ = fields->partial;
    std::vector<ValueId> values = operands;
    for (size_t i = 0; i < values.size(); ++i) values[i] = without_lone_letters(values[i], i);
    if (values.size() == 2) values = {product(values[0], values[1])};
    return ordered(values[0]);
  }

 private:
  bool fail(const std::string& message) {
    scope_.error("E-einsum", syntax_.form->equation.span, "einsum: " + message);
    return false;
  }

  // The equation.

  bool read_equation(size_t operands) {
    std::string text = syntax_.form->equation.text;
    std::erase(text, ' ');
    const size_t arrow = text.find("->");
    if (arrow == std::string::npos) return fail("the equation has no `->`; expected \"bsd,df->bsf\"");
    result_ = text.substr(arrow + 2);
    for (size_t begin = 0; begin <= arrow;) {
      const size_t end = std::min(text.find(',', begin), arrow);
      terms_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (terms_.size() != operands) {
      return fail("the equation has " + std::to_string(terms_.size()) + " terms for " + std::to_string(operands) +
                  " operands; expected one for each");
    }
    if (terms_.size() > 2) {
      return fail("there are " + std::to_string(terms_.size()) +
                  " operands; expected one or two: several einsums say which product comes first");
    }
    if (terms_.size() == 1 && terms_[0] == result_) {
      return fail("the result is the operand itself; use it, or change the order of its letters");
    }
    return check_letters();
  }

  bool check_letters() {
    const std::string *first = &terms_.front(), *last = &terms_.back(), *all = &result_;
    for (const std::string* letters : {first, last, all}) {
      for (const char c : *letters) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter) {
          return fail(std::string("found `") + c + "` in the equation; expected a letter for each dimension" +
                      (c == '.' ? ": an ellipsis has no number of dimensions" : ""));
        }
        if (std::count(letters->begin(), letters->end(), c) == 1) continue;
        const std::string shown = std::string("`") + c + "` stands twice in `" + *letters + "`";
        return fail(shown + (letters == &result_
                                 ? "; expected each letter once"
                                 : ": a diagonal, which no op takes; mask it by two `iota` and `reduce`"));
      }
    }
    for (const char c : result_) {
      if (has(terms_.front(), c) || has(terms_.back(), c)) continue;
      return fail(std::string("`") + c + "` of the result is in no operand; expected a letter of one");
    }
    return true;
  }

  bool check_sizes(const std::vector<ValueId>& operands) {
    std::map<char, int64_t> sizes;
    for (size_t i = 0; i < operands.size(); ++i) {
      const TensorType& type = builder_.type(operands[i]).tensor;
      if (type.shape.size() != terms_[i].size()) {
        return fail("operand " + std::to_string(i) + " is " + to_string(type) + " and its letters are `" + terms_[i] +
                    "`; expected a letter for each dimension");
      }
      for (size_t d = 0; d < type.shape.size(); ++d) {
        const auto [known, is_new] = sizes.insert({terms_[i][d], type.shape[d]});
        if (is_new || known->second == type.shape[d]) continue;
        return fail(std::string("`") + terms_[i][d] + "` is " + std::to_string(known->second) + " in operand 0 and " +
                    std::to_string(type.shape[d]) + " in operand 1; expected one size");
      }
    }
    return true;
  }

  // The ops.

  /// Adds an op; it has the result's name where it is the last.
  ValueId add(OpData op, std::vector<ValueId> operands, bool is_last) {
    return builder_.add_op(std::move(op), std::move(operands), is_last ? name_ : "", scope_.at(span_));
  }

  ValueId without_lone_letters(ValueId value, size_t i) {
    const bool is_pair = terms_.size() == 2;
    Reduce reduce{Reducer::add, {}, is_pair ? AxisSet() : partial_};
    std::string kept;
    for (const char c : terms_[i]) {
      const bool lone = !has(result_, c) && !(is_pair && has(terms_[1 - i], c));
      if (lone) reduce.dims.push_back(place_of(terms_[i], c));
      if (!lone) kept += c;
    }
    if (reduce.dims.empty()) return value;
    terms_[i] = kept;
    return add(std::move(reduce), {value}, !is_pair && kept == result_);
  }

  ValueId product(ValueId left, ValueId right) {
    const std::string a = terms_[0], b = terms_[1];
    DotGeneral dot{{}, partial_};
    std::string order;
    for (const char c : a) {
      if (!has(b, c)) continue;
      DimPairs& pairs = has(result_, c) ? dot.batch : dot.contract;
      pairs.lhs.push_back(place_of(a, c));
      pairs.rhs.push_back(place_of(b, c));
      if (has(result_, c)) order += c;
    }
    for (const char c : a) order += has(b, c) ? "" : std::string(1, c);
    for (const char c : b) order += has(a, c) ? "" : std::string(1, c);
    terms_ = {order};
    return add(std::move(dot), {left, right}, order == result_);
  }

  ValueId ordered(ValueId value) {
    if (terms_[0] == result_) return value;
    Transpose transpose;
    for (const char c : result_) transpose.permutation.push_back(place_of(terms_[0], c));
    return add(std::move(transpose), {value}, true);
  }

  const OpSyntax& syntax_;
  const std::string& name_;
  Builder& builder_;
  const Scope& scope_;
  const Span& span_;
  std::vector<std::string> terms_;
  std::string result_;
  AxisSet partial_;
};

}  // namespace

ValueId elaborate_einsum(const OpSyntax& syntax, const std::vector<ValueId>& operands, const std::string& name,
                         Builder& builder, const Scope& scope, const Span& span) {
  return Einsum(syntax, name, builder, scope, span).run(operands);
}

}  // namespace isoshard::text
