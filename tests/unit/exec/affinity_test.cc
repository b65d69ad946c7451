// Processors near a device of a bus.
#include "exec/run/affinity.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace isoshard::exec::affinity_test {
namespace {

/// A tree of the system with two nodes, and a device at the second.
class Affinity : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "sys-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    sys_ = name;
    put("bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
    put("bus/pci/devices/0000:5e:00.0/numa_node", "-1\n");
    put("devices/system/node/node1/cpulist", "1,4-6\n");
  }
  void TearDown() override { std::filesystem::remove_all(sys_); }
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(sys_ + "/" + path).parent_path());
    std::ofstream(sys_ + "/" + path) << text;
  }
  std::string sys_{};
};

TEST_F(Affinity, OfADevice) {
  EXPECT_EQ(processors_near("0000:3B:00.0", sys_), (std::vector<int>{1, 4, 5, 6}));
  for (const char* id : {"0000:5e:00.0", "0000:ff:00.0", "", "../devices/0000:3b:00.0"}) {
    EXPECT_TRUE(processors_near(id, sys_).empty()) << id;
  }
}

TEST(ListOfNumbers, IsRead) {
  EXPECT_EQ(numbers_of_list("0"), std::vector<int>{0});
  EXPECT_EQ(numbers_of_list("0-2,7"), (std::vector<int>{0, 1, 2, 7}));
  for (const char* list : {"", "x", "3-1", "1-", "1;2", "-1", "0-99999999"})
    EXPECT_TRUE(numbers_of_list(list).empty()) << list;
}

/// How many processors a process has that stays on these, of those that it had.
int left_of(const std::vector<int>& processors) {
  int ended = 0;
  const pid_t child = fork();
  if (child == 0) {
    stay_on(processors);
    cpu_set_t own;
    _exit(sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 255);
  }
  waitpid(child, &ended, 0);
  return WEXITSTATUS(ended);
}

TEST(StayOn, MakesItLessAndNeverNothing) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  int first = 0;
  while (!CPU_ISSET(static_cast<size_t>(first), &own)) ++first;
  EXPECT_EQ(left_of({first}), 1);
  EXPECT_EQ(left_of({first, CPU_SETSIZE - 1}), 1);
  EXPECT_EQ(left_of({}), CPU_COUNT(&own));
  EXPECT_EQ(left_of({CPU_SETSIZE - 1}), CPU_COUNT(&own));
}

}  // namespace
}  // namespace isoshard::exec::affinity_test
