// Draws the inputs of a comparison, every element a pure function of (seed, part, draw, global's name, lane, place): so
// runs are reproducible, do not depend on the number of threads or on which other globals there are, and both programs
// see the same. Floats in rings are uniform residues, which the error bound needs. Discrete inputs are drawn to show
// mistakes that uniform ones hide: repeats, masks of different density per row, an empty mask, indices at the ends of
// blocks and beyond, each row once, and numbers that stand in the programs with their neighbours. Costs a few
// hashes per element.
#include "verify/compare/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <span>

#include "sim/domains/soft/soft_domain.h"
#include "sim/evaluate/conversion.h"
#include "sim/kernels/random_bells.h"
#include "verify/compare/random.h"

namespace isoshard::verify {
namespace {

constexpr uint64_t kRingPart = 1, kFloatPart = 2, kDiscretePart = 3;

RandomStream stream_of(const Global& global, const Draw& draw, uint64_t part) {
  const RandomStream stream = RandomStream(draw.seed).part(part).part(draw.index).part(global.name);
  return draw.step == 1 ? stream : stream.part(draw.step);
}

/// The last index of a block or the first of the next one; with one block -1 (modulo 2^64), 0, n-1 or n.
uint64_t end_of_block(uint64_t word, uint64_t n, uint64_t blocks) {
  const uint64_t size = (n + blocks - 1) / blocks, ends = blocks + 1, below = word % 2;
  return std::min(word / 2 % ends * size, n) - below;
}

/// An index of 0..n-1, often at the end of a block, now and then one outside.
uint64_t any_index(uint64_t word, const IndexRange& range) {
  const uint64_t n = static_cast<uint64_t>(range.size), high = word >> 8;
  if (word % 4 != 0) return high % n;
  const auto split = std::next(range.splits.begin(), static_cast<ptrdiff_t>(word / 4 % (range.splits.size() + 1)));
  return end_of_block(high, n, split == range.splits.end() ? 1 : static_cast<uint64_t>(*split));
}

/// Each number of the programs and its neighbours, one outside either end of the indices, and those of the dtype.
std::vector<uint64_t> special_numbers(const IndexRange& range, DType dtype) {
  std::set<int64_t> special = turning_numbers(dtype);
  if (range.size > 0) special.insert({-1, range.size});
  for (const int64_t number : range.numbers) {
    // The ends of 64 bits wrap around, as integers do.
    for (const uint64_t next : {uint64_t{0} - 1, uint64_t{0}, uint64_t{1}}) {
      special.insert(static_cast<int64_t>(static_cast<uint64_t>(number) + next));
    }
  }
  return {special.begin(), special.end()};
}

/// The indices 0..n-1 in a random order (a stride coprime to n), those of draw 5 after those of draw 1.
uint64_t next_index(const RandomStream& base, const Draw& draw, uint64_t index, uint64_t count, uint64_t n) {
  const RandomStream stream = base.part("stride");
  uint64_t stride = 1 + stream.word(0) % std::min(n, uint64_t{1} << 20);  // n < 2^41: products fit
  while (std::gcd(stride, n) != 1) ++stride;
  const uint64_t at = (stream.word(1) + draw.index / 4 * count + index) % n;
  return at * stride % n;
}

/// The integers of one global in one draw.
class DrawnIntegers {
 public:
  DrawnIntegers(const RandomStream& stream, const RandomStream& order, const Draw& draw, const TensorType& type)
      : stream_(stream), order_(order), draw_(draw), count_(static_cast<uint64_t>(element_count(type.shape))) {
    if (draw.index % 4 != 3 || count_ == 0) return;
    special_ = special_numbers(draw.indices, type.dtype);
    first_ = order.part("turn").word(draw.index) % count_;
  }

  uint64_t at(uint64_t index) const {
    const uint64_t word = stream_.word(index), small = word % (2 + draw_.index % 8);
    if (!special_.empty() && turn(index) < special_.size()) {
      return special_[(draw_.index / 4 * count_ + turn(index)) % special_.size()];
    }
    if (draw_.index % 2 == 0 || draw_.indices.size == 0) return small;
    if (draw_.index % 4 == 3) return any_index(word, draw_.indices);
    return next_index(order_, draw_, index, count_, static_cast<uint64_t>(draw_.indices.size));
  }

 private:
  /// Special numbers stand one after another from a random element on, in draw 7 those that draw 3 has no room for.
  uint64_t turn(uint64_t index) const { return (first_ + index) % count_; }

  const RandomStream& stream_;
  const RandomStream& order_;
  const Draw& draw_;
  const uint64_t count_;
  std::vector<uint64_t> special_;
  uint64_t first_ = 0;
};

/// `drawn` where the range holds it; otherwise, half of the time, an end of the range or one of the others.
uint64_t in_range(const ValueRange& range, uint64_t drawn, uint64_t word) {
  if (range.contains(static_cast<int64_t>(drawn))) return drawn;
  const uint64_t size = range.size(), ends = 2 + range.others.size(), turn = word / 2 % ends;
  if (word % 2 == 0) return static_cast<uint64_t>(range.at(word / 2 % size));
  return static_cast<uint64_t>(range.at(turn == 0 ? 0 : size - turn));
}

bool predicate(const RandomStream& stream, const Draw& draw, uint64_t index, uint64_t row_length) {
  if (draw.index == 1) return false;
  const double density = stream.part("rows").uniform(index / row_length);
  return stream.uniform(index) < density;
}

}  // namespace

bool loads_input(const Plan& plan, const Instruction& i) {
  const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
  return load != nullptr && !exact_value(plan.globals[load->global.index()]);
}

std::optional<Rational> exact_value(const Global& global) {
  if (global.role != Role::constant) return std::nullopt;
  switch (global.init.kind) {
    case InitKind::zeros:
      return Rational(0);
    case InitKind::ones:
      return Rational(1);
    case InitKind::value:
      return global.init.value;
    case InitKind::normal:
    case InitKind::uniform:
    case InitKind::lecun_normal:
      break;
  }
  return std::nullopt;
}

sim::Value draw_discrete(const Global& global, const sim::Domain& domain, const Draw& draw) {
  const RandomStream stream = stream_of(global, draw, kDiscretePart);
  const RandomStream order = RandomStream(draw.seed).part(kDiscretePart).part(global.name);
  const uint64_t n = static_cast<uint64_t>(element_count(global.type.shape));
  const sim::Storage storage = sim::storage_of(global.type.dtype, domain);
  std::shared_ptr<std::byte> data = allocate_aligned(n * storage.element_bytes * storage.planes);
  const auto given = draw.integers ? draw.integers->find(global.name) : Integers::const_iterator();
  const bool is_given = draw.integers && given != draw.integers->end();
  const auto fixed = [&](uint64_t i, uint64_t drawn) {
    return is_given ? static_cast<uint64_t>(given->second[i]) : drawn;
  };
  const auto rows = draw.indices.rows.find(global.name);
  const ValueRange* range = global.range ? &*global.range : rows != draw.indices.rows.end() ? &rows->second : nullptr;
  const auto allowed = [&](uint64_t i, uint64_t drawn) {
    return range == nullptr ? drawn : in_range(*range, drawn, stream.part("range").word(i));
  };
  if (global.type.dtype == DType::pred) {
    const uint64_t row = global.type.shape.size() < 2 || n == 0 ? 4 : n / static_cast<uint64_t>(global.type.shape[0]);
    std::vector<uint8_t> values(n);
    for (uint64_t i = 0; i < n; ++i) values[i] = fixed(i, predicate(stream, draw, i, row) ? 1 : 0) != 0 ? 1 : 0;
    domain.from_native(static_cast<int64_t>(n), values.data(), data.get());
  } else {
    const DrawnIntegers integers(stream, order, draw, global.type);
    const size_t bytes = info(global.type.dtype).bytes;
    for (uint64_t i = 0; i < n; ++i) {
      const bool is_key = global.type.dtype == DType::key;
      const uint64_t value = is_key ? stream.word(i) : fixed(i, allowed(i, integers.at(i)));
      std::memcpy(data.get() + i * bytes, &value, bytes);  // little-endian: low bytes
    }
  }
  return sim::Value{global.type, storage, std::move(data)};
}

namespace {

/// Domains that tests plant wrap the ring of rung A and store what it stores.
void write_residues(const sim::Domain& domain, int64_t n, const sim::RandomWord& word, std::byte* out) {
  if (const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain)) return ring->random(n, word, out);
  sim::RingDomain(domain.storage(DType::f32).planes, 0).random(n, word, out);
}

}  // namespace

namespace {

/// Soft integers, the same ones in every step where steps hand a global on.
sim::Value covered_values(const Global& global, const sim::Domain& domain, const Draw& draw) {
  const auto& soft = dynamic_cast<const sim::SoftDomain&>(domain);
  const sim::Storage storage = sim::storage_of(global.type.dtype, domain);
  const int64_t n = element_count(global.type.shape);
  std::shared_ptr<std::byte> data = allocate_aligned(static_cast<size_t>(n) * storage.element_bytes);
  const IntegerValues& values = draw.covered->at(global.name);
  const auto values_of = [&](int64_t i) { return std::span<const int64_t>(values.of(i)); };
  soft.inputs(global.name, draw.step, n, values_of, data.get());
  return sim::Value{global.type, storage, std::move(data)};
}

}  // namespace

sim::Value draw_ring(const Global& global, const sim::Domain& domain, const Draw& draw) {
  if (const std::optional<Rational> value = exact_value(global)) return sim::splat(global.type, *value, domain);
  const bool soft = global.type.dtype == DType::pred && draw.soft_predicates;
  if (!is_float(global.type.dtype) && draw.covered) return covered_values(global, domain, draw);
  if (!is_float(global.type.dtype) && !soft) return draw_discrete(global, domain, draw);
  const sim::Storage storage = domain.storage(global.type.dtype);
  const uint64_t n = static_cast<uint64_t>(element_count(global.type.shape));
  std::shared_ptr<std::byte> data = allocate_aligned(n * storage.element_bytes * storage.planes);
  const RandomStream stream = stream_of(global, draw, kRingPart);
  std::vector<RandomStream> lanes;
  for (size_t lane = 0; lane < storage.planes; ++lane) {
    lanes.push_back(stream.part(lane).part(lane < draw.redrawn.size() ? draw.redrawn[lane] : 0));
  }
  const auto word = [&](size_t lane, uint64_t i) { return lanes[lane].word(i); };
  write_residues(domain, static_cast<int64_t>(n), word, data.get());
  return sim::Value{global.type, storage, std::move(data)};
}

namespace {

/// A constant of the programs, what is next to it, or what is beyond it.
double at_limit(const std::set<double>& limits, uint64_t word) {
  constexpr double kBeside[] = {1, 1, 1 + 0x1p-10, 1 - 0x1p-10, 2, 0.5, -1, -2};
  return *std::next(limits.begin(), static_cast<ptrdiff_t>(word / 8 % limits.size())) * kBeside[word % 8];
}

/// Which elements of an array are the large ones.
bool is_large(const Global& global, const FloatDraw& floats, uint64_t i) {
  const Shape& shape = global.type.shape;
  if (floats.kind == FloatKind::column) {
    return !shape.empty() && static_cast<int64_t>(i) % shape.back() == floats.place;
  }
  const bool first = 2 * i < static_cast<uint64_t>(element_count(shape));
  return first == (floats.kind == FloatKind::first_half);
}

void scale(const FloatDraw& floats, std::vector<double>& elements) {
  for (double& x : elements) x *= floats.scale;
  if (!floats.nonnegative) return;
  for (double& x : elements) x = std::abs(x);
}

/// The elements of one array, each before its scale.
class FloatNumbers {
 public:
  FloatNumbers(const Global& global, const FloatDraw& floats, const std::set<double>& limits, const RandomStream& all)
      : global_(global), floats_(floats), limits_(limits), all_(all) {}

  std::vector<double> all() const {
    switch (floats_.kind) {
      case FloatKind::bell:
      case FloatKind::ascending:
      case FloatKind::descending:
        return bells();
      case FloatKind::magnitude:
        return of_bells([](uint64_t, double x) { return std::abs(x); });
      case FloatKind::whole:
        return of_bells([](uint64_t, double x) { return std::round(0x1p12 * x); });
      case FloatKind::few:
        return each([&](uint64_t i) { return kFew[all_.word(i) % std::size(kFew)]; });
      case FloatKind::sparse:
        return of_bells([zeros = all_.part("zeros")](uint64_t i, double x) { return zeros.word(i) % 2 == 0 ? 0 : x; });
      case FloatKind::zeros:
        return zeros_of_both_signs();
      case FloatKind::limits:
        return limits_and_others();
      case FloatKind::one:
        return each([](uint64_t) { return 1; });
      case FloatKind::first_half:
      case FloatKind::last_half:
        return of_bells([&](uint64_t i, double x) { return x * size_of(i); });
      case FloatKind::column:
        return of_bells([&](uint64_t i, double x) { return std::abs(x) * size_of(i); });
    }
    return each([](uint64_t) { return 0; });
  }

 private:
  static constexpr double kFew[] = {-2, -1, -0.5, 0, 0.5, 1, 2};

  template <class Element>
  std::vector<double> each(const Element& element) const {
    std::vector<double> result(static_cast<size_t>(element_count(global_.type.shape)));
    for (size_t i = 0; i < result.size(); ++i) result[i] = element(i);
    return result;
  }

  std::vector<double> bells() const {
    std::vector<double> result(static_cast<size_t>(element_count(global_.type.shape)));
    sim::random_bells(sim::best_isa(), all_.key(), std::ssize(result), result.data());
    return result;
  }

  /// What `element(i, x)` makes of bell-shaped numbers.
  template <class Element>
  std::vector<double> of_bells(const Element& element) const {
    std::vector<double> result = bells();
    for (size_t i = 0; i < result.size(); ++i) result[i] = element(i, result[i]);
    return result;
  }

  std::vector<double> zeros_of_both_signs() const {
    return of_bells([zeros = all_.part("zeros"), signs = all_.part("signs")](uint64_t i, double x) {
      if (zeros.word(i) % 4 == 0) return -std::abs(x);
      return signs.word(i) % 2 == 0 ? 0.0 : -0.0;
    });
  }

  std::vector<double> limits_and_others() const {
    return of_bells([&, turns = all_.part("turns")](uint64_t i, double x) {
      return limits_.empty() || turns.word(i) % 2 == 0 ? x : at_limit(limits_, all_.word(i));
    });
  }

  double size_of(uint64_t i) const { return is_large(global_, floats_, i) ? 0x1p8 : 0x1p-8; }

  const Global& global_;
  const FloatDraw& floats_;
  const std::set<double>& limits_;
  const RandomStream& all_;
};

}  // namespace

sim::Value draw_float(const Global& global, const sim::Domain& domain, const Draw& draw, const FloatDraw& floats) {
  if (const std::optional<Rational> value = exact_value(global)) return sim::splat(global.type, *value, domain);
  if (!is_float(global.type.dtype)) return draw_discrete(global, domain, draw);
  const RandomStream stream = stream_of(global, draw, kFloatPart);
  std::vector<double> elements = FloatNumbers(global, floats, draw.indices.limits, stream).all();
  scale(floats, elements);
  // Numbers of the dtype where that costs no variety, so that a run of the program on them computes with the same ones.
  if (global.type.dtype == DType::f32) {
    for (double& x : elements) x = static_cast<float>(x);
  }
  if (floats.kind == FloatKind::ascending) std::sort(elements.begin(), elements.end());
  if (floats.kind == FloatKind::descending) std::sort(elements.begin(), elements.end(), std::greater<>());
  return sim::from_doubles(global.type, elements, domain);
}

}  // namespace isoshard::verify
