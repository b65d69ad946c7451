// The module isoshard._core: the library (include/isoshard) as Python has values. What people call is written in Python
// around it (isoshard/*.py). Arrays go through as bytes with a name, a dtype and a shape. Long work runs without
// Python's lock, on another thread, while the one that called looks for Ctrl-C (waiting.h). A progress callback takes
// the lock for as long as it runs.
#include <isoshard/isoshard.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "python/src/waiting.h"

namespace isoshard::python {
namespace {

namespace nb = nanobind;

/// Name, dtype, shape and bytes of an array.
using ArrayTuple = std::tuple<std::string, std::string, std::vector<int64_t>, nb::bytes>;
/// The name of an input, and its text where it is no file.
using InputTuple = std::tuple<std::string, std::optional<std::string>>;
using Progress = std::optional<std::function<void(const std::string&)>>;

Input input_of(const InputTuple& input) {
  const auto& [name, text] = input;
  return text ? Input::text(name, *text) : Input(name);
}

LoadOptions load_options(std::map<std::string, int64_t> mesh, int64_t devices,
                         std::map<std::string, std::string> settings) {
  LoadOptions options;
  options.mesh = std::move(mesh);
  options.devices = devices;
  options.settings = std::move(settings);
  return options;
}

std::vector<ArrayTuple> to_tuples(const std::vector<NamedArray>& arrays) {
  std::vector<ArrayTuple> tuples;
  for (const NamedArray& array : arrays) {
    tuples.emplace_back(array.name, array.dtype, array.shape, nb::bytes(array.bytes.data(), array.bytes.size()));
  }
  return tuples;
}

std::vector<NamedArray> to_arrays(const std::vector<ArrayTuple>& tuples) {
  std::vector<NamedArray> arrays;
  for (const auto& [name, dtype, shape, bytes] : tuples) {
    NamedArray& array = arrays.emplace_back(NamedArray{name, dtype, shape, {}});
    array.bytes.resize(bytes.size());
    if (bytes.size() > 0) std::memcpy(array.bytes.data(), bytes.data(), bytes.size());
  }
  return arrays;
}

/// Called without the lock; a callback that raises ends the work.
ProgressCallback callback_of(const Progress& progress) {
  if (!progress) return {};
  return [call = *progress](const std::string& part) {
    const nb::gil_scoped_acquire lock;
    call(part);
  };
}

/// Does `work(settings)` for a caller who waits for it; settings have a token and a callback.
template <class Settings, class Work>
auto wait_with(Settings settings, const Progress& progress, const Work& work) {
  settings.progress = callback_of(progress);
  const nb::gil_scoped_release unlocked;
  return wait_for(settings.stop, [&] { return work(settings); });
}

Report check(const Programs& programs, size_t claim, uint64_t seed, int workers, bool gradients, bool accept_sampled,
             int error_exponent, const Progress& progress) {
  CheckSettings settings;
  settings.seed = seed;
  settings.workers = workers;
  settings.gradients = gradients;
  settings.accept_sampled = accept_sampled;
  settings.error_exponent = error_exponent;
  return wait_with(settings, progress, [&](const CheckSettings& all) { return programs.check(claim, all); });
}

std::vector<ArrayTuple> simulate(const Programs& programs, const std::vector<ArrayTuple>& arrays,
                                 const std::string& program, uint64_t seed, int workers, int64_t steps, bool f64,
                                 const Progress& progress) {
  SimulateSettings settings;
  settings.program = program;
  settings.seed = seed;
  settings.workers = workers;
  settings.steps = steps;
  settings.f64 = f64;
  const std::vector<NamedArray> given = to_arrays(arrays);
  return to_tuples(
      wait_with(settings, progress, [&](const SimulateSettings& all) { return programs.simulate(given, all); }));
}

/// Raises the class of isoshard._errors that is called `name`; a bug of isoshard may come before that module is there.
void raise(const char* name, const char* text, const std::vector<Finding>& findings) {
  const nb::object type = nb::module_::import_("isoshard._errors").attr(name);
  PyErr_SetObject(type.ptr(), type(text, nb::cast(findings)).ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RunError& error) {
    raise("RunError", error.what(), error.findings());
  } catch (const InputError& error) {
    raise("InputError", error.what(), error.findings());
  } catch (const LibraryError& error) {
    raise("LibraryError", error.what(), {});
  }
}

void bind_values(nb::module_& m) {
  nb::class_<Finding>(m, "Finding")
      .def_ro("is_error", &Finding::is_error)
      .def_ro("rule", &Finding::rule)
      .def_ro("file", &Finding::file)
      .def_ro("line", &Finding::line)
      .def_ro("column", &Finding::column)
      .def_ro("message", &Finding::message)
      .def_ro("text", &Finding::text)
      .def("__repr__", [](const Finding& finding) { return "<Finding " + finding.text + ">"; });
  nb::class_<Report>(m, "Report")
      .def("verdict", [](const Report& report) { return std::string(to_string(report.verdict())); })
      .def("exit_code", &Report::exit_code)
      .def("headline", &Report::headline)
      .def("outputs",
           [](const Report& report) {
             std::vector<std::tuple<std::string, std::string, std::string, std::string>> outputs;
             for (const OutputFinding& o : report.outputs()) {
               outputs.emplace_back(o.name, o.type, to_string(o.verdict), o.message);
             }
             return outputs;
           })
      .def("counterexample", [](const Report& report) { return to_tuples(report.counterexample()); })
      .def("text", &Report::text, nb::arg("colour") = false, nb::arg("explain") = false)
      .def("json", &Report::json)
      .def("seconds", &Report::seconds);
}

void bind_programs(nb::module_& m) {
  nb::class_<Programs>(m, "Programs")
      .def("names", &Programs::names)
      .def("claims",
           [](const Programs& programs) {
             std::vector<std::tuple<std::string, std::string, std::string>> claims;
             for (const Claim& claim : programs.claims()) claims.emplace_back(claim.left, claim.right, claim.location);
             return claims;
           })
      .def("globals",
           [](const Programs& programs) {
             std::vector<std::tuple<std::string, std::string, std::string>> globals;
             for (const GlobalType& global : programs.globals())
               globals.emplace_back(global.name, global.type, global.role);
             return globals;
           })
      .def("warnings", &Programs::warnings)
      .def("check", &check, nb::arg("claim"), nb::arg("seed"), nb::arg("workers"), nb::arg("gradients"),
           nb::arg("accept_sampled"), nb::arg("error_exponent"), nb::arg("progress").none())
      .def("simulate", &simulate, nb::arg("arrays"), nb::arg("program"), nb::arg("seed"), nb::arg("workers"),
           nb::arg("steps"), nb::arg("f64"), nb::arg("progress").none())
      .def("show", &Programs::show, nb::arg("program") = "", nb::arg("types") = false)
      .def("lower", &Programs::lower, nb::arg("program") = "");
}

}  // namespace
}  // namespace isoshard::python

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  using namespace isoshard;
  nb::register_exception_translator(&python::translate);
  python::bind_values(m);
  python::bind_programs(m);
  m.def("version", &version);
  m.def(
      "load",
      [](const python::InputTuple& input, std::map<std::string, int64_t> mesh, int64_t devices,
         std::map<std::string, std::string> settings) {
        const nb::gil_scoped_release unlocked;
        return load(python::input_of(input), python::load_options(std::move(mesh), devices, std::move(settings)));
      },
      nb::arg("input"), nb::arg("mesh"), nb::arg("devices"), nb::arg("settings"));
  m.def(
      "load_pair",
      [](const python::InputTuple& sharded, const python::InputTuple& reference, std::map<std::string, int64_t> mesh,
         std::map<std::string, std::string> ranges, size_t arrays) {
        const nb::gil_scoped_release unlocked;
        LoadOptions options = python::load_options(std::move(mesh), 0, {});
        options.ranges = std::move(ranges);
        options.arrays = arrays;
        return load_pair(python::input_of(sharded), python::input_of(reference), options);
      },
      nb::arg("sharded"), nb::arg("reference"), nb::arg("mesh"), nb::arg("ranges"), nb::arg("arrays"));
}
