// Who runs where: threads and processes, on as many devices as a backend has, and on fewer.
#include "exec/start/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>

#include "exec/run/crew.h"
#include "exec/run/steps.h"
#include "exec/start/oversubscribe.h"
#include "tests/unit/exec/fake_backend.h"

namespace isoshard::exec::ranks_test {
namespace {

using testing::echo_lists;
using testing::echo_plan;
using ::testing::HasSubstr;

/// A backend with devices of CUDA and such a version of NCCL.
class OfVersion final : public Backend {
 public:
  OfVersion(int devices, std::string nccl) : fake_({}, devices), nccl_(std::move(nccl)) {}
  Outcome<std::string> describe() override { return "a GPU, NCCL " + nccl_; }
  Outcome<int> devices() override { return fake_.devices(); }
  Outcome<MeetingPoint> meeting_point() override { return fake_.meeting_point(); }
  Outcome<std::unique_ptr<Rank>> open(const calls::CallList& list, const Seat& seat,
                                      const RankOptions& options) override {
    seen_process = getpid();
    seen_devices |= 1 << seat.device;
    return fake_.open(list, seat, options);
  }

  static inline std::atomic<int> seen_process = 0, seen_devices = 0;  // in the process of a rank

 private:
  testing::FakeBackend fake_;
  std::string nccl_;
};

RankSettings settings_of(bool threads, int devices, const std::string& nccl) {
  RankSettings settings;
  settings.threads = threads;
  settings.options.deadline = 5;
  settings.open_backend = [backend = std::make_shared<OfVersion>(devices, nccl)]() -> Outcome<Backend*> {
    return backend.get();
  };
  return settings;
}

/// Does a step of two ranks; why not, where it does not.
Failure run_two(const RankSettings& settings) {
  OfVersion::seen_process = 0, OfVersion::seen_devices = 0;
  const Plan plan = echo_plan();
  const Outcome<PreparedJob> prepared = prepare_job(plan, echo_lists(), settings);
  if (!prepared) return prepared.error();
  Outcome<std::unique_ptr<RankHost>> host = start_ranks(*prepared, settings);
  if (!host) return host.error();
  Crew crew(prepared->job, std::move(*host));
  if (const Outcome<> opened = crew.open(); !opened) return opened.error();
  const std::vector<Tensor> globals = {Tensor::from<float>(DType::f32, {4}, std::vector<float>{1, 2, 3, 4}),
                                       Tensor::from<float>(DType::f32, {2}, std::vector<float>{5, 6})};
  const Outcome<StepOutputs> outputs = run_step(crew, plan, globals, true);
  if (!outputs) return outputs.error();
  EXPECT_THAT(outputs->arrays[0].bytes(), ::testing::ElementsAreArray(globals[0].bytes()));
  return crew.finish() ? Failure{Failure::Kind::failed, "none"} : Failure{};
}

TEST(StartRanks, AreThreadsOfThisProcessWhereThatIsAskedFor) {
  EXPECT_EQ(run_two(settings_of(true, 2, "2.28.9")).message, "none");
  EXPECT_EQ(OfVersion::seen_process, getpid());
  EXPECT_EQ(OfVersion::seen_devices, 3);  // each its own
}

TEST(StartRanks, AreProcessesElse) {
  EXPECT_EQ(run_two(settings_of(false, 2, "2.28.9")).message, "none");
  EXPECT_EQ(OfVersion::seen_process, 0);
}

TEST(StartRanks, HaveADeviceEach) {
  for (const bool threads : {true, false}) {
    const Failure failure = run_two(settings_of(threads, 1, "2.30.3"));
    EXPECT_EQ(failure.kind, Failure::Kind::no_device);
    EXPECT_THAT(failure.message, HasSubstr("2 ranks on 1 GPU: expected a GPU for each rank"));
  }
}

TEST(StartRanks, ShareADeviceWhereThatIsSaid) {
  RankSettings processes = settings_of(false, 1, "2.28.9");
  processes.oversubscribe = true;
  EXPECT_EQ(run_two(processes).message, "none");
}

TEST(StartRanks, AsThreadsShareADeviceFromNccl230On) {
  RankSettings older = settings_of(true, 1, "2.28.9"), newer = settings_of(true, 1, "2.30.3");
  older.oversubscribe = newer.oversubscribe = true;
  const Failure refused = run_two(older);
  EXPECT_EQ(refused.kind, Failure::Kind::unsupported);
  EXPECT_EQ(refused.message,
            "several ranks on one GPU as threads: NCCL has that since 2.30, and here is a GPU, NCCL 2.28.9; expected "
            "--launcher processes");
  EXPECT_EQ(run_two(newer).message, "none");
  EXPECT_STREQ(std::getenv("NCCL_MULTI_RANK_GPU_ENABLE"), "1");
  const Environment switched = environment_of_shared_gpus("NCCL 2.30.3").value();
  for (const auto& [name, value] : switched) unsetenv(name.c_str());
}

}  // namespace
}  // namespace isoshard::exec::ranks_test
