// Workers without a device take part in the large products of another one: the same bits for any number of workers.
#include <bit>
#include <stdexcept>

#include "core/support/result.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::shared_work_test {
namespace {

constexpr int64_t kSize = 260;

class SharedWorkTest : public PlanTest {
 protected:
  void squares(int64_t devices) { square_matrices(devices, kSize); }
  std::vector<uint64_t> bits(int workers, std::optional<uint64_t> seed) {
    const Result<RunResult> result = run_on_engine(*plan_, float_domain(), globals_, with_workers(workers, seed));
    EXPECT_TRUE(result.has_value());
    std::vector<uint64_t> all;
    for (int64_t p = 0; result && p < devices(); ++p) {
      for (const double x : stored(*result, 0, static_cast<size_t>(p))) all.push_back(std::bit_cast<uint64_t>(x));
    }
    return all;
  }
  void expect_same_bits(int64_t devices) {
    squares(devices);
    const std::vector<uint64_t> alone = bits(1, std::nullopt);
    for (const int workers : {2, 3, 8}) {
      for (const std::optional<uint64_t> seed : {std::optional<uint64_t>(), std::optional<uint64_t>(7)}) {
        EXPECT_EQ(bits(workers, seed), alone) << devices << " devices on " << workers << " workers";
      }
    }
  }
};

TEST_F(SharedWorkTest, OneDeviceOnManyWorkers) { expect_same_bits(1); }
TEST_F(SharedWorkTest, FewDevicesOnMoreWorkers) { expect_same_bits(3); }

/// Who watches throws while workers that have no device wait for work.
class ThrowsAt : public ValueObserver {
 public:
  explicit ThrowsAt(PlanValueId id) : id_(id) {}
  void on_value(int64_t, PlanValueId id, const Value&) override {
    if (id == id_) throw std::runtime_error("enough");
  }

 private:
  PlanValueId id_;
};

TEST_F(SharedWorkTest, AFailureEndsWorkersThatWait) {
  squares(1);
  for (const InstructionId id : plan_->groups[0].blocks[0].queues[0].instructions) {
    if (plan_->instruction(id).results.empty()) continue;
    ThrowsAt observer(plan_->instruction(id).results[0]);
    RunOptions options = with_workers(4);
    options.observer = &observer;
    EXPECT_THROW(static_cast<void>(run_on_engine(*plan_, float_domain(), globals_, options)), std::runtime_error);
  }
}

}  // namespace
}  // namespace isoshard::sim::shared_work_test
