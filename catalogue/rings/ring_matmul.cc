#include <utility>

#include "catalogue/models.h"

namespace isoshard {
namespace {

std::optional<ProgramId> build_dense_matmul(GlobalId x, GlobalId w, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "matmul", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  m.output("y", m.matmul(m.view(x, {all, all}, "x"), m.view(w, {all, all}, "W"), "y"), {all, all});
  return m.finish();
}

/// x travels round the ring; in step k a device holds the block of x that started k devices before it, and multiplies
/// it with the matching block row of its columns of W. Sending x on and multiplying do not depend on each other.
std::optional<ProgramId> build_matmul_on_ring(GlobalId x, GlobalId w, const std::shared_ptr<const Mesh>& mesh,
                                              Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "ring_matmul", mesh, sink);
  const Group model = m.group("model");
  const ViewEntry over_data = m.split("data"), over_model = m.split("model");
  const int64_t size = mesh->size(model);
  const auto indexed = [](const char* name, int64_t k) { return std::string(name) + "." + std::to_string(k); };
  ValueId block = m.view(x, {over_data, over_model}, indexed("x", 0));
  std::vector<ValueId> terms;
  for (int64_t k = 0; k < size; ++k) {
    const ValueId next = k + 1 < size ? m.shift(block, model, 1, indexed("x", k + 1)) : ValueId();
    const ValueId rows = m.view(w, {m.split("model", -k), over_model}, indexed("W", k));
    terms.push_back(m.matmul(block, rows, indexed("p", k)));
    block = next;
  }
  m.output("y", m.sum(terms, "y"), {over_data, over_model});
  return m.finish();
}

bool build_ring_matmul(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t b = settings.number("b"), d = settings.number("d"), f = settings.number("f");
  const GlobalId x = declare(module, "x", {b, d}, Role::input, InitKind::normal);
  const GlobalId w = declare(module, "W", {d, f}, Role::param, InitKind::lecun_normal);
  const std::optional<ProgramId> ring = build_matmul_on_ring(x, w, settings.mesh, module, sink);
  const std::optional<ProgramId> dense = build_dense_matmul(x, w, module, sink);
  return add_check(module, ring, dense);
}

}  // namespace

Model ring_matmul_model() {
  ModelInfo info;
  info.name = "ring_matmul";
  info.doc = "all-gather matmul as a ring over `model`: size - 1 permutes that overlap with the block products";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "the ring: splits the features of x and the columns of W"});
  info.settings.push_back(SettingInfo{"b", 4, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"d", 840, "", {}, "features of x, rows of W"});
  info.settings.push_back(SettingInfo{"f", 840, "", {}, "columns of W"});
  return Model{std::move(info), {{"b", "data"}, {"d", "model"}, {"f", "model"}}, build_ring_matmul};
}

}  // namespace isoshard
