// Writes a Plan as JSON, for tools that draw or run it; it is not read back. Values, instructions and communicators are
// lists, and everything else names them by their index, as in the Plan itself, so that no name has to be unique. What
// depends on the rank stays an expression over coordinates, as text. There is one function per kind of instruction, so
// that a new kind does not compile until it is written here. Cost: the length of the text. What may be absent, such as
// the positions of a group that has all devices, is null.
#include "core/text/print/plan_json.h"

#include <nlohmann/json.hpp>

#include "core/ir/enum_names.h"
#include "core/plan/collective_names.h"
#include "core/text/print/json_fields.h"

namespace isoshard {
namespace {

using Json = nlohmann::ordered_json;

/// The indices of a list of ids.
template <class List>
Json ids(const List& list) {
  Json json = Json::array();
  for (const auto id : list) json.push_back(id.index());
  return json;
}

/// Converts one Plan.
class Converter {
 public:
  explicit Converter(const Plan& plan) : plan_(plan), mesh_(*plan.mesh) {}

  Json convert() const {
    Json json{{"isoshard", text::kJsonVersion}, {"kind", "plan"}, {"program", plan_.program}};
    json["mesh"] = text::mesh_to_json(mesh_);
    json["globals"] = Json::array();
    for (const Global& global : plan_.globals) json["globals"].push_back(text::global_to_json(global));
    json["outputs"] = Json::array();
    for (const Output& output : plan_.outputs) json["outputs"].push_back(named(output.name, output.type));
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const GlobalId updates = plan_.outputs[i].updates;
      if (updates.valid()) json["outputs"][i]["updates"] = plan_.globals[updates.index()].name;
    }
    json["values"] = Json::array();
    for (const PlanValue& value : plan_.values) json["values"].push_back(named(value.name(), value.type()));
    json["communicators"] = Json::array();
    for (const Communicator& c : plan_.communicators) {
      json["communicators"].push_back(c.sets.empty() ? Json{{"axes", text::group_to_json(c.group, mesh_)}}
                                                     : Json{{"sets", c.sets}});
      json["communicators"].back()["queue"] = c.queue.index();
    }
    json["instructions"] = Json::array();
    for (const Instruction& instruction : plan_.instructions) json["instructions"].push_back(convert(instruction));
    json["groups"] = Json::array();
    for (const RankGroup& group : plan_.groups) {
      json["groups"].push_back(Json{{"name", group.name},
                                    {"positions", group.positions.empty() ? Json(nullptr) : Json(group.positions)},
                                    {"blocks", convert(group.blocks)}});
    }
    return json;
  }

 private:
  /// An output or a value.
  static Json named(std::string name, const TensorType& type) {
    Json entry{{"name", std::move(name)}};
    entry.update(text::type_to_json(type));
    return entry;
  }

  Json convert(const Instruction& instruction) const {
    Json json = std::visit([&](const auto& data) { return data_json(data); }, instruction.data());
    json["operands"] = ids(instruction.operands);
    json["results"] = ids(instruction.results);
    json["waits"] = waits(instruction, false);
    json["waits_previous"] = waits(instruction, true);
    json["last_uses"] = ids(instruction.last_uses);
    if (instruction.action.valid()) {
      const PlanAction& action = plan_.action(instruction.action);
      json["action"] = Json{{"pipeline", action.pipeline}, {"action", schedule::to_string(action.action)}};
    }
    json["location"] = text::location_to_json(instruction.location());
    return json;
  }

  static Json waits(const Instruction& instruction, bool previous) {
    Json json = Json::array();
    for (const Token& token : instruction.waits) {
      if (token.previous == previous) json.push_back(token.instruction.index());
    }
    return json;
  }

  Json convert(const std::vector<Block>& blocks) const {
    Json json = Json::array();
    for (const Block& block : blocks) {
      Json entry = Json::object();
      if (block.repeat) {
        entry["repeat"] = convert(*block.repeat);
      } else {
        entry["queues"] = Json::array();
        for (const Queue& queue : block.queues) {
          entry["queues"].push_back(Json{{"name", queue.name}, {"instructions", ids(queue.instructions)}});
        }
      }
      entry["last_uses"] = ids(block.last_uses);
      json.push_back(std::move(entry));
    }
    return json;
  }

  Json convert(const Repeat& repeat) const {
    Json json{{"count", repeat.count},
              {"ahead", repeat.ahead},
              {"initial", ids(repeat.initial)},
              {"arguments", ids(repeat.arguments)}};
    json["yields"] = ids(repeat.yields);
    json["results"] = ids(repeat.results);
    json["stacked"] = ids(repeat.stacked);
    json["slices"] = ids(repeat.slices);
    json["parts"] = ids(repeat.parts);
    json["stacks"] = ids(repeat.stacks);
    json["body"] = convert(repeat.body);
    return json;
  }

  Json expression(const Expr& value) const { return value.to_string(mesh_); }

  Json expressions(const std::vector<Expr>& list) const {
    Json json = Json::array();
    for (const Expr& value : list) json.push_back(expression(value));
    return json;
  }

  Json data_json(const LoadBlock& op) const {
    Json json{{"kind", "load"}, {"global", plan_.globals[op.global.index()].name}};
    json["block"] = expressions(op.block);
    json["count"] = op.count;
    if (!op.start.empty()) json["start"] = op.start;
    if (!op.size.empty()) json["size"] = op.size;
    return json;
  }
  Json data_json(const StoreBlock& op) const {
    return Json{{"kind", "store"}, {"output", op.output}, {"block", expressions(op.block)}, {"count", op.count}};
  }
  Json data_json(const LocalOp& op) const {
    return Json{
        {"kind", "local"}, {"op", op_name(op.op)}, {"fields", text::fields_to_json(op.op, mesh_, plan_.globals)}};
  }
  Json data_json(const ScalarIndex& op) const { return Json{{"kind", "index"}, {"value", expression(op.value)}}; }
  Json data_json(const TakeBlock& op) const {
    return Json{{"kind", "take_block"}, {"dim", op.dim}, {"block", expression(op.block)}, {"count", op.count}};
  }
  Json data_json(const PutBlock& op) const {
    return Json{{"kind", "put_block"}, {"dim", op.dim}, {"block", expression(op.block)}, {"count", op.count}};
  }
  Json data_json(const KeepOn& op) const {
    return Json{{"kind", "keep_on"}, {"index", expression(op.index)}, {"owner", op.owner}};
  }
  Json data_json(const Collective& op) const {
    Json json{{"kind", name(op.kind)}, {"communicator", op.communicator.index()}};
    const bool has_dim = op.kind == CollectiveKind::all_gather || op.kind == CollectiveKind::reduce_scatter ||
                         op.kind == CollectiveKind::all_to_all;
    if (has_dim) json["dim"] = op.dim;
    if (op.kind == CollectiveKind::all_to_all) json["concat_dim"] = op.concat_dim;
    if (op.precision != SumPrecision::unspecified) json["precision"] = enum_name(op.precision);
    return json;
  }
  Json data_json(const Permute& op) const {
    return Json{{"kind", "permute"},
                {"communicator", op.communicator.index()},
                {"target", expression(op.target)},
                {"source", expression(op.source)}};
  }
  Json data_json(const Send& op) const {
    return Json{{"kind", "send"}, {"communicator", op.communicator.index()}, {"target", expression(op.target)}};
  }
  Json data_json(const Recv& op) const {
    return Json{{"kind", "recv"}, {"communicator", op.communicator.index()}, {"source", expression(op.source)}};
  }

  const Plan& plan_;
  const Mesh& mesh_;
};

}  // namespace

Json plan_to_json(const Plan& plan) { return Converter(plan).convert(); }

}  // namespace isoshard
