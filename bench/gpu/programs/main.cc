// exec_bench collectives|overlap|by_hand [options]: times what exec issues, on GPUs or, to see that it works, on the
// stand-in. Tables go to standard output under a header with date, devices and versions, rows to --json FILE as well.
// Exit code 1 where elements are wrong or ranks fail, 2 for wrong arguments, 77 where there is no device.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu/programs/by_hand_table.h"
#include "bench/gpu/programs/collective_kind.h"
#include "bench/gpu/programs/collective_sweep.h"
#include "bench/gpu/programs/overlap.h"
#include "bench/gpu/programs/pairs.h"

namespace isoshard::bench {
namespace {

using exec::Outcome;
using nlohmann::ordered_json;

struct Arguments {
  RunSettings run;
  SweepSettings sweep;
  std::string model;
  std::vector<std::string> mesh, sets;  ///< `model=2`, `b=64`
  calls::Products products = calls::Products::library;
  PairSizes sizes;
  DType pair_dtype = DType::bf16;
  std::string only;  ///< the name of one pair; empty: all
  std::string json;
};

void add_shared(CLI::App& app, Arguments& arguments) {
  const std::map<std::string, exec::Device> devices = {{"cuda", exec::Device::cuda},
                                                       {"cpu-standin", exec::Device::cpu_standin}};
  app.add_option("--device", arguments.run.device, "cuda, or cpu-standin, whose times mean nothing")
      ->transform(CLI::CheckedTransformer(devices));
  app.add_flag("--oversubscribe", arguments.run.oversubscribe, "several ranks on one GPU");
  app.add_option("-w,--warm-up", arguments.run.warm_up, "steps before the first that counts")
      ->check(CLI::NonNegativeNumber);
  app.add_option("-s,--steps", arguments.run.steps, "steps that count")->check(CLI::PositiveNumber);
  app.add_option("--deadline", arguments.run.deadline, "seconds that a step may take")->check(CLI::PositiveNumber);
  app.add_option("--json", arguments.json, "write the rows to this file, too");
}

CLI::App* add_collectives(CLI::App& app, Arguments& arguments) {
  CLI::App* const collectives = app.add_subcommand("collectives", "collectives over sizes, as nccl-tests has them");
  SweepSettings& sweep = arguments.sweep;
  const std::map<std::string, DType> dtypes = {
      {"f32", DType::f32}, {"f64", DType::f64}, {"bf16", DType::bf16}, {"f16", DType::f16}};
  collectives->add_option("-n,--ranks", sweep.ranks, "ranks")->check(CLI::Range(2, 64));
  collectives->add_option("-b,--minbytes", sweep.smallest, "the smallest size")->transform(CLI::AsSizeValue(false));
  collectives->add_option("-e,--maxbytes", sweep.largest, "the largest size")->transform(CLI::AsSizeValue(false));
  collectives->add_option("-f,--stepfactor", sweep.factor, "from one size to the next")->check(CLI::Range(2, 1 << 20));
  collectives->add_option("-m,--calls", sweep.calls, "calls in a step")->check(CLI::Range(1, 10000));
  collectives->add_option("-d,--datatype", sweep.dtype, "f32, f64, bf16 or f16")
      ->transform(CLI::CheckedTransformer(dtypes));
  std::vector<std::string> names;
  for (const CollectiveKind& kind : collective_kinds()) names.emplace_back(kind.name);
  collectives->add_option("--only", sweep.only, "one of them")->check(CLI::IsMember(names));
  add_shared(*collectives, arguments);
  return collectives;
}

CLI::App* add_overlap(CLI::App& app, Arguments& arguments) {
  CLI::App* const overlap =
      app.add_subcommand("overlap", "programs: all calls, kernels alone, communication alone, and what is exposed");
  const std::map<std::string, calls::Products> products = {
      {"exact", calls::Products::exact}, {"library", calls::Products::library}, {"tf32", calls::Products::tf32}};
  overlap->add_option("--products", arguments.products, "exact, library or tf32")
      ->transform(CLI::CheckedTransformer(products));
  overlap->add_option("model", arguments.model, "a model of the catalogue (isoshard models)")->required();
  overlap->add_option("--mesh", arguments.mesh, "sizes of axes: data=1,model=2")->delimiter(',');
  overlap->add_option("--set", arguments.sets, "sizes of the model: b=8192");
  add_shared(*overlap, arguments);
  return overlap;
}

CLI::App* add_by_hand(CLI::App& app, Arguments& arguments) {
  CLI::App* const by_hand =
      app.add_subcommand("by_hand", "an MLP, products, kernels and launches beside the same written by hand, by turns");
  PairSizes& sizes = arguments.sizes;
  const std::map<std::string, DType> dtypes = {{"f32", DType::f32}, {"bf16", DType::bf16}};
  by_hand->add_option("--only", arguments.only, "one of them")->check(CLI::IsMember(pair_names()));
  by_hand->add_option("-d,--datatype", arguments.pair_dtype, "f32 or bf16")->transform(CLI::CheckedTransformer(dtypes));
  const auto add = [&](const char* names, int64_t& size, const char* doc) {
    by_hand->add_option(names, size, doc)->check(CLI::Range(1, 1 << 24));
  };
  by_hand->add_option("-n,--ranks", sizes.ranks, "of tp_mlp")->check(CLI::Range(1, 64));
  add("--batch", sizes.batch, "rows of tp_mlp and its product");
  add("--features", sizes.features, "of tp_mlp, in and out");
  add("--hidden", sizes.hidden, "features of tp_mlp");
  add("--rows", sizes.rows, "of what goes through memory once");
  add("--columns", sizes.columns, "of the same");
  by_hand->add_option("-m,--calls", sizes.times, "calls in a step")->check(CLI::Range(1, 10000));
  by_hand->add_option("--launches", sizes.launches, "of a small kernel in a step")->check(CLI::Range(1, 10000));
  add_shared(*by_hand, arguments);
  return by_hand;
}

/// The time, the devices and the versions; what they are told behind.
Outcome<ordered_json> print_header(const Arguments& arguments, int64_t ranks) {
  const Outcome<std::string> machine = machine_of(arguments.run, ranks);
  if (!machine) return tl::unexpected(machine.error());
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf("# exec_bench %s, %s; median of %lld steps behind %lld, of the slowest rank%s\n", date, machine->c_str(),
              static_cast<long long>(arguments.run.steps), static_cast<long long>(arguments.run.warm_up),
              arguments.run.device == exec::Device::cuda ? "" : "; times of the stand-in mean nothing");
  return ordered_json{{"date", date}, {"machine", *machine}, {"steps", arguments.run.steps}};
}

/// `name=value` in two.
std::pair<std::string, std::string> halves(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) throw CLI::ValidationError(text, "expected NAME=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The model of the arguments; what is wrong with it is printed.
std::optional<ModelRequest> request_of(const Arguments& arguments) {
  ModelRequest request{arguments.model, {}, {}};
  for (const std::string& axis : arguments.mesh) {
    const auto [name, size] = halves(axis);
    if (size.empty() || size.size() > 6 || size.find_first_not_of("0123456789") != std::string::npos) {
      throw CLI::ValidationError(axis, "expected a number of devices");
    }
    request.mesh.push_back({name, std::stoll(size)});
  }
  for (const std::string& set : arguments.sets) {
    const auto [name, value] = halves(set);
    request.settings.push_back({name, value});
  }
  DiagnosticSink sink;
  if (make_model(request, sink)) return request;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    std::fprintf(stderr, "error: %s [%s]\n", diagnostic.message.c_str(), diagnostic.rule.c_str());
  }
  return std::nullopt;
}

int report(const exec::Failure& failure) {
  std::fprintf(stderr, "error: %s\n", failure.message.c_str());
  if (failure.kind == exec::Failure::Kind::unsupported) return 2;
  return failure.kind == exec::Failure::Kind::no_device ? 77 : 1;
}

bool write_json(const std::string& path, const ordered_json& json) {
  if (path.empty()) return true;
  std::ofstream file(path);
  file << json.dump(1) << "\n";
  file.close();
  if (file) return true;
  std::fprintf(stderr, "error: %s cannot be written\n", path.c_str());
  return false;
}

int run_collectives(const Arguments& arguments) {
  Outcome<ordered_json> json = print_header(arguments, arguments.sweep.ranks);
  if (!json) return report(json.error());
  (*json)["ranks"] = arguments.sweep.ranks;
  const Outcome<int64_t> wrong = sweep_collectives(arguments.sweep, arguments.run, (*json)["rows"]);
  if (!wrong) return report(wrong.error());
  return write_json(arguments.json, *json) && *wrong == 0 ? 0 : 1;
}

int run_overlap(const Arguments& arguments) {
  const std::optional<ModelRequest> request = request_of(arguments);
  if (!request) return 2;
  Outcome<ordered_json> json = print_header(arguments, ranks_of(*request));
  if (!json) return report(json.error());
  print_overlap_head();
  const Outcome<> measured = measure_overlap(*request, arguments.products, arguments.run, (*json)["rows"]);
  if (!measured) return report(measured.error());
  return write_json(arguments.json, *json) ? 0 : 1;
}

int run_by_hand(const Arguments& arguments) {
  Outcome<ordered_json> json = print_header(arguments, arguments.sizes.ranks);
  if (!json) return report(json.error());
  print_by_hand_head();
  bool good = true;
  for (const std::string& name : pair_names()) {
    if (!arguments.only.empty() && arguments.only != name) continue;
    const Outcome<Pair> pair = make_pair_of(name, arguments.pair_dtype, arguments.sizes);
    if (!pair) return report(pair.error());
    const Outcome<bool> measured = measure_by_hand(*pair, arguments.run, (*json)["rows"]);
    if (!measured) return report(measured.error());
    good = good && *measured;
  }
  std::printf("# outputs by hand: %s\n", good ? "as planned" : "DIFFERENT");
  return write_json(arguments.json, *json) && good ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app(
      "exec_bench times what exec issues: collectives, how much of their communication programs hide, and what the "
      "same "
      "takes that is written by hand.");
  Arguments arguments;
  app.require_subcommand(1);
  const CLI::App* const collectives = add_collectives(app, arguments);
  const CLI::App* const overlap = add_overlap(app, arguments);
  add_by_hand(app, arguments);
  try {
    app.parse(argc, argv);
    if (collectives->parsed()) return run_collectives(arguments);
    return overlap->parsed() ? run_overlap(arguments) : run_by_hand(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace
}  // namespace isoshard::bench

int main(int argc, char** argv) { return isoshard::bench::run(argc, argv); }
