// Groups, messages, mismatches, deadlocks, splits and communicators that do not block, in the stand-in: each right
// program beside a wrong one.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/standin/standin_testing.h"

namespace isoshard::standin_communication_test {
namespace {

using standin_testing::Buffer;
using standin_testing::new_event;
using standin_testing::new_stream;
using standin_testing::run_ranks;
using standin_testing::Seat;
using standin_testing::with_seed;

const std::vector<std::string> kNone;

ncclResult_t async_error(ncclComm_t comm) {
  ncclResult_t error = ncclInternalError;
  EXPECT_EQ(ncclCommGetAsyncError(comm, &error), ncclSuccess);
  return error;
}

ncclResult_t error_in_the_end(ncclComm_t comm) {
  ncclResult_t error = ncclSuccess;
  for (int i = 0; i < 200 && error == ncclSuccess; ++i) error = async_error(comm);
  return error;
}

/// A step of a ring; in one group, or with the receive behind the send.
void permute(const Seat& seat, const Buffer<int>& from, const Buffer<int>& to, bool grouped) {
  const int next = (seat.rank + 1) % seat.ranks, previous = (seat.rank + seat.ranks - 1) % seat.ranks;
  if (grouped) {
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  }
  EXPECT_EQ(ncclSend(from.data(), from.size(), ncclInt32, next, seat.comm, seat.stream), ncclSuccess);
  EXPECT_EQ(ncclRecv(to.data(), to.size(), ncclInt32, previous, seat.comm, seat.stream), ncclSuccess);
  if (grouped) {
    EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  }
}

TEST(StandinCommunication, AGroupSendsAndReceivesTogether) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    run_ranks(ranks, with_seed(1), [](const Seat& seat) {
      const Buffer<int> x(std::vector<int>{seat.rank}), y(1);
      permute(seat, x, y, true);
      permute(seat, y, x, true);
      EXPECT_EQ(x.values(seat.stream)[0], (seat.rank + 2 * seat.ranks - 2) % seat.ranks);
    });
    EXPECT_EQ(standin::problems(), kNone);
  }
}

TEST(StandinCommunication, SendsOfAllBeforeReceivesAreADeadlock) {
  run_ranks(2, {}, [](const Seat& seat) {
    const Buffer<int> x(std::vector<int>{seat.rank}), y(1);
    permute(seat, x, y, false);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaErrorUnknown);
    EXPECT_EQ(error_in_the_end(seat.comm), ncclInternalError);
  });
  EXPECT_EQ(standin::problems(),
            (std::vector<std::string>{"deadlock: rank 0 stream 1 waits in send(1 i32 to 1) on communicator \"all\"",
                                      "deadlock: rank 1 stream 1 waits in send(1 i32 to 0) on communicator \"all\""}));
}

TEST(StandinCommunication, MessagesOfAPairMatchInOrder) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    run_ranks(2, with_seed(seed), [](const Seat& seat) {
      const Buffer<int> x(std::vector<int>{1, 2}), y(2);
      ncclGroupStart();
      for (size_t i = 0; i < 2; ++i) {
        if (seat.rank == 0) ncclSend(x.data() + i, 1, ncclInt32, 1, seat.comm, seat.stream);
        if (seat.rank == 1) ncclRecv(y.data() + i, 1, ncclInt32, 0, seat.comm, seat.stream);
      }
      ncclGroupEnd();
      const std::vector<int> got = y.values(seat.stream);
      if (seat.rank == 1) {
        EXPECT_EQ(got, (std::vector<int>{1, 2}));
      }
    });
  }
}

TEST(StandinCommunication, MessagesHaveOneSize) {
  run_ranks(2, {}, [](const Seat& seat) {
    const Buffer<int> x(std::vector<int>{1, 2});
    if (seat.rank == 0) ncclSend(x.data(), 2, ncclInt32, 1, seat.comm, seat.stream);
    if (seat.rank == 1) ncclRecv(x.data(), 1, ncclInt32, 0, seat.comm, seat.stream);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaErrorUnknown);
    EXPECT_EQ(async_error(seat.comm), ncclInvalidUsage);
  });
  EXPECT_EQ(standin::problems(),
            (std::vector<std::string>{"message mismatch on communicator \"all\": rank 0 send(2 i32 to "
                                      "1), rank 1 receive(1 i32 from 0)"}));
}

/// Two collectives, in the other order on one rank where that is said.
void two_collectives(const Seat& seat, bool exchanged, const Buffer<float>& x) {
  for (int i = 0; i < 2; ++i) {
    if ((i == 0) != exchanged) {
      ncclAllReduce(x.data(), x.data(), 384, ncclFloat32, ncclSum, seat.comm, seat.stream);
    } else {
      ncclAllGather(x.data() + seat.rank, x.data(), 1, ncclFloat32, seat.comm, seat.stream);
    }
  }
}

const char* const kMismatch =
    "collective mismatch on communicator \"all\" at sequence 0: rank 2 all_gather(1 f32), rank 0 all_reduce(384 f32 "
    "sum)";

TEST(StandinCommunication, CollectivesInAnotherOrderAreAMismatch) {
  for (const bool wrong : {false, true}) {
    run_ranks(4, {}, [&](const Seat& seat) {
      const Buffer<float> x(std::vector<float>(384, 1));
      two_collectives(seat, wrong && seat.rank == 2, x);
      EXPECT_EQ(cudaStreamSynchronize(seat.stream), wrong ? cudaErrorUnknown : cudaSuccess);
      EXPECT_EQ(async_error(seat.comm), wrong ? ncclInvalidUsage : ncclSuccess);
      EXPECT_EQ(ncclGetLastError(seat.comm), std::string(wrong ? kMismatch : ""));
    });
    EXPECT_EQ(standin::problems(), wrong ? std::vector<std::string>{kMismatch} : kNone);
  }
}

TEST(StandinCommunication, AMismatchHangsWhereThatIsWantedUntilItIsAborted) {
  standin::Options options;
  options.hang_on_mismatch = true;
  run_ranks(4, options, [&](const Seat& seat) {
    const Buffer<float> x(std::vector<float>(384, 1));
    two_collectives(seat, seat.rank == 2, x);
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(cudaStreamQuery(seat.stream), cudaErrorNotReady);
      const ncclResult_t error = async_error(seat.comm);
      if (i > 100 && error == ncclRemoteError) break;  // one is faster and aborts
      ASSERT_EQ(error, ncclSuccess);
    }
    EXPECT_EQ(ncclCommAbort(seat.comm), ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), cudaSuccess);
  });
  EXPECT_EQ(standin::problems(), std::vector<std::string>{kMismatch});
}

TEST(StandinCommunication, ACollectiveThatOneRankLacksIsADeadlock) {
  run_ranks(3, {}, [&](const Seat& seat) {
    const Buffer<float> x(std::vector<float>(4, 1));
    if (seat.rank != 1) ncclAllReduce(x.data(), x.data(), 4, ncclFloat32, ncclMax, seat.comm, seat.stream);
    EXPECT_EQ(cudaStreamSynchronize(seat.stream), seat.rank == 1 ? cudaSuccess : cudaErrorUnknown);
  });
  EXPECT_EQ(
      standin::problems(),
      (std::vector<std::string>{"deadlock: rank 0 stream 1 waits in all_reduce(4 f32 max) on communicator \"all\" at "
                                "sequence 0 for ranks 1",
                                "deadlock: rank 2 stream 1 waits in all_reduce(4 f32 max) on communicator \"all\" at "
                                "sequence 0 for ranks 1"}));
}

TEST(StandinCommunication, ADeadlockIsFoundByThoseThatPoll) {
  for (const bool hang : {false, true}) {
    standin::Options options;
    options.hang_on_deadlock = hang;
    run_ranks(2, options, [&](const Seat& seat) {
      const Buffer<float> x(std::vector<float>(4, 1));
      if (seat.rank == 0) ncclAllReduce(x.data(), x.data(), 4, ncclFloat32, ncclMax, seat.comm, seat.stream);
      cudaError_t last = cudaErrorNotReady;
      for (int i = 0; i < 500 && last == cudaErrorNotReady; ++i) {
        last = cudaStreamQuery(seat.stream);
        if (seat.rank == 1) break;
      }
      if (seat.rank == 0) {
        EXPECT_EQ(last, hang ? cudaErrorNotReady : cudaErrorUnknown);
      }
    });
  }
}

/// Two communicators used in another order on one rank, on one stream or on two.
void crossed(const Seat& seat, bool two_streams) {
  ncclComm_t other = nullptr;
  EXPECT_EQ(ncclCommSplit(seat.comm, 0, seat.rank, &other, nullptr), ncclSuccess);
  const cudaStream_t second = two_streams ? new_stream() : seat.stream;
  const Buffer<float> x(std::vector<float>(1, 1)), y(std::vector<float>(1, 1));
  for (int i = 0; i < 2; ++i) {
    const bool first = (i == 0) == (seat.rank == 0);
    ncclAllReduce(first ? x.data() : y.data(), first ? x.data() : y.data(), 1, ncclFloat32, ncclSum,
                  first ? seat.comm : other, first ? seat.stream : second);
  }
  EXPECT_EQ(cudaStreamSynchronize(seat.stream), two_streams ? cudaSuccess : cudaErrorUnknown);
  EXPECT_EQ(cudaStreamSynchronize(second), two_streams ? cudaSuccess : cudaErrorUnknown);
}

TEST(StandinCommunication, CrossedCommunicatorsHangOnOneStreamOnly) {
  for (const bool two_streams : {true, false}) {
    run_ranks(2, {}, [&](const Seat& seat) { crossed(seat, two_streams); });
    EXPECT_EQ(standin::problems().size(), two_streams ? 0 : 2);
  }
}

TEST(StandinCommunication, ASplitOrdersByKeyWithinColors) {
  run_ranks(6, with_seed(3), [](const Seat& seat) {
    ncclComm_t child = nullptr;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.commName = "half";
    const int color = seat.rank == 5 ? NCCL_SPLIT_NOCOLOR : seat.rank % 2;
    EXPECT_EQ(ncclCommSplit(seat.comm, color, -seat.rank, &child, &config), ncclSuccess);
    EXPECT_EQ(child == nullptr, seat.rank == 5);
    if (seat.rank == 5) return;
    int rank = -1, count = -1;
    EXPECT_EQ(ncclCommUserRank(child, &rank), ncclSuccess);
    EXPECT_EQ(ncclCommCount(child, &count), ncclSuccess);
    EXPECT_EQ(count, seat.rank % 2 == 0 ? 3 : 2);
    EXPECT_EQ(rank, count - 1 - seat.rank / 2);
    const Buffer<int> x(std::vector<int>{seat.rank}), all(static_cast<size_t>(count));
    ncclAllGather(x.data(), all.data(), 1, ncclInt32, child, seat.stream);
    EXPECT_EQ(all.values(seat.stream), seat.rank % 2 == 0 ? (std::vector<int>{4, 2, 0}) : (std::vector<int>{3, 1}));
    EXPECT_EQ(ncclCommFinalize(child), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(child), ncclSuccess);
  });
  EXPECT_EQ(standin::problems(), kNone);
}

ncclComm_t init_without_blocking(int rank, int ranks, const ncclUniqueId& id) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm = nullptr;
  const ncclResult_t begun = ncclCommInitRankConfig(&comm, ranks, id, rank, &config);
  EXPECT_TRUE(begun == ncclSuccess || begun == ncclInProgress);
  while (async_error(comm) == ncclInProgress) {
  }
  return comm;
}

TEST(StandinCommunication, ACommunicatorThatDoesNotBlockIsPolled) {
  ncclUniqueId id{};
  standin::reset({});
  ncclGetUniqueId(&id);
  const ncclUniqueId* const meeting = &id;
  standin_testing::run_threads(3, {}, [&](int rank) {
    const ncclComm_t comm = init_without_blocking(rank, 3, *meeting);
    const cudaStream_t stream = new_stream();
    const Buffer<int> x(std::vector<int>{1});
    EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 1, ncclInt32, ncclSum, comm, stream), ncclInProgress);
    EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 1, ncclInt32, ncclSum, comm, stream), ncclInvalidArgument);
    EXPECT_EQ(x.values(stream)[0], 1) << "it is not on the stream before it was polled";
    EXPECT_EQ(async_error(comm), ncclSuccess);
    EXPECT_EQ(x.values(stream)[0], 3);
    ncclResult_t ended = ncclCommFinalize(comm);
    while (ended == ncclInProgress) ended = async_error(comm);
    EXPECT_EQ(ended, ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  });
}

TEST(StandinCommunication, AFinalizeThatOneRankLacksIsADeadlock) {
  run_ranks(2, {}, [](const Seat& seat) {
    if (seat.rank == 0) {
      EXPECT_EQ(ncclCommFinalize(seat.comm), ncclInternalError);
    }
  });
  EXPECT_EQ(standin::problems(),
            (std::vector<std::string>{"deadlock: rank 0 waits in the end of communicator \"all\" for "
                                      "its other members"}));
}

TEST(StandinCommunication, UnusableCallsAreRefused) {
  run_ranks(2, {}, [](const Seat& seat) {
    const Buffer<int> x(std::vector<int>{1});
    EXPECT_EQ(ncclSend(x.data(), 1, ncclInt32, 2, seat.comm, seat.stream), ncclInvalidArgument);
    EXPECT_EQ(ncclSend(x.data(), 1, ncclInt32, seat.rank, seat.comm, seat.stream), ncclInvalidUsage);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
    EXPECT_EQ(ncclCommDestroy(seat.comm), ncclSuccess);
    EXPECT_EQ(ncclAllReduce(x.data(), x.data(), 1, ncclInt32, ncclSum, seat.comm, seat.stream), ncclInvalidArgument);
    EXPECT_EQ(ncclCommDestroy(seat.comm), ncclInvalidArgument);
  });
}

}  // namespace
}  // namespace isoshard::standin_communication_test
