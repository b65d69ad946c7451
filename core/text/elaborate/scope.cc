// What names mean at one place of a file: variables of loops, lets and axes of the mesh. It also reports errors there:
// the location of a func that is elaborated for a call is followed by that of the call. An axis is no number by itself;
// `size(axis)` is, on the mesh of the program or, outside of programs, on all meshes if they agree. Look-ups go through
// the variables, which are as many as loops are nested.
#include "core/text/elaborate/scope.h"

#include <algorithm>

#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

std::vector<std::string> axis_names(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  return names;
}

}  // namespace

const Mesh& Scope::mesh() const {
  static const Mesh one_device;
  return mesh_ != nullptr ? *mesh_ : one_device;
}

Location Scope::at(const Span& span) const {
  const Location here = locate(source_, span);
  return outer_ ? here.within(*outer_, note_) : here;
}

void Scope::error(std::string rule, const Span& span, std::string message) const {
  file_->sink.error(std::move(rule), at(span), std::move(message));
}

std::string Scope::quote(const Span& span) const {
  constexpr size_t kShown = 120;
  const size_t length = span.end - span.offset;
  std::string result(1, '`');
  result.append(source_->text, span.offset, std::min(length, kShown));
  return result += length > kShown ? "...`" : "`";
}

void Scope::reach_from(Location outer, std::string note) {
  outer_ = std::move(outer);
  note_ = std::move(note);
}

bool Scope::has_variable(const std::string& name) const {
  return std::any_of(variables_.begin(), variables_.end(), [&](const auto& v) { return v.first == name; });
}

bool Scope::declares(const std::string& name) const { return has_variable(name) || file_->lets.count(name) != 0; }

bool Scope::push_variable(const std::string& name, int64_t value) {
  if (has_variable(name)) return false;
  variables_.push_back({name, value});
  return true;
}

const WordLet* Scope::find_word(const std::string& name) const {
  const auto found = file_->words.find(name);
  return found == file_->words.end() ? nullptr : &found->second;
}

std::optional<Rational> Scope::number(std::string_view text) const {
  if (const Rational* known = file_->numbers->find(text)) return *known;
  std::optional<Rational> read = Rational::parse(text);
  if (read) file_->numbers->insert(text, *read);
  return read;
}

std::optional<int64_t> Scope::look_up(const Expr& expr) const {
  for (const auto& [variable, value] : variables_) {
    if (variable == expr.text) return value;
  }
  const auto let = file_->lets.find(expr.text);
  if (let != file_->lets.end()) return let->second;
  if (const WordLet* word = find_word(expr.text)) {
    error("E-word", expr.span,
          "`" + expr.text + "` is a word, one of " + list_names(word->words, "") +
              "; expected a number here (words are compared, as in `if " + expr.text + " == " + word->value + "`)");
    return std::nullopt;
  }
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
            (word.text == "None" ? std::string("; a dimension that is not split is `-`, as in [-, model]")
                                 : suggestion(word.text, axis_names(mesh()), "", "axes")));
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

std::optional<Shape> Scope::shape_of(const Expr& expr) const {
  if (values_ != nullptr) return values_->shape_of(*expr.value);
  error("E-undefined", expr.span, quote(expr.span) + " stands only in the body of a func or program, which has values");
  return std::nullopt;
}

}  // namespace isoshard::text
