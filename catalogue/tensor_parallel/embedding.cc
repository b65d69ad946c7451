#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

struct EmbeddingGlobals {
  GlobalId ids, table;
};

std::optional<ProgramId> embed_dense(const EmbeddingGlobals& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "embedding", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const ValueId ids = m.view(g.ids, {all, all}, "ids");
  const ValueId table = m.view(g.table, {all, all}, "E");
  m.output("y", m.op(Gather{0, 0}, {table, ids}, "y"), {all, all, all});
  return m.finish();
}

/// States are {data, model}. Each device looks up the ids of its own rows; the others are 0, and the sum has them all.
std::optional<ProgramId> embed_sharded(const EmbeddingGlobals& g, int64_t vocabulary,
                                       const std::shared_ptr<const Mesh>& mesh, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "vocab_parallel_embedding", mesh, sink);
  const Group model = m.group("model");
  const ViewEntry all, over_data = m.split("data");
  const ValueId ids = clamp_ids(m, m.view(g.ids, {over_data, all}, "ids"), vocabulary, "valid");  // {V, =}
  const ValueId table = m.view(g.table, {m.split("model"), all}, "E");                            // {R, V}
  const LocalIds local = local_ids(m, ids, vocabulary, model);                                    // {V, V}
  const ValueId rows = m.op(Gather{0, 0}, {table, local.ids}, "rows");
  if (!rows.valid()) return std::nullopt;
  const ValueId mine = m.broadcast_like(local.inside, {0, 1}, rows, "mine");
  const ValueId own = m.op(Select{}, {mine, rows, m.constant_like(rows, Rational(0))}, "own");
  const ValueId term = m.reinterpret(own, model, State::partial, "term");  // {V, P}
  m.output("y", m.all_reduce(term, model, State::invariant, "y"), {over_data, all, all});
  return m.finish();
}

bool build_embedding(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t vocabulary = settings.number("v");
  const GlobalId ids = declare_ids(module, "ids", {settings.number("b"), settings.number("s")});
  const GlobalId table = declare(module, "E", {vocabulary, settings.number("d")}, Role::param, InitKind::normal);
  const EmbeddingGlobals globals{ids, table};
  const std::optional<ProgramId> sharded = embed_sharded(globals, vocabulary, settings.mesh, module, sink);
  const std::optional<ProgramId> dense = embed_dense(globals, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model embedding_model() {
  ModelInfo info;
  info.name = "embedding";
  info.doc =
      "Embedding lookup with the vocabulary over `model` (ids outside of the own block give 0), batch over `data`";
  info.axes.push_back(AxisInfo{"data", 2, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the vocabulary"});
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "sequences of the batch"});
  info.settings.push_back(SettingInfo{"s", 5, "", {}, "ids of a sequence"});
  info.settings.push_back(SettingInfo{"v", 3, "model", {}, "entries of the vocabulary"});
  info.settings.push_back(SettingInfo{"d", 7, "", {}, "features of an entry"});
  return Model{std::move(info), {{"b", "data"}, {"v", "model"}}, build_embedding};
}

}  // namespace isoshard
