// What the stand-in sees of a run is what the lists of its ranks ask for. The stand-in writes down each call with names
// of its own ($STANDIN_CALLS), below all of exec: so neither what exec records of itself nor what is expected of it is
// trusted by the word of the other. Streams, events and allocations have other names on both sides, one for one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "core/plan/calls/expected_calls.h"
#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "exec/load_backend.h"
#include "exec/run/crew.h"
#include "exec/run/steps.h"
#include "sim/lockstep/run.h"
#include "sim/run/draw.h"
#include "tests/nightly.h"
#include "tests/property/random_plan.h"
#include "tests/sanitized.h"

namespace isoshard::issued_calls_test {
namespace {

using calls::Function;
using Words = std::vector<std::string>;

/// What a kernel that is a copy of its call was told, by a digest that is written here.
std::string digest_word(const calls::Call& call) {
  uint64_t digest = 0xcbf29ce484222325;
  std::visit(
      [&](const auto& kernel) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(&kernel);
        for (size_t i = 0; i < sizeof kernel; ++i) digest = (digest ^ bytes[i]) * 0x100000001b3;
      },
      call.what);
  // What only moves elements may be started as another kernel, which moves several at once.
  const auto* map = std::get_if<calls::Map>(&call.what);
  const bool is_changed = (map != nullptr && map->steps_used == 1) ||
                          std::holds_alternative<calls::BlockCopy>(call.what) ||
                          std::holds_alternative<calls::TakeRows>(call.what);
  return is_changed ? "*" : std::to_string(digest);
}

/// An expected call in the words of the stand-in; names that it gives itself begin with `?`, `*` is any word.
class WitnessWords {
 public:
  explicit WitnessWords(const calls::CallList& list) : list_(list) {}

  Words of(const calls::ExpectedCall& expected) const {
    const std::vector<int64_t>& a = expected.issued.arguments;
    switch (expected.issued.function) {
      case Function::meet:
        return {"ncclCommInitRankConfig", number(a[0]), number(a[1])};
      case Function::split:
        return {"ncclCommSplit", number(a[1]), number(a[2])};
      case Function::record:
        return {"cudaEventRecord", event(a[0]), stream(a[1])};
      case Function::wait:
        return {"cudaStreamWaitEvent", stream(a[0]), event(a[1])};
      case Function::fill:
        return {"cudaMemsetAsync", place(a[0]), number(a[1]), number(a[2]), stream(a[3])};
      case Function::kernel:
        return {"kernel", digest_word(list_.calls[*expected.call]), stream(a[3])};
      case Function::product:
        return product(a);
      case Function::all_reduce:
        return {"ncclAllReduce", place(a[0]), place(a[1]), number(a[2]), number(a[3]),
                number(a[4]),    "0",         on(a[5]),    stream(a[6])};
      case Function::reduce_scatter:
        return {"ncclReduceScatter", place(a[0]), place(a[1]), number(a[2]), number(a[3]),
                number(a[4]),        "0",         on(a[5]),    stream(a[6])};
      case Function::all_gather:
        return {"ncclAllGather", place(a[0]), place(a[1]), number(a[2]), number(a[3]), "0", "0",
                on(a[4]),        stream(a[5])};
      case Function::all_to_all:
        return {"ncclAlltoAll", place(a[0]), place(a[1]), number(a[2]), number(a[3]), "0", "0", on(a[4]), stream(a[5])};
      case Function::group_start:
        return {"ncclGroupStart"};
      case Function::group_end:
        return {"ncclGroupEnd"};
      case Function::send:
        return {"ncclSend", place(a[0]), "none", number(a[1]), number(a[2]), "0", number(a[3]), on(a[4]), stream(a[5])};
      case Function::receive:
        return {"ncclRecv", "none", place(a[0]), number(a[1]), number(a[2]), "0", number(a[3]), on(a[4]), stream(a[5])};
      case Function::begin_capture:
        return {"cudaStreamBeginCapture", stream(a[0])};
      case Function::end_capture:
        return {"cudaStreamEndCapture", stream(a[0])};
      case Function::launch_graph:
        return {"cudaGraphLaunch", stream(a[0])};
    }
    return {};
  }

 private:
  static std::string number(int64_t value) { return std::to_string(value); }
  static std::string stream(int64_t which) { return "?stream" + number(which); }
  static std::string event(int64_t which) { return "?event" + number(which); }
  static std::string place(int64_t place) { return "?memory+" + number(place); }
  std::string on(int64_t communicator) const {
    const calls::Membership& m = list_.communicators[static_cast<size_t>(communicator)];
    return "/" + number(communicator) + "." + number(m.color) + ":" + number(m.index) + "/" + number(m.size);
  }
  static Words product(const std::vector<int64_t>& a) {
    Words words{"cublasLtMatmul"};
    for (size_t i = 0; i < 4; ++i) words.push_back(number(a[i]));
    words.push_back(number(a[4]));
    words.push_back(a[5] == calls::kNowhere ? "none" : place(a[5]));
    for (size_t i = 6; i < 8; ++i) words.push_back(number(static_cast<int64_t>(std::bit_cast<double>(a[i]))));
    for (size_t i = 8; i < 40; ++i) words.push_back(i % 8 == 0 ? place(a[i]) : number(a[i]));
    words.push_back("?workspace" + number(a[40]) + "+0");
    words.push_back(stream(a[41]));
    return words;
  }

  const calls::CallList& list_;
};

/// Names of one side for those of the other, one for one.
class Names {
 public:
  bool agree(const std::string& expected, const std::string& seen) {
    if (expected == "*" || expected == seen) return true;
    if (expected.empty() || expected[0] != '?') return false;
    const size_t cut = expected.find('+'), seen_cut = seen.find('+');
    const std::string offset = cut == std::string::npos ? "" : expected.substr(cut);
    if (offset != (seen_cut == std::string::npos ? "" : seen.substr(seen_cut))) return false;
    const std::string name = expected.substr(0, cut), other = seen.substr(0, seen_cut);
    return forth_.emplace(name, other).first->second == other && back_.emplace(other, name).first->second == name;
  }

 private:
  std::map<std::string, std::string> forth_, back_;
};

Words words_in(const std::string& line) {
  std::istringstream text(line);
  Words words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

std::vector<Words> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Words> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(words_in(line));
  return lines;
}

/// Compares the lines of one rank; a kernel may start in parts, and does not where it has no elements.
class Witness {
 public:
  Witness(const calls::CallList& list, std::vector<Words> seen) : list_(list), seen_(std::move(seen)) {}

  std::string difference(int64_t ranks, const std::vector<calls::Phase>& phases) {
    for (const calls::Phase phase : phases) {
      for (const calls::ExpectedCall& expected : calls::expected_calls(list_, ranks, phase)) {
        if (!look(expected)) return said(expected);
      }
    }
    return at_ == seen_.size() ? "" : "the stand-in saw more: " + seen_[at_][0];
  }
  /// Kernels whose data was compared.
  size_t kernels() const { return kernels_; }

 private:
  bool look(const calls::ExpectedCall& expected) {
    const Words words = WitnessWords(list_).of(expected);
    const bool is_kernel = expected.issued.function == Function::kernel;
    if (at_ < seen_.size() && agree(words, seen_[at_])) {
      ++at_;
      last_ = words;
      while (is_kernel && at_ < seen_.size() && seen_[at_] == seen_[at_ - 1]) ++at_;
      if (is_kernel && words[1] != "*") ++kernels_;
      return true;
    }
    const bool is_again = words == last_ && words[1] != "*";  // counted as a part of the one before
    return is_kernel && (is_again || has_no_elements(list_.calls[*expected.call]));
  }
  bool agree(const Words& expected, const Words& seen) {
    if (expected.size() != seen.size()) return false;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!names_.agree(expected[i], seen[i])) return false;
    }
    return true;
  }
  static bool has_no_elements(const calls::Call& call) {
    return std::visit(
        [](const auto& kernel) {
          if constexpr (requires { kernel.dims; }) {
            return std::any_of(kernel.size, kernel.size + kernel.dims, [](int64_t size) { return size == 0; });
          } else if constexpr (requires { kernel.outer; }) {
            return kernel.outer * kernel.inner == 0;
          } else {
            return false;
          }
        },
        call.what);
  }
  std::string said(const calls::ExpectedCall& expected) const {
    std::string text = "expected " + calls::to_text(expected.issued, list_) + "; the stand-in saw";
    if (at_ == seen_.size()) return text + " nothing more";
    for (const std::string& word : seen_[at_]) text += " " + word;
    return text;
  }

  const calls::CallList& list_;
  std::vector<Words> seen_;
  size_t at_ = 0;
  Words last_{};  ///< of what was seen last
  size_t kernels_ = 0;
  Names names_{};
};

Plan plan_in(const std::string& path) {
  DiagnosticSink sink;
  const Result<std::shared_ptr<const SourceFile>> file = text::read_source(path);
  if (!file) throw std::runtime_error("no " + path);
  const std::optional<Module> module = text::parse_module(*file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  for (size_t p = 0; p < module->programs.size(); ++p) {
    if (module->programs[p].kind() == ProgramKind::program) return lower(*module, ProgramId(p));
  }
  throw std::runtime_error("no program in " + path);
}

struct Setting {
  bool graph = false;
  calls::Products products = calls::Products::exact;
};

std::optional<std::vector<calls::CallList>> lists_for(Plan& plan, const Setting& setting) {
  const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
  std::vector<calls::CallList> lists;
  for (int64_t position = 0; position < plan.mesh->device_count(); ++position) {
    Result<calls::CallList> list = calls::make_call_list(plan, memory.value(), position, {setting.products});
    if (!list) return std::nullopt;
    lists.push_back(std::move(*list));
  }
  return lists;
}

std::shared_ptr<exec::Job> job_of(const Plan& plan, std::vector<calls::CallList> lists, bool graph) {
  auto job = std::make_shared<exec::Job>();
  job->open_backend = [] { return exec::load_backend(exec::Device::cpu_standin); };
  job->options = exec::RankOptions{60, graph, true, {}};
  for (size_t rank = 0; rank < lists.size(); ++rank) job->devices.push_back(static_cast<int>(rank));
  job->desk = exec::Desk::make(plan, lists).value();
  job->lists = std::move(lists);
  job->updated = exec::updated_globals(plan);
  return job;
}

/// Does so many steps; why it did not.
std::string run(const Plan& plan, const std::shared_ptr<exec::Job>& job, int steps) {
  std::vector<Tensor> globals;
  for (const Global& global : plan.globals) globals.push_back(sim::draw_global(global, 0));
  exec::Crew crew(job, exec::start_threads(job).value());
  if (const exec::Outcome<> opened = crew.open(); !opened) return opened.error().message;
  for (int step = 0; step < steps; ++step) {
    const exec::Outcome<exec::StepOutputs> outputs = exec::run_step(crew, plan, globals, true);
    if (!outputs) return outputs.error().message;
  }
  const exec::Outcome<> finished = crew.finish();
  return finished ? "" : finished.error().message;
}

class IssuedCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("isoshard_calls_" + std::to_string(getpid()));
    setenv("STANDIN_CALLS", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("STANDIN_CALLS");
    std::filesystem::remove_all(folder_);
  }

  /// What the stand-in saw otherwise than a list of a rank says; empty also where exec cannot do the Plan.
  std::string difference(Plan plan, const Setting& setting) {
    std::optional<std::vector<calls::CallList>> lists = lists_for(plan, setting);
    if (!lists) return "";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    std::vector<calls::Phase> phases{calls::Phase::opening, calls::Phase::step};
    if (setting.graph) phases.insert(phases.end(), {calls::Phase::capture, calls::Phase::launch});
    const std::shared_ptr<exec::Job> job = job_of(plan, std::move(*lists), setting.graph);
    if (const std::string failed = run(plan, job, static_cast<int>(phases.size()) - 1); !failed.empty()) return failed;
    for (size_t rank = 0; rank < job->lists.size(); ++rank) {
      Witness witness(job->lists[rank], lines_of(folder_ / ("rank_" + std::to_string(rank))));
      const std::string found = witness.difference(static_cast<int64_t>(job->lists.size()), phases);
      if (!found.empty()) return "rank " + std::to_string(rank) + ": " + found;
      kernels_ += witness.kernels();
    }
    ++compared_;
    return "";
  }

  std::filesystem::path folder_;
  size_t compared_ = 0, kernels_ = 0;
};

TEST_F(IssuedCalls, OfExamplesAreSeenByTheStandIn) {
  for (const char* name : {"tp_mlp", "train_step", "pipeline_1f1b", "ring_attention", "embedding", "quantized"}) {
    for (const Setting& setting : {Setting{false, calls::Products::exact}, Setting{true, calls::Products::library},
                                   Setting{false, calls::Products::tf32}}) {
      EXPECT_EQ(difference(plan_in(std::string("examples/") + name + ".shard"), setting), "") << name;
    }
  }
  EXPECT_EQ(compared_, 18U);
  EXPECT_GT(kernels_, 100U);
}

constexpr uint64_t kPrograms = kSanitized ? 5 : 32;

TEST_F(IssuedCalls, OfRandomProgramsAreSeenByTheStandIn) {
  for (uint64_t seed = 0; seed < testing::cases(kPrograms); ++seed) {
    const Setting setting{seed % 2 == 1, seed % 3 == 0 ? calls::Products::library : calls::Products::exact};
    ASSERT_EQ(difference(testing::random_plan(seed), setting), "") << "seed " << seed;
  }
  EXPECT_GT(compared_, testing::cases(kPrograms) / 2);
}

TEST(Names, AreOneForOne) {
  Names names;
  EXPECT_TRUE(names.agree("?stream0", "s3"));
  EXPECT_TRUE(names.agree("?stream0", "s3"));
  EXPECT_FALSE(names.agree("?stream0", "s4"));
  EXPECT_FALSE(names.agree("?stream1", "s3"));
  EXPECT_TRUE(names.agree("?memory+8", "m1+8"));
  EXPECT_FALSE(names.agree("?memory+8", "m1+12"));
  EXPECT_FALSE(names.agree("ncclSend", "ncclRecv"));
}

}  // namespace
}  // namespace isoshard::issued_calls_test
