#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "tests/mutation/reductions.h"
#include "tests/mutation/suite.h"

/// Random training steps of the catalogue, and a reduction left out or made twice in them.
namespace isoshard::mutation {

/// `count` requests of `train_step`, the same for a seed on every machine: any mesh of up to 12 devices, optimizer,
/// ZeRO stage, accumulation and dropout; every fourth is a transformer of 1 or 2 layers, the others MLPs; two steps
/// each.
std::vector<ModelRequest> random_train_steps(uint64_t seed, uint32_t count);
/// What a request has, of: dp, fsdp, tp, pp (more than one device), accumulate (3 or more), its optimizer, model and
/// `zero=1`.., `clip`, `dropout`.
std::vector<std::string> features(const ModelRequest& request);

struct TrainStepOptions {
  uint64_t seed = 1;
  uint32_t steps = 48;    ///< requests
  uint32_t first = 0;     ///< of them, the first that is run
  uint32_t every = 1;     ///< of all mistakes, one in so many
  uint32_t workers = 1;   ///< threads; they change no result
  bool progress = false;  ///< a line on stderr for each request that is done
};
struct TrainStepOutcome {
  std::map<std::string, uint32_t> features;  ///< how many requests have each
  uint32_t equal = 0;                        ///< of the requests
  std::vector<Count> table;                  ///< per kind of mistake
  std::vector<std::string> findings;         ///< what must not be: each fails the suite
};
/// Every request is EQUAL without an error of states; every WRONG mistake is NOT EQUAL, no SAME one is.
TrainStepOutcome run_train_steps(const TrainStepOptions& options, const Checker& checker);
/// The numbers as Markdown.
std::string to_table(const TrainStepOutcome& outcome, const TrainStepOptions& options);

}  // namespace isoshard::mutation
