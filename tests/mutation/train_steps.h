#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel/catalogue.h"
#include "tests/mutation/suite.h"

/// Random training steps of the catalogue, and all mistakes of one kind in them: a reduction left out or made twice.
namespace isoshard::mutation {

/// `count` requests of `train_step`, the same for a seed on every machine: any mesh of up to 12 devices, optimizer,
/// ZeRO stage and accumulation of the MLP; two steps each.
std::vector<ModelRequest> random_train_steps(uint64_t seed, uint32_t count);
/// What a request has, of: dp, fsdp, tp, pp (more than one device), accumulate (3 or more), its optimizer, model and
/// `zero=1`.., `clip`, `dropout`.
std::vector<std::string> features(const ModelRequest& request);

/// A place in a step or in a function that it calls where something is reduced, and what is done wrong there.
struct ReductionSite {
  enum class Mistake : uint8_t {
    drop,   ///< a sum over devices, a division by a count, what an accumulation has so far: left out
    twice,  ///< a sum over devices, a division by a count: made twice
    mark,   ///< `partial`: left out, which changes a state and no value
  };
  ProgramId program;
  OpId op;
  Mistake mistake;
};
/// All of them in the left program of the module's check and its functions.
std::vector<ReductionSite> reduction_sites(const Module& module);

/// The module with that mistake, its check about the wrong program, and where it is. Nothing where it cannot be
/// written.
struct WrongStep {
  Module module;
  std::string what;
};
std::optional<WrongStep> with_mistake(const Module& module, const ReductionSite& site);

struct TrainStepOptions {
  uint64_t seed = 1;
  uint32_t steps = 48;  ///< requests
  uint32_t every = 1;   ///< of all mistakes, one in so many
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
