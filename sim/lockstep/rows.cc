// The values of all devices, by their ids in the Plan. As instructions come in one order, a row is let go when it has
// been read as often as it stands as an operand, an initial value, a yield or a part. A substitute may change the value
// of each device, so that what it changes is a class of its own, unless it says that it changes all alike. Cost: a
// count per read.
#include "sim/lockstep/rows.h"

#include <utility>

#include "core/support/check.h"

namespace isoshard::sim {

Rows::Rows(const RunContext& context, Partitions& partitions)
    : context_(context),
      partitions_(partitions),
      rows_(context.plan.values.size()),
      left_(context.plan.values.size(), 0) {}

void Rows::bind(PlanValueId id, Row row) {
  for (const Value& value : row.values) {
    ISOSHARD_CHECK(value.type == context_.index.type(id), "an instruction's result has another type than planned");
  }
  if (context_.options.substitute) row = substituted(id, std::move(row));
  if (context_.options.observer != nullptr) show(id, row);
  keep(id, std::move(row));
}

void Rows::keep(PlanValueId id, Row row) {
  const uint32_t reads = context_.index.reads(id);
  left_[id.index()] = reads;
  if (reads > 0) rows_[id.index()] = std::move(row);
}

const Row& Rows::operator[](PlanValueId id) const {
  ISOSHARD_CHECK(rows_[id.index()].classes != nullptr, "a value is read before its definition or after its last use");
  return rows_[id.index()];
}

Row Rows::let_go(PlanValueId id) { return --left_[id.index()] == 0 ? std::exchange(rows_[id.index()], Row{}) : Row{}; }

Row Rows::take(PlanValueId id) {
  const Row& row = (*this)[id];
  if (--left_[id.index()] > 0) return row;
  return std::exchange(rows_[id.index()], Row{});
}

Row Rows::substituted(PlanValueId id, Row row) {
  if (context_.options.substitutes_alike) {
    for (size_t c = 0; c < row.values.size(); ++c) {
      const auto device = static_cast<int64_t>(row.classes->first[c]);
      row.values[c] = context_.options.substitute(device, id, std::move(row.values[c]));
    }
    return row;
  }
  const size_t devices = row.classes->devices();
  std::vector<Value> changed(devices);
  std::vector<int64_t> numbers(devices);
  bool any = false;
  for (size_t device = 0; device < devices; ++device) {
    const Value& value = row.at(device);
    changed[device] = context_.options.substitute(static_cast<int64_t>(device), id, value);
    const bool is_other = changed[device].data != value.data;
    any |= is_other;
    numbers[device] = is_other ? static_cast<int64_t>(devices + device) : int64_t{row.classes->class_of[device]};
  }
  if (!any) return row;
  Row result{&partitions_.by(numbers), {}};
  for (const uint32_t device : result.classes->first) result.values.push_back(std::move(changed[device]));
  return result;
}

void Rows::show(PlanValueId id, const Row& row) const {
  if (!context_.options.observer->looks_at_devices()) {
    for (const uint32_t device : row.classes->first) {
      context_.options.observer->on_value(static_cast<int64_t>(device), id, row.at(device));
    }
    return;
  }
  for (size_t device = 0; device < row.classes->devices(); ++device) {
    context_.options.observer->on_value(static_cast<int64_t>(device), id, row.at(device));
  }
}

}  // namespace isoshard::sim
