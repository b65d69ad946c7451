#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/support/result.h"
#include "core/value/npz.h"
#include "tests/unit/value/in_temporary_directory.h"

namespace isoshard::npz_write_test {
namespace {

namespace fs = std::filesystem;
using NpzWrite = isoshard::testing::InTemporaryDirectory;
using isoshard::testing::slurp;
using isoshard::testing::spit;

std::string write_error(const std::string& path, const std::vector<NamedTensor>& arrays) {
  const Result<void> written = write_npz(path, arrays);
  return written ? "written" : render(written.error());
}

std::vector<NamedTensor> some_arrays(size_t elements = 100) {
  return {{"x", Tensor::from<float>(DType::f32, {static_cast<int64_t>(elements)}, std::vector<float>(elements, 1.5F))}};
}

TEST_F(NpzWrite, CannotWrite) {
  EXPECT_EQ(write_error("nowhere/out.npz", some_arrays()),
            "error: nowhere/out.npz: cannot be written (No such file or directory) [N-write]\n");
  EXPECT_EQ(write_error(".", some_arrays()), "error: .: cannot be written (Is a directory) [N-write]\n");
  EXPECT_EQ(write_error("", some_arrays()), "error: : cannot be written (No such file or directory) [N-write]\n");
  spit("file", "");
  EXPECT_EQ(write_error("file/out.npz", some_arrays()),
            "error: file/out.npz: cannot be written (Not a directory) [N-write]\n");
  EXPECT_EQ(files_here(), 1U);
}

TEST_F(NpzWrite, PermissionsAreRespected) {
  fs::create_directory("locked");
  ASSERT_EQ(::chmod("locked", 0555), 0);
  EXPECT_EQ(as_nobody([] { return write_error("locked/out.npz", some_arrays()); }),
            "error: locked/out.npz: cannot be written (Permission denied) [N-write]\n");
  fs::create_directory("open");
  ASSERT_EQ(::chmod("open", 0777), 0);
  EXPECT_EQ(as_nobody([] { return write_error("open/out.npz", some_arrays()); }), "written");
  ASSERT_EQ(::chmod("open/out.npz", 0444), 0);
  EXPECT_EQ(as_nobody([] { return write_error("open/out.npz", some_arrays()); }),
            "error: open/out.npz: cannot be written (Permission denied) [N-write]\n");
}

TEST_F(NpzWrite, DevicesAreWrittenDirectly) {
  EXPECT_EQ(write_error("/dev/full", some_arrays()),
            "error: /dev/full: cannot be written (No space left on device) [N-write]\n");
  EXPECT_EQ(write_error("/dev/null", some_arrays()), "written");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

/// A write that fails half way leaves the old file and nothing else.
TEST_F(NpzWrite, FullDiskLeavesTheOldFile) {
  ASSERT_EQ(write_error("out.npz", some_arrays(1)), "written");
  const std::string before = slurp("out.npz");
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{8192, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = write_error("out.npz", some_arrays(100000)),
                    fresh = write_error("new.npz", some_arrays(100000));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, "error: out.npz: cannot be written (File too large) [N-write]\n");
  EXPECT_EQ(fresh, "error: new.npz: cannot be written (File too large) [N-write]\n");
  EXPECT_EQ(slurp("out.npz"), before);
  EXPECT_EQ(files_here(), 1U);
}

TEST_F(NpzWrite, ReplacesThroughLinksAndKeepsPermissions) {
  spit("target.npz", "old");
  ::chmod("target.npz", 0640);
  fs::create_symlink("target.npz", "out.npz");
  ASSERT_EQ(write_error("out.npz", some_arrays()), "written");
  EXPECT_TRUE(fs::is_symlink("out.npz"));
  EXPECT_TRUE(read_npz("target.npz"));
  struct stat status {};
  ASSERT_EQ(::stat("target.npz", &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  EXPECT_EQ(files_here(), 2U);
}

TEST_F(NpzWrite, NamesThatCannotBeWritten) {
  const Tensor one = Tensor::from<float>(DType::f32, {1}, std::vector<float>{1});
  EXPECT_EQ(write_error("out.npz", {{"a", one}, {"b", one}, {"a", one}}),
            "error: out.npz: array \"a\" is to be written twice; expected each name once [N-duplicate]\n");
  EXPECT_EQ(write_error("out.npz", {{"", one}}),
            "error: out.npz: \"\" cannot be the name of an array in a .npz archive [N-name]\n");
  EXPECT_EQ(write_error("out.npz", {{"\xff", one}}).substr(0, 45), "error: out.npz: cannot be written (array \"\\xf");
  EXPECT_EQ(files_here(), 0U);
}

}  // namespace
}  // namespace isoshard::npz_write_test
