#include <algorithm>

#include "command_line/help_format.h"
#include "command_line/settings.h"
#include "command_line/terminal.h"
#include "core/support/diagnostic.h"
#include "core/support/quoted.h"
#include "core/text/elaborate/op_aliases.h"
#include "core/text/print/op_reference.h"

namespace isoshard::command_line {
namespace {

/// What one op is and takes, for people.
std::string described(const text::OpReference& op) {
  std::string text = op.name + "  " + op.doc + "\n";
  if (!op.own_form) text += "\n  " + op.usage() + "\n";
  for (const text::FieldReference& field : op.fields) {
    text +=
        "  " + field.name + "  " + field.doc + " (" + field.form + (field.required ? ")\n" : "; may be left out)\n");
  }
  return text + "  states: " + op.states + "\n";
}

std::string listed(const std::vector<text::OpReference>& ops) {
  size_t width = 0;
  for (const text::OpReference& op : ops) width = std::max(width, op.name.size());
  std::string text;
  for (const text::OpReference& op : ops) text += list_entry(op.name, width + 2, op.doc);
  return text;
}

}  // namespace

int run_ops(const Settings& settings) {
  if (settings.markdown) return write_out(text::op_page()) ? kHolds : kBadInput;
  const std::vector<text::OpReference> ops = text::op_references();
  if (settings.inputs.empty()) return write_out(listed(ops)) ? kHolds : kBadInput;
  std::vector<std::string> names;
  for (const text::OpReference& op : ops) {
    names.push_back(op.name);
    if (op.name == settings.inputs.front()) return write_out(described(op)) ? kHolds : kBadInput;
  }
  const std::string& asked = settings.inputs.front();
  const std::string advice = text::alias_advice(asked), close = closest_name(asked, names);
  print_error("no op is called " + isoshard::quoted(asked) +
              (!advice.empty() ? "; here it is " + advice
               : close.empty() ? "; `isoshard ops` lists them"
                               : "; did you mean " + close + "?"));
  return kBadInput;
}

}  // namespace isoshard::command_line
