// Words of soft integers: interned sums and functions by parts, names, weights and means. A small known number is the
// word itself; other words are places in a table of objects, of which one sum has one, so that equal sums are equal
// words. An integer is named by what it is worth in two fields of 61 bits besides the ring's, since the ring's own
// prime may be a difference of two integers. An integer of so many variables that a joint table would be too large is a
// partition of the joint entries (a decision diagram, soft_partitions.h) and one number per part; a function of several
// acts on each part of their joint partition, after which parts with equal numbers become one. So that one integer has
// one form, what fits a table is a sum and nothing else. Where a sum of tables or a joint partition gets too large, or
// a number leaves 64 bits, nothing is known by parts. Means are made on demand, variable by variable from the last one
// on, which costs the size of the table, and kept. (docs/spec/verdict.md, "Integers") Cost: the steps of
// soft_partitions.h.
#include "sim/domains/soft/tables/soft_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/mix.h"

namespace isoshard::sim {
namespace {

/// What names are made for here; `counted` is none of the functions of SoftOperations.
enum class WordUse : uint64_t { weight = 1, count, counted = (1 << 19) + 1 };

size_t hash_of(const SoftSum& sum) {
  uint64_t h = mix(static_cast<uint64_t>(sum.constant) + 1);
  for (const SoftPart& part : sum.parts) {
    for (const uint32_t id : part.variables) h = mix(h + id + 1);
    for (const int64_t entry : part.table) h = mix(h ^ static_cast<uint64_t>(entry));
  }
  return h;
}

}  // namespace

SoftWords::SoftWords(const SoftNames& names) : names_(names), partitions_(tables_, names) {
  const std::vector<uint64_t> weights(names_.weight_residues(), 1);
  tables_.add(SoftVariable{1, weights});  // so that no variable is 0
}

SoftSum SoftWords::sum_of(Word word) const {
  return is_small(word) ? SoftSum{static_cast<int64_t>(word) >> 1} : objects_[word >> 1].sum;
}

SoftRange SoftWords::range(Word word) const {
  if (is_sum(word)) return tables_.range(sum_of(word));
  const Numbers& numbers = objects_[word >> 1].function->numbers;
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return {*low, *high};
}

/// One word per sum.
SoftWords::Word SoftWords::word_of(SoftSum sum) {
  if (sum.parts.empty()) {
    const auto word = static_cast<Word>(sum.constant) << 1;
    if (static_cast<int64_t>(word) >> 1 == sum.constant) return word;
  }
  return object_of(std::move(sum));
}

SoftWords::Word SoftWords::object_of(SoftSum sum) {
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

/// Numbers too far apart for a table are an opaque integer.
SoftWords::Word SoftWords::word_of_table(std::vector<int64_t> table, const SoftTables::Variables& variables,
                                         const SoftName& name) {
  std::optional<SoftSum> sum = tables_.from_dense(std::move(table), variables);
  return sum ? word_of(std::move(*sum)) : opaque(name);
}

std::optional<SoftWords::Word> SoftWords::word_of(Function function) {
  function = partitions_.merged(function);
  const SoftTables::Variables& variables = partitions_.variables(function.partition);
  if (partitions_.have_table(variables)) {
    Numbers table;
    for (const uint32_t part : partitions_.dense(function.partition)) table.push_back(function.numbers[part]);
    std::optional<SoftSum> sum = tables_.from_dense(std::move(table), variables);
    return sum ? std::optional(word_of(std::move(*sum))) : std::nullopt;
  }
  const auto [at, is_new] = functions_.try_emplace(function, objects_.size() << 1 | 1);
  if (!is_new) return at->second;
  Object object{false, {}};
  object.by_parts = object.asked = true;
  object.function = std::move(function);
  objects_.push_back(std::move(object));
  return at->second;
}

SoftWords::Word SoftWords::opaque(const SoftName& name) {
  const auto known = named_.find(name);
  if (known != named_.end()) return known->second;
  Object object{true, {}};
  for (size_t r = 0; r < names_.weight_residues(); ++r) object.mean.push_back(names_.random_weight(name, 0, r));
  const Word word = objects_.size() << 1 | 1;
  objects_.push_back(std::move(object));
  named_.emplace(name, word);
  return word;
}

SoftWords::Word SoftWords::variable(const SoftName& name, std::span<const int64_t> values) {
  const auto known = named_.find(name);
  if (known != named_.end()) return known->second;
  const uint32_t id = tables_.add(SoftVariable{values.size(), names_.weights(name, values.size())});
  const Word word = word_of_table({values.begin(), values.end()}, {id}, name);
  named_.emplace(name, word);
  return word;
}

std::vector<SoftWords::Word> SoftWords::variables(const SoftName& name, std::span<const uint64_t> weights,
                                                  std::span<const std::vector<int64_t>> numbers) {
  SoftTables::Variables variable;
  std::vector<Word> result;
  for (const std::vector<int64_t>& number : numbers) {
    const std::array<uint64_t, 3> parts{name.first, name.second, result.size()};
    const SoftName of_number = names_.name(static_cast<uint64_t>(WordUse::count), parts);
    auto known = named_.find(of_number);
    if (known == named_.end()) {
      if (variable.empty()) variable = {tables_.add(SoftVariable{number.size(), {weights.begin(), weights.end()}})};
      known = named_.emplace(of_number, word_of_table(number, variable, of_number)).first;
    }
    result.push_back(known->second);
  }
  return result;
}

/// The one of x and 1 - x that comes first has a variable.
SoftWords::Word SoftWords::predicate(std::vector<uint64_t> weight) {
  std::vector<uint64_t> other;
  for (size_t r = 0; r < weight.size(); ++r) other.push_back(names_.field(r).subtract(1, weight[r]));
  const bool turned = other < weight;
  if (turned) weight.swap(other);
  if (names_.kind() == SoftNames::Weights::vertex) {
    const uint64_t holds = names_.name(static_cast<uint64_t>(WordUse::weight), weight).first % 2;
    std::fill(weight.begin(), weight.end(), holds);
    std::fill(other.begin(), other.end(), 1 - holds);
  }
  const SoftName named = names_.name(static_cast<uint64_t>(WordUse::weight), weight);
  for (size_t r = weight.size(); r < names_.weight_residues(); ++r) {  // of the ring's element only
    weight.push_back(names_.kind() == SoftNames::Weights::vertex ? weight[0] : names_.random_weight(named, 1, r));
    other.push_back(names_.field(r).subtract(1, weight[r]));
  }
  auto known = named_.find(named);
  if (known == named_.end() || names_.kind() == SoftNames::Weights::renewed) {
    SoftVariable variable{.entries = 2, .weights = {}, .of_floats = true};
    variable.weights.insert(variable.weights.end(), other.begin(), other.end());
    variable.weights.insert(variable.weights.end(), weight.begin(), weight.end());
    const uint32_t id = tables_.add(std::move(variable));
    known = named_.insert_or_assign(named, word_of(SoftSum{0, {SoftPart{{id}, {0, 1}}}})).first;
  }
  if (!turned) return known->second;
  return opposite(known->second);
}

SoftWords::Word SoftWords::opposite(Word predicate) {
  return word_of(SoftTables::combined(1, SoftSum{1}, -1, sum_of(predicate)).value());
}

/// The variable of a counted sum. Its weights are opaque but for sum 1 and the mean, which is the collapsed sum.
/// Numbers that the sum never takes count, too.
SoftVariable SoftWords::counting(const SoftSum& sum, const SoftName& name, std::span<const uint64_t> mean,
                                 size_t entries) const {
  SoftVariable variable{entries, std::vector<uint64_t>(entries * names_.weight_residues()), sum};
  for (size_t r = 0; r < names_.weight_residues(); ++r) {
    const PrimeField& prime = names_.field(r);
    const auto weight = [&](size_t k) -> uint64_t& { return variable.weights[k * names_.weight_residues() + r]; };
    if (names_.kind() == SoftNames::Weights::vertex) {
      weight(mean[r]) = 1;
      continue;
    }
    uint64_t rest = 1, rest_of_mean = mean[r];
    for (size_t k = 2; k < entries; ++k) {
      weight(k) = names_.random_weight(name, k, r);
      rest = prime.subtract(rest, weight(k));
      rest_of_mean = prime.subtract(rest_of_mean, prime.multiply(prime.residue(static_cast<int64_t>(k)), weight(k)));
    }
    weight(1) = rest_of_mean;
    weight(0) = prime.subtract(rest, rest_of_mean);
  }
  return variable;
}

/// Not through from_dense, which would make the sum of it again.
SoftWords::Word SoftWords::variable_that_counts(SoftVariable variable) {
  SoftPart part{{}, Numbers(variable.entries)};
  for (size_t k = 0; k < variable.entries; ++k) part.table[k] = static_cast<int64_t>(k);
  part.variables = {tables_.add(std::move(variable))};
  return word_of(SoftSum{0, {std::move(part)}});
}

/// A variable for what a sum is worth, so that any function of it is a table: that of `sum - low` or `high - sum`,
/// whichever hashes first, since programs count from either end.
std::optional<SoftWords::Word> SoftWords::counted(const SoftSum& sum) {
  const SoftRange range = tables_.range(sum);
  if (range.low == range.high) return word_of(SoftSum{range.low});
  if (range.distance() >= SoftPartitions::kMostOfOne) return std::nullopt;
  const std::optional<SoftSum> up = SoftTables::combined(1, sum, -1, SoftSum{range.low});
  const std::optional<SoftSum> down = SoftTables::combined(-1, sum, 1, SoftSum{range.high});
  if (!up || !down) return std::nullopt;
  std::vector<uint64_t> z = mean_of(*up), other = mean_of(*down);
  const bool turned = other < z;
  if (turned) z.swap(other);
  const SoftName named = names_.name(static_cast<uint64_t>(WordUse::counted), z);
  auto known = named_.find(named);
  if (known == named_.end()) {
    SoftVariable variable = counting(turned ? *down : *up, named, z, range.distance() + 1);
    known = named_.emplace(named, variable_that_counts(std::move(variable))).first;
  }
  std::optional<SoftSum> result =
      SoftTables::combined(turned ? -1 : 1, sum_of(known->second), 1, SoftSum{turned ? range.high : range.low});
  return result ? std::optional(word_of(std::move(*result))) : std::nullopt;
}

const SoftWords::Function* SoftWords::in_parts(Word word) {
  if (is_opaque(word)) return nullptr;
  if (is_small(word)) word = object_of(SoftSum{static_cast<int64_t>(word) >> 1});
  Object& object = objects_[word >> 1];  // stays where it is
  if (!object.asked) {
    object.asked = true;
    const SoftTables::Variables variables = SoftTables::variables_of(object.sum);
    object.function = partitions_.have_table(variables)
                          ? partitions_.of_table(variables, tables_.dense(object.sum, variables))
                          : added_up(object.sum);
  }
  return object.function ? &*object.function : nullptr;
}

/// Table by table.
std::optional<SoftWords::Function> SoftWords::added_up(const SoftSum& sum) {
  if (SoftTables::variables_of(sum).size() > SoftPartitions::kMostVariables) return std::nullopt;
  std::optional<Function> total = Function{SoftPartitions::kWhole, {sum.constant}};
  for (const SoftPart& part : sum.parts) {
    const Function next = partitions_.of_table(part.variables, part.table);
    const std::array<const Function*, 2> both{&*total, &next};
    bool fits = true;
    total = by_parts(both, [&](std::vector<Numbers>& numbers) {
      for (size_t i = 0; i < numbers[0].size(); ++i) {
        fits = fits && !__builtin_add_overflow(numbers[0][i], numbers[1][i], &numbers[0][i]);
      }
      return numbers[0];
    });
    if (!total || !fits) return std::nullopt;
    total = partitions_.merged(*total);
  }
  return total;
}

/// f of the numbers of all at each part of their joint partition.
std::optional<SoftWords::Function> SoftWords::by_parts(std::span<const Function* const> operands, const OnNumbers& f) {
  std::optional<SoftPartitions::Id> joint = SoftPartitions::kWhole;
  for (const Function* operand : operands) {
    joint = partitions_.joint(*joint, operand->partition);
    if (!joint) return std::nullopt;
  }
  std::vector<Numbers> numbers;
  for (const Function* operand : operands) {
    numbers.emplace_back();
    for (const uint32_t p : partitions_.places(operand->partition, *joint)) {
      numbers.back().push_back(operand->numbers[p]);
    }
  }
  return Function{*joint, f(numbers)};
}

std::optional<SoftWords::Word> SoftWords::pointwise(std::span<const Word> words, const OnNumbers& f) {
  if (!std::all_of(words.begin(), words.end(), [&](Word word) { return is_sum(word); })) return std::nullopt;
  SoftTables::Variables variables;
  for (const Word word : words) variables = SoftTables::united(variables, SoftTables::variables_of(sum_of(word)));
  if (names_.kind() == SoftNames::Weights::early && !variables.empty()) return std::nullopt;
  if (!partitions_.have_table(variables)) return std::nullopt;
  std::vector<Numbers> tables;
  for (const Word word : words) tables.push_back(tables_.dense(sum_of(word), variables));
  std::optional<SoftSum> result = tables_.from_dense(f(tables), variables);
  return result ? std::optional(word_of(std::move(*result))) : std::nullopt;
}

std::optional<SoftWords::Word> SoftWords::partwise(std::span<const Word> words, const OnNumbers& f) {
  if (names_.kind() == SoftNames::Weights::early) return std::nullopt;
  std::vector<const Function*> functions;
  for (const Word word : words) {
    functions.push_back(in_parts(word));
    if (functions.back() == nullptr) return std::nullopt;
  }
  std::optional<Function> result = by_parts(functions, f);
  return result ? word_of(std::move(*result)) : std::nullopt;
}

std::span<const uint64_t> SoftWords::mean(Word word) {
  if (is_small(word)) word = object_of(SoftSum{static_cast<int64_t>(word) >> 1});
  Object& object = objects_[word >> 1];
  if (object.mean.empty()) object.mean = object.by_parts ? mean_of(*object.function) : mean_of(object.sum);
  return object.mean;
}

std::vector<uint64_t> SoftWords::mean_of(const SoftSum& sum) const {
  std::vector<uint64_t> result(names_.weight_residues());
  for (size_t r = 0; r < names_.weight_residues(); ++r) {
    const PrimeField& prime = names_.field(r);
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
            const uint64_t weight = variable.weights[k * names_.weight_residues() + r];
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

std::vector<uint64_t> SoftWords::mean_of(const Function& function) const {
  const std::vector<uint64_t> weights = partitions_.weights(function.partition);
  std::vector<uint64_t> result(names_.weight_residues(), 0);
  for (size_t i = 0; i < weights.size(); ++i) {
    const size_t r = i % names_.weight_residues();
    const uint64_t number = names_.field(r).residue(function.numbers[i / names_.weight_residues()]);
    result[r] = names_.field(r).add(result[r], names_.field(r).multiply(number, weights[i]));
  }
  return result;
}

/// An argument is what it is worth in the fields that name, which tell all numbers of 64 bits apart, as the ring's need
/// not.
SoftName SoftWords::name_of(uint64_t function, std::span<const Word> arguments) {
  std::vector<uint64_t> parts;
  for (const Word argument : arguments) {
    const std::span<const uint64_t> worth = mean(argument);
    parts.insert(parts.end(), worth.begin() + static_cast<std::ptrdiff_t>(names_.residues()), worth.end());
  }
  return names_.name(function, parts);
}

}  // namespace isoshard::sim
