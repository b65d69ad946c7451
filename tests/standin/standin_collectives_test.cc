// Collectives of the stand-in against loops over numbers, for 1 to 8 ranks and all dtypes, and how reductions round.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/scalar/narrow.h"
#include "tests/standin/standin_testing.h"

namespace isoshard::standin_collectives_test {
namespace {

using standin_testing::Buffer;
using standin_testing::run_ranks;
using standin_testing::Seat;
using standin_testing::with_seed;

/// Small whole numbers, which all dtypes hold; other ones on each rank.
template <class T, class Encode>
std::vector<T> numbers(int rank, size_t count, const Encode& encode) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = encode(static_cast<int>(i % 3) + rank % 2 + 1);
  return values;
}

/// All kinds on elements of T, whose numbers are encoded so.
template <class T, class Encode>
void check_kinds(int ranks, ncclDataType_t dtype, const Encode& encode) {
  constexpr size_t kCount = 3;
  const auto n = static_cast<size_t>(ranks);
  run_ranks(ranks, with_seed(5), [&](const Seat& seat) {
    const auto own = static_cast<size_t>(seat.rank);
    const auto of = [&](int rank, size_t i) { return static_cast<int>(i % 3) + rank % 2 + 1; };
    const auto sum_at = [&](size_t i) {
      int sum = 0;
      for (int rank = 0; rank < ranks; ++rank) sum += of(rank, i);
      return encode(sum);
    };
    const Buffer<T> x(numbers<T>(seat.rank, kCount * n, encode));
    const Buffer<T> all(kCount * n), gathered(kCount * n * n), scattered(kCount), exchanged(kCount * n),
        sent(kCount * n), reduced(kCount * n), largest(kCount * n), least(kCount * n);
    const int root = ranks - 1;
    ncclAllReduce(x.data(), all.data(), kCount * n, dtype, ncclSum, seat.comm, seat.stream);
    ncclAllReduce(x.data(), largest.data(), kCount * n, dtype, ncclMax, seat.comm, seat.stream);
    ncclAllReduce(x.data(), least.data(), kCount * n, dtype, ncclMin, seat.comm, seat.stream);
    ncclAllGather(x.data(), gathered.data(), kCount * n, dtype, seat.comm, seat.stream);
    ncclReduceScatter(x.data(), scattered.data(), kCount, dtype, ncclSum, seat.comm, seat.stream);
    ncclAlltoAll(x.data(), exchanged.data(), kCount, dtype, seat.comm, seat.stream);
    ncclBroadcast(x.data(), sent.data(), kCount * n, dtype, root, seat.comm, seat.stream);
    ncclReduce(x.data(), reduced.data(), kCount * n, dtype, ncclSum, root, seat.comm, seat.stream);
    const auto sums = all.values(seat.stream), most = largest.values(seat.stream), fewest = least.values(seat.stream);
    for (size_t i = 0; i < kCount * n; ++i) {
      EXPECT_EQ(sums[i], sum_at(i));
      EXPECT_EQ(most[i], encode(of(ranks > 1 ? 1 : 0, i)));
      EXPECT_EQ(fewest[i], encode(of(0, i)));
      EXPECT_EQ(sent.values(seat.stream)[i], encode(of(root, i)));
      EXPECT_EQ(exchanged.values(seat.stream)[i], encode(of(static_cast<int>(i / kCount), own * kCount + i % kCount)));
      if (seat.rank == root) {
        EXPECT_EQ(reduced.values(seat.stream)[i], sum_at(i));
      }
    }
    for (size_t i = 0; i < kCount * n * n; ++i) {
      EXPECT_EQ(gathered.values(seat.stream)[i], encode(of(static_cast<int>(i / (kCount * n)), i % (kCount * n))));
    }
    for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(scattered.values(seat.stream)[i], sum_at(own * kCount + i));
  });
  EXPECT_EQ(standin::problems(), std::vector<std::string>());
}

template <class T>
T plain(int value) {
  return static_cast<T>(value);
}

template <class Narrow>
typename Narrow::Bits narrow(int value) {
  return scalar::narrow_bits<Narrow>(scalar::narrowed<Narrow>(static_cast<float>(value)));
}

TEST(StandinCollectives, AreRightOnOneToEightRanks) {
  for (int ranks = 1; ranks <= 8; ++ranks) check_kinds<float>(ranks, ncclFloat32, plain<float>);
}

TEST(StandinCollectives, AreRightForAllDtypes) {
  check_kinds<int8_t>(3, ncclInt8, plain<int8_t>);
  check_kinds<uint8_t>(3, ncclUint8, plain<uint8_t>);
  check_kinds<int32_t>(3, ncclInt32, plain<int32_t>);
  check_kinds<uint32_t>(3, ncclUint32, plain<uint32_t>);
  check_kinds<int64_t>(3, ncclInt64, plain<int64_t>);
  check_kinds<uint64_t>(3, ncclUint64, plain<uint64_t>);
  check_kinds<double>(3, ncclFloat64, plain<double>);
  check_kinds<uint16_t>(3, ncclFloat16, narrow<scalar::F16>);
  check_kinds<uint16_t>(3, ncclBfloat16, narrow<scalar::Bf16>);
  check_kinds<uint8_t>(3, ncclFloat8e4m3, narrow<scalar::F8E4M3>);
  check_kinds<uint8_t>(2, ncclFloat8e5m2, narrow<scalar::F8E5M2>);
}

/// The f32 sum of ranks that hold 1, 2^24 and -2^24, at both ends of an array.
std::vector<float> ends_of_sum(standin::ReduceOrder order, uint64_t seed) {
  std::vector<float> ends;
  standin::Options options = with_seed(seed);
  options.reduce_order = order;
  run_ranks(3, options, [&](const Seat& seat) {
    const std::vector<float> terms{1, 16777216, -16777216};
    const Buffer<float> x(std::vector<float>(9, terms[static_cast<size_t>(seat.rank)]));
    ncclAllReduce(x.data(), x.data(), 9, ncclFloat32, ncclSum, seat.comm, seat.stream);
    const std::vector<float> sum = x.values(seat.stream);
    if (seat.rank == 0) ends = {sum[0], sum[4], sum[8]};
  });
  return ends;
}

TEST(StandinCollectives, AddInAnOrderThatDependsOnThePlace) {
  EXPECT_EQ(ends_of_sum(standin::ReduceOrder::ranks, 0), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(ends_of_sum(standin::ReduceOrder::rotated, 0), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(ends_of_sum(standin::ReduceOrder::rotated, 2), (std::vector<float>{0, 1, 1}));
}

TEST(StandinCollectives, RoundAfterEachAdd) {
  run_ranks(4, {}, [](const Seat& seat) {
    const float term = seat.rank == 0 ? 256 : 0.75F;  // bf16 has 8 digits: 256.75 is rounded to 256 or 258
    const uint16_t bits = scalar::narrow_bits<scalar::Bf16>(term);
    const Buffer<uint16_t> x(std::vector<uint16_t>(4, bits));
    ncclAllReduce(x.data(), x.data(), 4, ncclBfloat16, ncclSum, seat.comm, seat.stream);
    const std::vector<uint16_t> sum = x.values(seat.stream);
    // In cyclic orders: .75 + .75 + .75 + 256 is 258, as is .75 + .75 + 256 + .75; .75 + 256 and 256 + .75 stay 256.
    std::vector<float> expected{258, 258, 256, 256};
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(scalar::widened<scalar::Bf16>(sum[i]), expected[i]) << i;
  });
}

TEST(StandinCollectives, MayBeInPlaceAsNcclHasIt) {
  run_ranks(2, {}, [](const Seat& seat) {
    const auto own = static_cast<size_t>(seat.rank);
    const Buffer<float> x(std::vector<float>{1, 2});
    ncclAllGather(x.data() + own, x.data(), 1, ncclFloat32, seat.comm, seat.stream);
    EXPECT_EQ(x.values(seat.stream), (std::vector<float>{1, 2}));
    ncclReduceScatter(x.data(), x.data() + own, 1, ncclFloat32, ncclSum, seat.comm, seat.stream);
    EXPECT_EQ(x.values(seat.stream)[own], seat.rank == 0 ? 2 : 4);
  });
  EXPECT_EQ(standin::problems(), std::vector<std::string>());
}

TEST(StandinCollectives, MayNotOverlapOtherwise) {
  run_ranks(2, {}, [](const Seat& seat) {
    const Buffer<float> x(std::vector<float>{1, 2, 3});
    ncclAllReduce(x.data(), x.data() + 1, 2, ncclFloat32, ncclSum, seat.comm, seat.stream);
    ncclAlltoAll(x.data(), x.data(), 1, ncclFloat32, seat.comm, seat.stream);
    cudaStreamSynchronize(seat.stream);
  });
  const std::vector<std::string> problems = standin::problems();
  ASSERT_EQ(problems.size(), 4);
  EXPECT_EQ(problems[0],
            "rank 0: all_reduce(2 f32 sum) on communicator \"all\": its result partly overlaps what it reads");
}

}  // namespace
}  // namespace isoshard::standin_collectives_test
