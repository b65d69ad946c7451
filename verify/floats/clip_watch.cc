// Notes which side clips of floats took in a run of rung F: maxima, minima and selects. Where one took one side only on
// all inputs, a difference on the other side cannot show, and further scales are tried. Maxima are seen by comparing
// both operands, which are kept per device until the result is there; operands that a loop carries are not seen and
// count as both sides. Cost: one pass over such values.
#include "verify/floats/clip_watch.h"

#include <algorithm>

namespace isoshard::verify {
namespace {

constexpr uint8_t kFirst = 1, kSecond = 2, kBothSides = kFirst | kSecond;

}  // namespace

ClipWatch::ClipWatch(const Plan& plan) : of_result_(plan.values.size()), kept_(plan.values.size(), false) {
  for (const Instruction& i : plan.instructions) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data());
    if (local == nullptr || !is_float(plan.value(i.results[0]).type().dtype)) continue;
    const bool select = std::holds_alternative<Select>(local->op);
    const bool extreme = std::holds_alternative<Maximum>(local->op) || std::holds_alternative<Minimum>(local->op);
    if (!select && !extreme) continue;
    of_result_[(select ? i.operands[0] : i.results[0]).index()].push_back(clips_.size());
    clips_.push_back(Clip{i});
    for (size_t o = 0; o < 2 && extreme; ++o) kept_[i.operands[o].index()] = true;
  }
}

void ClipWatch::on_value(int64_t position, PlanValueId id, const sim::Value& value) {
  if (!kept_[id.index()] && of_result_[id.index()].empty()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kept_[id.index()]) last_[{id, position}] = value;
  for (const size_t c : of_result_[id.index()]) {
    Clip& clip = clips_[c];
    if (value.type.dtype != DType::pred || clip.op.results[0] == id) {
      see(clip, position);
      continue;
    }
    for (const uint8_t p : value.plane<uint8_t>(0)) clip.sides |= (p & 1) != 0 ? kFirst : kSecond;
  }
}

void ClipWatch::see(Clip& clip, int64_t position) const {
  const auto a = last_.find({clip.op.operands[0], position}), b = last_.find({clip.op.operands[1], position});
  if (a == last_.end() || b == last_.end()) {
    clip.sides = kBothSides;  // carried by a loop: not seen
    return;
  }
  const auto x = a->second.plane<double>(0), y = b->second.plane<double>(0);
  for (size_t i = 0; i < x.size() && clip.sides != kBothSides; ++i) {
    if (x[i] < y[i]) clip.sides |= kFirst;
    if (x[i] > y[i]) clip.sides |= kSecond;
  }
}

bool ClipWatch::one_sided() const {
  return std::any_of(clips_.begin(), clips_.end(),
                     [](const Clip& clip) { return clip.sides == kFirst || clip.sides == kSecond; });
}

}  // namespace isoshard::verify
