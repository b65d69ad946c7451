// Random functions whose backward is written by hand beside them: right ones are always accepted, and with one step
// changed they are always seen. And FSDP, whatever is sharded, has the gradients of data parallelism.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "catalogue/catalogue.h"
#include "core/text/text.h"
#include "verify/check.h"

namespace isoshard::user_backward_test {
namespace {

/// A chain of steps on `%v: f32[rows]`, V over `d`, each with its adjoint; the values before each step are computed
/// again in the backward, where no value has a gradient.
class Chain {
 public:
  Chain(uint32_t seed, int64_t devices) : dice_(seed), devices_(devices) {
    const int steps = roll(2, 5);
    for (int i = 0; i < steps; ++i) kinds_.push_back(roll(0, 5));
    for (int i = 0; i < steps; ++i) numbers_.push_back(roll(1, 4));
    shapes_.push_back(2 * devices);
    for (const int kind : kinds_) {
      const int64_t last = shapes_.back();
      shapes_.push_back(kind == kGather && last < 40 ? last * devices : last);
    }
  }

  int roll(int first, int last) { return std::uniform_int_distribution<int>(first, last)(dice_); }
  size_t steps() const { return kinds_.size(); }
  /// `changed`: that step of the backward is wrong.
  std::string text(std::optional<size_t> changed) const {
    std::string file = "isoshard 1\nmesh @m [d=" + std::to_string(devices_) + "]\nglobal @x : f32[" +
                       std::to_string(shapes_[0] * devices_) + "] input\n";
    file += "func @f(%v.0: " + type(0) + ") on @m -> " + type(steps()) + " {\n";
    for (size_t i = 0; i < steps(); ++i) file += forward(i, true);
    file += "  return " + value(steps()) + "\n}\n";
    file += "func @f_bwd(%v.0: " + type(0) + ", %g." + std::to_string(steps()) + ": " + type(steps()) + ") on @m -> " +
            type(0) + " {\n";
    for (size_t i = 0; i < steps(); ++i) file += forward(i, false);
    for (size_t i = steps(); i-- > 0;) file += backward(i, changed == i);
    file += "  return %g.0\n}\n";
    file += "func @loss(%v.0: " + type(0) + ") on @m -> f32[] {\n  %y = call @f(%v.0) {vjp=@f_bwd}\n";
    file += "  %l = reduce %y {op=add, dims=[0], partial={d}}\n  return %l\n}\n";
    file += "program @p on @m {\n  %x = view @x [d]\n  %l, %g = grad @loss(%x) {wrt=[0]}\n  return @g = %g [d]\n}\n";
    return file + "check @p == @p\n";
  }

 private:
  static constexpr int kScale = 0, kShift = 1, kReverse = 2, kSquare = 3, kSum = 4, kGather = 5;

  std::string type(size_t i) const { return "f32[" + std::to_string(shapes_[i]) + "]"; }
  static std::string value(size_t i) { return "%v." + std::to_string(i); }
  bool gathers(size_t i) const { return shapes_[i + 1] != shapes_[i]; }

  std::string forward(size_t i, bool gradient) const {
    const std::string in = value(i), out = "  " + value(i + 1) + " = ", n = std::to_string(i);
    const std::string to = gradient ? ", to=R}" : "}";
    const std::string to_v = "  " + value(i + 1) + " = reinterpret %r." + n + " {axis=d, to=V}\n";
    switch (kinds_[i]) {
      case kScale:
        break;
      case kShift:
        return out + "collective_permute " + in + " {axis=d, shift=" + std::to_string(numbers_[i]) + "}\n";
      case kReverse:
        return out + "reverse " + in + " {dims=[0]}\n";
      case kSquare:
        return out + "multiply " + in + ", " + in + "\n";
      case kSum:
        return "  %t." + n + " = reinterpret " + in + " {axis=d, to=P}\n  %r." + n + " = all_reduce %t." + n +
               " {axis=d" + to + "\n" + to_v;
      case kGather:
        if (!gathers(i)) break;
        return "  %r." + n + " = all_gather " + in + " {axis=d, dim=0" + to + "\n" + to_v;
      default:
        break;
    }
    return out + "multiply " + in + ", " + std::to_string(numbers_[i] + 1) + "\n";
  }

  std::string backward(size_t i, bool changed) const {
    const std::string g = "%g." + std::to_string(i + 1), n = std::to_string(i), out = "  %g." + n + " = ";
    const auto wrong_by = [&](const std::string& from) {
      return changed ? "  %g." + n + " = multiply " + from + ", 3\n" : "";
    };
    switch (kinds_[i]) {
      case kShift:
        if (changed) return wrong_by(g);
        return out + "collective_permute " + g + " {axis=d, shift=" + std::to_string(-numbers_[i]) + "}\n";
      case kReverse:
        return changed ? wrong_by(g) : out + "reverse " + g + " {dims=[0]}\n";
      case kSquare:
        return "  %w." + n + " = multiply " + value(i) + ", " + (changed ? "1" : "2") + "\n" + out + "multiply %w." +
               n + ", " + g + "\n";
      case kSum:
      case kGather: {
        if (kinds_[i] == kGather && !gathers(i)) break;
        std::string text = "  %p." + n + " = reinterpret " + g + " {axis=d, to=P}\n";
        const std::string sum = changed ? "%s." + n : "%g." + n;
        if (kinds_[i] == kGather) {
          text += "  " + sum + " = reduce_scatter %p." + n + " {axis=d, dim=0}\n";
        } else {
          text += "  %q." + n + " = all_reduce %p." + n + " {axis=d}\n  " + sum + " = reinterpret %q." + n +
                  " {axis=d, to=V}\n";
        }
        return text + wrong_by(sum);
      }
      default:
        break;
    }
    return out + "multiply " + g + ", " + std::to_string(numbers_[i] + (changed ? 3 : 1)) + "\n";
  }

  std::mt19937 dice_;
  int64_t devices_;
  std::vector<int> kinds_, numbers_;
  std::vector<int64_t> shapes_;
};

verify::CheckReport checked(const std::string& text) {
  DiagnosticSink sink;
  const std::optional<Module> module =
      text::parse_module(std::make_shared<SourceFile>(SourceFile{"chain.shard", text}), {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return module ? verify::check(*module, module->checks.at(0)) : verify::CheckReport();
}

TEST(UserBackward, RightOnesAreAcceptedAndWrongOnesAreSeen) {
  size_t ran = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Chain chain(seed, seed % 3 + 2);
    SCOPED_TRACE(chain.text(std::nullopt));
    const verify::CheckReport right = checked(chain.text(std::nullopt));
    EXPECT_EQ(right.exit_code(), 0) << right.headline();
    ASSERT_EQ(right.backwards.size(), 1U);
    EXPECT_EQ(right.backwards[0].verdict, verify::Verdict::equal) << right.backwards[0].finding;
    const int changed = chain.roll(0, static_cast<int>(chain.steps()) - 1);
    const verify::CheckReport wrong = checked(chain.text(static_cast<size_t>(changed)));
    ASSERT_EQ(wrong.backwards.size(), 1U);
    EXPECT_EQ(wrong.exit_code(), 0) << "the claim is about the program: " << wrong.headline();
    EXPECT_EQ(wrong.backwards[0].verdict, verify::Verdict::not_equal) << wrong.backwards[0].finding;
    ++ran;
  }
  EXPECT_EQ(ran, 40U);
}

/// FSDP of an MLP: random widths, and a threshold at the size of one of its parameters or one below.
struct Fsdp {
  int64_t data, devices, in, hidden, out, min_weight_size;
  bool mean;

  explicit Fsdp(std::mt19937& dice) {
    const auto roll = [&](int64_t a, int64_t b) { return std::uniform_int_distribution<int64_t>(a, b)(dice); };
    data = roll(1, 2), devices = roll(1, 4);
    in = roll(1, 6), hidden = roll(1, 9), out = roll(1, 6), mean = roll(0, 1) == 1;
    const std::vector<int64_t> sizes{in * hidden, hidden, hidden * out, out};
    min_weight_size = std::max<int64_t>(1, sizes[static_cast<size_t>(roll(0, 3))] - roll(0, 1));
  }

  ModelRequest request() const {
    const auto number = [](int64_t n) { return std::to_string(n); };
    return ModelRequest{"shard_module_params",
                        {{"data", data}, {"fsdp", devices}},
                        {{"in", number(in)},
                         {"hidden", number(hidden)},
                         {"out", number(out)},
                         {"min_weight_size", number(min_weight_size)},
                         {"gradients", mean ? "mean" : "true"}}};
  }
  std::string text() const {
    std::string all = "fsdp=" + std::to_string(devices) + " data=" + std::to_string(data);
    for (const SettingValue& s : request().settings) all += " " + s.name + "=" + s.value;
    return all;
  }
  /// docs/spec/originals.md, "Sharded parameters", in other words: more elements than the threshold, and a dimension
  /// that the devices divide.
  size_t sharded() const {
    const auto is_sharded = [&](const Shape& shape) {
      bool divides = false;
      for (const int64_t size : shape) divides |= size % devices == 0;
      return divides && element_count(shape) > min_weight_size;
    };
    size_t count = 0;
    for (const Shape& shape : {Shape{in, hidden}, Shape{hidden}, Shape{hidden, out}, Shape{out}}) {
      count += is_sharded(shape) ? 1U : 0U;
    }
    return count;
  }
};

/// The outputs of a program that are split over some axis.
size_t split_outputs(const Program& program) {
  size_t count = 0;
  for (const Output& output : program.outputs()) {
    count += splitting_axes(output.parts.front().layout).empty() ? 0U : 1U;
  }
  return count;
}

TEST(Fsdp, HasTheGradientsOfDataParallelism) {
  std::mt19937 dice(20261122);
  size_t split = 0;
  for (int i = 0; i < 30; ++i) {
    const Fsdp fsdp(dice);
    SCOPED_TRACE(fsdp.text());
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(fsdp.request(), sink);
    for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
    ASSERT_TRUE(module.has_value());
    const verify::CheckReport report = verify::check(*module, module->checks.at(0));
    EXPECT_EQ(report.exit_code(), 0) << report.headline();
    EXPECT_EQ(split_outputs(module->program(module->checks[0].left)), fsdp.sharded());
    split += fsdp.sharded();
    const verify::Verdict written = fsdp.devices == 1 ? verify::Verdict::equal : verify::Verdict::not_equal;
    for (const verify::BackwardReport& b : report.backwards) EXPECT_EQ(b.verdict, written) << b.finding;
    EXPECT_EQ(report.backwards.empty(), !fsdp.mean || fsdp.sharded() == 0);
  }
  EXPECT_GT(split, 30U);
}

}  // namespace
}  // namespace isoshard::user_backward_test
