#include "bench/table/table.h"

#include <iterator>

namespace isoshard::bench {

Rows all_rows(Scale scale) {
  Rows all;
  for (Rows (*part)(Scale) : {kernel_rows, engine_rows, program_rows, check_rows, parse_rows}) {
    Rows rows = part(scale);
    all.insert(all.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  }
  return all;
}

}  // namespace isoshard::bench
