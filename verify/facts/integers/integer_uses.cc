// Follows each integer global through movement and through sums with known numbers to where it is used: as an index, in
// a comparison, or otherwise. What is known of a value is a set of sources (a global and an offset), a set of numbers
// that it may be, and whether it may be something else. Values only ever gain sources, and numbers until they are too
// many, so that rounds over all instructions end; a counter that a loop carries gains a number in each, and what still
// does after more rounds than a byte has numbers may be any. Sets are small (256 offsets): more become unknown, which
// is always right, since an unknown use takes all numbers of the dtype. The verdict's claim about @ids in 0..32 rests
// on this (docs/spec/verdict.md, "Which numbers"), so an op that is not understood ends a trace and counts as another
// use. Costs rounds times instructions.
#include "verify/facts/integers/integer_uses.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/support/rational_gmp.h"
#include "verify/facts/integers/integer_trace.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostOffsets = 256, kMostEqual = 8, kCountingRounds = 300;
constexpr int64_t kMostDevices = 256;

class IntegerWalk {
 public:
  IntegerWalk(const WalkedProgram& program, IntegerUses& uses)
      : program_(program), plan_(program.plan), uses_(uses), traces_(plan_.values.size()) {}

  void run() {
    const std::vector<Renaming> renamed = renamings(plan_);
    for (bool changed = true; changed; ++rounds_) {
      changed = false;
      for (const Instruction& i : plan_.instructions) {
        for (const PlanValueId id : i.results) changed |= is_integral(id) && grow(id, of(i));
      }
      for (const Renaming& r : renamed) changed |= grow(r.to, at(r.from));
    }
    for (size_t i = 0; i < plan_.instructions.size(); ++i) {
      if (counts(i)) note(plan_.instructions[i]);
    }
  }

 private:
  bool counts(size_t instruction) const {
    const OutputCone* cone = program_.cone;
    if (cone == nullptr || cone->instructions[instruction]) return true;
    const StoreBlock* store = std::get_if<StoreBlock>(&plan_.instructions[instruction].data());
    return store != nullptr && store->output == cone->output;
  }

  bool is_integral(PlanValueId id) const { return is_integer(plan_.value(id).type().dtype); }
  DType dtype_of(GlobalId global) const { return plan_.globals[global.index()].type.dtype; }
  const IntegerTrace& at(PlanValueId id) const { return traces_[id.index()]; }

  bool grow(PlanValueId id, const IntegerTrace& trace) {
    if (!is_integral(id)) return false;
    const IntegerTrace before = at(id);
    IntegerTrace& now = traces_[id.index()];
    now.add(trace);
    if (rounds_ > kCountingRounds && now.numbers != before.numbers) now.forget_numbers();
    return !(now == before);
  }

  IntegerTrace merged(const Instruction& i, size_t first = 0) const {
    IntegerTrace result;
    for (size_t n = first; n < i.operands.size(); ++n) {
      if (is_integral(i.operands[n])) result.add(at(i.operands[n]));
    }
    return result;
  }

  static IntegerTrace unknown() {
    IntegerTrace result;
    result.unknown = true;
    return result;
  }

  /// Unknown where a known number leaves the dtype, and so wraps around.
  IntegerTrace in_range(IntegerTrace trace, const Instruction& i) const {
    const DType dtype = plan_.value(i.results[0]).type().dtype;
    const NumberRange all = numbers_of(dtype);  // of i64 arithmetic has seen to it
    const bool fits = trace.numbers.empty() || dtype == DType::i64 ||
                      (*trace.numbers.begin() >= all.low && *trace.numbers.rbegin() < all.high);
    return fits ? trace : unknown_of(trace);
  }

  /// Products of known numbers.
  IntegerTrace product(const Instruction& i) const {
    const IntegerTrace &x = at(i.operands[0]), &y = at(i.operands[1]);
    if (!x.is_known() || !y.is_known() || x.numbers.size() * y.numbers.size() > IntegerTrace::kMost) return unknown();
    IntegerTrace result;
    for (const int64_t a : x.numbers) {
      for (const int64_t b : y.numbers) {
        int64_t number = 0;
        if (__builtin_mul_overflow(a, b, &number)) return unknown();
        result.numbers.insert(number);
      }
    }
    return in_range(result, i);
  }

  /// The same globals plus some numbers.
  static IntegerTrace unknown_of(const IntegerTrace& trace) {
    IntegerTrace result = unknown();
    for (const IntegerSource& source : trace.sources) result.sources.insert({source.global, std::nullopt});
    return result;
  }

  /// x + sign y, where one of both is known.
  IntegerTrace shifted(const Instruction& i, int64_t sign) const {
    const IntegerTrace &x = at(i.operands[0]), &y = at(i.operands[1]);
    if (!x.sources.empty() && !y.sources.empty()) return unknown();
    if (sign < 0 && !y.sources.empty()) return unknown();
    const IntegerTrace &moving = x.sources.empty() ? y : x, &by = x.sources.empty() ? x : y;
    IntegerTrace result;
    result.unknown = x.unknown || y.unknown;
    for (const IntegerSource& source : moving.sources) {
      const bool known = by.is_known() && by.numbers.size() <= kMostOffsets && source.offset.has_value();
      if (!known) result.sources.insert({source.global, std::nullopt});
      for (const int64_t number : by.numbers) {
        if (known) result.sources.insert(source.shifted(sign, number, dtype_of(source.global)));
      }
    }
    if (result.sources.size() > kMostOffsets) return unknown_of(moving);
    for (const int64_t a : x.numbers) {
      for (const int64_t b : y.numbers) {
        int64_t number = 0;
        if (sign < 0 ? __builtin_sub_overflow(a, b, &number) : __builtin_add_overflow(a, b, &number)) {
          return unknown_of(moving);
        }
        result.numbers.insert(number);
      }
    }
    return in_range(result, i);
  }

  static IntegerTrace chosen(IntegerTrace trace) {
    std::set<IntegerSource> sources;
    for (IntegerSource source : trace.sources) {
      source.chosen = true;
      sources.insert(source);
    }
    trace.sources = std::move(sources);
    return trace;
  }

  /// A maximum or a minimum, which bounds what it is taken of where the other operand is known. What is not known yet
  /// has neither sources nor numbers: then later rounds say.
  IntegerTrace bounded(const Instruction& i, bool below) const {
    const IntegerTrace &x = at(i.operands[0]), &y = at(i.operands[1]);
    if (!x.is_known() && !y.is_known()) return chosen(merged(i));
    const std::set<int64_t>& bounds = x.is_known() ? x.numbers : y.numbers;
    IntegerTrace result = merged(i);
    result.sources.clear();
    if (bounds.empty()) return result;
    for (IntegerSource source : (x.is_known() ? y : x).sources) {
      if (below) source.least = std::max(source.least, *bounds.begin());
      if (!below) source.most = std::min(source.most, *bounds.rbegin());
      result.sources.insert(source);
    }
    return result;
  }

  IntegerTrace of(const Instruction& i) const {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
      IntegerTrace result;
      result.sources.insert({program_.elements[load->global.index()], 0});
      return result;
    }
    if (const ScalarIndex* index = std::get_if<ScalarIndex>(&i.data())) {
      const int64_t devices = plan_.mesh->device_count();
      if (index->value.depends_on_loops() || devices > kMostDevices) return unknown();
      IntegerTrace result;
      for (int64_t p = 0; p < devices; ++p) result.numbers.insert(index->value.evaluate(*plan_.mesh, p, {}));
      return result;
    }
    if (const LocalOp* local = std::get_if<LocalOp>(&i.data())) return of(local->op, i);
    const Collective* collective = std::get_if<Collective>(&i.data());
    if (collective != nullptr && adds(*collective)) return unknown();
    IntegerTrace result = merged(i);
    const bool fills_with_0 = std::holds_alternative<PutBlock>(i.data()) || std::holds_alternative<KeepOn>(i.data()) ||
                              std::holds_alternative<Permute>(i.data());
    if (fills_with_0) result.numbers.insert(0);
    return result;
  }

  IntegerTrace of(const OpData& op, const Instruction& i) const {
    if (const Constant* constant = std::get_if<Constant>(&op)) {
      if (!is_integer(constant->dtype)) return {};
      const mpz_class& number = to_mpq(constant->value).get_num();
      if (!number.fits_slong_p()) return unknown();  // of u64: no number at all would be one that is not known yet
      IntegerTrace result;
      result.numbers.insert(number.get_si());
      return result;
    }
    if (const Iota* iota = std::get_if<Iota>(&op)) {
      const int64_t n = iota->shape[static_cast<size_t>(iota->dim)];
      IntegerTrace result;
      result.unknown = n > static_cast<int64_t>(IntegerTrace::kMost);
      for (int64_t k = 0; k < n && !result.unknown; ++k) result.numbers.insert(k);
      return result;
    }
    if (std::holds_alternative<Add>(op)) return shifted(i, 1);
    if (std::holds_alternative<Subtract>(op)) return shifted(i, -1);
    if (std::holds_alternative<Multiply>(op)) return product(i);
    if (std::holds_alternative<Gather>(op) || std::holds_alternative<DynamicSlice>(op)) {
      return at(i.operands[0]);
    }
    if (std::holds_alternative<DynamicUpdateSlice>(op)) {
      IntegerTrace result = at(i.operands[0]);
      result.add(at(i.operands[1]));
      return result;
    }
    if (std::holds_alternative<Select>(op)) return chosen(merged(i, 1));
    if (std::holds_alternative<Maximum>(op)) return bounded(i, true);
    if (std::holds_alternative<Minimum>(op)) return bounded(i, false);
    return moves(op) ? merged(i) : unknown();
  }

  /// Ops whose elements are those of their operands.
  static bool moves(const OpData& op) { return op_facts(op).kind == OpClass::movement; }

  static bool adds(const Collective& c) {
    return c.kind == CollectiveKind::all_reduce || c.kind == CollectiveKind::reduce_scatter;
  }

  void use_otherwise(const IntegerTrace& trace) {
    for (const IntegerSource& source : trace.sources) uses_.otherwise.insert(source.global);
  }

  /// Where an end of the rows is open, up to where the offset wraps around.
  static NumberRange legal(const IntegerSource& source, const NumberRange& own, int64_t rows, DType dtype) {
    const NumberRange all = numbers_of(dtype);
    const bool open_low = source.least >= 0 && source.least < rows, open_high = source.most >= 0 && source.most < rows;
    if (open_low && open_high) return {};
    const auto less_offset = [&](int64_t end) {
      int64_t result = 0;
      return __builtin_sub_overflow(end, *source.offset, &result) ? end : result;
    };
    NumberRange result = own;
    if (open_low) result.low = std::max(all.low, less_offset(all.low));
    if (open_high) result.high = std::min(all.high, less_offset(all.high));
    return result;
  }

  /// 8 bits have fewer numbers than there may be rows.
  static int64_t reached_rows(int64_t rows, DType dtype) {
    const int64_t greatest = integer_ends(dtype).greatest;
    return rows - 1 <= greatest ? rows : greatest + 1;
  }

  void note_index(const IntegerTrace& index, int64_t rows) {
    for (const IntegerSource& source : index.sources) {
      const int64_t offset = source.offset.value_or(0);
      const DType dtype = dtype_of(source.global);
      const NumberRange own{plus(0, -1, offset), plus(reached_rows(rows, dtype), -1, offset)};
      const bool held = is_number_of(dtype, own.low) && is_number_of(dtype, plus(own.high, -1, 1));
      if (!source.offset || rows > kMostRows || !held) {
        uses_.otherwise.insert(source.global);
        continue;
      }
      uses_.looked_up[source.global].push_back(own);
      if (offset != 0) uses_.offsets[source.global].insert(offset);
      if (!program_.is_reference) {
        uses_.looked_up_when_sharded.insert(source.global);
      } else if (source.chosen) {
        NumberRange& known = uses_.chosen_rows.emplace(source.global, own).first->second;
        known = known | own;
      } else {
        NumberRange& known = uses_.rows[source.global];
        known = known & legal(source, own, rows, dtype);
      }
    }
  }

  /// Few numbers, not those that a one-hot compares with, stand for themselves also where x is an index; those that the
  /// reference orders it with have neighbours that it treats otherwise (labels below 0 count as none).
  void note_comparison(const IntegerTrace& x, const IntegerTrace& y, bool equality, bool ordered = false) {
    for (const IntegerSource& source : x.sources) {
      if (!y.is_known() || !source.offset) {
        uses_.otherwise.insert(source.global);
        continue;
      }
      if (*source.offset != 0) uses_.offsets[source.global].insert(*source.offset);
      for (const int64_t number : y.numbers) {
        const DType dtype = dtype_of(source.global);
        const int64_t same = wrapped_integer(dtype, plus(number, -1, *source.offset));
        uses_.compared[source.global].insert(same);
        if (equality && y.numbers.size() <= kMostEqual) uses_.equals[source.global].insert(same);
        if (ordered && program_.is_reference && y.numbers.size() <= kMostEqual) {
          for (const int64_t next : {-1, 0, 1})
            uses_.equals[source.global].insert(wrapped_integer(dtype, plus(same, 1, next)));
        }
      }
    }
  }

  void note(const Instruction& i) {
    const Collective* collective = std::get_if<Collective>(&i.data());
    if (std::holds_alternative<StoreBlock>(i.data()) || (collective != nullptr && adds(*collective))) {
      return use_otherwise(merged(i));
    }
    const LocalOp* local = std::get_if<LocalOp>(&i.data());
    if (local == nullptr) return;
    const auto shape = [&](size_t n) -> const Shape& { return plan_.value(i.operands[n]).type().shape; };
    if (const Gather* gather = std::get_if<Gather>(&local->op)) {
      return note_index(at(i.operands[1]), shape(0)[static_cast<size_t>(gather->dim)]);
    }
    if (const ScatterAdd* scatter = std::get_if<ScatterAdd>(&local->op)) {
      for (const size_t operand : {size_t{0}, size_t{2}}) {
        if (is_integral(i.operands[operand])) use_otherwise(at(i.operands[operand]));
      }
      return note_index(at(i.operands[1]), shape(0)[static_cast<size_t>(scatter->dim)]);
    }
    if (const DynamicSlice* slice = std::get_if<DynamicSlice>(&local->op)) {
      for (size_t d = 0; d < slice->sizes.size(); ++d) {
        note_index(at(i.operands[d + 1]), shape(0)[d] - slice->sizes[d] + 1);
      }
      return;
    }
    if (std::holds_alternative<DynamicUpdateSlice>(local->op)) {
      for (size_t d = 0; d < shape(1).size(); ++d) note_index(at(i.operands[d + 2]), shape(0)[d] - shape(1)[d] + 1);
      return;
    }
    if (std::holds_alternative<Maximum>(local->op) || std::holds_alternative<Minimum>(local->op)) {
      note_comparison(at(i.operands[0]), at(i.operands[1]), false);
      return note_comparison(at(i.operands[1]), at(i.operands[0]), false);
    }
    if (const Compare* compare = std::get_if<Compare>(&local->op)) {
      const bool equality = compare->direction == Direction::eq || compare->direction == Direction::ne;
      note_comparison(at(i.operands[0]), at(i.operands[1]), equality, !equality);
      return note_comparison(at(i.operands[1]), at(i.operands[0]), equality, !equality);
    }
    const bool follows = moves(local->op) || std::holds_alternative<Select>(local->op) ||
                         std::holds_alternative<Add>(local->op) || std::holds_alternative<Subtract>(local->op);
    const bool ends = i.results.empty() || !is_integral(i.results[0]) || !follows || at(i.results[0]).unknown;
    if (ends) use_otherwise(merged(i));
  }

  const WalkedProgram& program_;
  const Plan& plan_;
  IntegerUses& uses_;
  std::vector<IntegerTrace> traces_;
  size_t rounds_ = 0;
};

}  // namespace

void add_integer_uses(const WalkedProgram& program, IntegerUses& uses) { IntegerWalk(program, uses).run(); }

}  // namespace isoshard::verify
