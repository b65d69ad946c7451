#include <chrono>
#include <cmath>
#include <cstdio>

#include "apps/isoshard/arrays.h"
#include "apps/isoshard/load.h"
#include "apps/isoshard/terminal.h"
#include "core/plan/lower.h"
#include "core/support/check.h"
#include "sim/assemble.h"
#include "sim/conversion.h"
#include "sim/domains/f32_f64.h"
#include "sim/domains/ring_a.h"
#include "sim/engine.h"

namespace isoshard::app {
namespace {

constexpr size_t kRingLanes = 2;

/// An output of the program with the name it has in the archive.
struct NamedOutput {
  std::string name;
  sim::Assembled whole;
};

double element(const Tensor& tensor, size_t i) {
  switch (tensor.dtype()) {
    case DType::pred:
      return tensor.as<uint8_t>()[i];
    case DType::i32:
      return tensor.as<int32_t>()[i];
    case DType::u32:
      return tensor.as<uint32_t>()[i];
    case DType::i64:
      return static_cast<double>(tensor.as<int64_t>()[i]);
    case DType::key:
      return static_cast<double>(tensor.as<uint64_t>()[i]);
    case DType::bf16:
    case DType::f16:
      internal_error("summary", "no 16-bit floats yet", __FILE__, __LINE__);
    case DType::f32:
      return static_cast<double>(tensor.as<float>()[i]);
    case DType::f64:
      return tensor.as<double>()[i];
  }
  return 0;
}

/// `@y  f32[24,840]  mean 0.0123  largest 4.56` for people; the numbers themselves go into the archive.
std::string summary(const std::string& name, const Tensor& tensor) {
  double sum = 0, largest = 0;
  bool finite = true;
  for (size_t i = 0; i < static_cast<size_t>(tensor.size()); ++i) {
    const double x = element(tensor, i);
    finite = finite && std::isfinite(x);
    sum += x;
    largest = std::max(largest, std::fabs(x));
  }
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "mean %.6g  largest %.6g",
                tensor.size() ? sum / static_cast<double>(tensor.size()) : 0.0, largest);
  std::string line = "  @" + name + "  " + to_string(tensor.dtype(), tensor.shape()) + "  ";
  return line + (finite ? numbers : "contains inf or nan") + "\n";
}

void report_replicas(const NamedOutput& output, const Mesh& mesh, DiagnosticSink& sink) {
  if (output.whole.disagreements.empty()) return;
  const sim::Disagreement& first = output.whole.disagreements.front();
  std::string index;
  for (const int64_t i : first.index) index += (index.empty() ? "" : ", ") + std::to_string(i);
  sink.warning("I-replicas", {},
               "output @" + output.name + ": the devices at positions " + std::to_string(first.position) + " and " +
                   std::to_string(first.other) + " of mesh @" + mesh.name() + " hold different copies, first at [" +
                   index + "]; the first copy is written");
}

std::optional<std::vector<sim::Value>> read_inputs(const Module& module, const sim::Domain& domain,
                                                   const Settings& settings, DiagnosticSink& sink) {
  std::optional<std::vector<NamedTensor>> archive;
  if (!settings.read_arrays.empty()) {
    Result<std::vector<NamedTensor>> read = read_npz(settings.read_arrays);
    if (!read) {
      sink.add(read.error());
      return std::nullopt;
    }
    archive = std::move(*read);
  }
  const std::optional<std::vector<Tensor>> arrays =
      gather_arrays(module.globals, archive, settings.read_arrays, settings.seed, sink);
  if (!arrays) return std::nullopt;
  std::vector<sim::Value> values;
  for (const Tensor& tensor : *arrays) values.push_back(sim::from_tensor(tensor, domain));
  return values;
}

/// Assembles every output; the engine's Plan stores each element exactly once per replica.
std::vector<NamedOutput> assemble_all(const Plan& plan, const sim::RunResult& result) {
  std::vector<NamedOutput> outputs;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    outputs.push_back(NamedOutput{plan.outputs[i].name, sim::assemble(plan.outputs[i].type, result.outputs[i])});
  }
  return outputs;
}

std::vector<NamedTensor> to_arrays(const std::vector<NamedOutput>& outputs, const sim::Domain& domain) {
  std::vector<NamedTensor> arrays;
  for (const NamedOutput& output : outputs) {
    arrays.push_back(NamedTensor{output.name, sim::to_tensor(output.whole.value, domain)});
  }
  return arrays;
}

std::string describe(const Plan& plan, const std::vector<NamedTensor>& arrays, const sim::Domain& domain,
                     double seconds) {
  char time[32];
  std::snprintf(time, sizeof time, "%.1f ms", seconds * 1e3);
  std::string text = "@" + plan.program + " on " + std::to_string(plan.mesh->device_count()) +
                     (plan.mesh->device_count() == 1 ? " device" : " virtual devices") + ", domain " +
                     std::string(domain.name()) + ", " + time + "\n";
  for (const NamedTensor& array : arrays) text += summary(array.name, array.tensor);
  return text;
}

/// A program with state errors has no agreed meaning: for `sim` that is bad input (`check` judges it).
bool reject_state_errors(const Module& module, ProgramId program, DiagnosticSink& sink) {
  for (const Diagnostic& error : module.state_errors(program)) sink.add(error);
  return sink.has_errors();
}

int simulate(const Module& module, ProgramId program, const Settings& settings, DiagnosticSink& sink) {
  const sim::RingDomain ring(kRingLanes, settings.seed);
  const sim::Domain& domain = settings.domain == "ring"  ? static_cast<const sim::Domain&>(ring)
                              : settings.domain == "f64" ? sim::float_domain(sim::Precision::f64)
                                                         : sim::float_domain(sim::Precision::as_written);
  const std::optional<std::vector<sim::Value>> inputs = read_inputs(module, domain, settings, sink);
  if (!inputs) return kBadInput;
  const Plan plan = lower(module, program);
  sim::RunOptions options;
  options.workers = settings.workers;
  options.interleave_seed = settings.interleave_seed;
  const auto start = std::chrono::steady_clock::now();
  const Result<sim::RunResult> result = sim::run(plan, domain, *inputs, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!result) {
    sink.add(result.error());
    return kDoesNotHold;
  }
  const std::vector<NamedOutput> outputs = assemble_all(plan, *result);
  for (const NamedOutput& output : outputs) report_replicas(output, *plan.mesh, sink);
  const std::vector<NamedTensor> arrays = to_arrays(outputs, domain);
  if (!settings.write_arrays.empty()) {
    const Result<void> written = write_npz(settings.write_arrays, arrays);
    if (!written) {
      sink.add(written.error());
      return kBadInput;
    }
  }
  return write_out(describe(plan, arrays, domain, elapsed.count())) ? kHolds : kBadInput;
}

}  // namespace

int run_sim(const Settings& settings) {
  const std::optional<Module> module = load(settings.inputs[0], settings);
  if (!module) return kBadInput;
  const std::optional<ProgramId> program = choose_program(*module, settings.inputs[0], settings);
  if (!program) return kBadInput;
  DiagnosticSink sink;
  const int code =
      reject_state_errors(*module, *program, sink) ? kBadInput : simulate(*module, *program, settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  return code;
}

}  // namespace isoshard::app
