#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace isoshard::testing {

/// Runs each test in a directory of its own, so that messages hold short relative paths.
class InTemporaryDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    start_ = std::filesystem::current_path();
    std::string name = (std::filesystem::temp_directory_path() / "isoshard-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    ASSERT_EQ(::chmod(name.c_str(), 0755), 0);  // as_nobody() must get in
    directory_ = name;
    std::filesystem::current_path(directory_);
  }
  void TearDown() override {
    std::filesystem::current_path(start_);
    std::filesystem::remove_all(directory_);
  }

  /// The absolute path of a file of the repository.
  std::string in_repository(const std::string& path) const { return (start_ / path).string(); }

  static size_t files_here() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("."), {}));
  }

  /// Calls `action` as a user whom file permissions bind: root, who runs most containers, is not.
  template <class Action>
  static auto as_nobody(Action action) {
    constexpr uid_t kNobody = 65534;
    const bool root = ::geteuid() == 0;
    if (root && ::seteuid(kNobody) != 0) ADD_FAILURE() << "cannot become nobody";
    auto result = action();
    if (root && ::seteuid(0) != 0) ADD_FAILURE() << "cannot become root again";
    return result;
  }

 private:
  std::filesystem::path start_, directory_;
};

inline void spit(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace isoshard::testing
