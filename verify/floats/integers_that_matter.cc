// Says which integers show a difference. All are set to 0 first, or to the least of their range; where the difference
// is gone then, the shortest beginning of the drawn ones that brings it back ends in one that matters. With that one
// kept the next is looked for in the same way, until those that are kept show the difference alone. Words only, since a
// counterexample is one without them. Cost: some runs of F per element named, for small programs only.
#include "verify/floats/integers_that_matter.h"

#include <memory>
#include <utility>
#include <vector>

#include "core/value/integers.h"
#include "sim/domains/floats/bounded.h"
#include "sim/integers/integer_ops.h"
#include "verify/answers/words.h"
#include "verify/compare/integer_values.h"
#include "verify/facts/block_rows.h"
#include "verify/pair_facts/work.h"
#include "verify/ring/sampled.h"

namespace isoshard::verify {
namespace {

constexpr uint64_t kMostElementsOfSearch = uint64_t{1} << 16;
constexpr size_t kMostIntegersNamed = 4;
constexpr int kMostSearches = 64;

/// One integer that was drawn.
struct DrawnElement {
  const Global* global;
  size_t index;
  int64_t number;
};

class Matter {
 public:
  Matter(const Pair& pair, const FloatOptions& options, size_t output, uint32_t draw)
      : pair_(pair), options_(options), output_(output), values_(integer_values(pair, output)) {
    options_.draws = 1;
    options_.keep_inputs = false;
    for (const GlobalId id : discrete_globals(pair, output)) {
      if (is_integer(pair.module->global(id).type.dtype)) add(id, draw);
    }
  }

  std::string run() {
    std::vector<size_t> kept;
    if (drawn_.empty() || differs(kept, 0) || !differs(kept, drawn_.size())) return "";
    while (kept.size() < kMostIntegersNamed && !differs(kept, 0)) kept.push_back(ending(kept));
    return searches_ > kMostSearches ? "" : words(kept);
  }

 private:
  void add(GlobalId id, uint32_t index) {
    const Global& global = pair_.module->global(id);
    const std::optional<ValueRange>& range = values_[id.index()].range;
    Draw draw{options_.seed, index};
    draw.indices = pair_.indices;
    const sim::Value value = draw_discrete(global, sim::BoundedDomain(options_.constants), draw);
    std::vector<int64_t> numbers(static_cast<size_t>(value.size()));
    sim::integer::widen(global.type.dtype, value.size(), value.data.get(), numbers.data());
    const int64_t usual = !range || range->contains(0) ? 0 : range->at(0);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != usual) drawn_.push_back({&global, i, numbers[i]});
    }
    usual_[global.name].assign(numbers.size(), usual);
  }

  /// With the drawn numbers of those that are `kept`, and of the first `count`.
  bool differs(const std::vector<size_t>& kept, size_t count) {
    if (++searches_ > kMostSearches) return false;
    auto integers = std::make_shared<Integers>(usual_);
    const auto put = [&](const DrawnElement& e) { integers->at(e.global->name)[e.index] = e.number; };
    for (size_t i = 0; i < count; ++i) put(drawn_[i]);
    for (const size_t k : kept) put(drawn_[k]);
    options_.integers = std::move(integers);
    std::vector<bool> only(pair_.sharded.plan.outputs.size(), false);
    only[output_] = true;
    const FloatOutcome floats = compare_in_floats(pair_, options_, only);
    return !floats.failure && floats.outputs[output_].counterexample;
  }

  /// The last of the shortest beginning that shows the difference, beside those that are `kept`.
  size_t ending(const std::vector<size_t>& kept) {
    size_t without = 0, with = drawn_.size();
    while (with - without > 1) {
      const size_t middle = without + (with - without) / 2;
      (differs(kept, middle) ? with : without) = middle;
    }
    return with - 1;
  }

  std::string words(const std::vector<size_t>& kept) const {
    std::vector<std::string> all, unbounded;
    for (const size_t k : kept) {
      const DrawnElement& e = drawn_[k];
      const TensorType& type = e.global->type;
      const std::string index =
          type.shape.empty() ? "" : index_in_words(unflatten(static_cast<int64_t>(e.index), type.shape));
      all.push_back("@" + e.global->name + index + " = " + integer_text(type.dtype, e.number));
      const auto id = static_cast<size_t>(e.global - pair_.module->globals.data());
      if (!values_[id].range) add_once("@" + e.global->name, unbounded);
    }
    return joined(all) + (unbounded.empty() ? "" : " (nothing bounds " + joined(unbounded) + ")");
  }

  const Pair& pair_;
  FloatOptions options_;
  size_t output_;
  std::vector<IntegerValues> values_;
  std::vector<DrawnElement> drawn_;
  Integers usual_;
  int searches_ = 0;
};

}  // namespace

std::string integers_that_matter(const Pair& pair, const FloatOptions& options, size_t output,
                                 const Counterexample& found) {
  if (pair.steps > 1 || options.domain || elements_computed(pair) > kMostElementsOfSearch) return "";
  return Matter(pair, options, output, found.draw).run();
}

}  // namespace isoshard::verify
