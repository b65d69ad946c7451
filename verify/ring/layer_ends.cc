// Finds which values at the ends of layers both programs share, up to a rational factor, so that one opaque function
// may stand behind both. Names and shapes do not tell (a sharded program holds blocks, a pipeline holds micro-batches),
// so elements do: one step of both programs runs on two lanes, elements of the reference's values go into a hash table,
// and samples of the sharded ones, divided by each candidate ratio, are looked up there. Two lanes are 62 bits, so that
// no two different elements meet by chance. Ratios are products of loop counts and axis sizes, because gradients of
// micro-batches and of devices are such parts of the whole. A wrong guess makes equal programs differ, no different
// ones equal. Costs one run, and samples times ratios lookups. (docs/spec/opaque.md, "Generic parts")
#include "verify/ring/layer_ends.h"
#include "verify/ring/loop_results.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>

#include "core/plan/cone.h"
#include "core/support/result.h"
#include "sim/domains/exact_ring.h"
#include "sim/domains/residues/ring_a.h"
#include "verify/compare/steps.h"

namespace isoshard::verify {
namespace {

constexpr size_t kElementLanes = 2;  // 62 bits: no two elements are equal by chance
constexpr size_t kMostReferenceElements = size_t{1} << 22;
constexpr size_t kSamples = 4096;  // of a value of the other program
constexpr size_t kMostProducts = 512;
constexpr size_t kEnough = 8;  // a pipeline fills and drains: one in so many samples is no garbage

using Residues = std::array<uint32_t, kElementLanes>;

uint64_t key(const Residues& x) { return uint64_t{x[1]} << 32 | x[0]; }

Residues residues_of_element(const sim::Value& value, int64_t i) {
  Residues result;
  for (size_t l = 0; l < kElementLanes; ++l) result[l] = value.plane<uint32_t>(l)[static_cast<size_t>(i)];
  return result;
}

/// Notes elements of the values `wanted`; devices run side by side.
class Ends : public sim::ValueObserver {
 public:
  explicit Ends(const std::vector<PlanValueId>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

  void on_value(int64_t, PlanValueId id, const sim::Value& value) final {
    if (wanted_.count(id) == 0 || value.size() == 0) return;
    const std::lock_guard lock(mutex_);
    note(id, value);
  }

 private:
  virtual void note(PlanValueId id, const sim::Value& value) = 0;

  std::set<PlanValueId> wanted_;
  std::mutex mutex_;
};

/// Which value has an element.
class AllElements final : public Ends {
 public:
  using Ends::Ends;
  const PlanValueId* find(const Residues& x) const {
    const auto at = elements_.find(key(x));
    return at == elements_.end() ? nullptr : &at->second;
  }
  bool too_many() const { return elements_.size() > kMostReferenceElements; }

 private:
  void note(PlanValueId id, const sim::Value& value) override {
    for (int64_t i = 0; i < value.size() && !too_many(); ++i) elements_.emplace(key(residues_of_element(value, i)), id);
  }

  std::unordered_map<uint64_t, PlanValueId> elements_;
};

/// One element of each value that is computed; zeros tell nothing.
class Samples final : public Ends {
 public:
  using Ends::Ends;
  const std::map<PlanValueId, std::vector<Residues>>& samples() const { return samples_; }

 private:
  void note(PlanValueId id, const sim::Value& value) override {
    std::vector<Residues>& known = samples_[id];
    const auto n = static_cast<int64_t>(known.size());
    const Residues x = residues_of_element(value, n % value.size());
    if (known.size() < kSamples && x != Residues{}) known.push_back(x);
  }

  std::map<PlanValueId, std::vector<Residues>> samples_;
};

/// 1, then products of counts of loops and sizes of axes, and what is left of 1 when divided by them.
std::vector<Ratio> ratios(const Pair& pair) {
  std::set<int64_t> counts;
  for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
    for (const MeshAxis& axis : plan->mesh->axes()) counts.insert(axis.size);
    for (const Repeat* repeat : repeats_of(*plan)) counts.insert(repeat->count);
  }
  std::set<int64_t> products{1};
  for (const int64_t count : counts) {
    if (count < 2) continue;
    const std::vector<int64_t> before(products.begin(), products.end());
    for (const int64_t product : before) {
      if (products.size() < kMostProducts && product < (int64_t{1} << 20)) products.insert(product * count);
    }
  }
  std::vector<Ratio> result;
  for (const int64_t product : products) {
    result.push_back(Ratio{product, 1});
    if (product > 1) result.push_back(Ratio{1, product});
  }
  return result;
}

/// 1 / r, r not 0
Residues inverted(const std::vector<sim::PrimeField>& fields, const Ratio& r) {
  Residues result;
  for (size_t l = 0; l < kElementLanes; ++l) {
    const sim::PrimeField& field = fields[l];
    result[l] =
        static_cast<uint32_t>(field.multiply(field.residue(r.denominator), field.inverse(field.residue(r.numerator))));
  }
  return result;
}

Residues elementwise_product(const std::vector<sim::PrimeField>& fields, const Residues& x, const Residues& y) {
  Residues result;
  for (size_t l = 0; l < kElementLanes; ++l) result[l] = static_cast<uint32_t>(fields[l].multiply(x[l], y[l]));
  return result;
}

/// The values of the reference that have elements of `samples` divided by `ratio`; nothing when hardly any have.
std::set<PlanValueId> met(const std::vector<sim::PrimeField>& fields, const std::vector<Residues>& samples,
                          const Ratio& ratio, const AllElements& reference) {
  std::set<PlanValueId> result;
  size_t found = 0;
  const Residues factor = inverted(fields, ratio);
  for (const Residues& x : samples) {
    const PlanValueId* id = reference.find(elementwise_product(fields, x, factor));
    if (id == nullptr) continue;
    result.insert(*id);
    ++found;
  }
  return found * kEnough >= samples.size() ? result : std::set<PlanValueId>{};
}

}  // namespace

LayerEnds find_layer_ends(const Pair& pair, const RingOptions& options) {
  LayerEnds ends;
  Samples samples(find_loop_results(pair.sharded.plan));
  AllElements elements(find_loop_results(pair.reference.plan));
  const Draw draw{options.seed, 0, std::vector<uint32_t>(kElementLanes, 0)};
  const std::unique_ptr<sim::Domain> domain = make_ring(options, kElementLanes, draw);
  PairRun run(pair, *domain, ring_draw(options, *domain, draw), options.workers);
  if (!run.next({&samples, &elements}) || elements.too_many()) return ends;
  const std::vector<Ratio> possible = ratios(pair);
  const std::vector<sim::PrimeField> fields = dynamic_cast<const sim::ExactRing&>(*domain).residue_fields();
  for (const auto& [id, known] : samples.samples()) {
    for (const Ratio& ratio : possible) {
      const std::set<PlanValueId> partners = met(fields, known, ratio, elements);
      if (partners.empty()) continue;
      ends.sharded.emplace(id, ratio);
      for (const PlanValueId partner : partners) ends.reference.emplace(partner, Ratio{});
      break;
    }
  }
  return ends;
}

}  // namespace isoshard::verify
