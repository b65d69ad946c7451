// Lists the values of a Program as its text does: op by op, the bodies of scans indented, and behind it the functions
// that it calls, each instance once. An operand is the place of its value in the list, which the page needs for
// neighbours; values of a body name those of their own program only, since bodies capture nothing but what stands
// before them. What views read and returns write is told per device. Cost: the number of ops, and of devices for each
// view.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/text/elaborate/fields.h"
#include "core/text/print/print_items.h"
#include "pictures/chart/listing.h"

namespace isoshard::pictures {
namespace {

class ProgramLister {
 public:
  explicit ProgramLister(const Module& module) : module_(module) {}

  Listing list(ProgramId program) {
    add(program);
    for (size_t next = 0; next < called_.size(); ++next) add(called_[next]);
    if (listing_.values.size() > kMostValues) {
      listing_.left_out = listing_.values.size() - kMostValues;
      listing_.values.resize(kMostValues);
    }
    return std::move(listing_);
  }

 private:
  void add(ProgramId id) {
    program_ = &module_.program(id);
    places_.clear();
    const size_t first = listing_.values.size();
    for (const ValueId argument : program_->body().arguments) add_argument(argument, 0);
    add_ops(program_->body().ops, 0);
    for (const Output& output : program_->outputs()) add_output(output, "return");
    for (const Output& update : program_->updates()) add_output(update, "update");
    const bool is_function = program_->kind() == ProgramKind::function;
    if (is_function && first < listing_.values.size()) listing_.values[first].function = program_->name();
  }

  void add_argument(ValueId id, size_t depth) {
    ListedValue value = of_value(id);
    value.op = "argument";
    value.depth = depth;
    put(id, std::move(value));
  }

  void add_ops(const std::vector<OpId>& ops, size_t depth) {
    for (const OpId id : ops) {
      const Op& op = program_->op(id);
      for (const ProgramId callee : callees(op.data)) {
        if (seen_.insert(callee).second) called_.push_back(callee);
      }
      for (size_t r = 0; r < op.results.size(); ++r) add_result(op, r, depth);
      for (const Region& region : op.regions) {
        for (const ValueId argument : region.arguments) add_argument(argument, depth + 1);
        add_ops(region.ops, depth + 1);
      }
    }
  }

  void add_result(const Op& op, size_t result, size_t depth) {
    ListedValue value = of_value(op.results[result]);
    value.op = op_name(op.data);
    value.text = result == 0 ? text_of(op) : "result " + std::to_string(result + 1) + " of " + name(op.results[0]);
    value.depth = depth;
    value.location = op.location;
    value.operands = places(op.operands);
    if (result == 0) {
      for (const Diagnostic& error : op.state_errors) value.errors.push_back(error.message + " [" + error.rule + "]");
    }
    const View* const view = std::get_if<View>(&op.data);
    if (view != nullptr) value.blocks = blocks_of(module_.global(view->global).type.shape, *view, program_->mesh());
    put(op.results[result], std::move(value));
  }

  void add_output(const Output& output, const char* statement) {
    for (const ReturnPart& part : output.parts) {
      ListedValue value;
      value.name = "@" + output.name;
      value.op = statement;
      value.text = name(part.value) + " " + to_string(part.layout, program_->mesh());
      value.type = to_string(output.type);
      value.location = part.location;
      value.operands = places({part.value});
      value.blocks = blocks_of(output.type.shape, part.layout, program_->mesh());
      listing_.values.push_back(std::move(value));
    }
  }

  ListedValue of_value(ValueId id) const {
    const Value& value = program_->value(id);
    ListedValue listed;
    listed.name = name(id);
    listed.type = to_string(value.type.tensor);
    listed.states = value.type.states;
    listed.location = value.location;
    return listed;
  }

  /// What stands behind the name of the op.
  std::string text_of(const Op& op) const {
    const Mesh& mesh = program_->mesh();
    if (const View* view = std::get_if<View>(&op.data)) {
      return "@" + module_.global(view->global).name + " " + to_string(view->layout, mesh) +
             text::print_view_part(*view, mesh);
    }
    std::string text;
    for (const ProgramId callee : callees(op.data))
      text += (text.empty() ? "@" : " @") + module_.program(callee).name();
    for (const ValueId operand : op.operands) text += (text.empty() ? "" : " ") + name(operand);
    if (const Scan* scan = std::get_if<Scan>(&op.data)) return text + " trips " + std::to_string(scan->trips);
    if (std::holds_alternative<Call>(op.data)) return text;
    const std::string fields = text::print_fields(op.data, mesh);
    return text + (text.empty() || fields.empty() ? "" : " ") + fields;
  }

  std::string name(ValueId id) const { return "%" + program_->value(id).name; }

  std::vector<size_t> places(const std::vector<ValueId>& values) const {
    std::vector<size_t> result;
    for (const ValueId value : values) {
      const auto known = places_.find(value);
      if (known != places_.end() && known->second < kMostValues) result.push_back(known->second);
    }
    return result;
  }

  void put(ValueId id, ListedValue value) {
    places_[id] = listing_.values.size();
    listing_.values.push_back(std::move(value));
  }

  const Module& module_;
  const Program* program_ = nullptr;
  Listing listing_;
  std::vector<ProgramId> called_;
  std::set<ProgramId> seen_;
  std::unordered_map<ValueId, size_t> places_;
};

}  // namespace

Listing listing_of(const Module& module, ProgramId program) { return ProgramLister(module).list(program); }

}  // namespace isoshard::pictures
