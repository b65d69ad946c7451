// Call lists of all ranks of a Plan fit together: places are in sections, events are recorded before they are waited
// for, members of a communicator issue the same collectives in the same order, and every message has its receive.
#include "core/plan/calls/writing/make_call_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/plan/passes/sync_plan.h"
#include "core/support/result.h"
#include "tests/models_testing.h"
#include "tests/nightly.h"
#include "tests/property/random_plan.h"

namespace isoshard::call_list_test {
namespace {

using calls::Call;
using calls::CallList;
using calls::make_call_list;
using isoshard::testing::cases;
using isoshard::testing::random_plan;

/// The lists of all ranks; empty where exec does not support the Plan.
std::vector<CallList> lists_of(Plan& plan, std::set<std::string>& refused) {
  const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
  std::vector<CallList> lists;
  for (int64_t position = 0; position < plan.mesh->device_count(); ++position) {
    Result<CallList> list = make_call_list(plan, memory.value(), position);
    if (!list) {
      refused.insert(list.error().rule + " " + list.error().message);
      return {};
    }
    lists.push_back(std::move(*list));
  }
  return lists;
}

/// Sections follow each other without overlap up to the end of the memory.
std::string wrong_memory(const CallList& list) {
  int64_t end = 0;
  for (const calls::Section& section : list.sections) {
    if (section.place != end) return "a gap before " + section.name;
    end += aligned(section.bytes);
  }
  return end == list.bytes ? "" : "bytes behind the last section";
}

/// Each wait is for an event that was recorded, on another stream.
std::string wrong_events(const CallList& list) {
  std::map<uint32_t, uint32_t> recorded_on;
  size_t waits = 0;
  for (const Call& call : list.calls) {
    if (call.stream >= list.streams.size()) return "a stream that does not exist";
    if (const auto* record = std::get_if<calls::Record>(&call.what)) {
      if (record->event >= list.events) return "an event that does not exist";
      recorded_on[record->event] = call.stream;
    }
    if (const auto* wait = std::get_if<calls::Wait>(&call.what)) {
      ++waits;
      const auto recorded = recorded_on.find(wait->event);
      if (recorded == recorded_on.end()) return "a wait before its record";
      if (recorded->second == call.stream) return "a stream that waits for itself";
    }
  }
  return waits == list.waits ? "" : "another number of waits";
}

/// Each wait finds the record of the run that it is for, however often its event is used again.
std::string wrong_records(const Plan& plan, const CallList& list) {
  const auto has = [&](const RankGroup& group) {
    return group.positions.empty() ||
           std::find(group.positions.begin(), group.positions.end(), list.position) != group.positions.end();
  };
  const SyncPlan sync = sync_plan(plan, *std::find_if(plan.groups.begin(), plan.groups.end(), has));
  std::vector<uint32_t> awaited, waited_for;  // runs, in the order of records and of waits
  for (uint32_t r = 0; r < sync.runs.size(); ++r) {
    if (sync.runs[r].awaited) awaited.push_back(r);
    waited_for.insert(waited_for.end(), sync.runs[r].waits.begin(), sync.runs[r].waits.end());
  }
  std::map<uint32_t, uint32_t> recorded;  // event: the run behind its last record
  size_t records = 0, waits = 0;
  for (const Call& call : list.calls) {
    if (const auto* record = std::get_if<calls::Record>(&call.what)) recorded[record->event] = awaited.at(records++);
    const auto* wait = std::get_if<calls::Wait>(&call.what);
    if (wait != nullptr && recorded[wait->event] != waited_for.at(waits++)) return "a wait for another run";
  }
  return records == awaited.size() && waits == waited_for.size() ? "" : "a record or wait is missing";
}

/// What members of one group must do alike.
using Step = std::tuple<calls::Collective::Kind, DType, int64_t>;

std::string wrong_collectives(const std::vector<CallList>& lists) {
  std::map<std::pair<uint32_t, int64_t>, std::vector<Step>> first;  // by communicator and color
  for (const CallList& list : lists) {
    std::map<std::pair<uint32_t, int64_t>, std::vector<Step>> own;
    for (size_t c = 0; c < list.communicators.size(); ++c) {
      if (list.communicators[c].color >= 0) own[{static_cast<uint32_t>(c), list.communicators[c].color}];
    }
    for (const Call& call : list.calls) {
      const auto* collective = std::get_if<calls::Collective>(&call.what);
      if (collective == nullptr) continue;
      const int64_t color = list.communicators[collective->communicator].color;
      if (color < 0) return "a collective of a rank that takes no part";
      own[{collective->communicator, color}].emplace_back(collective->kind, collective->dtype, collective->count);
    }
    for (auto& [key, steps] : own) {
      const auto [known, is_new] = first.emplace(key, steps);
      if (!is_new && known->second != steps) return "members that do not do the same";
    }
  }
  return "";
}

/// Messages by communicator, sender and receiver, in order.
std::string wrong_messages(const std::vector<CallList>& lists) {
  using Lane = std::tuple<uint32_t, int64_t, int64_t, int64_t>;  // communicator, color, from, to
  std::map<Lane, std::vector<std::pair<DType, int64_t>>> sent, received;
  for (const CallList& list : lists) {
    for (const Call& call : list.calls) {
      const auto* messages = std::get_if<calls::Messages>(&call.what);
      if (messages == nullptr) continue;
      const calls::Membership& self = list.communicators[messages->communicator];
      for (const calls::Messages::Message& message : messages->messages) {
        const Lane lane = message.sends ? Lane{messages->communicator, self.color, self.index, message.peer}
                                        : Lane{messages->communicator, self.color, message.peer, self.index};
        (message.sends ? sent : received)[lane].emplace_back(messages->dtype, message.count);
      }
    }
  }
  return sent == received ? "" : "a message without its receive";
}

std::string wrong(const Plan& plan, const std::vector<CallList>& lists) {
  for (const CallList& list : lists) {
    for (const std::string& found : {wrong_memory(list), wrong_events(list), wrong_records(plan, list)}) {
      if (!found.empty()) return "rank " + std::to_string(list.position) + ": " + found;
    }
  }
  const std::string collectives = wrong_collectives(lists);
  return collectives.empty() ? wrong_messages(lists) : collectives;
}

TEST(CallList, RanksOfRandomProgramsFitTogether) {
  std::set<std::string> refused;
  size_t made = 0, calls = 0;
  for (uint64_t seed = 0; seed < cases(200); ++seed) {
    Plan plan = random_plan(seed);
    const std::vector<CallList> lists = lists_of(plan, refused);
    ASSERT_EQ(wrong(plan, lists), "") << "seed " << seed;
    made += lists.empty() ? 0U : 1U;
    for (const CallList& list : lists) calls += list.calls.size();
  }
  for (const std::string& reason : refused) EXPECT_EQ(reason.substr(0, 13), "X-unsupported") << reason;
  EXPECT_GT(made, cases(200) / 2);
  EXPECT_GT(calls, 5000U);
}

TEST(CallList, RanksOfTheCatalogueFitTogether) {
  std::set<std::string> refused;
  size_t made = 0;
  isoshard::testing::for_each_catalogue_program([&](const Module& module, ProgramId program, const std::string& name) {
    Plan plan = lower(module, program);
    const std::vector<CallList> lists = lists_of(plan, refused);
    ASSERT_EQ(wrong(plan, lists), "") << name;
    made += lists.empty() ? 0U : 1U;
  });
  for (const std::string& reason : refused) EXPECT_EQ(reason, "") << "refused";
  EXPECT_GT(made, 50U);
}

}  // namespace
}  // namespace isoshard::call_list_test
