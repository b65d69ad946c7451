// Integers by parts: what partitions SoftFloats and SoftNumbers keep their tables over, and integers of so many
// variables that a joint table would be too large. Such an integer is a partition of the joint entries (a decision
// diagram, soft_partitions.h) and one number per part; a function of several acts on each part of their joint
// partition, after which parts with equal numbers become one. So that one integer has one form, what fits a table is a
// sum and nothing else. Where a sum of tables or a joint partition gets too large, or a number leaves 64 bits, nothing
// is known by parts. Cost: the steps of soft_partitions.h.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/domains/soft/tables/soft_integers.h"

namespace isoshard::sim {

/// A sum where that has a small table.
std::optional<SoftIntegers::Word> SoftIntegers::word_of(Function function) {
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

/// f of the numbers of all at each part of their joint partition.
std::optional<SoftIntegers::Function> SoftIntegers::by_parts(std::span<const Function* const> operands,
                                                             const OnNumbers& f) {
  std::optional<Partition> joint = SoftPartitions::kWhole;
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

/// Table by table.
std::optional<SoftIntegers::Function> SoftIntegers::added_up(const SoftSum& sum) {
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

/// Where all its numbers can be told; otherwise null.
const SoftIntegers::Function* SoftIntegers::in_parts(Word word) {
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

std::optional<SoftIntegers::Partition> SoftIntegers::partition_of(Word word) {
  const std::lock_guard lock(mutex_);
  const Function* function = in_parts(word);
  return function != nullptr ? std::optional(function->partition) : std::nullopt;
}

SoftIntegers::Partition SoftIntegers::partition_of_variable(uint32_t variable) {
  const std::lock_guard lock(mutex_);
  return partitions_.of_variable(variable);
}

SoftIntegers::Numbers SoftIntegers::numbers(Word word, Partition over) {
  const std::lock_guard lock(mutex_);
  const Function* function = in_parts(word);
  Numbers result;
  for (const uint32_t part : partitions_.places(function->partition, over)) result.push_back(function->numbers[part]);
  return result;
}

size_t SoftIntegers::parts(Partition x) const {
  const std::lock_guard lock(mutex_);
  return partitions_.parts(x);
}

SoftTables::Variables SoftIntegers::variables(Partition x) const {
  const std::lock_guard lock(mutex_);
  return partitions_.variables(x);
}

std::optional<SoftIntegers::Partition> SoftIntegers::joint(Partition x, Partition y) {
  const std::lock_guard lock(mutex_);
  return partitions_.joint(x, y);
}

std::vector<uint32_t> SoftIntegers::places(Partition of, Partition over) {
  const std::lock_guard lock(mutex_);
  return partitions_.places(of, over);
}

bool SoftIntegers::merges(Partition x) const {
  const std::lock_guard lock(mutex_);
  return partitions_.merges(partitions_.variables(x));
}

SoftIntegers::Partition SoftIntegers::merged(Partition x, std::span<const uint32_t> labels) {
  const std::lock_guard lock(mutex_);
  return partitions_.merged(x, labels);
}

std::vector<uint64_t> SoftIntegers::joint_weights(Partition x) const {
  const std::lock_guard lock(mutex_);
  const std::vector<uint64_t> all = partitions_.weights(x);
  std::vector<uint64_t> result;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % weight_residues() < residues()) result.push_back(all[i]);
  }
  return result;
}

std::optional<SoftIntegers::Word> SoftIntegers::table(Partition partition, Numbers numbers) {
  const std::lock_guard lock(mutex_);
  return word_of(Function{partition, std::move(numbers)});
}

std::vector<uint64_t> SoftIntegers::mean_of(const Function& function) const {
  const std::vector<uint64_t> weights = partitions_.weights(function.partition);
  std::vector<uint64_t> result(weight_residues(), 0);
  for (size_t i = 0; i < weights.size(); ++i) {
    const size_t r = i % weight_residues();
    const uint64_t number = field(r).residue(function.numbers[i / weight_residues()]);
    result[r] = field(r).add(result[r], field(r).multiply(number, weights[i]));
  }
  return result;
}

bool SoftIntegers::is_opaque_integer(Word word) const {
  const std::lock_guard lock(mutex_);
  return is_opaque(word);
}

SoftRange SoftIntegers::range(Word word) const {
  const std::lock_guard lock(mutex_);
  if (is_sum(word)) return tables_.range(sum_of(word));
  const Numbers& numbers = objects_[word >> 1].function->numbers;
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return {*low, *high};
}

/// Where there are too many parts, by a variable that counts the sum.
void SoftIntegers::each_value(Word word, const std::function<void(int64_t, std::span<const uint64_t>)>& use) {
  if (!partition_of(word)) {
    const std::lock_guard lock(mutex_);
    word = counted(sum_of(word)).value();
  }
  const Partition partition = partition_of(word).value();
  const std::vector<uint64_t> weights = joint_weights(partition);
  std::span<const uint64_t> rest(weights);
  for (const int64_t number : numbers(word, partition)) {
    use(number, rest.first(residues()));
    rest = rest.subspan(residues());
  }
}

}  // namespace isoshard::sim
