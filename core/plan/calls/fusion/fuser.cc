// Fuses chains while calls are written, in one pass. A chain is held back when all that its value is for is operands of
// local ops in its block: one op, or any number where it is a constant, which is not worth memory. The op computes the
// value itself if its own call is a chain on the same stream; otherwise the value is written right before it.
//
// Whoever computes later reads later, and memory that nothing read any more may have been given away by then. On its
// own stream a held chain is therefore issued before any call that writes over what it reads. Other streams write there
// only behind an event that was recorded on this stream after the chain, so it is also issued before any record. What
// this stream waits for is waited for before, still. Constants read nothing and may pass a record: whoever reads them
// is a local op, and those are all on one queue (L-queue of docs/spec/plan.md).
//
// Two chains could each have to come before the other one: X computes a value itself that was made long ago, from
// memory that Y, made in between and held back, will write over; and X writes over what Y reads. So nothing is taken in
// that reads what one that is held back will write, be it itself, for another one who reads it: then chains only have
// to come before such as were made later, and issuing first what must come first ends.
//
// A product that only one local op reads is held back until the kernel that reads its value is issued, which becomes
// its epilogue (epilogue.cc) or comes right behind it. Chains that read what it writes over are issued when it is held
// back, so that all that reads there later reads its value. It is issued as it is before anything writes over what it
// reads, and before any wait, which it need not have: others may be waiting for it there. Cost: for each call the
// chains and products that are held back, which are at most kMostWaiting each.
#include "core/plan/calls/fusion/fuser.h"

#include <algorithm>
#include <utility>

#include "core/support/check.h"

namespace isoshard::calls {
namespace {

constexpr size_t kMostWaiting = 64;

bool reads_from(const Chain& chain, const Extent& extent) {
  return std::any_of(chain.inputs.begin(), chain.inputs.end(),
                     [&](const View& input) { return extent_of(input, chain.shape).overlaps(extent); });
}

/// Whether reading its inputs takes no longer than reading what it makes: no more than one of them is as large.
bool is_read_as_fast(const Chain& chain) {
  const auto is_large = [&](const View& input) {
    for (size_t d = 0; d < chain.shape.size(); ++d) {
      if (input.strides[d] == 0 && chain.shape[d] != 1) return false;
    }
    return true;
  };
  return std::count_if(chain.inputs.begin(), chain.inputs.end(), is_large) <= 1;
}

/// Two who read it compute it twice where that costs little: then nobody writes it.
bool is_worth_holding(const Chain& chain, int64_t uses) {
  if (uses == 2 && chain.steps.size() <= kStepsWorthRepeating) return is_read_as_fast(chain);
  return uses == 1 || (uses > 1 && is_number(chain));
}

/// What a kernel of a chain, or of a reduction, writes.
struct WrittenBy {
  std::optional<Extent> operator()(const Map& map) const {
    const auto dims = static_cast<size_t>(map.dims);
    return extent_of({map.output.place, map.output.dtype, {map.output.stride, map.output.stride + dims}},
                     Shape(map.size, map.size + dims));
  }
  std::optional<Extent> operator()(const Reduction& r) const {
    if (r.chunks_apart != 0) return Extent{};  // scratch memory, which nothing that is held back reads
    return row_major_at(r.output, r.input.dtype, Shape(r.size, r.size + r.dims));
  }
  std::optional<Extent> operator()(const ReducedMap& r) const {
    if (r.chunks_apart != 0) return Extent{};
    return row_major_at(r.output, r.map.output.dtype, Shape(r.map.size, r.map.size + r.kept));
  }
  std::optional<Extent> operator()(const RowMap& r) const {
    const auto dims = static_cast<size_t>(r.per_row != 0 ? r.kept : r.dims);
    return extent_of({r.output.place, r.output.dtype, {r.output.stride, r.output.stride + dims}},
                     Shape(r.size, r.size + dims));
  }
  std::optional<Extent> operator()(const JoinChunks& j) const { return row_major_at(j.output, j.dtype, {j.outputs}); }
  std::optional<Extent> operator()(const Product& p) const { return written_by(p); }
  template <class Other>
  std::optional<Extent> operator()(const Other&) const {
    return std::nullopt;
  }

 private:
  static Extent row_major_at(Place place, DType dtype, const Shape& shape) {
    return extent_of({place, dtype, row_major(shape)}, shape);
  }
};

}  // namespace

template <class Which>
void Fuser::issue_while(const Which& which) {
  for (;;) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), which);
    if (found == waiting_.end()) return;
    Waiting waiting = std::move(*found);
    waiting_.erase(found);
    issue_now(std::move(waiting));
  }
}

std::vector<Fuser::Waiting>::iterator Fuser::find(PlanValueId value) {
  return std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.value == value; });
}

template <class Which>
void Fuser::issue_products(const Which& which) {
  for (auto one = products_.begin(); one != products_.end();) {
    if (!which(*one)) {
      ++one;
      continue;
    }
    list_.calls.push_back(Call{one->launch.stream, one->launch.id, one->made.product});
    one = products_.erase(one);
  }
}

void Fuser::issue_products_of(const Chain& chain) {
  issue_products([&](const WaitingProduct& one) { return reads_from(chain, written_by(one.made.product)); });
}

void Fuser::issue_behind(uint32_t stream, const Extent& written) {
  issue_while([&](const Waiting& one) { return one.launch.stream == stream && reads_from(one.made.chain, written); });
  issue_products([&](const WaitingProduct& one) {
    return one.launch.stream == stream && product_reads(one.made.product, written);
  });
}

void Fuser::issue_readers(uint32_t stream) {
  issue_while([&](const Waiting& one) { return one.launch.stream == stream && !one.made.chain.inputs.empty(); });
  issue_products([&](const WaitingProduct& one) { return one.launch.stream == stream; });
}

void Fuser::issue(Call call) {
  if (const std::optional<Extent> written = std::visit(WrittenBy(), call.what)) {
    issue_behind(call.stream, *written);
  } else if (std::holds_alternative<Wait>(call.what)) {
    issue_products([&](const WaitingProduct& one) { return one.launch.stream == call.stream; });
  } else {
    issue_readers(call.stream);
  }
  list_.calls.push_back(std::move(call));
}

void Fuser::issue_now(Waiting waiting) {
  const View to{waiting.made.value.place, waiting.made.value.type->dtype, row_major(waiting.made.chain.shape)};
  issue_behind(waiting.launch.stream, extent_of(to, waiting.made.chain.shape));
  if (issue_as_epilogue(waiting)) return;
  issue_products_of(waiting.made.chain);
  issue(Call{waiting.launch.stream, waiting.launch.id, *to_map(waiting.made.chain, to)});
}

bool Fuser::issue_as_epilogue(const Waiting& waiting) {
  for (auto one = products_.begin(); one != products_.end(); ++one) {
    if (one->launch.stream != waiting.launch.stream) continue;
    const Extent value = written_by(one->made.product);
    const bool is_read_again = std::any_of(waiting_.begin(), waiting_.end(),
                                           [&](const Waiting& other) { return reads_from(other.made.chain, value); });
    if (is_read_again) continue;
    const std::optional<Product> whole = with_epilogue(one->made, waiting.made.chain, waiting.made.value);
    if (!whole) continue;
    products_.erase(one);
    issue_products_of(waiting.made.chain);  // what is added may be another product
    list_.calls.push_back(Call{waiting.launch.stream, waiting.launch.id, *whole});
    return true;
  }
  return false;
}

void Fuser::issue_held(PlanValueId value) {
  issue_while([value](const Waiting& one) { return one.value == value; });
}

void Fuser::settle(std::span<const PlanValueId> operands) {
  for (const PlanValueId id : operands) {
    const PlanValueId value = uses_.named(id);
    issue_held(value);
    issue_products([value](const WaitingProduct& one) { return one.value == value; });
  }
}

bool Fuser::reads_what_will_go(const Waiting& waiting, bool now) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
    if (one.value == waiting.value && (now || one.uses == 1)) return false;
    const Held& other = one.made.value;
    return reads_from(waiting.made.chain, extent_of(view_of(other), other.type->shape));
  });
}

const Chain* Fuser::number(PlanValueId operand) const {
  const PlanValueId value = uses_.named(operand);
  const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.value == value; });
  return found != waiting_.end() && is_number(found->made.chain) ? &found->made.chain : nullptr;
}

void Fuser::took_number(PlanValueId operand) {
  const auto waiting = find(uses_.named(operand));
  if (--waiting->uses == 0) waiting_.erase(waiting);
}

bool Fuser::issue(Launch launch, const ReductionOf& reduction, PlanValueId operand) {
  const auto waiting = find(uses_.named(operand));
  if (waiting == waiting_.end() || reads_what_will_go(*waiting, true)) return false;
  ISOSHARD_CHECK(waiting->launch.stream == launch.stream, "local ops of a block are on one queue (L-queue)");
  const MadeValue made = waiting->made;
  const std::optional<ReducedMap> call = with_terms_of(made, reduction, waiting->uses > 1);
  if (!call) return false;
  if (--waiting->uses == 0 || call->stores != 0) waiting_.erase(waiting);
  if (call->stores != 0) issue_behind(launch.stream, extent_of(view_of(made.value), made.value.type->shape));
  issue_products_of(made.chain);
  issue(Call{launch.stream, launch.id, *call});
  return true;
}

bool Fuser::take_in(PlanValueId value, Launch launch, Chain& chain, const Held& held) {
  const auto waiting = find(value);
  ISOSHARD_CHECK(waiting->launch.stream == launch.stream, "local ops of a block are on one queue (L-queue)");
  if (reads_what_will_go(*waiting, false)) return false;
  std::optional<Chain> whole = inlined(chain, held, waiting->made);
  if (!whole) return false;
  chain = std::move(*whole);
  if (--waiting->uses == 0) waiting_.erase(waiting);
  return true;
}

Chain Fuser::with_operands(Launch launch, Chain chain, std::span<const PlanValueId> operands, const Held& held) {
  std::vector<PlanValueId> values;
  for (const PlanValueId id : operands) {
    const PlanValueId value = uses_.named(id);
    if (find(value) != waiting_.end() && std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(value);
    }
  }
  // What flows on without a slot goes in first, while the chain still begins with it.
  std::stable_partition(values.begin(), values.end(),
                        [&](PlanValueId value) { return begins_with(chain, find(value)->made.value); });
  // One that another one of them writes over can go in behind that.
  const auto goes_in = [&](PlanValueId value) { return take_in(value, launch, chain, held); };
  while (std::erase_if(values, goes_in) != 0) continue;
  for (const PlanValueId value : values) issue_held(value);
  return chain;
}

void Fuser::issue(Launch launch, const Product& product, PlanValueId value, Held held, bool may_wait) {
  if (!enabled_ || !may_wait || uses_.of(value) != 1) return issue(Call{launch.stream, launch.id, product});
  issue_behind(launch.stream, written_by(product));
  if (products_.size() == kMostWaiting) {
    issue_products([first = products_.front().value](const WaitingProduct& one) { return one.value == first; });
  }
  products_.push_back({launch, value, {held, product}});
}

void Fuser::issue(Launch launch, Chain chain, std::span<const PlanValueId> operands, PlanValueId value, Held held,
                  bool may_wait) {
  chain = with_operands(launch, std::move(chain), operands, held);
  const bool is_worth_it = is_worth_holding(chain, uses_.of(value).value_or(0));
  ISOSHARD_CHECK(find(value) == waiting_.end(), "a value of the iteration before is still held back");
  Waiting waiting{launch, value, uses_.of(value).value_or(0), {held, std::move(chain)}};
  if (!enabled_ || !may_wait || !is_worth_it) return issue_now(std::move(waiting));
  if (waiting_.size() == kMostWaiting) issue_held(waiting_.front().value);
  waiting_.push_back(std::move(waiting));
}

}  // namespace isoshard::calls
