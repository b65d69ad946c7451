// Which values have to be differentiated: those with a gradient that depend on what is differentiated by (activity,
// forward), so that nothing is computed for others. A carry of a scan is active where it begins or goes on as an active
// value, which takes a few rounds over the body. Callees are split here, for exactly the arguments that are active at
// the call, and so are the residuals of scans: what is saved of a body depends on what the scans inside of it save, so
// inner ones come first. Cost: rounds times ops, and one differentiation of each body for its residuals.
#include <algorithm>
#include <utility>

#include "core/transform/autodiff/adjoint.h"
#include "core/transform/autodiff/backward_scan.h"
#include "core/transform/autodiff/vjp.h"

namespace isoshard::autodiff {
namespace {

class Activity {
 public:
  Activity(Module& module, const Program& program, DiagnosticSink& sink, const GradOptions& options)
      : module_(module), program_(program), sink_(sink), options_(options) {
    result_.active.resize(program.value_count());
  }

  std::optional<Analysis> run(const std::vector<ValueId>& wrt) {
    for (const ValueId id : wrt) result_.active[id.index()] = true;
    if (!visit(program_.body()) || !save(program_.body())) return std::nullopt;
    return std::move(result_);
  }

 private:
  bool active(ValueId id) const { return result_.active[id.index()]; }
  bool mark(ValueId id) {
    if (!program_.value(id).type.has_gradient || active(id)) return false;
    result_.active[id.index()] = true;
    return true;
  }

  bool visit(const Region& region) {
    for (const OpId id : region.ops) {
      const Op& op = program_.op(id);
      if (std::none_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return active(v); })) continue;
      if (std::holds_alternative<Scan>(op.data)) {
        if (!visit_scan(id, op)) return false;
      } else if (const Call* call = std::get_if<Call>(&op.data); call != nullptr && !call->vjp.valid()) {
        if (!visit_call(id, op, *call)) return false;
      } else {
        for (const ValueId result : op.results) mark(result);
      }
    }
    return true;
  }

  /// A carry is active where it begins or goes on as an active value.
  bool visit_scan(OpId id, const Op& op) {
    const Region& region = op.regions.front();
    const auto carries = static_cast<size_t>(std::get<Scan>(op.data).carries);
    const size_t first = region.arguments.size() - op.operands.size();
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (active(op.operands[i])) mark(region.arguments[first + i]);
    }
    for (bool changed = true; changed;) {
      changed = false;
      if (!visit(region)) return false;
      for (size_t c = 0; c < carries; ++c) {
        if (active(region.results[c])) changed |= mark(region.arguments[first + c]);
      }
    }
    for (size_t r = 0; r < op.results.size(); ++r) {
      const bool reached = active(region.results[r]) || (r < carries && active(region.arguments[first + r]));
      if (reached) mark(op.results[r]);
    }
    result_.copy.scans[id.index()];
    return true;
  }

  bool visit_call(OpId id, const Op& op, const Call& call) {
    std::vector<size_t> wrt;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (active(op.operands[i])) wrt.push_back(i);
    }
    Vjp& known = result_.callees[id.index()];
    if (known.wrt != wrt) {
      const std::optional<Vjp> vjp = build_vjp(module_, call.callee, wrt, sink_, op.location, options_);
      if (!vjp) return false;
      known = *vjp;
    }
    result_.copy.callees[id.index()] = known.forward;
    for (const size_t r : known.active_results) mark(op.results[r]);
    return true;
  }

  /// What each active scan saves, inner ones first: what is saved of a body depends on what its scans save.
  bool save(const Region& region) {
    for (const OpId id : region.ops) {
      const Op& op = program_.op(id);
      const auto scan = result_.copy.scans.find(id.index());
      if (scan == result_.copy.scans.end()) continue;
      if (!save(op.regions.front())) return false;
      std::set<size_t>& read = result_.read_arguments[id.index()];
      if (options_.remat == Remat::full) {
        save_carries(op, scan->second, read);
        continue;
      }
      std::optional<ScanResiduals> residuals = scan_residuals(module_, program_, result_, id, sink_);
      if (!residuals) return false;
      scan->second = ScanCopy{std::move(residuals->saved), true};
      read = std::move(residuals->read_arguments);
    }
    return true;
  }

  static void save_carries(const Op& op, ScanCopy& scan, std::set<size_t>& read) {
    const Region& region = op.regions.front();
    for (size_t i = 0; i < region.arguments.size(); ++i) read.insert(i);
    for (const size_t c : changing_carries(op)) {
      const size_t argument = region.arguments.size() - op.operands.size() + c;
      read.erase(argument);
      scan.saved.push_back(KeptValue{region.arguments[argument], {}});
    }
  }

  Module& module_;
  const Program& program_;
  DiagnosticSink& sink_;
  const GradOptions options_;
  Analysis result_;
};

}  // namespace

std::optional<Analysis> analyse(Module& module, const Program& program, const std::vector<ValueId>& wrt,
                                DiagnosticSink& sink, const GradOptions& options) {
  return Activity(module, program, sink, options).run(wrt);
}

std::vector<ValueId> arguments_of(const Program& function, const std::vector<size_t>& numbers) {
  std::vector<ValueId> result;
  for (const size_t i : numbers) result.push_back(function.body().arguments[i]);
  return result;
}

}  // namespace isoshard::autodiff
