#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "library/load/load_request.h"
#include "verify/answers/rung.h"

namespace isoshard::command_line {

/// Exit codes of every command (README): the claim holds, does not hold, bad input, could not decide; of `run` also
/// that there is nothing to run on, the code by which test programs know what was skipped.
enum ExitCode : int { kHolds = 0, kDoesNotHold = 1, kBadInput = 2, kUndecided = 3, kNoDevice = 77 };

/// The exit code of several results is that of the worst: bad input, does not hold, could not decide, holds.
int worst(int a, int b);

/// What the commands share: which programs, on which mesh, with which settings, and how to print.
struct Settings : library::LoadRequest {
  std::vector<std::string> inputs;  ///< FILEs or NAMEs of the catalogue
  uint64_t seed = 0;
  int workers = 0;
  std::string color = "auto";
  bool json = false;
  bool quiet = false;  ///< errors only

  // check
  std::string format = "text";         ///< or "json", "github", "sarif"
  bool warnings = true;                ///< tell what is no error and hardly meant
  bool strict = false;                 ///< of a sweep: meshes that do not divide sizes are errors
  std::vector<std::string> sweep;      ///< `data=1..3,model=1,2,4`, several times
  std::vector<std::string> sweep_set;  ///< `d=64,128,act=silu,gelu`, several times
  std::string accept;                  ///< "sampled": NOT REFUTED has exit code 0
  std::optional<verify::Rung> rung;    ///< the only one to try; empty: as many as are needed
  std::optional<uint64_t> lanes;       ///< exactly so many
  std::string error;                   ///< `2^-60`; empty: the default
  bool explain = false;
  bool grad = false;           ///< gradients in place of values
  std::string counterexample;  ///< the archive to write
  std::string against;         ///< `FILE@NAME`: what a Plan is compared with; empty: what its `check` lines say

  std::string page;  ///< where `check` writes a page; empty: nowhere

  // import, show
  std::string output;  ///< the file to write; empty: standard output

  // sim
  std::string read_arrays, write_arrays, domain = "f32";
  std::optional<uint64_t> interleave_seed;
  int64_t steps = 1;
  bool init = false;            ///< run the init program
  std::optional<uint64_t> key;  ///< of the init program: PRNGKey(key); without --init a run begins with what it gives
  bool per_device = false;      ///< outputs as every device holds them
  bool memory = false;          ///< what a device would hold, without a run
  bool planned = false;         ///< compute in the buffers that are planned

  bool sweeps() const { return !sweep.empty() || !sweep_set.empty(); }

  // run, beside what it shares with sim
  std::string device = "cuda";     ///< or "cpu-standin"
  std::string launcher;            ///< what ranks are: "processes" or "threads"; empty: as is usual on the device
  std::string products = "exact";  ///< or "library", "tf32"
  std::string algorithms;          ///< the file of algorithms that were chosen before; empty: none
  std::string fuse = "on";         ///< or "off"
  std::optional<int64_t> ranks;    ///< how many there are, only to be sure
  bool check = false;              ///< compare steps with sim
  int64_t check_every = 1;         ///< of so many steps one, and the last
  bool print_calls = false;        ///< what ranks issue, without a run
  std::optional<int64_t> rank;     ///< whose calls to print; empty: those of all
  int64_t repeat = 1;              ///< how often all steps are done
  bool time = false;               ///< tell the seconds of each step
  std::string graph = "auto";      ///< on: from the second step on a step is one launch of a CUDA graph; or "off"
  bool oversubscribe = false;      ///< several ranks on one GPU
  int64_t deadline = 60;           ///< seconds for a step

  // show
  bool types = false, plan = false, inline_calls = false, html = false, svg = false, grid = false;

  // fmt
  bool check_only = false;

  // ops
  bool markdown = false;
};

int run_check(const Settings& settings);
/// `check --sweep`: one row per mesh.
int run_sweep(const Settings& settings);
int run_sim(const Settings& settings);
/// `sim --memory`: the most that each device holds, from the Plan alone.
int run_memory(const Settings& settings);
/// Runs on devices, by CUDA and NCCL or their stand-in.
int run_run(const Settings& settings);
int run_show(const Settings& settings);
int run_import(const Settings& settings);
int run_models(const Settings& settings);
int run_make(const Settings& settings);
int run_fmt(const Settings& settings);
int run_ops(const Settings& settings);
/// `explain RULE`: what a rule means, with a program that breaks it and one that does not.
int run_explain(const Settings& settings);

}  // namespace isoshard::command_line
