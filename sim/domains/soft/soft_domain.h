#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/constants.h"
#include "sim/domains/soft/soft_cells.h"
#include "sim/domains/soft/soft_floats.h"
#include "sim/domains/soft/soft_integers.h"
#include "sim/domains/soft/soft_numbers.h"
#include "sim/domains/soft/soft_odds.h"
#include "sim/domains/soft/soft_order.h"
#include "sim/exact_ring.h"

namespace isoshard::sim {

/// A ring around an exact ring, in which integers, keys and predicates may depend on inputs: each is a soft integer
/// (SoftIntegers), one word; floats are those of the ring inside (docs/spec/verdict.md, "Integers").
///
/// An integer that meets floats collapses at once: a lookup is the sum over all rows of the weight of the row's index
/// times the row, a select is y + weight (x - y). A comparison of floats is a predicate whose weight is the ring's
/// element for it; the index of a maximum is a variable named by the differences of the row's elements; random bits are
/// opaque functions of key and place. Thread-safe; equal seeds and lanes give equal results.
class SoftDomain final : public ExactRing {
 public:
  struct Options {
    bool tabled = false;  ///< floats that depend on few integers are tables over these: slower, and decides more
    SoftIntegers::Weights weights = SoftIntegers::Weights::random;
    bool cases = false;            ///< with tables: maxima, minima and absolute values are what they are in each case
    size_t most_places = 0;        ///< of SoftOdds; 0: indices of maxima have weights that say nothing of other rows
    ConstantReadings constants{};  ///< those of the ring
    size_t most_entries = SoftIntegers::kMostEntries;  ///< of a table of floats over one variable
    std::set<double> cuts{};  ///< with tables: inputs are in the cells that these cut (SoftCells); empty: nowhere
    bool ordered = false;     ///< exponentials are in the order of their arguments (SoftOrder)
  };
  SoftDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options);

  /// Which numbers an element of an input may be; none: any number.
  using ValuesOf = std::function<std::span<const int64_t>(int64_t element)>;
  /// n elements of an input, in one step.
  void inputs(std::string_view name, uint64_t step, int64_t n, const ValuesOf& values_of, std::byte* out) const;

  // The ring's.
  std::string_view name() const override { return ring_->name(); }
  size_t lanes() const override { return ring_->lanes(); }
  uint64_t modulus(size_t lane) const override { return ring_->modulus(lane); }
  std::string undecided() const override;
  std::optional<Rational> unrepresentable() const override { return ring_->unrepresentable(); }
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  std::vector<PrimeField> residue_fields() const override { return ring_->residue_fields(); }
  void read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const override {
    ring_->read_residues(n, x, i, residues);
  }
  void write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const override {
    ring_->write_residues(n, i, residues, out);
  }
  bool is_number(int64_t n, const std::byte* x, int64_t i) const override { return ring_->is_number(n, x, i); }
  const ExactRing& calculating() const override { return *ring_; }
  bool compares_bits(DType) const override { return false; }
  uint64_t residue(const Value& x, size_t lane, int64_t i) const override { return ring_->residue(x, lane, i); }
  uint32_t non_unit_lanes(const Value& x, int64_t i) const override { return ring_->non_unit_lanes(x, i); }
  void make_comparable(std::span<Value* const> values) const override;
  Value opaque_identity(const Value& x) const override;
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override {
    ring_->to_integers(dtype, n, x, to, out);
  }
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
             int32_t* indices) const override {
    ring_->top_k(dtype, rows, length, k, x, indices);
  }

  // Its own.
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  Storage storage(DType dtype) const override;
  Tensor to_tensor(const Value& value) const override;
  void from_native(int64_t n, const uint8_t* x, std::byte* out) const override;
  void decide(int64_t n, const std::byte* predicate, uint8_t* out) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  Storage integer_storage(DType dtype) const override;
  void from_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void integer_padding(DType dtype, const PaddingOf& padding, int64_t n, std::byte* out) const override;
  void to_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  bool are_known(DType dtype, int64_t n, const std::byte* x) const override;
  std::vector<int64_t> possible(DType dtype, const std::byte* element) const override;
  bool has_row_weights(DType dtype, const std::byte* element, int64_t rows) const override;
  void row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                   std::byte* weights) const override;
  bool take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const override;
  bool sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const override;
  void integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                  std::byte* out) const override;
  void integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                       std::byte* out) const override;
  void integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                      std::byte* out) const override;
  void integer_dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                   std::byte* out) const override;
  void integer_sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void integers_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const override;
  void integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
               std::byte* indices) const override;
  void fold_in(DType dtype, int64_t n, const std::byte* keys, const std::byte* data, std::byte* out) const override;
  void split_key(const RngSplit& op, const std::byte* key, std::byte* out) const override;
  void random_bits(const BitsBlock& block, const std::byte* key, std::byte* out) const override;
  void keys_to_words(int64_t n, const std::byte* keys, std::byte* words) const override;
  void words_to_keys(int64_t n, const std::byte* words, std::byte* keys) const override;

 private:
  using Word = SoftIntegers::Word;

  /// Whether a number is positive: where the variable is 1, or where it is 0 if flipped.
  struct Case {
    Word variable;
    bool flipped;
  };
  struct FloatPair {
    DType dtype;
    int64_t n;
    const std::byte *x, *y;
    Extreme extreme;
  };

  /// Floats with what is known of them, in case they are overwritten.
  struct KnownFloats {
    DType dtype;
    int64_t n;
    std::vector<SoftNumbers::Id> ids;  ///< empty: nothing is known of any
    std::vector<std::byte> elements;   ///< empty where `ids` is
  };

  /// Element i of n.
  struct FloatAt {
    DType dtype;
    int64_t n, i;
    const std::byte* x;
  };

  /// Where element i of n is written.
  struct Place {
    int64_t n, i;
    std::byte* out;
  };

  /// A table of floats, spread over the variables of a pair, and how entries of each variable lie in those.
  struct PlacedTable {
    SoftFloat table;
    std::vector<std::vector<int64_t>> entry_of;  ///< per variable and joint entry
    DType dtype;
  };
  struct PlacedPair {
    PlacedTable x, y;
    std::vector<int> orders;  ///< per entry -1, 0 or 1 as x is less than, equal to or greater than y
  };

  /// A row of so many, and whether an index outside counts as the nearest one.
  struct RowOfIndex {
    int64_t row, rows;
    bool clamp;
  };

  /// The array of random bits of a key.
  struct BitsOf {
    Word key;
    int64_t count;
    KeyLayout layout;
  };

  static const Word* words(const std::byte* p) { return reinterpret_cast<const Word*>(p); }
  static Word* words(std::byte* p) { return reinterpret_cast<Word*>(p); }
  std::vector<uint64_t> element_of(int64_t n, const std::byte* x, int64_t i) const;
  std::vector<uint64_t> residues_of(int64_t n, const std::byte* x, int64_t i) const;
  void note_large(Word word) const;
  void put_mean(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  std::vector<std::byte> row_differences(DType dtype, int64_t length, const std::byte* row) const;
  std::vector<uint64_t> pick_weights(const std::vector<std::byte>& row, int64_t length,
                                     std::span<const int64_t> left) const;
  Word bits_at(const BitsOf& bits, int64_t place) const;
  /// Of two u32, and back: each is a function of the other.
  Word key_of_words(Word first, Word second) const;
  std::array<Word, 2> words_of_key(Word key) const;
  Word index_by_odds(int64_t length, const std::byte* row, const std::vector<std::byte>& largest) const;
  void largest_one_by_one(const std::vector<uint64_t>& choice, int64_t length, int64_t k, Word* indices) const;
  void largest_of_row(DType dtype, int64_t length, int64_t k, const std::byte* row, Word* indices) const;
  void largest_integers(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                        std::byte* indices) const;
  std::vector<std::byte> maximum_of_row(DType dtype, int64_t length, const std::byte* row) const;
  std::vector<std::byte> picked_of_row(DType dtype, int64_t length, const std::byte* row, Word index) const;

  // soft_cases.cc
  std::optional<Case> case_of(const std::vector<uint64_t>& difference) const;
  void choose_by_case(const Case& x_it_is, const FloatPair& pair, int64_t i, std::byte* out) const;
  void choose_by_cases(const FloatPair& pair, std::byte* decided) const;

  // soft_number_arrays.cc
  std::byte* number_plane(DType dtype, int64_t n, std::byte* x) const;
  SoftNumbers::Id number_id(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  std::vector<SoftNumbers::Id> numbers(DType dtype, int64_t n, const std::byte* x) const;
  void set_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  bool put_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void take_numbers(UnaryOp op, const KnownFloats& x, std::byte* out) const;
  void take_numbers(BinaryOp op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const;
  void take_numbers(Extreme op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const;
  void take_numbers(SignOp op, const KnownFloats& x, std::byte* out) const;
  KnownFloats known_floats(DType dtype, int64_t n, const std::byte* x) const;
  void put_larger(const KnownFloats& x, const KnownFloats& y, Word x_it_is, int64_t i, std::byte* out) const;
  Word integer_of(DType from, DType to, int64_t n, const std::byte* x, int64_t i) const;

  // soft_order_arrays.cc
  void note_exponentials(DType dtype, int64_t n, const std::byte* x, const std::byte* result) const;
  void note_quotients(int64_t n, const std::byte* x, const std::byte* y, const std::byte* result) const;
  void note_sums(const ReducePlan& plan, const std::byte* x, const std::byte* result) const;
  std::vector<std::byte> ordered_row(DType dtype, int64_t length, std::vector<std::byte> row) const;
  void put_chosen(DType dtype, int64_t length, const std::vector<std::byte>& row, Word index, const Place& to) const;

  // soft_cell_arrays.cc
  void put_cells(int64_t n, std::byte* inputs) const;
  std::optional<SoftFloat> in_cells(const FloatAt& x) const;
  std::optional<size_t> place_of(const PlacedTable& table, int64_t entry) const;
  std::vector<int> orders(const PlacedTable& x, const PlacedTable& y) const;
  std::optional<PlacedPair> placed(const FloatAt& x, const FloatAt& y) const;
  void extremes_in_cells(Extreme op, const FloatPair& pair, std::byte* out) const;
  void signs_in_cells(SignOp op, const FloatPair& with_zero, std::byte* out) const;
  void compare_in_cells(Direction direction, const FloatPair& pair, std::byte* out) const;

  // soft_rows.cc
  bool has_large_tables(const IndicesOf& indices) const;
  void add_to_rows(Word index, const FloatAt& x, const IndicesOf& indices, int64_t column, std::byte* sum) const;

  // soft_float_arrays.cc
  size_t most_entries(const SoftTables::Variables& variables) const;
  std::byte* table_plane(DType dtype, int64_t n, std::byte* x) const;
  SoftFloats::Id table_of(DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  void set_table(SoftFloats::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void no_tables(DType dtype, int64_t n, std::byte* out) const;
  std::vector<SoftFloats::Id> tables(DType dtype, int64_t n, const std::byte* x) const;
  /// The ids in a plane whose elements are of `width` bytes; empty where all are 0.
  static std::vector<uint32_t> ids_in(const std::byte* plane, int64_t n, size_t width);
  SoftTables::Variables variables_of(std::span<const SoftFloats::Id> ids) const;
  std::vector<std::byte> copy_of(DType dtype, int64_t n, const std::byte* x) const;
  std::vector<std::byte> spread(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i,
                                const SoftTables::Variables& variables) const;
  void keep(std::vector<std::byte> elements, const SoftTables::Variables& variables, DType dtype, int64_t n, int64_t i,
            std::byte* out) const;
  void put_opaque_row(Word index, const RowOfIndex& which, DType index_dtype, DType dtype, int64_t n, int64_t i,
                      std::byte* out) const;
  void put_row_table(Word index, const RowOfIndex& which, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  Value without_tables(const Value& x) const;
  void put_float(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  void correct_products(DType dtype, const DotSizes& sizes, const std::vector<SoftFloats::Id>& left,
                        const std::vector<SoftFloats::Id>& right, const std::byte* a, const std::byte* b,
                        std::byte* out) const;
  template <class Function>
  void on_tables(DType dtype, int64_t n, const std::byte* x, std::byte* out, size_t most, const Function& f) const;
  template <class Function>
  void on_joint_tables(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out, size_t most,
                       const Function& f) const;

  std::unique_ptr<ExactRing> ring_;
  mutable SoftIntegers integers_;
  mutable SoftFloats floats_;
  mutable SoftOdds odds_;
  mutable SoftNumbers numbers_;
  mutable SoftCells cells_;
  mutable SoftOrder order_;
  Options options_;
  mutable std::mutex keys_mutex_;
  mutable std::map<std::array<Word, 2>, Word> keys_;  ///< by their words
  mutable std::map<Word, std::array<Word, 2>> key_words_;
};

}  // namespace isoshard::sim
