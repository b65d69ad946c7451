// What exec issues beside the same by hand. Steps are done by turns in the same ranks (alternating.h), so that clocks,
// memory and neighbours are those of both; their times are sorted apart. Where both compute the same their outputs are
// compared on all ranks: a product has another algorithm and a chain other roundings by hand, so that they agree
// within a share of the largest element, far less than what a wrong block or a sum without a term makes. Cost: ranks
// are started twice for each pair.
#include "bench/gpu/programs/by_hand_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bench/gpu/programs/alternating.h"
#include "bench/gpu/programs/drawn_globals.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::bench {
namespace {

using exec::Outcome;
using nlohmann::ordered_json;

/// Seconds of one call, or of the step where that is one.
struct Sides {
  Times planned, by_hand;
  double difference = 0;  ///< the largest of outputs, of the largest element
};

double limit_of(DType dtype) { return dtype == DType::bf16 ? 0x1p-6 : 0x1p-12; }

/// The largest distance of two outputs, as a share of the largest element.
double difference_of(const std::vector<Tensor>& ours, const std::vector<Tensor>& theirs) {
  double largest = 0, distance = 0;
  for (size_t box = 0; box < ours.size(); ++box) {
    for (size_t i = 0; i < static_cast<size_t>(ours[box].size()); ++i) {
      const double a = sim::number_at(ours[box], i), b = sim::number_at(theirs[box], i);
      largest = std::max(largest, std::fabs(a));
      distance = std::isfinite(a - b) ? std::max(distance, std::fabs(a - b)) : INFINITY;
    }
  }
  return largest > 0 ? distance / largest : INFINITY;
}

Outcome<Sides> measure_pair(const Pair& pair, bool graph, const RunSettings& settings) {
  Outcome<TimedRanks> ranks =
      TimedRanks::start(pair.plan, pair.lists, graph, settings, open_alternating(settings.device, pair.by_hand));
  if (!ranks) return tl::unexpected(ranks.error());
  const std::vector<Tensor> globals = drawn_globals(pair.plan);
  if (const Outcome<> first = ranks->step(globals); !first) return tl::unexpected(first.error());
  const std::vector<Tensor> planned = ranks->outputs(pair.dtype);
  if (const Outcome<> second = ranks->step_again(); !second) return tl::unexpected(second.error());
  const double difference = pair.same ? difference_of(planned, ranks->outputs(pair.dtype)) : 0;
  Outcome<std::vector<Times>> times = ranks->time_by_turns(2, settings);
  if (!times) return tl::unexpected(times.error());
  if (const Outcome<> finished = ranks->finish(); !finished) return tl::unexpected(finished.error());
  return Sides{std::move((*times)[0]), std::move((*times)[1]), difference};
}

void print_pair(const Pair& pair, const ordered_json& row) {
  const auto number = [&](const char* key) { return row[key].get<double>(); };
  std::printf(" %-12s %-18s %5s %-6s %6lld %11.2f %11.2f %11.2f %11.2f %7.3f", pair.name.c_str(), pair.shape.c_str(),
              row["type"].get<std::string>().c_str(), row["graph"].get<bool>() ? "graph" : "eager",
              static_cast<long long>(pair.times), number("planned_us"), number("planned_p99_us"), number("by_hand_us"),
              number("by_hand_p99_us"), number("ratio"));
  if (pair.target > 0) {
    std::printf(" %7.3f", pair.target);
  } else {
    std::printf(" %5.1fus", number("target_us"));
  }
  if (pair.same) {
    std::printf(" %10.1e\n", number("difference"));
  } else {
    std::printf(" %10s\n", "-");
  }
  std::fflush(stdout);
}

}  // namespace

void print_by_hand_head() {
  for (const bool units : {false, true}) {
    const auto either = [units](const char* name, const char* unit) { return units ? unit : name; };
    std::printf("#%-12s %-18s %5s %-6s %6s %11s %11s %11s %11s %7s %7s %10s\n", either("what", ""), either("shape", ""),
                either("type", ""), either("calls", ""), either("times", ""), either("planned", "(us)"),
                either("p99", "(us)"), either("by hand", "(us)"), either("p99", "(us)"), either("ratio", ""),
                either("target", ""), either("difference", ""));
  }
}

Outcome<bool> measure_by_hand(const Pair& pair, const RunSettings& settings, ordered_json& rows) {
  bool good = true;
  for (const bool graph : {false, true}) {
    const Outcome<Sides> sides = measure_pair(pair, graph, settings);
    if (!sides) return tl::unexpected(sides.error());
    const double each = 1e6 / static_cast<double>(pair.times);
    ordered_json row{{"what", pair.name},
                     {"shape", pair.shape},
                     {"type", std::string(name(pair.dtype))},
                     {"graph", graph},
                     {"ranks", pair.lists.size()},
                     {"times", pair.times},
                     {"calls", pair.lists[0].calls.size()},
                     {"planned_us", sides->planned.median() * each},
                     {"planned_p99_us", sides->planned.p99() * each},
                     {"by_hand_us", sides->by_hand.median() * each},
                     {"by_hand_p99_us", sides->by_hand.p99() * each},
                     {"ratio", sides->planned.median() / sides->by_hand.median()}};
    if (pair.target > 0) {
      row["target_ratio"] = pair.target;
    } else {
      row["target_us"] = graph ? kGraphLaunch : kEagerLaunch;
    }
    row["difference"] = pair.same ? ordered_json(sides->difference) : ordered_json();
    print_pair(pair, row);
    rows.push_back(std::move(row));
    good = good && sides->difference <= limit_of(pair.dtype);
  }
  return good;
}

}  // namespace isoshard::bench
