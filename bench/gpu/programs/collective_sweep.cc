// Collectives over sizes. Elements are small integers, whose sums are exact in any order and in each dtype, so that
// every element has to be what sim gives of the same program. The times are those of one call among many in a step, by
// events of the slowest rank: the median and the 99th percentile of steps. In place only one call is checked, since the
// next one would begin with its result. Cost: ranks are started once or twice for each row.
#include "bench/gpu/programs/collective_sweep.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/gpu/programs/collective_kind.h"
#include "core/plan/passes/lower.h"
#include "core/support/check.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"

namespace isoshard::bench {
namespace {

using exec::Outcome;
using nlohmann::ordered_json;

/// One side of a row.
struct Measured {
  double median = 0, p99 = 0;  ///< seconds of a call
  int64_t wrong = 0;
};

/// A program of one collective, its input and what sim makes of that.
struct Case {
  Plan plan;
  std::vector<Tensor> globals;
  Tensor expected;
};

const sim::Domain& numbers() { return sim::float_domain(sim::Precision::as_written); }

Plan plan_of(const CollectiveKind& kind, const SweepSettings& sweep, const CollectiveSizes& sizes) {
  DiagnosticSink sink;
  const std::string text = program_text(kind, sweep.ranks, sweep.dtype, sizes.sends);
  const auto file = std::make_shared<SourceFile>(SourceFile{"collective.shard", text});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  ISOSHARD_CHECK(module.has_value(), "the text of a collective is a program");
  return lower(*module, *module->find_program("p"));
}

Outcome<Case> case_of(const CollectiveKind& kind, const SweepSettings& sweep, const CollectiveSizes& sizes) {
  Case made{plan_of(kind, sweep, sizes), {}, {}};
  std::vector<double> elements(static_cast<size_t>(element_count(made.plan.globals[0].type.shape)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i * 7919 % 8);
  const sim::Value x = sim::from_doubles(made.plan.globals[0].type, elements, numbers());
  const Result<sim::RunResult> result = sim::run(made.plan, numbers(), std::vector<sim::Value>{x});
  if (!result) return tl::unexpected(exec::Failure{exec::Failure::Kind::failed, result.error().message});
  made.globals = {sim::to_tensor(x, numbers())};
  made.expected = sim::to_tensor(sim::assemble(made.plan.outputs[0].type, result->outputs[0]).value, numbers());
  return made;
}

/// Runs of lists of one row.
class Row {
 public:
  Row(const CollectiveKind& kind, const SweepSettings& sweep, const RunSettings& settings, const CollectiveSizes& sizes,
      const Case& of)
      : kind_(kind), sweep_(sweep), settings_(settings), sizes_(sizes), case_(of) {}

  Outcome<Measured> apart() const { return measure(Buffers::apart, sweep_.calls, true); }

  Outcome<Measured> in_place() const {
    const Outcome<Measured> once = measure(Buffers::in_place, 1, true);
    Outcome<Measured> many = once ? measure(Buffers::in_place, sweep_.calls, false) : once;
    if (many) many->wrong = once->wrong;
    return many;
  }

 private:
  Outcome<Measured> measure(Buffers buffers, int64_t calls, bool checks) const {
    Outcome<TimedRanks> ranks = TimedRanks::start(
        case_.plan, collective_lists(kind_, sweep_.ranks, sweep_.dtype, sizes_, buffers, calls), false, settings_);
    if (!ranks) return tl::unexpected(ranks.error());
    if (const Outcome<> stepped = ranks->step(case_.globals); !stepped) return tl::unexpected(stepped.error());
    const int64_t wrong = checks ? ranks->count_wrong(case_.expected) : 0;
    const Outcome<Times> times = ranks->time(settings_);
    if (!times) return tl::unexpected(times.error());
    if (const Outcome<> finished = ranks->finish(); !finished) return tl::unexpected(finished.error());
    const double each = 1 / static_cast<double>(calls);
    return Measured{times->median() * each, times->p99() * each, wrong};
  }

  const CollectiveKind& kind_;
  const SweepSettings& sweep_;
  const RunSettings& settings_;
  const CollectiveSizes& sizes_;
  const Case& case_;
};

void print_head(const CollectiveKind& kind) {
  std::printf("#\n# %s\n", kind.name);
  std::printf("#%*s  %31s %9s %39s\n", 46, "", "out-of-place", "", "in-place");
  std::printf("#%12s %13s %7s %7s %6s", "size", "count", "type", "redop", "root");
  for (int side = 0; side < 2; ++side) std::printf(" %9s %7s %7s %6s %9s", "time", "algbw", "busbw", "#wrong", "p99");
  std::printf("\n#%12s %13s %7s %7s %6s", "(B)", "(elements)", "", "", "");
  for (int side = 0; side < 2; ++side) std::printf(" %9s %7s %7s %6s %9s", "(us)", "(GB/s)", "(GB/s)", "", "(us)");
  std::printf("\n");
}

/// Prints one side and gives it as JSON.
ordered_json print_side(const Measured& measured, double bytes, double factor) {
  const double rate = bytes / measured.median * 1e-9;
  std::printf(" %9.2f %7.2f %7.2f %6lld %9.2f", measured.median * 1e6, rate, rate * factor,
              static_cast<long long>(measured.wrong), measured.p99 * 1e6);
  return {{"time_us", measured.median * 1e6},
          {"p99_us", measured.p99 * 1e6},
          {"algbw_gb_s", rate},
          {"busbw_gb_s", rate * factor},
          {"wrong", measured.wrong}};
}

/// Measures and prints one row; the number of wrong elements.
Outcome<int64_t> measure_row(const CollectiveKind& kind, const SweepSettings& sweep, const RunSettings& settings,
                             const CollectiveSizes& sizes, ordered_json& rows) {
  const Outcome<Case> made = case_of(kind, sweep, sizes);
  if (!made) return tl::unexpected(made.error());
  const Row row(kind, sweep, settings, sizes, *made);
  const Outcome<Measured> apart = row.apart();
  if (!apart) return tl::unexpected(apart.error());
  const Outcome<Measured> in_place = kind.in_place ? row.in_place() : Measured{};
  if (!in_place) return tl::unexpected(in_place.error());
  const auto bytes = static_cast<double>(sizes.bytes);
  const double factor = bus_factor(kind, sweep.ranks);
  const int64_t count = sizes.bytes / static_cast<int64_t>(info(sweep.dtype).bytes);
  const std::string type(name(sweep.dtype));
  std::printf(" %12lld %13lld %7s %7s %6d", static_cast<long long>(sizes.bytes), static_cast<long long>(count),
              type.c_str(), kind.reduces, -1);
  ordered_json json{{"collective", kind.name},
                    {"bytes", sizes.bytes},
                    {"count", count},
                    {"type", type},
                    {"redop", kind.reduces},
                    {"out_of_place", ordered_json()},
                    {"in_place", ordered_json()}};
  json["out_of_place"] = print_side(*apart, bytes, factor);
  if (kind.in_place) {
    json["in_place"] = print_side(*in_place, bytes, factor);
  } else {
    std::printf(" %9s %7s %7s %6s %9s", "N/A", "N/A", "N/A", "N/A", "N/A");
  }
  std::printf("\n");
  std::fflush(stdout);
  rows.push_back(std::move(json));
  return apart->wrong + in_place->wrong;
}

}  // namespace

Outcome<int64_t> sweep_collectives(const SweepSettings& sweep, const RunSettings& settings, ordered_json& rows) {
  int64_t wrong = 0;
  for (const CollectiveKind& kind : collective_kinds()) {
    if (!sweep.only.empty() && sweep.only != kind.name) continue;
    print_head(kind);
    for (int64_t bytes = sweep.smallest; bytes <= sweep.largest; bytes *= sweep.factor) {
      const CollectiveSizes sizes = sizes_of(kind, sweep.ranks, sweep.dtype, bytes);
      const Outcome<int64_t> more = measure_row(kind, sweep, settings, sizes, rows);
      if (!more) return more;
      wrong += *more;
    }
  }
  std::printf("# Out of bounds values : %lld %s\n", static_cast<long long>(wrong), wrong == 0 ? "OK" : "FAILED");
  return wrong;
}

}  // namespace isoshard::bench
