// Turns what a person names into a Module: a `.shard` file, or a model of the catalogue where the name looks like no
// file. Both take the same options: sizes of axes, one of which may be -1 for what the others leave of --devices, and
// values of lets or settings. Axes and settings are checked by whoever knows them, the elaboration or the catalogue.
// The program that is meant, where none is named, is the left side of the first check, or the only one that is no init
// program. JSON is refused with a word about what it was made from (docs/adr/0012-json.md).
#include "library/load/load.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "catalogue/catalogue.h"
#include "core/import/stablehlo/text/parse.h"
#include "core/plan/passes/inlined_size.h"
#include "core/support/quoted.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "library/load/load_stablehlo.h"
#include "parallel/sharding/initialize_mesh.h"
#include "parallel/training/init_program.h"

namespace isoshard::library {
namespace {

/// The text of this name, or the file.
Result<std::shared_ptr<const SourceFile>> read_input(const std::string& name, const LoadRequest& request) {
  const auto text = request.texts.find(name);
  if (text == request.texts.end()) return text::read_source(name);
  return std::make_shared<const SourceFile>(SourceFile{name, text->second});
}

bool is_file(const std::string& input, const LoadRequest& request) {
  struct stat info {};
  return request.texts.count(input) != 0 || input.find('/') != std::string::npos || input.ends_with(".shard") ||
         input.ends_with(".mlir") || is_json(input) || is_plan(input) || stat(input.c_str(), &info) == 0;
}

/// A size of -1 is what the other axes of --mesh leave of --devices.
std::optional<std::vector<MeshAxis>> fill_open_size(std::vector<MeshAxis> axes, const LoadRequest& request,
                                                    DiagnosticSink& sink) {
  const auto open = std::find_if(axes.begin(), axes.end(), [](const MeshAxis& axis) { return axis.size == -1; });
  if (open == axes.end()) return axes;
  if (!request.devices) {
    sink.error("C-devices", {},
               "--mesh " + open->name + "=-1: -1 is what the other axes leave; expected --devices N as well");
    return std::nullopt;
  }
  Result<std::vector<MeshAxis>> filled = fill_mesh_sizes(std::move(axes), *request.devices);
  if (filled) return std::move(*filled);
  filled.error().message = "--mesh: " + filled.error().message;
  sink.add(filled.error());
  return std::nullopt;
}

/// Every mesh of the programs has the number of --devices: axes that --mesh does not name have sizes, too.
void check_devices(const Module& module, const LoadRequest& request, DiagnosticSink& sink) {
  if (!request.devices) return;
  for (const Program& program : module.programs) {
    const Mesh& mesh = program.mesh();
    if (mesh.axis_count() == 0 || mesh.device_count() == *request.devices) continue;
    std::string axes;
    for (const MeshAxis& axis : mesh.axes()) {
      axes += (axes.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
    }
    sink.error("C-devices", {},
               "--devices " + std::to_string(*request.devices) + ": the mesh @" + mesh.name() + " of @" +
                   program.name() + " is (" + axes + "), " + std::to_string(mesh.device_count()) +
                   " devices; name all of its axes in --mesh, one of them with size -1");
    return;
  }
}

/// What elaboration does not ask: the number of devices, and how much each program is with its calls inlined.
void check_module(const Module& module, const LoadRequest& request, DiagnosticSink& sink) {
  check_devices(module, request, sink);
  for (size_t i = 0; i < module.programs.size(); ++i) {
    if (module.programs[i].kind() != ProgramKind::program) continue;
    if (std::optional<Diagnostic> error = exceeds_inlined_ops(module, ProgramId(i))) sink.add(std::move(*error));
  }
}

/// `model=4` of --mesh as numbers.
std::optional<std::vector<MeshAxis>> axis_sizes(const LoadRequest& request, DiagnosticSink& sink) {
  const std::optional<Pairs> pairs = parse_pairs(request.mesh, "--mesh", sink);
  if (!pairs) return std::nullopt;
  std::vector<MeshAxis> result;
  for (const auto& [axis, text] : *pairs) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || end != text.data() + text.size()) {
      sink.error("", {},
                 "--mesh " + axis + "=" + text + ": " + isoshard::quoted(text) +
                     (error == std::errc::result_out_of_range ? " is too large" : " is not an integer") +
                     "; expected a size of at least 1, as in --mesh " + axis + "=4");
      return std::nullopt;
    }
    result.push_back(MeshAxis{axis, size});
  }
  return fill_open_size(std::move(result), request, sink);
}

void refuse_json(const std::shared_ptr<const SourceFile>& source, DiagnosticSink& sink) {
  sink.error("P-json", Location::span(source, 1, 1, 2),
             "a .json file is no program: `isoshard show --json` writes JSON and nothing reads it; expected the .shard "
             "file that it was made from, or what `isoshard show` prints without --json");
}

/// A request whose sizes are read.
struct ReadRequest {
  const LoadRequest& request;
  std::vector<MeshAxis> mesh;
  Pairs set;
};

std::optional<Module> load_file(const std::string& path, const ReadRequest& wanted, DiagnosticSink& sink) {
  const auto& [request, mesh, set] = wanted;
  const Result<std::shared_ptr<const SourceFile>> source = read_input(path, request);
  if (!source) {
    sink.add(source.error());
    return std::nullopt;
  }
  if (is_json(path)) {
    refuse_json(*source, sink);
    return std::nullopt;
  }
  if (is_plan(path)) {
    sink.error(
        "", {},
        path + " is a Plan, which `show`, `sim`, `run` and `check` read, and no program; expected a .shard file");
    return std::nullopt;
  }
  if (path.ends_with(".py")) {
    sink.error("", {},
               path +
                   " is Python, which no command reads; call isoshard.check in it, with functions of JAX "
                   "(docs/python.md), or give the StableHLO texts that they lower to (docs/jax.md)");
    return std::nullopt;
  }
  if (stablehlo::looks_like_mlir((*source)->text)) {
    return refuse_settings(request, sink) ? std::nullopt : load_stablehlo(*source, mesh, request, sink);
  }
  if (refuse_text_options(path, request, sink)) return std::nullopt;
  text::ElaborateOptions options;
  for (const MeshAxis& axis : mesh) options.mesh_sizes.push_back({axis.name, axis.size});
  options.settings = set;
  return text::parse_module(*source, options, sink);
}

std::optional<Module> make_named(const std::string& name, const ReadRequest& wanted, DiagnosticSink& sink) {
  if (refuse_text_options(name, wanted.request, sink)) return std::nullopt;
  ModelRequest request{name, wanted.mesh, {}};
  for (const auto& [setting, value] : wanted.set) request.settings.push_back(SettingValue{setting, value});
  return make_model(request, sink);
}

using Load = std::optional<Module>(const std::string&, const ReadRequest&, DiagnosticSink&);

std::optional<Module> load_with(Load& load_input, const std::string& input, const LoadRequest& request,
                                DiagnosticSink& sink) {
  const std::optional<std::vector<MeshAxis>> mesh = axis_sizes(request, sink);
  const std::optional<Pairs> set = parse_pairs(request.set, "--set", sink);
  if (!mesh || !set) return std::nullopt;
  std::optional<Module> module = load_input(input, {request, *mesh, *set}, sink);
  if (module) check_module(*module, request, sink);
  if (sink.has_errors()) return std::nullopt;
  return module;
}

std::string program_names(const Module& module) {
  std::string names;
  for (const Program& program : module.programs) {
    if (program.kind() == ProgramKind::program) names += (names.empty() ? "@" : ", @") + program.name();
  }
  return names;
}

}  // namespace

bool is_json(const std::string& path) { return path.ends_with(".json"); }

bool is_plan(const std::string& path) { return path.ends_with(".plan"); }

bool is_stablehlo(const std::string& path, const LoadRequest& request) {
  if (path.ends_with(".mlir")) return true;
  if (!is_file(path, request) || path.ends_with(".shard") || is_json(path) || is_plan(path)) return false;
  const Result<std::shared_ptr<const SourceFile>> source = read_input(path, request);
  return source && stablehlo::looks_like_mlir((*source)->text);
}

std::optional<Module> load_pair(const std::string& left, const std::string& right, const LoadRequest& request,
                                DiagnosticSink& sink) {
  const std::optional<std::vector<MeshAxis>> mesh = axis_sizes(request, sink);
  if (!mesh || refuse_settings(request, sink)) return std::nullopt;
  const Result<std::shared_ptr<const SourceFile>> first = read_input(left, request),
                                                  second = read_input(right, request);
  for (const auto* source : {&first, &second}) {
    if (!*source) sink.add(source->error());
  }
  if (!first || !second) return std::nullopt;
  std::optional<Module> module = load_stablehlo_pair(*first, *second, *mesh, request, sink);
  if (module) check_module(*module, request, sink);
  if (sink.has_errors()) return std::nullopt;
  return module;
}

std::optional<Module> load(const std::string& input, const LoadRequest& request, DiagnosticSink& sink) {
  return load_with(is_file(input, request) ? load_file : make_named, input, request, sink);
}

std::optional<Module> load_model(const std::string& name, const LoadRequest& request, DiagnosticSink& sink) {
  return load_with(make_named, name, request, sink);
}

std::optional<ProgramId> choose_program(const Module& module, const std::string& input, const LoadRequest& request,
                                        DiagnosticSink& sink) {
  if (!request.program.empty()) {
    const std::string name = request.program.substr(request.program[0] == '@' ? 1 : 0);
    const std::optional<ProgramId> id = module.find_program(name);
    if (!id) sink.error("", {}, input + " has no program @" + name + "; expected one of " + program_names(module));
    return id;
  }
  if (!module.checks.empty()) return module.checks[0].left;
  std::optional<ProgramId> only;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    if (module.programs[i].kind() != ProgramKind::program || is_init_program(module, ProgramId(i))) continue;
    if (only) {
      sink.error(
          "", {},
          input + " has several programs and no check; choose one of " + program_names(module) + " with --program");
      return std::nullopt;
    }
    only = ProgramId(i);
  }
  if (!only) sink.error("", {}, input + " has no program; expected `program @name on @mesh { ... }`");
  return only;
}

}  // namespace isoshard::library
