// mutation_suite [--per-operator N] [--per-family N] [--gradients N] [--steps N] [--first-step N] [--one-mistake-in N]
//                [--seed N|fresh] [--page FILE]
//
// Attacks isoshard's checker with right rewrites and wrong mutations (N of each operator), with mistakes in programs
// of integers, masks, caches and the like (N in each family), with random gradient
// programs (N of them) and training steps (N) whose reductions are left out or doubled (all of those of the steps, or
// one in N); prints the tables, and what was found; --page writes them between two lines of FILE (docs/mutation.md). 0
// leaves a part out; with --first-step N, steps before that one are left out. Exit code 1 when the suite fails, 2 for
// wrong arguments.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>

#include "tests/mutation/families.h"
#include "tests/mutation/gradients.h"
#include "tests/mutation/suite.h"
#include "tests/mutation/train_steps.h"

namespace isoshard::mutation {
namespace {

struct Arguments {
  SuiteOptions options;
  FamilyOptions families;
  GradientOptions gradients;
  TrainStepOptions steps;
  std::string page;
  bool good = true;
};

uint64_t fresh_seed() { return std::random_device()(); }

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  arguments.steps.progress = true;
  arguments.steps.workers = std::max(1U, std::thread::hardware_concurrency());
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = [&] { return static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10)); };
    if (name == "--per-operator") {
      arguments.options.per_operator = number();
    } else if (name == "--per-family") {
      arguments.families.per_family = number();
    } else if (name == "--gradients") {
      arguments.gradients.programs = number();
    } else if (name == "--steps") {
      arguments.steps.steps = number();
    } else if (name == "--first-step") {
      arguments.steps.first = number();
    } else if (name == "--one-mistake-in") {
      arguments.steps.every = std::max(1U, number());
    } else if (name == "--seed") {
      const uint64_t seed = value == "fresh" ? fresh_seed() : std::strtoull(value.c_str(), nullptr, 10);
      arguments.options.seed = arguments.families.seed = arguments.gradients.seed = arguments.steps.seed = seed;
    } else if (name == "--page") {
      arguments.page = value;
    } else {
      arguments.good = false;
    }
  }
  return arguments;
}

void print(const std::vector<std::string>& texts, const char* title) {
  if (texts.empty()) return;
  std::printf("\n%s\n", title);
  for (const std::string& text : texts) std::printf("* %s\n", text.c_str());
}

/// The table and the undecided programs in place of what stands between the marks of `path`.
void write_page(const std::string& path, const std::string& table, const std::vector<std::string>& undecided) {
  const std::string begin = "<!-- table -->\n", end = "<!-- end of table -->";
  std::ifstream in(path);
  std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) {
    std::fprintf(stderr, "%s: no `%s` to write between\n", path.c_str(), end.c_str());
    std::exit(2);
  }
  std::string text = begin + "\n" + table;
  if (!undecided.empty()) text += "\nUndecided, with what is missing:\n\n";
  for (const std::string& line : undecided) text += "* " + line + "\n";
  page.replace(from, to - from, text + "\n");
  std::ofstream(path) << page;
}

int run(const Arguments& arguments) {
  std::printf("mutation suite, seed %llu\n", static_cast<unsigned long long>(arguments.options.seed));
  std::fflush(stdout);
  const auto begin = std::chrono::steady_clock::now();
  std::string table;
  const auto part = [&](bool wanted, const auto& options, const auto& run_it, bool diagnosis) {
    using Result = decltype(run_it(options, isoshard_checker(1)));
    if (!wanted) return Result{};
    Result result = run_it(options, isoshard_checker(options.seed, diagnosis));
    table += (table.empty() ? "" : "\n") + to_table(result, options);
    return result;
  };
  const Outcome outcome = part(arguments.options.per_operator > 0, arguments.options, run_suite, true);
  const FamilyOutcome families = part(arguments.families.per_family > 0, arguments.families, run_families, false);
  const GradientOutcome gradients = part(arguments.gradients.programs > 0, arguments.gradients, run_gradients, false);
  const TrainStepOutcome steps = part(arguments.steps.steps > 0, arguments.steps, run_train_steps, false);
  std::vector<std::string> undecided = outcome.undecided;
  for (const auto& [what, times] : families.undecided) undecided.push_back(what + " (" + std::to_string(times) + "x)");
  undecided.insert(undecided.end(), gradients.undecided.begin(), gradients.undecided.end());
  std::printf("%s", table.c_str());
  print(undecided, "Undecided:");
  print(outcome.findings, "FINDINGS: isoshard is wrong, or the suite is");
  print(families.findings, "FINDINGS in families:");
  print(gradients.findings, "FINDINGS in gradient programs:");
  print(steps.findings, "FINDINGS in training steps:");
  print(outcome.unmet, "UNMET:");
  std::printf("%.1f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (!arguments.page.empty()) write_page(arguments.page, table, undecided);
  return outcome.ok() && families.findings.empty() && gradients.findings.empty() && steps.findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace isoshard::mutation

int main(int argc, char** argv) {
  const isoshard::mutation::Arguments arguments = isoshard::mutation::parse(argc, argv);
  if (!arguments.good) {
    std::fprintf(
        stderr,
        "usage: mutation_suite [--per-operator N] [--per-family N] [--gradients N] [--steps N] [--first-step N] "
        "[--one-mistake-in N] [--seed N|fresh] [--page FILE]\n");
    return 2;
  }
  return isoshard::mutation::run(arguments);
}
