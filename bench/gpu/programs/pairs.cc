// Programs that are written twice: as text, which goes through lowering, planning and the writing of calls as each
// program does, and by hand (bench/gpu/by_hand). What is one kernel or one product is issued many times in a step, so
// that its launch does not count, and without the views, which copy inputs. For kernels a copy of the bytes is the
// measure, which they cannot go below where arrays are larger than the cache. Cost: planning.
#include "bench/gpu/programs/pairs.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/text/text.h"

namespace isoshard::bench {
namespace {

using exec::Outcome;

/// Texts of programs of b rows and d columns, on ranks over `r`, of which DTYPE is open.
constexpr const char* kTpMlp = R"(
global @x : DTYPE[b, d] input
global @W1 : DTYPE[d, f] param init=lecun_normal
global @b1 : DTYPE[f] param init=normal
global @W2 : DTYPE[f, d] param init=lecun_normal
global @b2 : DTYPE[d] param init=normal
untyped program @p on @m {
  %x = view @x [-, -]
  %W1 = view @W1 [-, r]
  %b1 = view @b1 [r]
  %W2 = view @W2 [r, -]
  %b2 = view @b2 [-]
  %z = dot_general %x, %W1 {contract=[1]x[0]}
  %c1 = broadcast_in_dim %b1 {dims=[1], shape=[b, f / size(r)]}
  %h = add %z, %c1
  %s = logistic %h
  %a = multiply %h, %s
  %t = dot_general %a, %W2 {contract=[1]x[0]}
  %u = all_reduce %t {axis=r}
  %c2 = broadcast_in_dim %b2 {dims=[1], shape=[b, d]}
  %o = add %u, %c2
  %y = add %o, %x
  return @y = %y [-, -]
}
)";

constexpr const char* kProduct = R"(
global @x : DTYPE[b, d] input
global @w : DTYPE[d, f] param init=lecun_normal
untyped program @p on @m {
  %x = view @x [-, -]
  %w = view @w [-, -]
  %y = dot_general %x, %w {contract=[1]x[0]}
  return @y = %y [-, -]
}
)";

constexpr const char* kChain = R"(
global @x : DTYPE[b, d] input
global @gate : DTYPE[b, d] input
global @residual : DTYPE[b, d] input
untyped program @p on @m {
  %x = view @x [-, -]
  %gate = view @gate [-, -]
  %residual = view @residual [-, -]
  %s = logistic %x
  %a = multiply %x, %s
  %g = multiply %a, %gate
  %y = add %g, %residual
  return @y = %y [-, -]
}
)";

constexpr const char* kSoftmax = R"(
global @x : DTYPE[b, d] input
untyped program @p on @m {
  %x = view @x [-, -]
  %m = reduce %x {dims=[1], op=max}
  %mb = broadcast_in_dim %m {dims=[0], shape=[b, d]}
  %c = subtract %x, %mb
  %e = exponential %c
  %s = reduce %e {dims=[1], op=add}
  %sb = broadcast_in_dim %s {dims=[0], shape=[b, d]}
  %y = divide %e, %sb
  return @y = %y [-, -]
}
)";

constexpr const char* kLayerNorm = R"(
global @x : DTYPE[b, d] input
global @scale : DTYPE[d] param init=normal
global @shift : DTYPE[d] param init=normal
untyped program @p on @m {
  %x = view @x [-, -]
  %scale = view @scale [-]
  %shift = view @shift [-]
  %sum = reduce %x {dims=[1], op=add}
  %mean = divide %sum, (d)
  %means = broadcast_in_dim %mean {dims=[0], shape=[b, d]}
  %c = subtract %x, %means
  %q = multiply %c, %c
  %squares = reduce %q {dims=[1], op=add}
  %variance = divide %squares, (d)
  %shifted = add %variance, 0.00001
  %r = rsqrt %shifted
  %rs = broadcast_in_dim %r {dims=[0], shape=[b, d]}
  %n = multiply %c, %rs
  %scales = broadcast_in_dim %scale {dims=[1], shape=[b, d]}
  %scaled = multiply %n, %scales
  %shifts = broadcast_in_dim %shift {dims=[1], shape=[b, d]}
  %y = add %scaled, %shifts
  return @y = %y [-, -]
}
)";

/// A kernel of four elements.
constexpr const char* kSmall = R"(
global @x : DTYPE[4] input
untyped program @p on @m {
  %x = view @x [-]
  %y = negate %x
  return @y = %y [-]
}
)";

/// How a pair is made.
struct PairKind {
  const char* name;
  const char* text;
  HandWork::Kind by_hand;
  double target;
};

constexpr PairKind kPairKinds[] = {
    {"tp_mlp", kTpMlp, HandWork::Kind::tp_mlp, 1.03},           {"product", kProduct, HandWork::Kind::product, 1 / 0.9},
    {"chain", kChain, HandWork::Kind::copy, 1 / 0.85},          {"softmax", kSoftmax, HandWork::Kind::copy, 1 / 0.85},
    {"layer_norm", kLayerNorm, HandWork::Kind::copy, 1 / 0.85}, {"launch", kSmall, HandWork::Kind::launches, 0},
};

bool is_whole_step(const PairKind& kind) { return kind.by_hand == HandWork::Kind::tp_mlp; }

std::string pair_text(const PairKind& kind, DType dtype, const PairSizes& sizes) {
  const bool in_memory = kind.by_hand == HandWork::Kind::copy;
  const auto let = [](const char* name, int64_t value) {
    return "let " + std::string(name) + " = " + std::to_string(value) + "\n";
  };
  std::string text = "isoshard 1\nmesh @m [r=" + std::to_string(is_whole_step(kind) ? sizes.ranks : 1) + "]\n";
  text += let("b", in_memory ? sizes.rows : sizes.batch) + let("d", in_memory ? sizes.columns : sizes.features) +
          let("f", sizes.hidden) + kind.text;
  for (size_t at = text.find("DTYPE"); at != std::string::npos; at = text.find("DTYPE", at)) {
    text.replace(at, 5, name(dtype));
  }
  return text;
}

tl::unexpected<exec::Failure> refused_pair(const std::string& message) {
  return tl::unexpected(exec::Failure{exec::Failure::Kind::unsupported, message});
}

Outcome<Plan> plan_of_pair(const PairKind& kind, DType dtype, const PairSizes& sizes) {
  DiagnosticSink sink;
  const auto file =
      std::make_shared<SourceFile>(SourceFile{std::string(kind.name) + ".shard", pair_text(kind, dtype, sizes)});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  if (!module) return refused_pair(std::string(kind.name) + ": " + sink.diagnostics().front().message);
  return lower(*module, *module->find_program("p"));
}

int64_t bytes_of_boxes(const std::vector<calls::HeldBox>& boxes, DType dtype) {
  int64_t bytes = 0;
  for (const calls::HeldBox& box : boxes) {
    int64_t elements = 1;
    for (size_t d = 0; d < box.range.begin.size(); ++d) elements *= box.range.end[d] - box.range.begin[d];
    bytes += elements * static_cast<int64_t>(info(dtype).bytes);
  }
  return bytes;
}

/// Leaves views out, which copy a held box to where it is used: the box is held there.
void hold_where_used(calls::CallList& list, const Plan& plan) {
  std::erase_if(list.calls, [&](const calls::Call& call) {
    if (!std::holds_alternative<LoadBlock>(plan.instruction(call.origin).data())) return false;
    const auto& copy = std::get<calls::Map>(call.what);
    for (calls::HeldBox& box : list.inputs) {
      if (box.place == copy.inputs[0].place) box.place = copy.output.place;
    }
    return true;
  });
}

void repeat_calls(calls::CallList& list, int64_t times) {
  const std::vector<calls::Call> once = list.calls;
  for (int64_t i = 1; i < times; ++i) list.calls.insert(list.calls.end(), once.begin(), once.end());
}

Outcome<std::vector<calls::CallList>> lists_of_pair(Plan plan) {
  const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
  if (!memory) return refused_pair(memory.error().message);
  calls::CallOptions options;
  options.products = calls::Products::library;
  std::vector<calls::CallList> lists;
  for (int64_t position = 0; position < plan.mesh->device_count(); ++position) {
    Result<calls::CallList> list = calls::make_call_list(plan, *memory, position, options);
    if (!list) return refused_pair(list.error().message);
    lists.push_back(std::move(*list));
  }
  return lists;
}

std::string pair_shape(const PairKind& kind, const PairSizes& sizes) {
  const std::string by = "x";
  if (kind.by_hand == HandWork::Kind::launches) return "4";
  if (kind.by_hand == HandWork::Kind::copy) return std::to_string(sizes.rows) + by + std::to_string(sizes.columns);
  return std::to_string(sizes.batch) + by + std::to_string(sizes.features) + by + std::to_string(sizes.hidden);
}

}  // namespace

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const PairKind& kind : kPairKinds) names.emplace_back(kind.name);
  return names;
}

Outcome<Pair> make_pair_of(const std::string& name, DType dtype, const PairSizes& sizes) {
  const PairKind& kind =
      *std::find_if(std::begin(kPairKinds), std::end(kPairKinds), [&](const PairKind& k) { return k.name == name; });
  Outcome<Plan> plan = plan_of_pair(kind, dtype, sizes);
  if (!plan) return tl::unexpected(plan.error());
  Outcome<std::vector<calls::CallList>> lists = lists_of_pair(*plan);
  if (!lists) return tl::unexpected(lists.error());
  Pair pair{kind.name, pair_shape(kind, sizes), dtype, 1, std::move(*plan), std::move(*lists), {}, false, kind.target};
  pair.same = is_whole_step(kind) || kind.by_hand == HandWork::Kind::product;
  if (!is_whole_step(kind)) {
    pair.times = kind.by_hand == HandWork::Kind::launches ? sizes.launches : sizes.times;
    hold_where_used(pair.lists[0], pair.plan);
    repeat_calls(pair.lists[0], pair.times);
  }
  const int64_t moved = bytes_of_boxes(pair.lists[0].inputs, dtype) + bytes_of_boxes(pair.lists[0].outputs, dtype);
  pair.by_hand = HandWork{kind.by_hand, dtype, pair.times, moved / 2};
  return pair;
}

}  // namespace isoshard::bench
