// Where backends are found, what is said where there is none, and what several ranks on one GPU need.
#include "exec/load_backend.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "exec/start/oversubscribe.h"
#include "exec/start/probe.h"
#include "tests/unit/exec/fake_backend.h"

namespace isoshard::exec::load_backend_test {
namespace {

/// A folder in which backends are looked for first.
class Folder : public ::testing::Test {
 protected:
  Folder() {
    std::filesystem::create_directories(path_);
    setenv("ISOSHARD_EXEC_PATH", path_.c_str(), 1);
  }
  ~Folder() override {
    unsetenv("ISOSHARD_EXEC_PATH");
    std::filesystem::remove_all(path_);
  }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("isoshard_backends_" + std::to_string(getpid()));
};

TEST_F(Folder, IsTheFirstOfThree) {
  const std::vector<std::string> folders = library_folders();
  ASSERT_EQ(folders.size(), 3U);
  EXPECT_EQ(folders[0], path_.string());
  EXPECT_EQ(std::filesystem::path(folders[2]), std::filesystem::path(folders[1]).parent_path() / "lib");
}

TEST_F(Folder, WithoutALibraryIsNoDevice) {
  const Outcome<Backend*> backend = load_backend(Device::cuda);
  ASSERT_FALSE(backend.has_value()) << "there is a backend beside the tests";
  EXPECT_EQ(backend.error().kind, Failure::Kind::no_device);
  EXPECT_NE(backend.error().message.find("there is no backend for CUDA: libisoshard_exec_cuda.so is in none of " +
                                         path_.string()),
            std::string::npos)
      << backend.error().message;
  EXPECT_NE(backend.error().message.find("-DISOSHARD_CUDA=ON"), std::string::npos);
}

TEST_F(Folder, ALibraryThatCannotBeLoadedIsTold) {
  std::ofstream(path_ / library_name(Device::cpu_standin)) << "no library";
  const Outcome<Backend*> backend = load_backend(Device::cpu_standin);
  ASSERT_FALSE(backend.has_value());
  EXPECT_EQ(backend.error().kind, Failure::Kind::no_device);
  EXPECT_NE(backend.error().message.find("libisoshard_exec_standin.so cannot be loaded: "), std::string::npos)
      << backend.error().message;
  const Outcome<std::unique_ptr<SharedDevices>> devices = SharedDevices::share(Device::cpu_standin);
  ASSERT_FALSE(devices.has_value());
  EXPECT_EQ(devices.error().message, backend.error().message);
}

TEST(Probe, AsksInAnotherProcess) {
  const OpenBackend open = [inner = testing::fake_backend({}, 3)]() -> Outcome<Backend*> {
    setenv("ISOSHARD_TEST_PROBED", "1", 1);
    return inner();
  };
  const Outcome<Machine> machine = probe_machine(open, 10);
  ASSERT_TRUE(machine.has_value()) << machine.error().message;
  EXPECT_EQ(machine->devices, 3);
  EXPECT_EQ(machine->description, "a fake, NCCL 2.28.9");
  EXPECT_EQ(std::getenv("ISOSHARD_TEST_PROBED"), nullptr);
}

TEST(Probe, SaysWhyThereIsNoAnswer) {
  const Outcome<Machine> none = probe_machine(testing::fake_backend({}, 0), 10);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, Failure::Kind::no_device);
  EXPECT_EQ(none.error().message, "there is no GPU on this machine");
  const Outcome<Machine> dead = probe_machine([]() -> Outcome<Backend*> { _exit(3); }, 10);
  ASSERT_FALSE(dead.has_value());
  EXPECT_EQ(dead.error().message,
            "the process that asked the backend how many devices there are ended with exit code 3");
  const Outcome<Machine> slow = probe_machine(
      []() -> Outcome<Backend*> {
        sleep(600);
        _exit(0);
      },
      0.2);
  ASSERT_FALSE(slow.has_value());
  EXPECT_EQ(slow.error().kind, Failure::Kind::timed_out);
}

TEST(Oversubscribed, RanksAreHostsOfTheirOwnBefore2Point30) {
  const auto value = [](const Environment& environment, const std::string& name) -> std::string {
    for (const auto& [key, text] : environment) {
      if (key == name) return text;
    }
    return "";
  };
  const Environment first = oversubscribed_environment("NVIDIA H100, CUDA 13.0, NCCL 2.28.9", 0);
  const Environment second = oversubscribed_environment("NVIDIA H100, CUDA 13.0, NCCL 2.28.9", 1);
  EXPECT_NE(value(first, "NCCL_HOSTID"), value(second, "NCCL_HOSTID"));
  EXPECT_EQ(value(first, "NCCL_NET"), "Socket");
  EXPECT_EQ(value(first, "NCCL_SOCKET_IFNAME"), "lo");
  EXPECT_EQ(value(first, "NCCL_MULTI_RANK_GPU_ENABLE"), "");
  const Environment newer = oversubscribed_environment("NVIDIA H100, CUDA 13.0, NCCL 2.30.3", 0);
  EXPECT_EQ(value(newer, "NCCL_MULTI_RANK_GPU_ENABLE"), "1");
  EXPECT_EQ(value(newer, "NCCL_HOSTID"), "");
  EXPECT_NE(value(oversubscribed_environment("unknown", 0), "NCCL_HOSTID"), "");
}

}  // namespace
}  // namespace isoshard::exec::load_backend_test
