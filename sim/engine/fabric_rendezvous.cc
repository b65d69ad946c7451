// One meeting of a group's members. Terms of a sum are added strictly in member order, as far as they have come: the
// bits do not depend on who comes first, and terms need not all be stored: a few wait for each other, so that one pass
// adds them together. Whoever arrives adds what is next, outside of the lock; members that come meanwhile leave their
// terms to it. Each result is computed once and shared: a sum or concatenation by all members, a message by moving a
// pointer; a reduce_scatter takes blocks of the one sum. A release store of `complete_` and its acquire load order
// everything a member wrote before its arrival before every member's departure. Members that disagree on op or type
// leave the meeting incomplete, which ends the run with D-mismatch. Cost: one pass over each operand.
#include "sim/engine/fabric_rendezvous.h"

#include <utility>

#include "core/support/check.h"
#include "sim/evaluate/collective.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/difference.h"
#include "sim/value/movement.h"

namespace isoshard::sim {

bool same_collective(const InstructionWork& a, const InstructionWork& b) {
  if (is_message(a.data) && is_message(b.data)) return true;  // one sends and one receives: their places here
  if (a.data.index() != b.data.index()) return false;
  const auto* x = std::get_if<Collective>(&a.data);
  const auto* y = std::get_if<Collective>(&b.data);
  return x == nullptr || (x->kind == y->kind && x->dim == y->dim && x->concat_dim == y->concat_dim &&
                          x->adds_natively() == y->adds_natively());
}

namespace {

constexpr size_t kTermsTogether = 8;

}  // namespace

bool Rendezvous::sums() const {
  const auto* collective = std::get_if<Collective>(&reference().data);
  return collective != nullptr && is_reduction(*collective);
}

bool Rendezvous::agrees(const Contribution& contribution) const {
  return same_collective(reference(), *contribution.work) && members_[first_].operand.type == contribution.operand.type;
}

bool Rendezvous::asserts() const {
  const auto* collective = std::get_if<Collective>(&reference().data);
  return collective != nullptr && collective->kind == CollectiveKind::assert_equal;
}

std::optional<Rendezvous::Difference> Rendezvous::find_difference(const Domain& domain) const {
  const Value& first = members_[0].operand;
  for (size_t i = 1; i < members_.size(); ++i) {
    const int64_t element = first_difference(first, members_[i].operand, domain);
    if (element >= 0) return Difference{i, element};
  }
  return std::nullopt;
}

bool Rendezvous::arrive(size_t member, Contribution contribution, const Domain& domain) {
  std::unique_lock<std::mutex> lock(mutex_);
  ISOSHARD_CHECK(!has_arrived(member), "a member arrives twice");
  if (count_ == 0) first_ = member;
  members_[member] = std::move(contribution);
  ++count_;
  mismatched_ |= !agrees(members_[member]);
  if (mismatched_) return false;
  if (sums() && !adding_) add_terms(lock, domain);
  const bool all = count_ == members_.size() && !adding_ && !mismatched_;
  if (!all || (sums() && next_ != members_.size())) return false;
  if (asserts()) difference_ = find_difference(domain);
  if (difference_) return false;
  make_results();
  complete_.store(true, std::memory_order_release);
  return true;
}

/// The terms that are next, when they are enough to be added together, or the last ones.
std::vector<Value> Rendezvous::next_terms() {
  std::vector<Value> terms;
  const auto enough = [&](size_t end) { return end == members_.size() || end - next_ >= kTermsTogether; };
  if (mismatched_ || !enough(count_)) return terms;
  size_t end = next_;
  while (end < members_.size() && has_arrived(end)) ++end;
  if (!enough(end)) return terms;
  terms.reserve(end - next_);
  for (; next_ < end; ++next_) {
    Value& operand = members_[next_].operand;
    terms.push_back({operand.type, operand.storage, std::move(operand.data)});  // the type stays for reports
  }
  return terms;
}

void Rendezvous::add_terms(std::unique_lock<std::mutex>& lock, const Domain& domain) {
  adding_ = true;
  for (std::vector<Value> terms = next_terms(); !terms.empty(); terms = next_terms()) {
    lock.unlock();
    std::span<const Value> rest = terms;
    if (!sum_) {
      sum_.emplace(begin_reduction(std::get<Collective>(reference().data), terms[0]));
      rest = rest.subspan(1);
    }
    sum_->add(rest, domain);
    terms.clear();  // freed outside the lock
    lock.lock();
  }
  adding_ = false;
}

void Rendezvous::make_results() {
  if (is_message(reference().data)) {
    shared_ = std::move(members_[0].operand);
  } else if (sums()) {
    if (sum_) shared_ = sum_->take();
    sum_.reset();
  } else if (std::get<Collective>(reference().data).kind == CollectiveKind::all_gather) {
    std::vector<Value> parts;
    parts.reserve(members_.size());
    for (Contribution& m : members_) parts.push_back(std::move(m.operand));
    shared_ = concatenate(parts, std::get<Collective>(reference().data).dim);
  }
}

Value Rendezvous::leave(size_t member) {
  const Contribution& own = members_[member];
  if (is_message(own.work->data)) return member == 0 ? Value{} : std::move(shared_);
  const auto& collective = std::get<Collective>(own.work->data);
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::all_reduce_max:
    case CollectiveKind::all_reduce_min:
    case CollectiveKind::all_gather:
      return shared_;
    case CollectiveKind::reduce_scatter:
      return take_block(shared_, collective.dim, static_cast<int64_t>(member), static_cast<int64_t>(members_.size()));
    case CollectiveKind::all_to_all:
      return exchanged_with(member, collective);
    case CollectiveKind::assert_equal:
      return std::move(members_[member].operand);
  }
  internal_error("Rendezvous", "a collective without a meaning in the fabric", __FILE__, __LINE__);
}

/// Members read all operands, which stay until the meeting ends.
Value Rendezvous::exchanged_with(size_t member, const Collective& collective) const {
  std::vector<const Value*> brought;
  brought.reserve(members_.size());
  for (const Contribution& m : members_) brought.push_back(&m.operand);
  return exchanged(collective, brought, member);
}

}  // namespace isoshard::sim
