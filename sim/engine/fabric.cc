// Where devices meet. A meeting is keyed by communicator, leader of the group and sequence number, counted by each
// member for itself, so that a slow member of one meeting is never taken for one of the next; messages are keyed by
// sender, receiver and number. The table of open meetings is in parts of neighbouring leaders, which seldom make
// workers wait for each other; the mutex of a part is never held together with a meeting's own. A meeting leaves the
// table when it is complete, and lives on in its members' tickets. So nobody blocks on another device, and memory is
// what unfinished meetings hold. Mismatches and differences are looked for after the run, in key order, so that the
// report does not depend on timing. Cost: one map operation per arrival.
#include "sim/engine/fabric.h"

#include <cstdio>
#include <string>
#include <utility>

#include "core/plan/order/wait_chain.h"
#include "core/support/call_chain.h"
#include "core/value/integers.h"
#include "sim/engine/fabric_rendezvous.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::sim {
namespace {

constexpr size_t kMeetingParts = 64;

/// Member `i` of a message sends it when i is 0, and expects it otherwise.
std::string brought(const Contribution& member, size_t i, const TensorType& type) {
  std::string text = member.work->op;
  if (is_message(member.work->data)) return (i == 0 ? "sends " : "expects ") + to_string(type);
  const auto* collective = std::get_if<Collective>(&member.work->data);
  if (collective == nullptr) return text + " of " + to_string(type);
  const std::string dim = std::to_string(collective->dim);
  const std::string native = collective->adds_natively() ? "precision=native" : "";
  if (collective->kind == CollectiveKind::all_gather || collective->kind == CollectiveKind::reduce_scatter) {
    text += " {dim=" + dim + (native.empty() ? "" : ", ") + native + "}";
  } else if (!native.empty()) {
    text += " {" + native + "}";
  } else if (collective->kind == CollectiveKind::all_to_all) {
    text += " {split_dim=" + dim + ", concat_dim=" + std::to_string(collective->concat_dim) + "}";
  }
  return text + " of " + to_string(type);
}

struct Difference {
  size_t first, other;
  std::string message;
};

/// The lowest member that is there, and the lowest one that differs from it.
Difference different_ops(const Rendezvous& meeting) {
  size_t first = 0;
  while (!meeting.has_arrived(first)) ++first;
  for (size_t i = first + 1; i < meeting.size(); ++i) {
    if (!meeting.has_arrived(i)) continue;
    const Contribution &a = meeting.member(first), &b = meeting.member(i);
    if (same_collective(*a.work, *b.work) && meeting.member(first).operand.type == meeting.member(i).operand.type)
      continue;
    const std::string brings = is_message(a.work->data) ? " " : " brings ";
    return {first, i,
            rank_name(a.position) + brings + brought(a, first, meeting.member(first).operand.type) + " and " +
                rank_name(b.position) + brings + brought(b, i, meeting.member(i).operand.type)};
  }
  return {first, first, ""};
}

/// Element `i` of a value as the domain shows it; "" where a value is no array of numbers of its own shape.
std::string shown(const Value& value, int64_t i, const Domain& domain) {
  const Tensor tensor = to_tensor(value, domain);
  const auto at = static_cast<size_t>(i);
  if (tensor.shape() != value.type.shape) return "";
  if (is_integer(tensor.dtype())) return integer_text(tensor.dtype(), integer_at(tensor, at));
  char text[32] = "";
  if (tensor.dtype() == DType::f64) std::snprintf(text, sizeof text, "%.9g", tensor.as<double>()[at]);
  if (tensor.dtype() == DType::f32) std::snprintf(text, sizeof text, "%.9g", double{tensor.as<float>()[at]});
  return text;
}

/// The index tuple of element `i`, row-major.
std::string index_text(int64_t i, const Shape& shape) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0; i /= shape[d]) index[d] = i % shape[d];
  std::string text;
  for (const int64_t at : index) text += (text.empty() ? "" : ", ") + std::to_string(at);
  return text.empty() ? "" : " at [" + text + "]";
}

/// `rank 2 holds 3.5`, or without numbers `rank 2`.
std::string holder(const Contribution& member, int64_t element, const Domain& domain) {
  const std::string number = shown(member.operand, element, domain);
  return rank_name(member.position) + (number.empty() ? "" : " holds " + number);
}

/// Devices choose whether they come to a collective, and not all of them alike.
std::string deadlock_of_choice(const std::string& choice, const std::string& group, const std::string& holders,
                               const Location& where, const Location& meeting) {
  return "deadlock: the devices of `" + group + "` disagree on the condition " + choice + " at " + where.to_string() +
         ": " + holders + "; some come to the collective under it at " + meeting.to_string() +
         " and wait for ever for the others, which do not; make the condition the same on all of them (all_reduce, "
         "all_gather), or move the collective out";
}

}  // namespace

Fabric::Fabric(const Plan& plan, const Domain& domain) : plan_(plan), domain_(domain) {
  const auto devices = static_cast<size_t>(plan.mesh->device_count());
  while (devices >> shift_ > kMeetingParts) ++shift_;
  parts_ = std::vector<Part>((devices >> shift_) + 1);
}

Fabric::Arrival Fabric::arrive(CommunicatorId communicator, int64_t sequence, Contribution contribution) {
  const Communicator& over = plan_.communicators[communicator.index()];
  const Mesh& mesh = *plan_.mesh;
  const int64_t position = contribution.position;
  Ticket ticket{{communicator, over.leader(mesh, position), -1, sequence}, over.index_in(mesh, position), nullptr};
  return join(std::move(ticket), static_cast<size_t>(over.size(mesh)), std::move(contribution));
}

Fabric::Arrival Fabric::arrive_with_message(CommunicatorId communicator, int64_t sender, int64_t receiver,
                                            int64_t sequence, bool sends, Contribution contribution) {
  Ticket ticket{{communicator, sender, receiver, sequence}, sends ? 0 : 1, nullptr};
  return join(std::move(ticket), 2, std::move(contribution));
}

Fabric::Arrival Fabric::join(Ticket ticket, size_t members, Contribution contribution) {
  Part& part = part_of(ticket.key);
  {
    const std::lock_guard<std::mutex> lock(part.mutex);
    std::shared_ptr<Rendezvous>& meeting = part.open[ticket.key];
    if (meeting == nullptr) meeting = std::make_shared<Rendezvous>(members);
    ticket.rendezvous = meeting;
  }
  const bool completed =
      ticket.rendezvous->arrive(static_cast<size_t>(ticket.member), std::move(contribution), domain_);
  if (completed) {
    const std::lock_guard<std::mutex> lock(part.mutex);
    part.open.erase(ticket.key);
  }
  return {std::move(ticket), completed};
}

bool Fabric::complete(const Ticket& ticket) { return ticket.rendezvous->complete(); }

Value Fabric::leave(Ticket ticket) const { return ticket.rendezvous->leave(static_cast<size_t>(ticket.member)); }

std::optional<int64_t> Fabric::first_missing(const Ticket& ticket) const {
  const RendezvousKey& key = ticket.key;
  const Communicator& over = plan_.communicators[key.communicator.index()];
  for (size_t i = 0; i < ticket.rendezvous->size(); ++i) {
    if (ticket.rendezvous->has_arrived(i)) continue;
    if (key.receiver >= 0) return i == 0 ? key.leader : key.receiver;
    return over.member(*plan_.mesh, key.leader, static_cast<int64_t>(i));
  }
  return std::nullopt;
}

Diagnostic Fabric::unequal(const RendezvousKey& key, const Rendezvous& meeting) const {
  const auto [member, element] = *meeting.difference();
  const Contribution &first = meeting.member(0), &other = meeting.member(member);
  const std::string value = plan_.value(plan_.instruction(other.instruction).operands[0]).in_words();
  const std::string group = plan_.communicators[key.communicator.index()].to_string(*plan_.mesh);
  const std::string holders = holder(other, element, domain_) + " and " + holder(first, element, domain_) +
                              index_text(element, meeting.member(0).operand.type.shape);
  const Location& where = other.work->location;
  const Location* under = meeting_under(where);
  const std::string message =
      under == nullptr ? other.work->op + ": " + value + " is not the same on all devices of `" + group +
                             "`: " + holders + "; make them equal (all_reduce, all_gather) or leave the value varying"
                       : deadlock_of_choice(value, group, holders, where, *under);
  return Diagnostic{Severity::error, "D-assert", where, message, {}};
}

size_t Fabric::open_meetings() const {
  size_t count = 0;
  for (const Part& part : parts_) count += part.open.size();
  return count;
}

std::optional<Diagnostic> Fabric::mismatch() const {
  Meetings all;
  for (const Part& part : parts_) all.insert(part.open.begin(), part.open.end());
  for (const auto& [key, meeting] : all) {
    if (meeting->difference()) return unequal(key, *meeting);
    if (!meeting->mismatched()) continue;
    const Difference difference = different_ops(*meeting);
    const std::string group = plan_.communicators[key.communicator.index()].to_string(*plan_.mesh);
    const Contribution& first = meeting->member(difference.first);
    const Contribution& other = meeting->member(difference.other);
    Diagnostic diagnostic{
        Severity::error,
        "D-mismatch",
        first.work->location,
        "mismatch: " + difference.message +
            (key.receiver < 0
                 ? "; they meet over `" + group + "` (group of " + rank_name(key.leader) + ", sequence number " +
                       std::to_string(key.sequence) + "), where all members must run the same collective"
                 : " with message number " + std::to_string(key.sequence) + " over `" + group +
                       "`; expected one type on both sides"),
        {}};
    diagnostic.note(other.work->location, rank_name(other.position) + " runs " + other.work->op + " here");
    return diagnostic;
  }
  return std::nullopt;
}

}  // namespace isoshard::sim
