// Words of soft integers: names, weights, interned sums and their means. A small known number is the word itself; other
// words are places in a table of objects, of which one sum has one, so that equal sums are equal words. An integer is
// named by what it is worth in two fields of 61 bits besides the ring's, since the ring's own prime may be a difference
// of two integers. Means are made on demand, variable by variable from the last one on, which costs the size of the
// table, and kept. One mutex for all: few elements are soft. (docs/spec/verdict.md, "Integers")
#include "sim/domains/soft/tables/soft_integers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/mix.h"

namespace isoshard::sim {
namespace {

/// What names are made for here.
enum class SoftUse : uint64_t { weight = 1, count };

size_t hash_of(const SoftSum& sum) {
  uint64_t h = mix(static_cast<uint64_t>(sum.constant) + 1);
  for (const SoftPart& part : sum.parts) {
    for (const uint32_t id : part.variables) h = mix(h + id + 1);
    for (const int64_t entry : part.table) h = mix(h ^ static_cast<uint64_t>(entry));
  }
  return h;
}

}  // namespace

SoftIntegers::SoftIntegers(std::vector<PrimeField> fields, uint64_t seed, Weights weights)
    : SoftNames(std::move(fields), seed, weights) {
  tables_.add(SoftVariable{1, std::vector<uint64_t>(weight_residues(), 1)});  // so that no variable is 0
}

size_t SoftCall::Hash::operator()(const SoftCall& c) const {
  return mix(mix(mix(mix(c.function + 1) ^ c.x) ^ c.y) ^ c.z);
}

/// An argument is what it is worth in the fields that name, which tell all numbers of 64 bits apart, as the ring's need
/// not.
SoftName SoftIntegers::name_of(uint64_t function, std::span<const Word> arguments) {
  std::vector<uint64_t> parts;
  for (const Word argument : arguments) {
    const std::span<const uint64_t> worth = mean(argument);
    parts.insert(parts.end(), worth.begin() + static_cast<std::ptrdiff_t>(residues()), worth.end());
  }
  return name(function, parts);
}

SoftName SoftIntegers::name_applied(uint64_t function, std::span<const Word> arguments) {
  const std::lock_guard lock(mutex_);
  return name_of(function, arguments);
}

SoftIntegers::Word SoftIntegers::number(int64_t x) {
  const auto word = static_cast<Word>(x) << 1;
  if (static_cast<int64_t>(word) >> 1 == x) return word;
  const std::lock_guard lock(mutex_);
  return word_of(SoftSum{x});
}

bool SoftIntegers::is_known(Word word) const {
  if (is_small(word)) return true;
  const std::lock_guard lock(mutex_);
  return is_sum(word) && objects_[word >> 1].sum.parts.empty();
}

int64_t SoftIntegers::value(Word word) const {
  if (is_small(word)) return static_cast<int64_t>(word) >> 1;
  const std::lock_guard lock(mutex_);
  return objects_[word >> 1].sum.constant;
}

SoftSum SoftIntegers::sum_of(Word word) const {
  return is_small(word) ? SoftSum{static_cast<int64_t>(word) >> 1} : objects_[word >> 1].sum;
}

/// One word per sum.
SoftIntegers::Word SoftIntegers::word_of(SoftSum sum) {
  if (sum.parts.empty()) {
    const auto word = static_cast<Word>(sum.constant) << 1;
    if (static_cast<int64_t>(word) >> 1 == sum.constant) return word;
  }
  return object_of(std::move(sum));
}

/// Numbers too far apart for a table are an opaque integer.
SoftIntegers::Word SoftIntegers::word_of_table(std::vector<int64_t> table, const SoftTables::Variables& variables,
                                               const SoftName& name) {
  std::optional<SoftSum> sum = tables_.from_dense(std::move(table), variables);
  return sum ? word_of(std::move(*sum)) : opaque_of(name);
}

SoftIntegers::Word SoftIntegers::object_of(SoftSum sum) {
  const size_t hash = hash_of(sum);
  const auto [begin, end] = sums_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (objects_[it->second >> 1].sum == sum) return it->second;
  }
  const Word word = objects_.size() << 1 | 1;
  objects_.push_back({false, std::move(sum)});
  sums_.emplace(hash, word);
  return word;
}

std::vector<uint64_t> SoftIntegers::mean_of(const SoftSum& sum) const {
  std::vector<uint64_t> result(weight_residues());
  for (size_t r = 0; r < weight_residues(); ++r) {
    const PrimeField& prime = field(r);
    uint64_t total = prime.residue(sum.constant);
    for (const SoftPart& part : sum.parts) {
      std::vector<uint64_t> rest(part.table.size());
      for (size_t i = 0; i < rest.size(); ++i) rest[i] = prime.residue(part.table[i]);
      for (size_t d = part.variables.size(); d-- > 0;) {
        const SoftVariable& variable = tables_.variable(part.variables[d]);
        const size_t outer = rest.size() / variable.entries;
        for (size_t o = 0; o < outer; ++o) {
          uint64_t mean = 0;
          for (size_t k = 0; k < variable.entries; ++k) {
            const uint64_t weight = variable.weights[k * weight_residues() + r];
            mean = prime.add(mean, prime.multiply(rest[o * variable.entries + k], weight));
          }
          rest[o] = mean;
        }
        rest.resize(outer);
      }
      total = prime.add(total, rest[0]);
    }
    result[r] = total;
  }
  return result;
}

std::span<const uint64_t> SoftIntegers::mean(Word word) {
  if (is_small(word)) word = object_of(SoftSum{static_cast<int64_t>(word) >> 1});
  Object& object = objects_[word >> 1];
  if (object.mean.empty()) object.mean = object.by_parts ? mean_of(*object.function) : mean_of(object.sum);
  return object.mean;
}

void SoftIntegers::collapse(Word word, std::span<uint64_t> residues) {
  const std::lock_guard lock(mutex_);
  std::copy_n(mean(word).begin(), residues.size(), residues.begin());
}

SoftIntegers::Word SoftIntegers::named_variable(const SoftName& name, std::span<const int64_t> values) {
  const auto known = named_.find(name);
  if (known != named_.end()) return known->second;
  const uint32_t id = tables_.add(SoftVariable{values.size(), weights(name, values.size())});
  const Word word = word_of_table({values.begin(), values.end()}, {id}, name);
  named_.emplace(name, word);
  return word;
}

SoftIntegers::Word SoftIntegers::variable(const SoftName& name, std::span<const int64_t> values) {
  const std::lock_guard lock(mutex_);
  return named_variable(name, values);
}

std::vector<SoftIntegers::Word> SoftIntegers::variables(const SoftName& name, std::span<const uint64_t> weights,
                                                        std::span<const std::vector<int64_t>> numbers) {
  const std::lock_guard lock(mutex_);
  SoftTables::Variables variable;
  std::vector<Word> result;
  for (const std::vector<int64_t>& number : numbers) {
    const std::array<uint64_t, 3> parts{name.first, name.second, result.size()};
    const SoftName of_number = this->name(static_cast<uint64_t>(SoftUse::count), parts);
    auto known = named_.find(of_number);
    if (known == named_.end()) {
      if (variable.empty()) variable = {tables_.add(SoftVariable{number.size(), {weights.begin(), weights.end()}})};
      known = named_.emplace(of_number, word_of_table(number, variable, of_number)).first;
    }
    result.push_back(known->second);
  }
  return result;
}

SoftIntegers::Word SoftIntegers::opaque(const SoftName& name) {
  const std::lock_guard lock(mutex_);
  return opaque_of(name);
}

SoftIntegers::Word SoftIntegers::opaque_of(const SoftName& name) {
  const auto known = named_.find(name);
  if (known != named_.end()) return known->second;
  Object object{true, {}};
  for (size_t r = 0; r < weight_residues(); ++r) object.mean.push_back(random_weight(name, 0, r));
  const Word word = objects_.size() << 1 | 1;
  objects_.push_back(std::move(object));
  named_.emplace(name, word);
  return word;
}

SoftIntegers::Word SoftIntegers::predicate(std::span<const uint64_t> weight) {
  const std::lock_guard lock(mutex_);
  return weighted_predicate({weight.begin(), weight.end()});
}

/// The one of x and 1 - x that comes first has a variable.
SoftIntegers::Word SoftIntegers::weighted_predicate(std::vector<uint64_t> weight) {
  std::vector<uint64_t> other;
  for (size_t r = 0; r < weight.size(); ++r) other.push_back(field(r).subtract(1, weight[r]));
  const bool turned = other < weight;
  if (turned) weight.swap(other);
  if (kind() == Weights::vertex) {
    const uint64_t holds = name(static_cast<uint64_t>(SoftUse::weight), weight).first % 2;
    std::fill(weight.begin(), weight.end(), holds);
    std::fill(other.begin(), other.end(), 1 - holds);
  }
  const SoftName named = name(static_cast<uint64_t>(SoftUse::weight), weight);
  for (size_t r = weight.size(); r < weight_residues(); ++r) {  // of the ring's element only
    weight.push_back(kind() == Weights::vertex ? weight[0] : random_weight(named, 1, r));
    other.push_back(field(r).subtract(1, weight[r]));
  }
  auto known = named_.find(named);
  if (known == named_.end() || kind() == Weights::renewed) {
    SoftVariable variable{2, {}};
    variable.weights.insert(variable.weights.end(), other.begin(), other.end());
    variable.weights.insert(variable.weights.end(), weight.begin(), weight.end());
    const uint32_t id = tables_.add(std::move(variable));
    known = named_.insert_or_assign(named, word_of(SoftSum{0, {SoftPart{{id}, {0, 1}}}})).first;
  }
  if (!turned) return known->second;
  return opposite(known->second);
}

/// 1 minus a predicate, whose tables hold small numbers.
SoftIntegers::Word SoftIntegers::opposite(Word predicate) {
  return word_of(SoftTables::combined(1, SoftSum{1}, -1, sum_of(predicate)).value());
}

std::vector<int64_t> SoftIntegers::possible(Word word) {
  if (is_small(word)) return {value(word)};
  const std::lock_guard lock(mutex_);
  if (is_opaque(word)) {
    notes_.note_undecided("an index that may be any number");
    return {};
  }
  std::vector<int64_t> result;
  if (const Function* function = in_parts(word)) {
    result = function->numbers;
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  const SoftRange range = tables_.range(sum_of(word));
  if (range.distance() >= kMostCounts) {
    notes_.note_undecided("an index that may be one of more than 65536 numbers");
    return {};
  }
  for (int64_t x = range.low; x <= range.high; ++x) result.push_back(x);
  return result;
}

}  // namespace isoshard::sim
