// The file of algorithms in a run: what is taken, what is added, and what stays as it is.
#include "exec/algorithms/algorithm_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/support/result.h"
#include "exec/algorithms/algorithm_text.h"

namespace isoshard::exec::algorithm_cache_test {
namespace {

ProductAlgorithm algorithm_for(char device, uint64_t version, int64_t m, uint64_t word) {
  ProductAlgorithm made;
  made.host.device[0] = device, made.host.version = version;
  made.kind.m = m, made.kind.n = made.kind.k = 1;
  made.kind.a = made.kind.b = made.kind.c = {false, 1, 1, 256};
  made.kind.added_alignment = 256;
  made.words[0] = word;
  return made;
}

class AlgorithmFile : public ::testing::Test {
 protected:
  AlgorithmFile() { std::filesystem::create_directories(folder_); }
  ~AlgorithmFile() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "a.txt"; }
  void put(const std::vector<ProductAlgorithm>& algorithms) const {
    std::ofstream(path()) << algorithms_text(algorithms);
  }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }
  AlgorithmCache cache() const {
    Result<AlgorithmCache> cache = AlgorithmCache::read(path());
    EXPECT_TRUE(cache.has_value());
    return std::move(*cache);
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("isoshard_algorithms_" + std::to_string(getpid()));
};

TEST_F(AlgorithmFile, IsMadeOfWhatWasChosen) {
  AlgorithmCache made = cache();
  EXPECT_TRUE(made.known()->empty());
  for (int rank = 0; rank < 2; ++rank) made.note({algorithm_for('A', 1, 8, 5), AlgorithmOrigin::chosen});
  ASSERT_TRUE(made.write().has_value());
  EXPECT_EQ(text(), algorithms_text(std::vector{algorithm_for('A', 1, 8, 5)}));
  EXPECT_EQ(made.text(), "algorithms of " + path() + ": 1 kind of product, 0 known, 1 chosen and written\n");
}

TEST_F(AlgorithmFile, IsNotWrittenWhereAllIsKnown) {
  put({algorithm_for('A', 1, 8, 5)});
  AlgorithmCache known = cache();
  known.note({(*known.known())[0], AlgorithmOrigin::known});
  std::filesystem::remove(path());
  ASSERT_TRUE(known.write().has_value());
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_EQ(known.text(), "algorithms of " + path() + ": 1 kind of product, 1 known, 0 chosen and written\n");
}

TEST_F(AlgorithmFile, KeepsWhatIsOfOthers) {
  const std::vector<ProductAlgorithm> others{algorithm_for('B', 1, 8, 6), algorithm_for('A', 2, 8, 7),
                                             algorithm_for('A', 1, 4, 8)};
  put(others);
  AlgorithmCache shared = cache();
  shared.note({algorithm_for('A', 1, 8, 5), AlgorithmOrigin::chosen});
  ASSERT_TRUE(shared.write().has_value());
  std::vector<ProductAlgorithm> all = others;
  all.push_back(algorithm_for('A', 1, 8, 5));
  EXPECT_EQ(text(), algorithms_text(all));
  EXPECT_EQ(shared.text(), "algorithms of " + path() +
                               ": 1 kind of product, 0 known, 1 chosen and written; ignored, of another device or "
                               "version: 2 lines, the first is line 2 (B, cuBLASLt 1)\n");
}

TEST_F(AlgorithmFile, HasWhatWasChosenInPlaceOfWhatWasRefused) {
  put({algorithm_for('A', 1, 8, 5), algorithm_for('A', 1, 4, 8)});
  AlgorithmCache mended = cache();
  mended.note({algorithm_for('A', 1, 8, 1), AlgorithmOrigin::refused});
  mended.note({algorithm_for('A', 1, 4, 8), AlgorithmOrigin::known});
  ASSERT_TRUE(mended.write().has_value());
  EXPECT_EQ(text(), algorithms_text(std::vector{algorithm_for('A', 1, 8, 1), algorithm_for('A', 1, 4, 8)}));
  EXPECT_EQ(mended.text(), "algorithms of " + path() +
                               ": 2 kinds of product, 1 known, 0 chosen and written; chosen again, since cuBLASLt "
                               "refuses those of the file: 1\n");
}

TEST_F(AlgorithmFile, ThatCannotBeReadOrWrittenIsTold) {
  const Result<AlgorithmCache> folder = AlgorithmCache::read(folder_);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().message,
            "--algorithms \"" + folder_.string() + "\": it is no ordinary file that can be read");
  std::ofstream(path()) << "nothing";
  EXPECT_FALSE(AlgorithmCache::read(path()).has_value());
  Result<AlgorithmCache> nowhere = AlgorithmCache::read(folder_ / "none" / "a.txt");
  ASSERT_TRUE(nowhere.has_value());
  nowhere->note({algorithm_for('A', 1, 8, 5), AlgorithmOrigin::chosen});
  const Result<void> written = nowhere->write();
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().message.find("a.txt\": it cannot be written: "), std::string::npos);
}

}  // namespace
}  // namespace isoshard::exec::algorithm_cache_test
