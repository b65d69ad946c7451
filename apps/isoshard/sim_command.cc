#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/isoshard/arrays.h"
#include "apps/isoshard/json_output.h"
#include "apps/isoshard/load.h"
#include "apps/isoshard/terminal.h"
#include "core/parallel/init_program.h"
#include "core/plan/lower.h"
#include "core/text/json_fields.h"
#include "core/value/threefry.h"
#include "sim/assemble.h"
#include "sim/conversion.h"
#include "sim/domains/f32_f64.h"
#include "sim/domains/ring_a.h"
#include "sim/engine.h"
#include "sim/memory_estimate.h"
#include "sim/per_device.h"
#include "sim/steps.h"

namespace isoshard::app {
namespace {

constexpr size_t kRingLanes = 2;

/// An output of the program with the name it has in the archive.
struct NamedOutput {
  std::string name;
  bool is_update;
  sim::Assembled whole;
};

/// What is told of an array: the numbers themselves go into the archive.
struct Summary {
  double mean = 0, largest = 0;
  bool finite = true;
};

Summary summarise(const Tensor& tensor) {
  Summary result;
  double sum = 0;
  for (size_t i = 0; i < static_cast<size_t>(tensor.size()); ++i) {
    const double x = sim::number_at(tensor, i);
    result.finite = result.finite && std::isfinite(x);
    sum += x;
    result.largest = std::max(result.largest, std::fabs(x));
  }
  if (tensor.size() != 0) result.mean = sum / static_cast<double>(tensor.size());
  return result;
}

/// `  @y  f32[24,840]  mean 0.0123  largest 4.56` for people.
std::string summary_line(const std::string& name, const Tensor& tensor) {
  const Summary summary = summarise(tensor);
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "mean %.6g  largest %.6g", summary.mean, summary.largest);
  std::string line = "  @" + name + "  " + to_string(tensor.dtype(), tensor.shape()) + "  ";
  return line + (summary.finite ? numbers : "contains inf or nan") + "\n";
}

/// JSON has no inf and nan: they are strings there.
nlohmann::ordered_json number_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

/// Type and summary of an array, and its elements in row-major order while they are few.
nlohmann::ordered_json array_json(const NamedTensor& array) {
  constexpr int64_t kMostValues = 1000;
  const Tensor& tensor = array.tensor;
  nlohmann::ordered_json json{{"name", array.name}, {"dtype", name(tensor.dtype())}, {"shape", tensor.shape()}};
  const Summary summary = summarise(tensor);
  json["finite"] = summary.finite;
  if (summary.finite) {
    json["mean"] = summary.mean;
    json["largest"] = summary.largest;
  }
  if (tensor.size() > kMostValues) return json;
  json["values"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < static_cast<size_t>(tensor.size()); ++i) {
    const bool is_key = tensor.dtype() == DType::key;  // a double does not hold its 64 bits
    json["values"].push_back(is_key ? nlohmann::ordered_json(tensor.as<uint64_t>()[i])
                                    : number_json(sim::number_at(tensor, i)));
  }
  return json;
}

void report_replicas(const NamedOutput& output, const Mesh& mesh, DiagnosticSink& sink) {
  if (output.whole.disagreements.empty()) return;
  const sim::Disagreement& first = output.whole.disagreements.front();
  std::string index;
  for (const int64_t i : first.index) index += (index.empty() ? "" : ", ") + std::to_string(i);
  sink.warning("I-replicas", {},
               (output.is_update ? "updated @" : "output @") + output.name + ": the devices at positions " +
                   std::to_string(first.position) + " and " + std::to_string(first.other) + " of mesh @" + mesh.name() +
                   " hold different copies, first at [" + index + "]; the first copy is written");
}

/// What is run: a program, and where it is an init program the global of its key.
struct Chosen {
  ProgramId program;
  std::optional<GlobalId> key;
};

std::optional<std::vector<sim::Value>> read_inputs(const Module& module, const Chosen& chosen,
                                                   const sim::Domain& domain, const Settings& settings,
                                                   DiagnosticSink& sink) {
  std::optional<std::vector<NamedTensor>> archive;
  if (!settings.read_arrays.empty()) {
    Result<std::vector<NamedTensor>> read = read_npz(settings.read_arrays);
    if (!read) {
      sink.add(read.error());
      return std::nullopt;
    }
    archive = std::move(*read);
  }
  std::optional<std::vector<Tensor>> arrays =
      gather_arrays(module, chosen.program, archive, settings.read_arrays, settings.seed, sink);
  if (!arrays) return std::nullopt;
  if (chosen.key) {
    const uint64_t key = threefry::key_of(static_cast<uint32_t>(settings.key));
    (*arrays)[chosen.key->index()] = Tensor::from<uint64_t>(DType::key, {}, std::vector{key});
  }
  std::vector<sim::Value> values;
  for (const Tensor& tensor : *arrays) values.push_back(sim::from_tensor(tensor, domain));
  return values;
}

/// All steps would be alike where nothing is updated.
bool check_steps(const Plan& plan, int64_t steps, DiagnosticSink& sink) {
  const bool updates =
      std::any_of(plan.outputs.begin(), plan.outputs.end(), [](const Output& o) { return o.updates.valid(); });
  if (steps == 1 || updates) return true;
  sink.error("I-steps", {},
             "--steps " + std::to_string(steps) + ": @" + plan.program +
                 " updates no global, so that all steps would be alike; leave --steps out");
  return false;
}

/// Assembles every output; the engine's Plan stores each element exactly once per replica.
std::vector<NamedOutput> assemble_all(const Plan& plan, const sim::RunResult& result) {
  std::vector<NamedOutput> outputs;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    outputs.push_back(NamedOutput{plan.outputs[i].name, plan.outputs[i].updates.valid(),
                                  sim::assemble(plan.outputs[i].type, result.outputs[i])});
  }
  return outputs;
}

/// The whole outputs, or what every device holds of them; those of --init are called by the paths of parameters, which
/// have slashes.
std::optional<std::vector<NamedTensor>> to_arrays(const std::vector<NamedOutput>& outputs, const sim::RunResult& result,
                                                  int64_t devices, const sim::Domain& domain, const Settings& settings,
                                                  DiagnosticSink& sink) {
  std::vector<NamedTensor> arrays;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Result<sim::Value> value = outputs[i].whole.value;
    if (settings.per_device) value = sim::stack_devices(outputs[i].name, result.outputs[i], devices);
    if (!value) {
      sink.add(value.error());
      return std::nullopt;
    }
    std::string name = outputs[i].name;
    if (settings.init) std::replace(name.begin(), name.end(), '.', '/');
    arrays.push_back(NamedTensor{std::move(name), sim::to_tensor(*value, domain)});
  }
  return arrays;
}

std::string devices_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " device" : " virtual devices");
}

/// A run that came to its end.
struct Simulated {
  std::string program;
  int64_t devices = 1;
  std::string domain;
  int64_t steps = 1;
  double seconds = 0;
  std::vector<NamedTensor> arrays;
};

std::string describe(const Simulated& run) {
  char time[32];
  std::snprintf(time, sizeof time, "%.1f ms", run.seconds * 1e3);
  std::string text = "@" + run.program + " on " + devices_text(run.devices) + ", domain " + run.domain + ", " +
                     (run.steps > 1 ? std::to_string(run.steps) + " steps, " : "") + time + "\n";
  for (const NamedTensor& array : run.arrays) text += summary_line(array.name, array.tensor);
  return text;
}

/// The same as JSON; without `run` there are only diagnostics.
std::string describe_json(const std::optional<Simulated>& run, const Settings& settings, int code,
                          const DiagnosticSink& sink) {
  nlohmann::ordered_json json = json_envelope(code);
  json["input"] = settings.inputs[0];
  if (run) {
    json["program"] = run->program;
    json["devices"] = run->devices;
    json["domain"] = run->domain;
    json["steps"] = run->steps;
    json["seed"] = settings.seed;
    json["seconds"] = run->seconds;
    json["outputs"] = nlohmann::ordered_json::array();
    for (const NamedTensor& array : run->arrays) json["outputs"].push_back(array_json(array));
  }
  if (!sink.diagnostics().empty()) json["diagnostics"] = to_json(sink.diagnostics());
  return text::json_to_text(json);
}

/// A program with state errors has no agreed meaning: for `sim` that is bad input (`check` judges it).
bool reject_state_errors(const Module& module, ProgramId program, DiagnosticSink& sink) {
  for (const Diagnostic& error : module.state_errors(program)) sink.add(error);
  return sink.has_errors();
}

/// Reports a run that this machine's memory cannot hold: globals are held as arrays as well.
bool fits_memory(const Plan& plan, const sim::Domain& domain, int workers, DiagnosticSink& sink) {
  sim::MemoryEstimate estimate = sim::estimate_memory(plan, domain, workers);
  estimate.globals *= 2;
  const std::optional<Diagnostic> error = sim::exceeds_memory(
      "@" + plan.program + " on " + devices_text(plan.mesh->device_count()), estimate, sim::machine_memory());
  if (error) sink.add(*error);
  return !error;
}

/// Runs `program` and writes its outputs; nothing after an error, whose exit code is `code` then.
std::optional<Simulated> simulate(const Module& module, const Chosen& chosen, const Settings& settings,
                                  DiagnosticSink& sink, int& code) {
  const sim::RingDomain ring(kRingLanes, settings.seed);
  const sim::Domain& domain = settings.domain == "ring"  ? static_cast<const sim::Domain&>(ring)
                              : settings.domain == "f64" ? sim::float_domain(sim::Precision::f64)
                                                         : sim::float_domain(sim::Precision::as_written);
  code = kBadInput;
  const Plan plan = lower(module, chosen.program);
  if (!check_steps(plan, settings.steps, sink)) return std::nullopt;
  if (!fits_memory(plan, domain, settings.workers, sink)) return std::nullopt;
  const std::optional<std::vector<sim::Value>> inputs = read_inputs(module, chosen, domain, settings, sink);
  if (!inputs) return std::nullopt;
  sim::RunOptions options;
  options.workers = settings.workers;
  options.interleave_seed = settings.interleave_seed;
  // The next step goes on with the first copy: those of earlier steps are compared as well.
  const auto copies = [&](int64_t step, const sim::RunResult& stored) {
    if (step == settings.steps || !sink.diagnostics().empty()) return;
    for (const NamedOutput& output : assemble_all(plan, stored)) {
      if (output.is_update) report_replicas(output, *plan.mesh, sink);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  const Result<sim::RunResult> result = sim::run_steps(plan, domain, *inputs, settings.steps, options, copies);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!result) {
    sink.add(result.error());
    code = kDoesNotHold;
    return std::nullopt;
  }
  const std::vector<NamedOutput> outputs = assemble_all(plan, *result);
  for (const NamedOutput& output : outputs) report_replicas(output, *plan.mesh, sink);
  std::optional<std::vector<NamedTensor>> arrays =
      to_arrays(outputs, *result, plan.mesh->device_count(), domain, settings, sink);
  if (!arrays) return std::nullopt;
  Simulated run{plan.program,   plan.mesh->device_count(), std::string(domain.name()),
                settings.steps, elapsed.count(),           std::move(*arrays)};
  if (!settings.write_arrays.empty()) {
    const Result<void> written = write_npz(settings.write_arrays, run.arrays);
    if (!written) {
      sink.add(written.error());
      return std::nullopt;
    }
  }
  code = kHolds;
  return run;
}

/// The program of the settings, or with --init the one that draws its parameters.
std::optional<Chosen> choose(const Module& module, const Settings& settings, DiagnosticSink& sink) {
  const std::optional<ProgramId> program = choose_program(module, settings.inputs[0], settings, sink);
  if (!program) return std::nullopt;
  if (!settings.init) return Chosen{*program, std::nullopt};
  const std::optional<InitProgram> init = find_init_program(module, *program);
  if (init) return Chosen{init->program, init->key};
  const std::string& name = module.program(*program).name();
  sink.error("I-init", {},
             "--init: @" + name + " has no program @" + name +
                 "_init that draws its parameters; expected a model made of modules, as tp_dense, or leave --init out: "
                 "what is not given is drawn from --seed");
  return std::nullopt;
}

std::optional<Simulated> simulate_input(const Settings& settings, DiagnosticSink& sink, int& code) {
  code = kBadInput;
  const std::optional<Module> module = load(settings.inputs[0], settings, sink);
  if (!module) return std::nullopt;
  const std::optional<Chosen> chosen = choose(*module, settings, sink);
  if (!chosen || reject_state_errors(*module, chosen->program, sink)) return std::nullopt;
  return simulate(*module, *chosen, settings, sink, code);
}

}  // namespace

int run_sim(const Settings& settings) {
  DiagnosticSink sink;
  int code = kBadInput;
  const std::optional<Simulated> run = simulate_input(settings, sink, code);
  std::string text = run ? describe(*run) : "";
  if (settings.json) text = describe_json(run, settings, code, sink);
  const bool written = write_out(text);
  print_diagnostics(sink.diagnostics(), settings.color);
  return written ? code : kBadInput;
}

}  // namespace isoshard::app
