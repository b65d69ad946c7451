#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "core/ir/builder/builder.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "tests/sanitized.h"

namespace isoshard::sim::collectives_test {
namespace {

/// A matrix per device, and the collectives by their definitions: on plain vectors, coordinates by hand.
struct Devices {
  std::vector<int64_t> mesh;
  int64_t rows = 0, columns = 0;
  std::vector<std::vector<double>> local;  ///< by position, row-major

  int64_t coordinate(int64_t position, size_t axis) const {
    for (size_t i = mesh.size(); i-- > axis + 1;) position /= mesh[i];
    return position % mesh[axis];
  }
  /// The positions that differ from `position` on `axes` only, counted in the order of the tuple.
  std::vector<int64_t> group(const std::vector<size_t>& axes, int64_t position) const {
    std::vector<int64_t> members;
    std::vector<std::pair<std::vector<int64_t>, int64_t>> found;
    for (int64_t p = 0; p < static_cast<int64_t>(local.size()); ++p) {
      bool same = true;
      for (size_t a = 0; a < mesh.size(); ++a) {
        const bool inside = std::find(axes.begin(), axes.end(), a) != axes.end();
        same &= inside || coordinate(p, a) == coordinate(position, a);
      }
      std::vector<int64_t> key;
      for (const size_t a : axes) key.push_back(coordinate(p, a));
      if (same) found.emplace_back(std::move(key), p);
    }
    std::sort(found.begin(), found.end());
    for (const auto& [key, p] : found) members.push_back(p);
    return members;
  }
};

std::vector<double> sum_in_order(const Devices& x, const std::vector<int64_t>& members) {
  std::vector<double> sum = x.local[static_cast<size_t>(members[0])];
  for (size_t m = 1; m < members.size(); ++m) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += x.local[static_cast<size_t>(members[m])][i];
  }
  return sum;
}

Devices all_reduce(const Devices& x, const std::vector<size_t>& axes) {
  Devices y = x;
  for (size_t p = 0; p < y.local.size(); ++p) {
    y.local[p] = sum_in_order(x, x.group(axes, static_cast<int64_t>(p)));
  }
  return y;
}

Devices all_gather(const Devices& x, const std::vector<size_t>& axes, int64_t dim) {
  Devices y = x;
  for (size_t p = 0; p < y.local.size(); ++p) {
    const std::vector<int64_t> members = x.group(axes, static_cast<int64_t>(p));
    const auto size = static_cast<int64_t>(members.size());
    y.rows = dim == 0 ? x.rows * size : x.rows;
    y.columns = dim == 1 ? x.columns * size : x.columns;
    y.local[p].clear();
    for (int64_t r = 0; r < y.rows; ++r) {
      for (int64_t c = 0; c < y.columns; ++c) {
        const int64_t member = members[static_cast<size_t>(dim == 0 ? r / x.rows : c / x.columns)];
        const int64_t element = r % x.rows * x.columns + c % x.columns;
        y.local[p].push_back(x.local[static_cast<size_t>(member)][static_cast<size_t>(element)]);
      }
    }
  }
  return y;
}

Devices reduce_scatter(const Devices& x, const std::vector<size_t>& axes, int64_t dim) {
  Devices y = x;
  for (size_t p = 0; p < y.local.size(); ++p) {
    const std::vector<int64_t> members = x.group(axes, static_cast<int64_t>(p));
    const auto size = static_cast<int64_t>(members.size());
    const int64_t own = std::find(members.begin(), members.end(), static_cast<int64_t>(p)) - members.begin();
    y.rows = dim == 0 ? x.rows / size : x.rows;
    y.columns = dim == 1 ? x.columns / size : x.columns;
    const std::vector<double> sum = sum_in_order(x, members);
    y.local[p].clear();
    for (int64_t r = 0; r < y.rows; ++r) {
      for (int64_t c = 0; c < y.columns; ++c) {
        const int64_t row = dim == 0 ? own * y.rows + r : r, column = dim == 1 ? own * y.columns + c : c;
        y.local[p].push_back(sum[static_cast<size_t>(row * x.columns + column)]);
      }
    }
  }
  return y;
}

Devices permute(const Devices& x, const std::vector<size_t>& axes, const std::vector<IndexPair>& pairs) {
  Devices y = x;
  for (auto& values : y.local) std::fill(values.begin(), values.end(), 0.0);
  std::set<int64_t> leaders;
  for (size_t p = 0; p < x.local.size(); ++p) {
    const std::vector<int64_t> members = x.group(axes, static_cast<int64_t>(p));
    if (!leaders.insert(members[0]).second) continue;
    for (const auto& [from, to] : pairs) {
      y.local[static_cast<size_t>(members[static_cast<size_t>(to)])] =
          x.local[static_cast<size_t>(members[static_cast<size_t>(from)])];
    }
  }
  return y;
}

/// A chain of collectives built as a program and, in step, by their definitions.
class Chain {
 public:
  Chain(std::vector<int64_t> mesh_sizes, int64_t rows, int64_t columns, std::mt19937& random) : random_(random) {
    std::vector<MeshAxis> axes;
    for (size_t i = 0; i < mesh_sizes.size(); ++i) {
      axes.push_back({std::string(1, static_cast<char>('a' + i)), mesh_sizes[i]});
      everyone_.axes.emplace_back(i);
    }
    mesh_ = std::make_shared<Mesh>("m", std::move(axes));
    builder_ = std::make_unique<Builder>(module_, "p", mesh_, sink_, BuilderOptions{ProgramKind::program, false, {}});
    draw_input(std::move(mesh_sizes), rows, columns);
  }

  size_t steps() const { return expected_.size(); }
  void all_reduce_over(const std::vector<size_t>& axes) { add(AllReduce{group(axes), {}}, all_reduce(now_, axes)); }
  void all_gather_over(const std::vector<size_t>& axes, int64_t dim) {
    add(AllGather{group(axes), dim, {}}, all_gather(now_, axes, dim));
  }
  void reduce_scatter_over(const std::vector<size_t>& axes, int64_t dim) {
    add(ReduceScatter{group(axes), dim}, reduce_scatter(now_, axes, dim));
  }
  /// By shift, or by pairs that leave some members out; tuples out of order say which order counts.
  void permute_over(const std::vector<size_t>& axes, bool by_shift) {
    const int64_t size = mesh_->size(group(axes));
    std::vector<size_t> counting = axes;
    PermuteOrder order = PermuteOrder::unspecified;
    if (!std::is_sorted(axes.begin(), axes.end())) {
      order = draw(2) == 0 ? PermuteOrder::tuple : PermuteOrder::mesh;
      if (order == PermuteOrder::mesh) std::sort(counting.begin(), counting.end());
    }
    std::vector<IndexPair> pairs;
    if (by_shift) {
      const int64_t shift = draw(2 * size + 1) - size;
      for (int64_t i = 0; i < size; ++i) pairs.emplace_back(i, ((i + shift) % size + size) % size);
      add(CollectivePermute{group(axes), shift, {}, order}, permute(now_, counting, pairs));
      return;
    }
    std::vector<int64_t> targets(static_cast<size_t>(size));
    for (size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<int64_t>(i);
    std::shuffle(targets.begin(), targets.end(), random_);
    for (int64_t i = 0; i < size; ++i) {
      if (pairs.empty() || draw(4) != 0) pairs.emplace_back(i, targets[static_cast<size_t>(i)]);
    }
    add(CollectivePermute{group(axes), {}, pairs, order}, permute(now_, counting, pairs));
  }

  /// Goes back to the input, so that the next step does not depend on the last.
  void restart() {
    value_ = input_;
    now_ = drawn_;
  }
  const Devices& now() const { return now_; }

  /// Runs the program; the name of the first step whose values differ from the definition, or empty.
  std::string run(const RunOptions& options) {
    if (!plan_) finish();
    if (!plan_) return sink_.diagnostics().empty() ? "not finished" : sink_.diagnostics()[0].message;
    const Tensor x = Tensor::from<double>(DType::f64, module_.globals[0].type.shape, flat_);
    const Result<RunResult> result = sim::run(*plan_, float_domain(), {from_tensor(x, float_domain())}, options);
    if (!result) return result.error().message;
    for (size_t step = 0; step < expected_.size(); ++step) {
      const auto& blocks = result->outputs[step];
      for (size_t p = 0; p < blocks.size(); ++p) {
        const auto values = blocks[p].value.plane<double>(0);
        const std::vector<double>& expected = expected_[step].local[p];
        const bool same =
            values.size() == expected.size() && std::equal(values.begin(), values.end(), expected.begin());
        if (!same) return names_[step] + " (step " + std::to_string(step) + ", rank " + std::to_string(p) + ")";
      }
      if (blocks.size() != expected_[step].local.size()) return names_[step] + ": a rank is missing";
    }
    return "";
  }

 private:
  int64_t draw(int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(random_); }
  static Group group(const std::vector<size_t>& axes) {
    Group result;
    for (const size_t axis : axes) result.axes.emplace_back(axis);
    return result;
  }

  void draw_input(std::vector<int64_t> mesh_sizes, int64_t rows, int64_t columns) {
    drawn_ = Devices{std::move(mesh_sizes), rows, columns, {}};
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t p = 0; p < mesh_->device_count(); ++p) {
      drawn_.local.emplace_back();
      for (int64_t i = 0; i < rows * columns; ++i) {
        flat_.push_back(uniform(random_));
        drawn_.local.back().push_back(flat_.back());
      }
    }
    module_.globals.push_back(
        Global{"x", TensorType{DType::f64, {mesh_->device_count() * rows, columns}}, Role::input, Init{}, Location()});
    input_ = builder_->add_op(View{GlobalId(0), {{everyone_, 0}, {{}, 0}}, {}}, {});
    restart();
  }

  void add(OpData op, Devices expected) {
    const std::string name(op_name(op));
    value_ = builder_->add_op(std::move(op), {value_});
    now_ = std::move(expected);
    // Every device stores what it has: the layout names no axis, and untyped programs may return V.
    builder_->output("y" + std::to_string(expected_.size()), value_, {{{}, 0}, {{}, 0}});
    expected_.push_back(now_);
    names_.push_back(name);
  }

  void finish() {
    const std::optional<ProgramId> id = builder_->finish();
    if (id) plan_ = lower(module_, *id);
  }

  std::mt19937& random_;
  Module module_;
  DiagnosticSink sink_;
  std::shared_ptr<const Mesh> mesh_;
  Group everyone_;
  std::unique_ptr<Builder> builder_;
  std::vector<double> flat_;
  Devices drawn_, now_;
  ValueId input_, value_;
  std::vector<Devices> expected_;
  std::vector<std::string> names_;
  std::optional<Plan> plan_;
};

/// Every ordered choice of one or more of `count` axes.
std::vector<std::vector<size_t>> tuples(size_t count) {
  std::vector<std::vector<size_t>> result, last{{}};
  while (!last.empty()) {
    std::vector<std::vector<size_t>> longer;
    for (const auto& tuple : last) {
      for (size_t a = 0; a < count; ++a) {
        if (std::find(tuple.begin(), tuple.end(), a) != tuple.end()) continue;
        longer.push_back(tuple);
        longer.back().push_back(a);
      }
    }
    result.insert(result.end(), longer.begin(), longer.end());
    last = std::move(longer);
  }
  return result;
}

int64_t group_size(const std::vector<int64_t>& mesh, const std::vector<size_t>& axes) {
  int64_t size = 1;
  for (const size_t a : axes) size *= mesh[a];
  return size;
}

/// One of each collective over each tuple of axes of one mesh, each on the drawn input.
std::string check_mesh(const std::vector<int64_t>& mesh, std::mt19937& random) {
  for (const std::vector<size_t>& axes : tuples(mesh.size())) {
    const int64_t size = group_size(mesh, axes);
    Chain chain(mesh, 1 + static_cast<int64_t>(random() % 2), 1 + static_cast<int64_t>(random() % 3), random);
    chain.all_reduce_over(axes);
    chain.restart();
    chain.all_gather_over(axes, static_cast<int64_t>(random() % 2));
    chain.restart();
    chain.permute_over(axes, true);
    chain.permute_over(axes, false);
    const std::string wrong = chain.run({});
    if (!wrong.empty()) return wrong;
    const bool along_rows = random() % 2 == 0;
    Chain scattered(mesh, along_rows ? size : 2, along_rows ? 3 : 2 * size, random);
    scattered.reduce_scatter_over(axes, along_rows ? 0 : 1);
    const std::string scattered_wrong = scattered.run({});
    if (!scattered_wrong.empty()) return scattered_wrong;
  }
  return "";
}

std::string mesh_text(const std::vector<int64_t>& mesh) {
  std::string text;
  for (const int64_t size : mesh) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

constexpr int64_t kLargestAxis = kSanitized ? 3 : 5;

TEST(Collectives, AgreeWithTheirDefinitionsOnEveryMeshOfUpToThreeAxesOfSizesOneToFive) {
  std::mt19937 random(7);
  std::vector<std::vector<int64_t>> meshes{{}};
  for (int axes = 0; axes < 3; ++axes) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& mesh : meshes) {
      for (int64_t size = 1; size <= kLargestAxis; ++size) {
        longer.push_back(mesh);
        longer.back().push_back(size);
        ASSERT_EQ(check_mesh(longer.back(), random), "") << "mesh " << mesh_text(longer.back());
      }
    }
    meshes = std::move(longer);
  }
}

RC_GTEST_PROP(Collectives, ChainsAgreeForAnyWorkersAndInterleaving, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  std::mt19937 random(seed);
  const auto axes = static_cast<size_t>(*rc::gen::inRange(1, 4));
  std::vector<int64_t> mesh;
  for (size_t i = 0; i < axes; ++i) mesh.push_back(*rc::gen::inRange<int64_t>(1, 4));
  Chain chain(mesh, 1 + static_cast<int64_t>(random() % 6), 1 + static_cast<int64_t>(random() % 6), random);
  const std::vector<std::vector<size_t>> groups = tuples(axes);
  const int steps = *rc::gen::inRange(1, 12);
  for (int i = 0; i < steps; ++i) {
    const std::vector<size_t>& group = groups[random() % groups.size()];
    const int64_t size = group_size(mesh, group);
    const auto dim = static_cast<int64_t>(random() % 2);
    const int64_t along = dim == 0 ? chain.now().rows : chain.now().columns;
    const auto kind = random() % 6;
    if (kind == 0) chain.all_reduce_over(group);
    if (kind == 1 && along * size <= 64) chain.all_gather_over(group, dim);
    if (kind == 2 && along % size == 0) chain.reduce_scatter_over(group, dim);
    if (kind == 3 || kind == 4) chain.permute_over(group, kind == 3);
    if (kind == 5) chain.restart();
  }
  if (chain.steps() == 0) chain.all_reduce_over(groups[0]);
  RunOptions options;
  options.small_work = 0;
  for (const int workers : {1, 2, 8}) {
    options.workers = workers;
    options.interleave_seed = std::nullopt;
    RC_ASSERT(chain.run(options) == "");
    options.interleave_seed = seed + static_cast<uint32_t>(workers);
    RC_ASSERT(chain.run(options) == "");
  }
}

}  // namespace
}  // namespace isoshard::sim::collectives_test
