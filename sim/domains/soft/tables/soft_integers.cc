// Soft integers for many threads: the words, their parts and their operations under one mutex, since few elements are
// soft. A small known number is the word itself and needs none. What words are and what operations do with them stands
// in soft_words.cc and soft_operations.cc. (docs/spec/verdict.md, "Integers") Cost: that of those.
#include "sim/domains/soft/tables/soft_integers.h"

#include <algorithm>
#include <utility>

namespace isoshard::sim {

SoftIntegers::SoftIntegers(std::vector<PrimeField> fields, uint64_t seed, Weights weights, SoftLimits limits)
    : SoftNames(std::move(fields), seed, weights, limits) {}

SoftIntegers::Word SoftIntegers::number(int64_t x) {
  const auto word = static_cast<Word>(x) << 1;
  if (static_cast<int64_t>(word) >> 1 == x) return word;
  const std::lock_guard lock(mutex_);
  return words_.word_of(SoftSum{x});
}

bool SoftIntegers::is_known(Word word) const {
  if (is_small(word)) return true;
  const std::lock_guard lock(mutex_);
  return words_.is_number(word);
}

int64_t SoftIntegers::value(Word word) const {
  if (is_small(word)) return static_cast<int64_t>(word) >> 1;
  const std::lock_guard lock(mutex_);
  return words_.value(word);
}

std::vector<int64_t> SoftIntegers::possible(Word word) {
  if (is_small(word)) return {value(word)};
  const std::lock_guard lock(mutex_);
  if (words_.is_opaque(word)) {
    words_.notes().note_undecided("an index that may be any number");
    return {};
  }
  std::vector<int64_t> result;
  if (const SoftWords::Function* function = words_.in_parts(word)) {
    result = function->numbers;
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  const SoftRange range = words_.range(word);
  if (range.distance() >= kMostCounts) {
    words_.notes().note_undecided("an index that may be one of more than 65536 numbers");
    return {};
  }
  for (int64_t x = range.low; x <= range.high; ++x) result.push_back(x);
  return result;
}

/// Where there are too many parts, by a variable that counts the sum.
void SoftIntegers::each_value(Word word, const std::function<void(int64_t, std::span<const uint64_t>)>& use) {
  if (!partition_of(word)) {
    const std::lock_guard lock(mutex_);
    word = words_.counted(words_.sum_of(word)).value();
  }
  const Partition partition = partition_of(word).value();
  const std::vector<uint64_t> weights = joint_weights(partition);
  std::span<const uint64_t> rest(weights);
  for (const int64_t number : numbers(word, partition)) {
    use(number, rest.first(residues()));
    rest = rest.subspan(residues());
  }
}

bool SoftIntegers::is_opaque_integer(Word word) const {
  const std::lock_guard lock(mutex_);
  return words_.is_opaque(word);
}

SoftRange SoftIntegers::range(Word word) const {
  const std::lock_guard lock(mutex_);
  return words_.range(word);
}

std::optional<SoftIntegers::Partition> SoftIntegers::partition_of(Word word) {
  const std::lock_guard lock(mutex_);
  const SoftWords::Function* function = words_.in_parts(word);
  return function != nullptr ? std::optional(function->partition) : std::nullopt;
}

SoftIntegers::Partition SoftIntegers::partition_of_variable(uint32_t variable) {
  const std::lock_guard lock(mutex_);
  return words_.partitions().of_variable(variable);
}

SoftIntegers::Numbers SoftIntegers::numbers(Word word, Partition over) {
  const std::lock_guard lock(mutex_);
  const SoftWords::Function* function = words_.in_parts(word);
  Numbers result;
  for (const uint32_t part : words_.partitions().places(function->partition, over))
    result.push_back(function->numbers[part]);
  return result;
}

size_t SoftIntegers::parts(Partition x) const {
  const std::lock_guard lock(mutex_);
  return words_.partitions().parts(x);
}

SoftTables::Variables SoftIntegers::variables(Partition x) const {
  const std::lock_guard lock(mutex_);
  return words_.partitions().variables(x);
}

bool SoftIntegers::is_of_floats(Partition x) const {
  const std::lock_guard lock(mutex_);
  const SoftTables::Variables variables = words_.partitions().variables(x);
  return std::any_of(variables.begin(), variables.end(),
                     [&](uint32_t v) { return words_.tables().variable(v).of_floats; });
}

std::optional<SoftIntegers::Partition> SoftIntegers::joint(Partition x, Partition y) {
  const std::lock_guard lock(mutex_);
  return words_.partitions().joint(x, y);
}

std::vector<uint32_t> SoftIntegers::places(Partition of, Partition over) {
  const std::lock_guard lock(mutex_);
  return words_.partitions().places(of, over);
}

bool SoftIntegers::merges(Partition x) const {
  const std::lock_guard lock(mutex_);
  return words_.partitions().merges(words_.partitions().variables(x));
}

SoftIntegers::Partition SoftIntegers::merged(Partition x, std::span<const uint32_t> labels) {
  const std::lock_guard lock(mutex_);
  return words_.partitions().merged(x, labels);
}

std::vector<uint64_t> SoftIntegers::joint_weights(Partition x) const {
  const std::lock_guard lock(mutex_);
  const std::vector<uint64_t> all = words_.partitions().weights(x);
  std::vector<uint64_t> result;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % weight_residues() < residues()) result.push_back(all[i]);
  }
  return result;
}

std::optional<SoftIntegers::Word> SoftIntegers::table(Partition partition, Numbers numbers) {
  const std::lock_guard lock(mutex_);
  return words_.word_of(SoftWords::Function{partition, std::move(numbers)});
}

SoftIntegers::Word SoftIntegers::variable(const SoftName& name, std::span<const int64_t> values) {
  const std::lock_guard lock(mutex_);
  return words_.variable(name, values);
}

std::vector<SoftIntegers::Word> SoftIntegers::variables(const SoftName& name, std::span<const uint64_t> weights,
                                                        std::span<const std::vector<int64_t>> numbers) {
  const std::lock_guard lock(mutex_);
  return words_.variables(name, weights, numbers);
}

SoftIntegers::Word SoftIntegers::opaque(const SoftName& name) {
  const std::lock_guard lock(mutex_);
  return words_.opaque(name);
}

SoftIntegers::Word SoftIntegers::predicate(std::span<const uint64_t> weight) {
  const std::lock_guard lock(mutex_);
  return words_.predicate({weight.begin(), weight.end()});
}

SoftIntegers::Word SoftIntegers::apply(IntegerOp op, DType dtype, Word x, Word y) {
  const std::lock_guard lock(mutex_);
  return operations_.apply(op, dtype, x, y);
}

SoftIntegers::Word SoftIntegers::compare(Direction direction, DType dtype, Word x, Word y) {
  const std::lock_guard lock(mutex_);
  return operations_.compare(direction, dtype, x, y);
}

SoftIntegers::Word SoftIntegers::choose(Word predicate, DType dtype, Word x, Word y) {
  if (x == y) return x;
  if (is_small(predicate)) return predicate == 0 ? y : x;
  const std::lock_guard lock(mutex_);
  return operations_.choose(predicate, dtype, x, y);
}

SoftIntegers::Word SoftIntegers::convert(DType from, DType to, Word x) {
  const std::lock_guard lock(mutex_);
  return operations_.convert(from, to, x);
}

void SoftIntegers::collapse(Word word, std::span<uint64_t> residues) {
  const std::lock_guard lock(mutex_);
  std::copy_n(words_.mean(word).begin(), residues.size(), residues.begin());
}

SoftName SoftIntegers::name_applied(uint64_t function, std::span<const Word> arguments) {
  const std::lock_guard lock(mutex_);
  return words_.name_of(function, arguments);
}

}  // namespace isoshard::sim
