#include "core/value/npz.h"
#include "core/support/result.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>

#include "core/value/npy.h"
#include "tests/unit/value/in_temporary_directory.h"

namespace isoshard::npz_test {
namespace {

namespace fs = std::filesystem;
using isoshard::testing::slurp;
using isoshard::testing::spit;

class Npz : public isoshard::testing::InTemporaryDirectory {
 protected:
  std::string data(const std::string& name) const { return in_repository("tests/data/npz/" + name); }
};

std::vector<NamedTensor> must_read(const std::string& path) {
  Result<std::vector<NamedTensor>> arrays = read_npz(path);
  if (arrays) return std::move(*arrays);
  ADD_FAILURE() << render(arrays.error());
  return {};
}

constexpr std::array<std::byte, 3> kVoid{std::byte{'|'}, std::byte{'V'}, std::byte{'2'}};

template <class T>
NamedTensor array(std::string name, DType dtype, Shape shape, const std::vector<T>& values) {
  return NamedTensor{std::move(name), Tensor::from<T>(dtype, std::move(shape), values)};
}

template <class T>
std::vector<T> values(const Tensor& tensor) {
  return {tensor.as<T>().begin(), tensor.as<T>().end()};
}

/// The arrays of tests/data/npz/make.py.
std::vector<NamedTensor> numpy_arrays() {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  return {array<float>("W", DType::f32, {2, 3}, {0, 0.25F, 0.5F, 0.75F, 1, 1.25F}),
          array<double>("double", DType::f64, {4}, {0.1, -0.0, kInf, kNan}),
          array<uint8_t>("mask", DType::pred, {3}, {1, 0, 1}),
          array<int32_t>("index", DType::i32, {2, 1}, {INT32_MIN, INT32_MAX}),
          array<float>("scalar", DType::f32, {}, {2.5F}),
          array<float>("empty", DType::f32, {0, 4}, {}),
          array<int32_t>("group/\xc3\xbc"
                         "ber",
                         DType::i32, {1}, {7})};
}

/// Bit for bit, so that -0 and the payload of a nan count.
void expect_equal(const std::vector<NamedTensor>& actual, const std::vector<NamedTensor>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].name, expected[i].name);
    EXPECT_EQ(actual[i].tensor.dtype(), expected[i].tensor.dtype()) << actual[i].name;
    EXPECT_EQ(actual[i].tensor.shape(), expected[i].tensor.shape()) << actual[i].name;
    const auto a = actual[i].tensor.bytes(), e = expected[i].tensor.bytes();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), e.begin(), e.end())) << actual[i].name;
  }
}

TEST_F(Npz, DefaultIntegersOfNumPyAreI64) {
  const std::vector<NamedTensor> arrays = must_read(data("int64.npz"));
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].tensor.dtype(), DType::i64);
  EXPECT_EQ(values<int64_t>(arrays[0].tensor), (std::vector<int64_t>{0, 1, 2}));
}

TEST_F(Npz, EveryDtypeIsReadAsItWasWritten) {
  const Tensor tensors[] = {Tensor::from<int8_t>(DType::i8, {3}, std::vector<int8_t>{INT8_MIN, -1, INT8_MAX}),
                            Tensor::from<uint8_t>(DType::u8, {3}, std::vector<uint8_t>{0, 128, UINT8_MAX}),
                            Tensor::from<uint64_t>(DType::u64, {2}, std::vector<uint64_t>{0, UINT64_MAX}),
                            Tensor::from<uint32_t>(DType::u32, {2}, std::vector<uint32_t>{0, UINT32_MAX}),
                            Tensor::from<int64_t>(DType::i64, {2}, std::vector<int64_t>{INT64_MIN, INT64_MAX}),
                            Tensor::from<uint8_t>(DType::f8e4m3, {3}, std::vector<uint8_t>{0x38, 0x80, 0x7f}),
                            Tensor::from<uint16_t>(DType::bf16, {3}, std::vector<uint16_t>{0x3f80, 0x8000, 0x7fc0}),
                            Tensor::from<uint16_t>(DType::f16, {3}, std::vector<uint16_t>{0x3c00, 1, 0x7c00})};
  for (const Tensor& tensor : tensors) {
    std::vector<std::byte> bytes = write_npy(tensor);
    const Result<Tensor> same = read_npy(bytes, "x");
    ASSERT_TRUE(same) << name(tensor.dtype());
    EXPECT_EQ(same->dtype(), tensor.dtype());
    EXPECT_TRUE(std::equal(same->bytes().begin(), same->bytes().end(), tensor.bytes().begin(), tensor.bytes().end()));
    const auto at = std::search(bytes.begin(), bytes.end(), kVoid.begin(), kVoid.end());
    EXPECT_EQ(at != bytes.end(), tensor.dtype() == DType::bf16);
    if (at == bytes.end()) continue;
    at[0] = std::byte{'<'};  // as ml_dtypes names bf16
    const Result<Tensor> also = read_npy(bytes, "x");
    ASSERT_TRUE(also);
    EXPECT_EQ(also->dtype(), DType::bf16);
  }
}

/// The format has one name for both: what is read is made a key where the global is one (library/load/arrays.cc).
TEST_F(Npz, KeysAreReadAsU64) {
  const Tensor keys = Tensor::from<uint64_t>(DType::key, {1}, std::vector<uint64_t>{UINT64_MAX});
  const Result<Tensor> read = read_npy(write_npy(keys), "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->dtype(), DType::u64);
  EXPECT_EQ(values<uint64_t>(*read), (std::vector<uint64_t>{UINT64_MAX}));
}

TEST_F(Npz, ReadsStored) { expect_equal(must_read(data("stored.npz")), numpy_arrays()); }

TEST_F(Npz, ReadsDeflated) { expect_equal(must_read(data("deflated.npz")), numpy_arrays()); }

TEST_F(Npz, ReadsFortranOrder) {
  const std::vector<NamedTensor> arrays = must_read(data("fortran.npz"));
  ASSERT_EQ(arrays.size(), 1U);
  std::vector<int32_t> expected(24);
  for (size_t i = 0; i < 24; ++i) expected[i] = static_cast<int32_t>(i);
  EXPECT_EQ(arrays[0].tensor.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(values<int32_t>(arrays[0].tensor), expected);
}

TEST_F(Npz, ReadsAnEmptyArchive) { EXPECT_TRUE(must_read(data("nothing.npz")).empty()); }

TEST_F(Npz, WritesWhatItReads) {
  for (const bool deflate : {false, true}) {
    const std::string path = deflate ? "d.npz" : "s.npz";
    const Result<void> written = write_npz(path, numpy_arrays(), {deflate});
    ASSERT_TRUE(written) << render(written.error());
    expect_equal(must_read(path), numpy_arrays());
  }
  ASSERT_TRUE(write_npz("none.npz", {}));
  EXPECT_EQ(slurp("none.npz"), slurp(data("nothing.npz")));
}

TEST_F(Npz, DeflatesOnlyWhenAsked) {
  const std::vector<NamedTensor> zeros = {array<double>("x", DType::f64, {4096}, std::vector<double>(4096))};
  ASSERT_TRUE(write_npz("s.npz", zeros));
  ASSERT_TRUE(write_npz("d.npz", zeros, {true}));
  EXPECT_GT(fs::file_size("s.npz"), 32768U);
  EXPECT_LT(fs::file_size("d.npz"), 1024U);
}

/// The bytes do not depend on the hour, the time zone or the umask, and stay the same from release to release.
TEST_F(Npz, WritesStableBytes) {
  const std::string path = "out.npz";
  for (const char* zone : {"UTC", "Pacific/Auckland"}) {
    ::setenv("TZ", zone, 1);
    ::tzset();
    const mode_t old = ::umask(zone[0] == 'U' ? 077 : 022);
    ASSERT_TRUE(write_npz(path, numpy_arrays()));
    ::umask(old);
    EXPECT_TRUE(slurp(path) == slurp(data("ours.npz"))) << zone << ": the bytes of " << path << " changed";
  }
  ::unsetenv("TZ");
  ::tzset();
}

/// NumPy itself reads our files and we read what it writes; skipped only where NumPy is not installed.
TEST_F(Npz, AgreesWithNumPy) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    GTEST_SKIP() << "no NumPy in /usr/bin/python3";
  }
  for (const bool deflate : {false, true}) {
    ASSERT_TRUE(write_npz("in.npz", numpy_arrays(), {deflate}));
    std::string script =
        "import numpy as np\n"
        "a = np.load('in.npz')\n"
        "assert a.files == ['W', 'double', 'mask', 'index', 'scalar', 'empty', 'group/\u00fcber'], a.files\n"
        "assert a['W'].dtype == np.float32 and (a['W'] == np.arange(6).reshape(2, 3) / 4).all()\n"
        "assert a['mask'].dtype == bool and a['mask'].tolist() == [True, False, True]\n"
        "assert a['index'].tolist() == [[-2**31], [2**31 - 1]] and a['index'].dtype == np.int32\n"
        "assert a['scalar'].shape == () and a['scalar'] == 2.5 and a['empty'].shape == (0, 4)\n"
        "assert a['double'].tobytes() == np.array([0.1, -0.0, np.inf, np.nan]).tobytes()\n"
        "np.SAVE('out.npz', **{k: a[k] for k in a.files})\n";
    const std::string save = deflate ? "savez_compressed" : "savez";
    script.replace(script.find("SAVE"), 4, save);
    spit("script.py", script);
    ASSERT_EQ(std::system("/usr/bin/python3 script.py"), 0);
    expect_equal(must_read("out.npz"), numpy_arrays());
  }
}

TEST(Npy, HeaderIsThatOfNumPy) {
  const std::vector<std::byte> bytes = write_npy(Tensor::from<float>(DType::f32, {3}, std::vector<float>{1, 2, 3}));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(bytes.size(), 128U + 12U);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(text.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   ");
  EXPECT_EQ(text[127], '\n');
}

/// Every shape up to 4 dimensions of sizes 0 to 3: the Fortran-ordered bytes come back as the row-major tensor.
TEST(Npy, FortranOrderOfManyShapes) {
  size_t tried = 0;
  for (int code = 0; code < 256; ++code) {
    for (size_t rank = 0; rank <= 4; ++rank) {
      Shape shape;
      for (size_t d = 0; d < rank; ++d) shape.push_back(code >> (2 * d) & 3);
      const auto count = static_cast<size_t>(element_count(shape));
      std::vector<int32_t> rows(count), columns(count);
      for (size_t i = 0; i < count; ++i) {
        size_t rest = i, at = 0;
        for (size_t d = rank; d-- > 0; rest /= static_cast<size_t>(shape[d])) {
          size_t stride = 1;
          for (size_t k = 0; k < d; ++k) stride *= static_cast<size_t>(shape[k]);
          at += rest % static_cast<size_t>(shape[d]) * stride;
        }
        rows[i] = static_cast<int32_t>(i);
        columns[at] = rows[i];
      }
      std::vector<std::byte> file = write_npy(Tensor::from<int32_t>(DType::i32, shape, columns));
      std::string text(reinterpret_cast<const char*>(file.data()), file.size());
      text.replace(text.find("False"), 5, "True ");
      const Result<Tensor> read = read_npy(std::as_bytes(std::span(text.data(), text.size())), "x");
      ASSERT_TRUE(read) << render(read.error());
      EXPECT_EQ(read->shape(), shape);
      EXPECT_EQ(values<int32_t>(*read), rows);
      ++tried;
    }
  }
  EXPECT_EQ(tried, 256U * 5U);
}

}  // namespace
}  // namespace isoshard::npz_test
