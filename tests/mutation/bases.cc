#include "tests/mutation/bases.h"

#include <algorithm>
#include <stdexcept>

#include "core/support/result.h"
#include "core/text/text.h"
#include "tests/property/generator/dice.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::mutation {
namespace {

struct File {
  const char* name;
  bool rings = false;
};

constexpr File kFiles[] = {{"accumulation"},
                           {"adam_clip"},
                           {"dp_gradient"},
                           {"embedding"},
                           {"flash_merge"},
                           {"fsdp_tuple"},
                           {"halo"},
                           {"heads_all_to_all"},
                           {"pipeline"},
                           {"ring_attention", true},
                           {"ring_matmul", true},
                           {"ring_reduce"},
                           {"sp_norm"},
                           {"top1_moe"},
                           {"three_axes"},
                           {"tp_mlp"},
                           {"uneven_rows"},
                           {"vocab_cross_entropy"}};

/// Sizes of the axes of `mesh`, of at most 12 devices; sometimes two are equal.
std::vector<std::pair<std::string, int64_t>> random_sizes(const Mesh& mesh, testing::Dice& dice) {
  const std::vector<int64_t> sizes = {2, 3, 4, 5, 6, 8};
  std::vector<std::pair<std::string, int64_t>> result;
  int64_t devices = 1;
  for (const MeshAxis& axis : mesh.axes()) {
    int64_t size = dice.pick(sizes);
    while (devices * size > (mesh.axis_count() == 1 ? 8 : 12)) size = dice.in(1, size - 1);
    if (!result.empty() && dice.chance(30) && devices * result[0].second <= 12) size = result[0].second;
    devices *= size;
    result.emplace_back(axis.name, size);
  }
  return result;
}

std::optional<Module> parsed(const std::string& path, const text::ElaborateOptions& options) {
  const Result<std::shared_ptr<const SourceFile>> file = text::read_source(path);
  DiagnosticSink sink;
  return file ? text::parse_module(*file, options, sink) : std::nullopt;
}

bool is_ring_op(const Program& program, const Op& op) {
  static const std::vector<std::string_view> kOthers = {
      "exponential", "log",       "tanh",    "logistic",    "sqrt",          "rsqrt",
      "sine",        "cosine",    "floor",   "abs",         "sign",          "power",
      "maximum",     "minimum",   "compare", "select",      "convert",       "divide",
      "remainder",   "top_k",     "gather",  "scatter_add", "dynamic_slice", "dynamic_update_slice",
      "clamp",       "is_finite", "call"};
  if (std::find(kOthers.begin(), kOthers.end(), op_name(op.data)) != kOthers.end()) {
    // A division by a number is a multiplication by another one.
    const bool divides = std::holds_alternative<Divide>(op.data);
    const OpId by = divides ? program.value(op.operands[1]).definition : OpId();
    return divides && by.valid() && std::holds_alternative<Constant>(program.op(by).data);
  }
  const Reduce* reduce = std::get_if<Reduce>(&op.data);
  const AllReduce* sum = std::get_if<AllReduce>(&op.data);
  if (reduce != nullptr) return reduce->op == Reducer::add;
  return sum == nullptr || sum->op == Reducer::none || sum->op == Reducer::add;
}

bool only_ring_ops(const Program& program) {
  for (size_t i = 0; i < program.op_count(); ++i) {
    if (!is_ring_op(program, program.op(OpId(i)))) return false;
  }
  return true;
}

Base base_of(std::string name, Module module, ProgramId subject, ProgramId reference) {
  Base base{std::move(name), std::move(module), subject, reference};
  base.module.checks = {Check{subject, reference, Location::here()}};
  base.ring_ops = only_ring_ops(base.module.program(subject)) && only_ring_ops(base.module.program(reference));
  return base;
}

Base file_base(const File& file, uint64_t seed) {
  testing::Dice dice(seed);
  const std::string path = std::string("tests/mutation/programs/") + file.name + ".shard";
  const std::optional<Module> defaults = parsed(path, {});
  if (!defaults) throw std::runtime_error(path + " cannot be read; tests run in the root of the repository");
  text::ElaborateOptions options;
  options.mesh_sizes = random_sizes(*defaults->meshes[0], dice);
  options.settings = {{"u", std::to_string(dice.in(1, 2))}, {"w", std::to_string(dice.in(1, 3))}};
  std::optional<Module> module = parsed(path, options);
  if (!module) throw std::runtime_error(path + " does not fit its random sizes");
  const ProgramId subject = *module->find_program("subject"), reference = *module->find_program("reference");
  Base base = base_of(file.name, *std::move(module), subject, reference);
  base.rings = file.rings;
  return base;
}

Base random_base(uint64_t seed) {
  testing::Dice dice(seed);
  testing::RandomProgramOptions options;
  options.seed = seed;
  options.ops = static_cast<size_t>(dice.in(6, 24));
  options.max_elements = 64;
  options.max_axis_size = dice.chance(50) ? 3 : 5;
  options.updates = dice.chance(30);
  options.integers = dice.chance(50);
  options.exponentials = dice.chance(30);
  testing::RandomProgram program = testing::random_program(options);
  return base_of("random", std::move(program.module), program.program, program.program);
}

}  // namespace

size_t base_kinds() { return std::size(kFiles) + 1; }

Base make_base(size_t kind, uint64_t seed) {
  return kind < std::size(kFiles) ? file_base(kFiles[kind], seed) : random_base(seed);
}

}  // namespace isoshard::mutation
