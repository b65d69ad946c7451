// A difference is a polynomial in the weights of the integers, linear in those of each. If it is not 0 then, for any
// two parts of the values of an element, it is not 0 on one of them: halving finds a vertex. Most elements do not
// matter: first whole blocks of them take one value at once, and only where the difference is gone then their halves
// are tried. Only what the output needs is run: about the whole programs the rung may have nothing to say.
#include "verify/floats/witness.h"

#include <algorithm>
#include <utility>

#include "verify/compare/random.h"
#include "verify/compare/restrict_outputs.h"
#include "verify/pair_facts/work.h"
#include "verify/ring/ring_run.h"
#include "verify/ring/sampled.h"

namespace isoshard::verify {
namespace {

/// An element of a global.
struct IntegerElement {
  std::string global;
  int64_t index;
};

class WitnessSearch {
 public:
  WitnessSearch(const Pair& pair, const RingOptions& covering, size_t output)
      : pair_(pair),
        options_(covering),
        output_(output),
        wanted_(pair.sharded.plan.outputs.size(), false),
        most_runs_(std::min(kMostWitnessRuns, kMostElements / std::max(elements_computed(pair), uint64_t{1}))) {
    wanted_[output] = true;
    known_ = *covering.covered;
    for (const GlobalId id : discrete_globals(pair, output)) {
      const Global& global = pair.module->global(id);
      const IntegerValues& values = known_.at(global.name);
      if (values.values.empty()) continue;
      for (int64_t i = 0; i < element_count(global.type.shape); ++i) elements_.push_back({global.name, i});
    }
  }

  std::shared_ptr<const Integers> run() {
    if (elements_.empty() || !settle(0, elements_.size())) return nullptr;
    auto result = std::make_shared<Integers>();
    for (const IntegerElement& e : elements_) (*result)[e.global].push_back(values_of(e).front());
    return result;
  }

 private:
  /// Of all runs: some seconds.
  static constexpr uint64_t kMostElements = uint64_t{1} << 24;

  const std::vector<int64_t>& values_of(const IntegerElement& e) const { return known_.at(e.global).of(e.index); }

  bool differs() {
    if (++runs_ > most_runs_) return false;
    options_.covered = std::make_shared<IntegerInputs>(known_);
    const RingOutcome outcome = compare_in_ring(pair_, options_, wanted_);
    return outcome.speaks() && !outcome.outputs[output_].equal;
  }

  bool gives_up() const { return runs_ > most_runs_; }

  /// Gives the elements from `first` to before `last` one value each, so that the outputs still differ.
  bool settle(size_t first, size_t last) {
    if (first == last) return true;
    const IntegerInputs before = known_;
    for (size_t e = first; e < last; ++e) {
      const std::vector<int64_t> values = values_of(elements_[e]);
      known_.at(elements_[e].global).at[elements_[e].index] = {values[random_.word(e) % values.size()]};
    }
    if (differs()) return true;
    known_ = before;
    if (last - first == 1) return halve(elements_[first]);
    const size_t middle = first + (last - first) / 2;
    return settle(first, middle) && settle(middle, last);
  }

  bool halve(const IntegerElement& e) {
    while (values_of(e).size() > 1 && !gives_up()) {
      const std::vector<int64_t> values = values_of(e);
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::vector<int64_t>& own = known_.at(e.global).at[e.index];
      own.assign(values.begin(), middle);
      if (!differs()) own.assign(middle, values.end());
    }
    return values_of(e).size() == 1 && differs();
  }

  const Pair& pair_;
  RingOptions options_;
  size_t output_;
  std::vector<bool> wanted_;
  IntegerInputs known_;
  std::vector<IntegerElement> elements_;
  RandomStream random_{0};
  uint64_t runs_ = 0;
  uint64_t most_runs_;
};

}  // namespace

std::shared_ptr<const Integers> find_witness(const Pair& pair, const RingOptions& covering, size_t output) {
  std::vector<bool> only(pair.sharded.plan.outputs.size(), false);
  only[output] = true;
  const Restricted part = restrict_to(pair, only);
  const auto it = std::find(part.outputs.begin(), part.outputs.end(), output);
  return WitnessSearch(part.pair, covering, static_cast<size_t>(it - part.outputs.begin())).run();
}

}  // namespace isoshard::verify
