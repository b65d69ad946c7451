// Values and ops in one array each, regions as a stack.
// A region of a scan may be typed several times (scan_builder.h), and so the innermost region knows where its values
// and ops begin, and all from there on can be forgotten. Names belong to a region, since bodies capture nothing: a name
// may stand in two of them. A made-up name is the value's number and gives way to a value that asks for it, so that
// texts that were printed are read again with their names. Which values are exactly zero is kept beside them, because
// zeros may meet P. Constant time per value and op.
#include "core/ir/builder/open_program.h"

#include <algorithm>
#include <utility>

#include "core/ir/written_as.h"
#include "core/support/check.h"
#include "core/support/quoted.h"

namespace isoshard {
namespace {

/// `x`, `x.3`: words of letters, digits and `_`, joined by dots.
bool is_name(const std::string& name) {
  bool in_word = false;
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!word && (c != '.' || !in_word)) return false;
    in_word = word;
  }
  return in_word;
}

}  // namespace

OpenProgram::OpenProgram(std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
                         BuilderOptions options)
    : sink_(sink) {
  program_.own().name = std::move(name);
  program_.own().mesh = std::move(mesh);
  program_.own().kind = options.kind;
  program_.own().typed = options.typed;
  program_.own().location = std::move(options.location);
}

OperandState OpenProgram::operand_state(ValueId id) const {
  OperandState result = unnamed_state(id);
  result.name = in_words(program_, id);
  return result;
}

OperandState OpenProgram::unnamed_state(ValueId id) const {
  const ValueType& type = program_.value(id).type;
  return OperandState{type.states, type.has_gradient, is_exact_zero(id), {}};
}

std::string OpenProgram::claim_name(const std::string& wanted, ValueId id, const Location& location) {
  NameMap<NameUse>& names = open_.back().names;
  if (wanted.empty()) {
    size_t number = id.index();
    while (!names.insert(std::to_string(number), NameUse{id, true}).second) ++number;
    return std::to_string(number);
  }
  const auto [use, is_new] = names.insert(wanted, NameUse{id, false});
  if (!is_name(wanted)) {
    sink_.error("V-name", location,
                "the value name " + quoted(wanted) + " cannot be written; expected words of " +
                    "letters, digits and `_`, joined by dots");
    fail();
  } else if (!is_new && use->made_up) {
    const ValueId other = use->value;
    *use = NameUse{id, false};
    program_.own().values[other.index()].name = claim_name("", other, location);
  } else if (!is_new) {
    sink_.error("V-name", location, "the value name %" + wanted + " is taken; expected a new name")
        .note(program_.value(use->value).location, "it is first used here");
    fail();
  }
  return wanted;
}

ValueId OpenProgram::add(NewValue value) {
  const ValueId id(program_.own().values.size());
  std::string name = claim_name(value.name, id, value.location);
  program_.own().values.push_back(
      Value{std::move(value.type), value.definition, std::move(name), std::move(value.location)});
  exact_zero_.push_back(value.exact_zero);
  region_.push_back(open_.back().id);
  return id;
}

ValueId OpenProgram::add_argument(NewValue value) {
  const ValueId id = add(std::move(value));
  program_.own().body.arguments.push_back(id);
  return id;
}

const Op& OpenProgram::add_op(Op op) {
  (at_top() ? program_.own().body.ops : open_.back().ops).push_back(next_op());
  program_.own().ops.push_back(std::move(op));
  return program_.own().ops.back();
}

bool OpenProgram::captures(std::string_view op, const std::vector<ValueId>& operands, const Location& location) {
  for (const ValueId id : operands) {
    if (region_[id.index()] == open_.back().id) continue;
    const Value& value = program_.value(id);
    sink_
        .error(
            "V-capture", location,
            std::string(op) + ": %" + value.name +
                " belongs to another body, and the body of a scan captures nothing; carry it, or stack it where each "
                "iteration reads its own slice")
        .note(value.location, "it is defined here");
    return true;
  }
  return false;
}

void OpenProgram::open_region() {
  open_.push_back(OpenRegion{regions_++, program_.own().values.size(), program_.own().ops.size(), {}, {}});
}

std::vector<OpId> OpenProgram::close_region() {
  ISOSHARD_CHECK(!at_top(), "no region of a scan is open");
  std::vector<OpId> ops = std::move(open_.back().ops);
  open_.pop_back();
  return ops;
}

void OpenProgram::drop_region() {
  const size_t values = open_.back().first_value, ops = open_.back().first_op;
  close_region();
  program_.own().values.shorten(values);
  program_.own().ops.shorten(ops);
  exact_zero_.resize(values);
  region_.resize(values);
}

void OpenProgram::add_update(const Global& global, GlobalId id, ReturnPart part) {
  std::vector<Output>& updates = program_.own().updates;
  const auto known = std::find_if(updates.begin(), updates.end(), [&](const Output& o) { return o.updates == id; });
  if (known == updates.end()) {
    updates.push_back(Output{global.name, global.type, {std::move(part)}, id});
  } else {
    known->parts.push_back(std::move(part));
  }
}

void OpenProgram::add_return_errors(std::vector<Diagnostic> errors) {
  for (Diagnostic& error : errors) program_.own().return_errors.push_back(std::move(error));
}

}  // namespace isoshard
