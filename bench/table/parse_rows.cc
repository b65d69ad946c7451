#include "bench/table/measure/parsing.h"
#include "bench/table/table.h"

namespace isoshard::bench {

Rows parse_rows(Scale scale) {
  const std::int64_t bytes = scale == Scale::quick ? 20'000 : 10'000'000;
  const char* subject = "parse and verify a .shard file";
  const char* cost = "a minute and gigabytes";
  return {{subject, "10 MB", at_least(50, "MB/s"), "", "", 60, [=] { return parse_rate(bytes); }},
          {subject, "time of 100 MB against 10 MB", at_most(11, "x"), "10x: linear", cost, 240,
           [=] { return parse_growth(bytes); }},
          {subject, "memory of 100 MB against its text", at_most(12, "x"), "", cost, 240,
           [=] { return parse_memory(10 * bytes); }}};
}

}  // namespace isoshard::bench
