// The file of algorithms of a run: read before ranks start, so that garbage stops nothing half-way, and written when
// all of them have chosen, before the first step, which may fail for other reasons. Cost: the file.
#include "command_line/commands/run_algorithms.h"

#include <utility>

#include "core/support/result.h"

namespace isoshard::command_line {

bool read_algorithms(const Settings& settings, std::optional<exec::AlgorithmCache>& cache, DiagnosticSink& sink) {
  if (settings.algorithms.empty()) return true;
  if (settings.products == "exact") {
    sink.error("I-algorithms", {},
               "--algorithms: with --products exact no product is cuBLASLt's; expected --products library or tf32");
    return false;
  }
  Result<exec::AlgorithmCache> read = exec::AlgorithmCache::read(settings.algorithms);
  if (read) {
    cache = std::move(*read);
  } else {
    sink.add(read.error());
  }
  return read.has_value();
}

bool keep_algorithms(const exec::Job& job, exec::AlgorithmCache& cache, DiagnosticSink& sink) {
  for (size_t rank = 0; rank < job.lists.size(); ++rank) {
    for (const exec::UsedAlgorithm& used : job.desk->algorithms(rank)) cache.note(used);
  }
  const Result<void> written = cache.write();
  if (!written) sink.add(written.error());
  return written.has_value();
}

}  // namespace isoshard::command_line
