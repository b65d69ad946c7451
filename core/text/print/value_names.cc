// Values of programs that are made from texts of JAX have no names, only numbers, which say nothing where a value is
// read far from its op. Op and line are what messages name, too. The same module gives the same names, since they are
// given in the order of values; what is no letter, digit or `_` of a global's name becomes `_`. Cost: the values.
#include "core/text/print/value_names.h"

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
    return std::string(op_name(op.data)) + (line == 0 ? "" : "_" + std::to_string(line));
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
