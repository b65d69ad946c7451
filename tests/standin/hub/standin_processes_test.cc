// Ranks that are processes, whose devices are in another one: they have the orders, the numbers and the errors of ranks
// that are threads, and one that is killed is told to the others.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/standin/hub/share_devices.h"
#include "tests/standin/standin_testing.h"

namespace isoshard::standin_processes_test {
namespace {

using standin_testing::new_event;
using standin_testing::new_stream;
using standin_testing::run_ranks;
using standin_testing::Seat;
using standin_testing::with_seed;

using Lines = std::vector<std::string>;
constexpr int kGood = 0, kBad = 7;

ncclUniqueId meeting_point() {
  ncclUniqueId id{};
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  return id;
}

void join(Seat& seat, const ncclUniqueId& id) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = "all";
  EXPECT_EQ(ncclCommInitRankConfig(&seat.comm, seat.ranks, id, seat.rank, &config), ncclSuccess);
}

/// As run_ranks, with a process for each rank, which says whether all is good; how each ended, as waitpid has it.
template <class Body>
std::vector<int> run_processes(int ranks, standin::Options options, const Body& body) {
  standin::reset(options);
  const ncclUniqueId id = meeting_point();
  options.ranks = ranks;
  standin::reset(options);
  if (!isoshard_share_devices()) {
    ADD_FAILURE() << "no devices";
    return std::vector<int>(static_cast<size_t>(ranks), kBad);
  }
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    processes.push_back(fork());
    if (processes.back() != 0) continue;
    EXPECT_EQ(cudaSetDevice(rank), cudaSuccess);
    Seat seat{rank, ranks, nullptr, new_stream()};
    join(seat, id);
    _exit(body(seat) && !::testing::Test::HasFailure() ? kGood : kBad);
  }
  std::vector<int> ended;
  for (const pid_t process : processes) waitpid(process, &ended.emplace_back(), 0);
  isoshard_end_sharing();
  return ended;
}

bool is_good(int ended) { return WIFEXITED(ended) && WEXITSTATUS(ended) == kGood; }
bool is_killed(int ended) { return WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL; }

/// Floats on the device of the caller, which have to be copied where they are to be looked at.
class Floats {
 public:
  explicit Floats(const std::vector<float>& values) : count_(values.size()) {
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, bytes()), cudaSuccess);
    data_ = static_cast<float*>(data);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  float* data() const { return data_; }
  size_t bytes() const { return count_ * sizeof(float); }
  std::vector<float> values() const {
    std::vector<float> result(count_);
    EXPECT_EQ(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return result;
  }

 private:
  float* data_ = nullptr;
  size_t count_;
};

/// A kernel that adds one.
struct AddOne {
  float* to;
  static void run(const void* work) { *static_cast<const AddOne*>(work)->to += 1; }
};
void add_one(float* to, cudaStream_t stream) {
  const AddOne work{to};
  standin_launch(stream, &AddOne::run, &work, sizeof work, &work, sizeof work);
}

/// Two streams of each rank, with a sum over ranks, which may come too early without the wait for `event`: whether it
/// is right.
bool sum_of_ranks(const Seat& seat, bool waits) {
  const cudaStream_t other = new_stream();
  const cudaEvent_t event = new_event();
  const Floats mine({static_cast<float>(seat.rank), 10, 20}), sum({0, 0, 0}), beside({0});
  add_one(mine.data(), seat.stream);
  add_one(beside.data(), seat.stream);
  EXPECT_EQ(cudaEventRecord(event, seat.stream), cudaSuccess);
  if (waits) {
    EXPECT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
  }
  EXPECT_EQ(ncclAllReduce(mine.data(), sum.data(), 3, ncclFloat32, ncclSum, seat.comm, other), ncclSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(beside.values()[0], 1);
  const auto ranks = static_cast<float>(seat.ranks);
  const bool right = sum.values() == std::vector<float>{ranks * (ranks + 1) / 2, 10 * ranks, 20 * ranks};
  EXPECT_EQ(ncclCommDestroy(seat.comm), ncclSuccess);
  return right;
}

TEST(Processes, HaveTheOrderOfThreads) {
  std::vector<std::string> before;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    standin::Options options = with_seed(seed);
    options.query_ms = 60000;  // also on a machine that is busy
    run_ranks(3, options, [](const Seat& seat) { EXPECT_TRUE(sum_of_ranks(seat, true)); });
    const std::vector<std::string> of_threads = standin::trace();
    for (const int one : run_processes(3, options, [](const Seat& seat) { return sum_of_ranks(seat, true); })) {
      EXPECT_TRUE(is_good(one));
    }
    EXPECT_GT(of_threads.size(), 15U);
    EXPECT_EQ(of_threads, standin::trace());
    EXPECT_EQ(standin::problems(), Lines());
    EXPECT_NE(before, of_threads) << "the seed says nothing";
    before = of_threads;
  }
}

TEST(Processes, AMissingWaitShows) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<int> ended =
        run_processes(2, with_seed(seed), [](const Seat& seat) { return sum_of_ranks(seat, false); });
    wrong += !is_good(ended[0]);
  }
  EXPECT_GT(wrong, 0);
}

constexpr const char* kMismatch =
    "collective mismatch on communicator \"all\" at sequence 0: rank 1 all_reduce(2 f32 sum), rank 0 all_reduce(3 f32 "
    "sum)";

TEST(Processes, AMismatchHasAName) {
  const auto differ = [](const Seat& seat) {
    const Floats floats({1, 2, 3});
    const size_t count = seat.rank == 1 ? 2 : 3;
    EXPECT_EQ(ncclAllReduce(floats.data(), floats.data(), count, ncclFloat32, ncclSum, seat.comm, seat.stream),
              ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaErrorUnknown);
    ncclResult_t error = ncclSuccess;
    EXPECT_EQ(ncclCommGetAsyncError(seat.comm, &error), ncclSuccess);
    EXPECT_EQ(error, ncclInvalidUsage);
    return std::string(ncclGetLastError(seat.comm)) == kMismatch;
  };
  for (const int one : run_processes(2, {}, differ)) EXPECT_TRUE(is_good(one));
  EXPECT_EQ(standin::problems(), Lines{kMismatch});
}

TEST(Processes, ADeadlockHasAName) {
  const auto one_comes = [](const Seat& seat) {
    const Floats floats({1});
    if (seat.rank == 0) {
      EXPECT_EQ(ncclAllReduce(floats.data(), floats.data(), 1, ncclFloat32, ncclSum, seat.comm, seat.stream),
                ncclSuccess);
      EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaErrorUnknown);
    }
    return ncclCommAbort(seat.comm) == ncclSuccess;
  };
  for (const int one : run_processes(2, {}, one_comes)) EXPECT_TRUE(is_good(one));
  EXPECT_EQ(standin::problems(),
            Lines{"deadlock: rank 0 stream 1 waits in all_reduce(1 f32 sum) on communicator \"all\" "
                  "at sequence 0 for ranks 1"});
}

/// Rank 0 waits in a sum for rank 1, which ends in that way, until it is told.
std::vector<int> run_two(const std::function<void(const Seat&)>& end) {
  standin::Options options;
  options.hang_on_deadlock = true;
  return run_processes(2, options, [&](const Seat& seat) {
    const Floats floats({1});
    if (seat.rank == 1) {
      end(seat);
      return true;
    }
    EXPECT_EQ(ncclAllReduce(floats.data(), floats.data(), 1, ncclFloat32, ncclSum, seat.comm, seat.stream),
              ncclSuccess);
    ncclResult_t error = ncclSuccess;
    while (error == ncclSuccess) EXPECT_EQ(ncclCommGetAsyncError(seat.comm, &error), ncclSuccess);
    EXPECT_EQ(error, ncclRemoteError);
    return std::string(ncclGetLastError(seat.comm)) == "rank 1 is gone";
  });
}

TEST(Processes, AKilledOneIsToldToTheOthers) {
  const std::vector<int> ended = run_two([](const Seat&) { kill(getpid(), SIGKILL); });
  EXPECT_TRUE(is_good(ended[0]));
  EXPECT_TRUE(is_killed(ended[1]));
  EXPECT_EQ(standin::problems(), Lines());
}

TEST(Processes, OneThatIsKilledInsideOfACallIsToldToTheOthers) {
  const std::vector<int> ended = run_two([](const Seat& seat) {
    const Floats floats({1});
    if (fork() == 0) {  // kills its parent once that waits
      usleep(100000);
      kill(getppid(), SIGKILL);
      _exit(0);
    }
    EXPECT_EQ(ncclRecv(floats.data(), 1, ncclFloat32, 0, seat.comm, seat.stream), ncclSuccess);
    cudaStreamSynchronize(seat.stream);
  });
  EXPECT_TRUE(is_good(ended[0]));
  EXPECT_TRUE(is_killed(ended[1]));
}

TEST(Processes, OneThatEndsWithoutItsCommunicatorsIsGone) {
  const std::vector<int> ended = run_two([](const Seat&) {});
  EXPECT_TRUE(is_good(ended[0]));
  EXPECT_TRUE(is_good(ended[1]));
}

TEST(Processes, HaveTheFaultsThatWereAskedFor) {
  standin::reset({});
  const ncclUniqueId id = meeting_point();
  standin::reset({});
  standin::fail_at(0, 2, {cudaErrorMemoryAllocation, ncclSystemError, CUBLAS_STATUS_ALLOC_FAILED});
  ASSERT_TRUE(isoshard_share_devices());
  const pid_t process = fork();
  if (process == 0) {
    void* data = nullptr;
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&data, 8), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaMalloc(&data, 8), cudaSuccess);
    Seat seat{0, 1, nullptr, new_stream()};
    join(seat, id);
    _exit(sum_of_ranks(seat, true) && !::testing::Test::HasFailure() ? kGood : kBad);
  }
  int ended = 0;
  waitpid(process, &ended, 0);
  isoshard_end_sharing();
  EXPECT_TRUE(is_good(ended));
}

TEST(Processes, RefuseWhatNeedsMemoryOfTheHost) {
  const std::vector<int> ended = run_processes(1, {}, [](const Seat& seat) {
    const Floats floats({1});
    void* pinned = nullptr;
    float number = 0;
    EXPECT_EQ(cudaMallocHost(&pinned, 8), cudaErrorNotSupported);
    EXPECT_EQ(cudaMemcpyAsync(&number, floats.data(), 4, cudaMemcpyDeviceToHost, seat.stream), cudaErrorNotSupported);
    EXPECT_EQ(cudaMemcpyAsync(floats.data(), floats.data(), 4, cudaMemcpyDeviceToDevice, seat.stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaSuccess);
    return ncclCommDestroy(seat.comm) == ncclSuccess;
  });
  EXPECT_TRUE(is_good(ended[0]));
}

TEST(Processes, AnAccessOutsideOfMemoryIsToldBehind) {
  const std::vector<int> ended = run_processes(1, {}, [](const Seat& seat) {
    const Floats floats({1});
    EXPECT_EQ(cudaMemsetAsync(floats.data(), 0, 8, seat.stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaErrorIllegalAddress);
    return ncclCommDestroy(seat.comm) == ncclSuccess;
  });
  EXPECT_TRUE(is_good(ended[0]));
  EXPECT_EQ(standin::problems(),
            Lines{"rank 0 stream 1: a fill writes 8 bytes at 0 in an allocation of 4 bytes of rank 0"});
}

}  // namespace
}  // namespace isoshard::standin_processes_test
