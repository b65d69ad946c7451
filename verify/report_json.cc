#include <cmath>
#include <nlohmann/json.hpp>

#include "verify/report.h"

namespace isoshard::verify {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no inf and nan.
Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json location_json(const Location& location) { return location.known() ? Json(location.to_string()) : Json(nullptr); }

Json diagnostic_json(const Diagnostic& d) {
  return Json{{"rule", d.rule}, {"location", location_json(d.location)}, {"message", d.message}};
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  Json result = Json::array();
  for (const Diagnostic& d : diagnostics) result.push_back(diagnostic_json(d));
  return result;
}

Json program_json(const ProgramReport& p) {
  return Json{{"name", p.name}, {"mesh", p.mesh.empty() ? Json(nullptr) : Json(p.mesh)}, {"devices", p.devices}};
}

Json counterexample_json(const Counterexample& c) {
  return Json{{"index", c.index},
              {"position", c.position},
              {"value", number_json(c.sharded)},
              {"reference", number_json(c.reference)},
              {"rounding", number_json(c.bound)},
              {"scale", c.scale},
              {"step", c.step}};
}

Json output_json(const OutputReport& o) {
  Json j{{"name", o.name}, {"type", to_string(o.type)}, {"verdict", name(o.verdict)}};
  j["kind"] = o.is_update ? "update" : "result";
  j["step"] = o.step;
  j["equal_in_ring"] = o.ring_equal;
  if (o.ratio) j["ratio"] = Json{{"value", to_string(*o.ratio)}, {"words", o.ratio_words}};
  if (!o.disagreeing.empty()) j["disagreeing_positions"] = o.disagreeing;
  if (o.floats.counterexample) j["counterexample"] = counterexample_json(*o.floats.counterexample);
  j["f64"] = Json{{"max_abs", number_json(o.floats.max_abs)},
                  {"max_rel", number_json(o.floats.max_rel)},
                  {"rounding", number_json(o.floats.max_bound)}};
  return j;
}

Json diagnosis_json(const Diagnosis& d) {
  return Json{{"value", d.value}, {"op", d.op},      {"step", d.step}, {"location", location_json(d.location)},
              {"cause", d.cause}, {"facts", d.facts}};
}

}  // namespace

std::string to_json(const CheckReport& r) {
  Json j{{"isoshard", 1}, {"location", location_json(r.location)}};
  j["left"] = program_json(r.left);
  j["right"] = program_json(r.right);
  if (!r.bad_input.empty()) j["bad_input"] = diagnostics_json(r.bad_input);
  if (r.bad_input.empty()) {
    j["state_errors"] = diagnostics_json(r.state_errors);
    if (r.failure) j["failure"] = diagnostic_json(*r.failure);
    j["outputs"] = Json::array();
    for (const OutputReport& o : r.outputs) j["outputs"].push_back(output_json(o));
    j["steps"] = r.steps;
    j["equivalence"] = name(r.equivalence);
    j["rung"] = r.rung;
    j["lanes"] = r.lanes;
    j["log2_error"] = number_json(r.log2_error);
    j["draws"] = r.draws;
    if (r.decisions > 0) j["order_decisions"] = r.decisions;
    j["redrawn_lanes"] = r.redrawn_lanes;
    j["seed"] = r.seed;
    if (r.narrow_floats || !r.masks.empty()) j["assumes"] = Json::array();
    if (r.narrow_floats) j["assumes"].push_back("bf16 and f16 are exact");
    for (const std::string& mask : r.masks) j["assumes"].push_back(mask + " is infinite where it is added to data");
    if (!r.opaque.empty()) j["opaque"] = r.opaque;
    if (r.perturbed > 0) j["sensitivity"] = Json{{"perturbed", r.perturbed}, {"gauges", r.silent}};
    if (!r.reason.empty()) j["reason"] = r.reason;
    if (!r.diagnosis.empty()) j["diagnosis"] = diagnosis_json(r.diagnosis);
  }
  j["verdict"] = r.bad_input.empty() ? Json(name(r.verdict())) : Json("BAD INPUT");
  j["exit_code"] = r.exit_code();
  j["headline"] = r.headline();
  j["seconds"] = r.seconds;
  return j.dump(2, ' ', false, Json::error_handler_t::replace);  // paths may hold any bytes
}

}  // namespace isoshard::verify
