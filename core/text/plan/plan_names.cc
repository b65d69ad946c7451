// Names in the text of a Plan. A Plan knows its values by id, and names are for people: inlined functions may share
// them, unrolling makes names with blanks. The text tells values by names, so each gets one that is made of words and
// that no other of its group has; the first one keeps what it is called. Groups keep names in common, since these are
// values of one program. Names that come from a text stay, which makes printing a fixpoint. Values are named in the
// order in which the text defines them. Cost: one walk over the Plan.
#include "core/text/plan/plan_names.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/plan/order/issue_order.h"

namespace isoshard::text {
namespace {

bool is_name_sign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the word that begins at `at` has digits only: others that begin with one are no tokens.
bool is_number(const std::string& name, size_t at) {
  while (at < name.size() && is_name_digit(name[at])) ++at;
  return at == name.size() || !is_name_sign(name[at]);
}

/// Words joined by dots: `x of iteration 3, 0` is `x.of.iteration.3.0`.
std::string dotted_name(const std::string& name) {
  std::string result;
  bool pending = false;
  for (const char c : name) {
    if (!is_name_sign(c)) {
      pending = !result.empty();
      continue;
    }
    if (pending) result += '.';
    pending = false;
    result += c;
  }
  return result.empty() ? "value" : result;
}

}  // namespace

std::string UniqueNames::add(const std::string& wanted, const char* between) {
  if (taken_.insert(wanted).second) return wanted;
  int64_t& number = next_.try_emplace(wanted, 2).first->second;
  for (;; ++number) {
    std::string name = wanted;
    name += between;
    name += std::to_string(number);
    if (taken_.insert(name).second) return name;
  }
}

std::string plain_name(const std::string& name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool inside = i > 0 && is_name_sign(name[i - 1]);
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    if (!inside && is_name_digit(c) && !is_number(name, i)) result += '_';
    result += is_name_sign(c) || std::string_view(" (),+-=>").find(c) != std::string_view::npos ? c : '_';
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result.empty() ? "_" : result;
}

PlanNames::PlanNames(const Plan& plan) : values_(plan.values.size()) {
  size_t queues = 1 + plan.communicators.size();
  for (const RankGroup& group : plan.groups) queues = std::max(queues, isoshard::queue_count(group.blocks));
  queues_.resize(queues);
  UniqueNames queue_names;
  for (const RankGroup& group : plan.groups) add_queues(group.blocks, queue_names);
  for (size_t q = 0; q < queues; ++q) {
    if (queues_[q].empty()) queues_[q] = queue_names.add(q == 0 ? "compute" : "comm", " ");
  }
  for (const RankGroup& group : plan.groups) {
    UniqueNames value_names;
    add_values(plan, group.blocks, value_names);
  }
}

void PlanNames::add_queues(const std::vector<isoshard::Block>& blocks, UniqueNames& names) {
  for (const isoshard::Block& block : blocks) {
    if (block.repeat) add_queues(block.repeat->body, names);
    for (size_t q = 0; q < block.queues.size(); ++q) {
      if (queues_[q].empty()) queues_[q] = names.add(q == 0 ? "compute" : plain_name(block.queues[q].name), " ");
    }
  }
}

void PlanNames::add_values(const Plan& plan, const std::vector<isoshard::Block>& blocks, UniqueNames& names) {
  const auto name = [&](std::span<const PlanValueId> ids) {
    for (const PlanValueId id : ids) values_[id.index()] = names.add(dotted_name(plan.value(id).name()), ".");
  };
  for (const isoshard::Block& block : blocks) {
    for (const Queue& queue : block.queues) {
      for (const InstructionId id : queue.instructions) name(plan.instruction(id).results);
    }
    if (!block.repeat) continue;
    name(block.repeat->arguments);
    name(block.repeat->slices);
    add_values(plan, block.repeat->body, names);
    name(block.repeat->results);
    name(block.repeat->stacks);
  }
}

}  // namespace isoshard::text
