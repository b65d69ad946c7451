// Writes a report as JSON for programs, complete where the text is cut. A field whose content is empty is left out or
// null, numbers that JSON does not have become null, and bytes that are not UTF-8 are replaced, as paths may hold any.
// The field `headline` is the last line of the text, and `exit_code` the code of a run with this check only. The
// answers of all rungs and the terms of each error bound are always there, since a program cannot ask again with
// --explain. Cost: the length of the text.
#include <cmath>
#include <nlohmann/json.hpp>

#include "verify/report/report.h"

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
  Json j{{"index", c.index},
         {"position", c.position},
         {"value", number_json(c.sharded)},
         {"reference", number_json(c.reference)},
         {"rounding", number_json(c.bound)},
         {"scale", c.scale},
         {"step", c.step}};
  if (!c.inputs.empty()) j["inputs"] = c.inputs;
  if (c.masks != Masks::none) j["masks"] = c.masks == Masks::infinite ? "infinite" : "as written";
  if (!c.integers.empty()) j["integers"] = c.integers;
  return j;
}

Json output_json(const OutputReport& o) {
  Json j{{"name", o.name}, {"type", to_string(o.type)}, {"verdict", name(o.verdict)}};
  j["kind"] = o.is_update ? "update" : "result";
  j["step"] = o.ring.step;
  j["equal_in_ring"] = o.ring.equal;
  if (!o.sampled.empty()) j["sampled"] = o.sampled;
  if (!o.ring.rests_on.empty()) j["rests_on"] = o.ring.rests_on;
  if (o.ring.ratio) j["ratio"] = Json{{"value", to_string(*o.ring.ratio)}, {"words", o.ratio_words}};
  if (!o.ring.disagreeing_positions.empty()) j["disagreeing_positions"] = o.ring.disagreeing_positions;
  if (o.floats.counterexample) j["counterexample"] = counterexample_json(*o.floats.counterexample);
  if (o.floats.trace) j["trace_of_masks"] = counterexample_json(*o.floats.trace);
  j["f64"] = Json{{"max_abs", number_json(o.floats.max_abs)},
                  {"max_rel", number_json(o.floats.max_rel)},
                  {"rounding", number_json(o.floats.max_bound)}};
  return j;
}

Json rung_json(const RungRecord& r, const CheckReport& report) {
  Json j{{"rung", name(r.rung())},
         {"predicates_generalised", r.terms.soft_predicates},
         {"all_integers", r.covered},
         {"seconds", r.seconds}};
  if (!r.silent.empty()) {
    j["could_not_speak"] = r.silent.text;
    j["location"] = location_json(r.silent.location);
    return j;
  }
  j["lanes"] = r.terms.lanes;
  j["log2_error"] = number_json(r.terms.log2_error);
  j["draws"] = r.terms.draws;
  j["outputs"] = Json::array();
  for (const RungAnswer& a : r.answers) {
    constexpr const char* kSays[] = {"equal", "differs", "improbable"};
    Json answer{{"name", report.outputs[a.output].name}, {"says", kSays[static_cast<size_t>(a.says)]}};
    if (a.says == RungSays::differs) answer["index"] = a.first_index;
    if (!a.why.empty()) answer["why"] = a.why.text;
    if (a.why.location.known()) answer["location"] = location_json(a.why.location);
    j["outputs"].push_back(std::move(answer));
  }
  return j;
}

Json bound_json(const OutputReport& o, const OutputBound& b) {
  Json j{{"name", o.name},
         {"rung", name(b.rung)},
         {"log2_numerator", number_json(b.log2_numerator)},
         {"log2_denominator", number_json(b.log2_denominator)},
         {"opaque_evaluations", number_json(b.evaluations)},
         {"log2_opaque_degree", number_json(b.log2_opaque_degree)}};
  if (in_towers(b.rung)) j["exp_depth"] = b.exp_depth;
  if (b.decisions > 0) j["order_decisions"] = b.decisions;
  j["log2_error"] = number_json(b.log2_error);
  j["lanes"] = b.lanes;
  return j;
}

Json backward_json(const BackwardReport& b) {
  return Json{{"function", b.function},
              {"backward", b.backward},
              {"location", location_json(b.location)},
              {"verdict", name(b.verdict)},
              {"finding", b.finding}};
}

Json deadlock_json(const DeadlockReport& d) {
  Json j{{"verdict", name(d.verdict)}};
  if (d.finding) j["finding"] = diagnostic_json(*d.finding);
  if (d.found()) j["depth"] = d.depth ? Json(*d.depth) : Json(nullptr);
  return j;
}

Json race_json(const RaceReport& r) {
  Json j{{"verdict", r.words()}};
  if (r.finding) j["finding"] = diagnostic_json(*r.finding);
  return j;
}

Json diagnosis_json(const Diagnosis& d) {
  return Json{{"value", d.value}, {"op", d.op},      {"step", d.step}, {"location", location_json(d.location)},
              {"cause", d.cause}, {"facts", d.facts}};
}

}  // namespace

std::string to_json(const CheckReport& r) {
  Json j{{"isoshard", 1}, {"location", location_json(r.claim.location)}};
  j["left"] = program_json(r.claim.left);
  j["right"] = program_json(r.claim.right);
  if (!r.bad_input.empty()) j["bad_input"] = diagnostics_json(r.bad_input);
  if (r.bad_input.empty()) {
    j["state_errors"] = diagnostics_json(r.state_errors);
    j["deadlock"] = deadlock_json(r.deadlock);
    j["race"] = race_json(r.race);
    if (r.failure) j["failure"] = diagnostic_json(*r.failure);
    j["outputs"] = Json::array();
    for (const OutputReport& o : r.outputs) j["outputs"].push_back(output_json(o));
    j["steps"] = r.claim.steps;
    j["equivalence"] = name(r.equivalence);
    j["rung"] = enumerated(r.terms.deciding);
    j["lanes"] = r.terms.lanes;
    j["log2_error"] = number_json(r.terms.log2_error);
    j["draws"] = r.terms.draws;
    if (r.terms.decisions > 0) j["order_decisions"] = r.terms.decisions;
    if (!r.assumes.ranges.empty()) j["ranges"] = r.assumes.ranges;
    j["redrawn_lanes"] = r.terms.redrawn_lanes;
    j["seed"] = r.claim.seed;
    j["rungs"] = Json::array();
    for (const RungRecord& rung : r.rungs) j["rungs"].push_back(rung_json(rung, r));
    for (const OutputReport& o : r.outputs) {
      if (o.bound) j["bounds"].push_back(bound_json(o, *o.bound));
    }
    if (r.assumes.narrow_floats || r.assumes.f64_to_f32 || r.assumes.floats_to_integers || !r.assumes.masks.empty() ||
        !r.assumes.readings.empty() || !r.assumes.conditions.empty() || r.assumes.padding)
      j["assumes"] = Json::array();
    for (const std::string& condition : r.assumes.conditions) j["assumes"].push_back(condition);
    for (const std::string& reading : r.assumes.readings) j["assumes"].push_back(reading);
    if (r.assumes.padding) j["assumes"].push_back("padding of uneven blocks reaches no result");
    if (r.assumes.narrow_floats) j["assumes"].push_back(r.assumes.narrow_dtypes() + " are exact");
    if (r.assumes.f64_to_f32) j["assumes"].push_back("f32 made of f64 is exact");
    if (r.assumes.floats_to_integers) j["assumes"].push_back("floats that become integers are exact");
    for (const std::string& mask : r.assumes.masks)
      j["assumes"].push_back(mask + " is infinite where it is added to data");
    if (!r.assumes.opaque.empty()) j["opaque"] = r.assumes.opaque;
    if (!r.assumes.one_sided.empty()) j["one_sided"] = r.assumes.one_sided;
    if (!r.reason.empty()) j["reason"] = r.reason.text;
    if (!r.diagnosis.empty()) j["diagnosis"] = diagnosis_json(r.diagnosis);
    if (!r.backwards.empty()) j["backwards"] = Json::array();
    for (const BackwardReport& b : r.backwards) j["backwards"].push_back(backward_json(b));
  }
  j["verdict"] = r.bad_input.empty() ? Json(name(r.verdict())) : Json("BAD INPUT");
  j["exit_code"] = r.exit_code();
  j["headline"] = r.headline();
  j["seconds"] = r.seconds;
  return j.dump(2, ' ', false, Json::error_handler_t::replace);  // paths may hold any bytes
}

}  // namespace isoshard::verify
