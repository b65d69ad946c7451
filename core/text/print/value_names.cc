// Values of programs that are made from texts of JAX have no names, only numbers, which say nothing where a value is
// read far from its op. The function of the source, op and line are what messages name, too. The same module gives the
// same names, since they are given in the order of values; what is no letter, digit or `_` of a global's name becomes
// `_`. Cost: the values.
#include "core/text/print/value_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace isoshard::text {
namespace {

class Names {
 public:
  Names(const Module& module, const Program& program) : module_(module), program_(program) {}

  std::vector<std::string> run() {
    for (size_t v = 0; v < program_.value_count(); ++v) names_.push_back(unique(wanted(ValueId(v))));
    return std::move(names_);
  }

 private:
  std::string wanted(ValueId id) const {
    const Value& value = program_.value(id);
    if (!value.definition.valid()) return "argument";
    const Op& op = program_.op(value.definition);
    if (const View* view = std::get_if<View>(&op.data)) return identifier(module_.global(view->global).name);
    const uint32_t line = op.location.line();
    return function_of(op.location) + std::string(op_name(op.data)) + (line == 0 ? "" : "_" + std::to_string(line));
  }

  /// `body_` of a place in `Block.step.body`; a lambda has the name of what it is in.
  static std::string function_of(const Location& location) {
    std::string_view name = location.function();
    constexpr std::string_view kLambda = ".<lambda>";
    while (name.ends_with(kLambda)) name.remove_suffix(kLambda.size());
    constexpr std::string_view kCall = ".__call__";  // what Flax and others call a layer's code
    if (name.ends_with(kCall)) name.remove_suffix(kCall.size());
    name.remove_prefix(name.rfind('.') + 1);
    const bool is_plain = std::all_of(
        name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
    return name.empty() || !is_plain ? "" : std::string(name) + "_";
  }

  static std::string identifier(const std::string& name) {
    std::string result;
    for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    const bool begins = !result.empty() && std::isdigit(static_cast<unsigned char>(result[0])) == 0;
    return begins ? result : "_" + result;
  }

  std::string unique(const std::string& name) {
    std::string found = name;
    for (int& n = used_[name]; !taken_.insert(found).second;) found = name + "_" + std::to_string(++n + 1);
    return found;
  }

  const Module& module_;
  const Program& program_;
  std::vector<std::string> names_;
  std::set<std::string> taken_;
  std::map<std::string, int> used_;  ///< how often a name was wanted again
};

}  // namespace

std::vector<std::string> value_names(const Module& module, const Program& program) {
  return Names(module, program).run();
}

}  // namespace isoshard::text
