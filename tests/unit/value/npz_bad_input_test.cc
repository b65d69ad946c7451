#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/support/result.h"
#include "core/value/npz.h"
#include "tests/unit/value/in_temporary_directory.h"
#include "tests/unit/value/zip_bytes.h"

namespace isoshard::npz_bad_input_test {
namespace {

namespace fs = std::filesystem;
using isoshard::testing::npy_bytes;
using isoshard::testing::slurp;
using isoshard::testing::spit;
using isoshard::testing::zip_bytes;
using isoshard::testing::ZipEntry;

const std::string kGood = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
const std::string kAccepted =
    "|b1 (pred), |i1 (i8), |u1 (u8), <i4 (i32), <u4 (u32), <i8 (i64), <u8 (u64), |V1 (f8e4m3), |V1 (f8e5m2), "
    "|V2 (bf16), <f2 (f16), <f4 (f32), <f8 (f64), <u8 (key)";

class NpzBadInput : public isoshard::testing::InTemporaryDirectory {
 protected:
  std::string data(const std::string& name) const { return in_repository("tests/data/npz/" + name); }
};

/// `error: MESSAGE [RULE]` of reading `path`.
std::string error_of(const std::string& path, const NpzLimits& limits = {}) {
  const Result<std::vector<NamedTensor>> arrays = read_npz(path, limits);
  return arrays ? "read " + std::to_string(arrays->size()) + " arrays" : render(arrays.error());
}

/// The same of a file with `bytes`, which must not depend on whether it is read from disk or memory.
std::string error_of_bytes(const std::string& bytes, const NpzLimits& limits = {}) {
  spit("in.npz", bytes);
  const Result<std::vector<NamedTensor>> arrays = parse_npz(std::as_bytes(std::span(bytes)), "in.npz", limits);
  if (!arrays) {
    EXPECT_EQ(render(arrays.error()), error_of("in.npz", limits));
  }
  return error_of("in.npz", limits);
}

std::string error_of_npy(const std::string& npy) { return error_of_bytes(zip_bytes({{"x.npy", npy}})); }

TEST_F(NpzBadInput, HandMadeArchiveIsGood) {
  EXPECT_EQ(error_of_npy(npy_bytes(kGood, std::string(24, '\0'))), "read 1 arrays");
}

TEST_F(NpzBadInput, MissingFile) {
  EXPECT_EQ(error_of("in.npz"),
            "error: in.npz: cannot be opened (No such file or directory); expected an archive written by numpy.savez "
            "[N-open]\n");
}

TEST_F(NpzBadInput, Directory) {
  fs::create_directory("in.npz");
  EXPECT_EQ(error_of("in.npz"), "error: in.npz: is a directory; expected an archive written by numpy.savez [N-open]\n");
}

TEST_F(NpzBadInput, Device) {
  EXPECT_EQ(error_of("/dev/null"),
            "error: /dev/null: is not a regular file; expected an archive written by numpy.savez [N-open]\n");
}

TEST_F(NpzBadInput, UnreadableFile) {
  spit("in.npz", "PK");
  ASSERT_EQ(::chmod("in.npz", 0), 0);
  EXPECT_EQ(
      as_nobody([] { return error_of("in.npz"); }),
      "error: in.npz: cannot be opened (Permission denied); expected an archive written by numpy.savez [N-open]\n");
}

TEST_F(NpzBadInput, EmptyFile) {
  EXPECT_EQ(error_of_bytes(""), "error: in.npz: is empty; expected an archive written by numpy.savez [N-magic]\n");
}

TEST_F(NpzBadInput, NotAnArchive) {
  EXPECT_EQ(
      error_of_bytes("hello\n\x01\xff and more"),
      "error: in.npz: is not a .npz archive (it starts with \"hello\\n\\x01\\xff\"); expected an archive written by "
      "numpy.savez [N-magic]\n");
}

TEST_F(NpzBadInput, SingleArray) {
  EXPECT_EQ(error_of_bytes(npy_bytes(kGood, std::string(24, '\0'))),
            "error: in.npz: is a single .npy array; expected an archive written by numpy.savez, as in "
            "numpy.savez(path, name=array) [N-magic]\n");
}

TEST_F(NpzBadInput, TruncatedArchive) {
  const std::string whole = slurp(data("stored.npz"));
  EXPECT_EQ(error_of_bytes(whole.substr(0, 2)),
            "error: in.npz: is truncated after 2 bytes; expected an archive written by numpy.savez [N-truncated]\n");
  for (const size_t size : {size_t{4}, whole.size() / 2, whole.size() - 30}) {
    EXPECT_EQ(error_of_bytes(whole.substr(0, size)),
              "error: in.npz: is truncated: it starts as a .npz archive, but the list of arrays at its end is missing "
              "[N-truncated]\n")
        << size;
  }
}

Result<std::vector<NamedTensor>> parse(const std::string& bytes) {
  return parse_npz(std::as_bytes(std::span(bytes)), "in.npz");
}

/// No prefix of an archive is read as something else, and none crashes (the sanitizers look on).
TEST_F(NpzBadInput, EveryTruncationIsAnError) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const std::string whole = slurp(data(name));
    EXPECT_TRUE(parse(whole));
    for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(parse(whole.substr(0, size))) << size;
  }
}

/// A changed byte is an error, or a change of a field without influence on the values.
TEST_F(NpzBadInput, EveryChangedByteIsFoundOrHarmless) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const std::string whole = slurp(data(name));
    const Result<std::vector<NamedTensor>> good = parse(whole);
    ASSERT_TRUE(good);
    size_t found = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string bad = whole;
      bad[at] = static_cast<char>(bad[at] ^ 0x41);
      const Result<std::vector<NamedTensor>> arrays = parse(bad);
      if (!arrays) {
        ++found;
        continue;
      }
      ASSERT_LE(arrays->size(), good->size()) << at;
      for (size_t i = 0; i < arrays->size(); ++i) {
        const auto a = (*arrays)[i].tensor.bytes(), e = (*good)[i].tensor.bytes();
        EXPECT_EQ((*arrays)[i].tensor.shape(), (*good)[i].tensor.shape()) << at;
        EXPECT_TRUE(std::equal(a.begin(), a.end(), e.begin(), e.end())) << at;
      }
    }
    EXPECT_GT(found, whole.size() / 2) << name;
  }
}

TEST_F(NpzBadInput, WrongChecksum) {
  EXPECT_EQ(error_of_bytes(zip_bytes({{"x.npy", npy_bytes(kGood, std::string(24, '\0')), 0, {}, 17U}})),
            "error: in.npz: array \"x\" is damaged: its checksum (CRC-32) is wrong [N-data]\n");
}

TEST_F(NpzBadInput, DeflatedDataThatIsNone) {
  EXPECT_EQ(error_of_bytes(zip_bytes({{"x.npy", "garbage!", 8, 100U}})),
            "error: in.npz: array \"x\" is damaged and cannot be read (Zlib error: data error) [N-data]\n");
}

TEST_F(NpzBadInput, DeflatedDataOfAnotherLength) {
  const std::string stored_block(
      "\x01\x03\x00\xfc\xff"
      "abc",
      8);  // one final stored block of three bytes
  EXPECT_EQ(error_of_bytes(zip_bytes({{"x.npy", stored_block, 8, 2U}})),
            "error: in.npz: array \"x\" is damaged: it has more bytes than the 2 it claims [N-data]\n");
  EXPECT_EQ(error_of_bytes(zip_bytes({{"x.npy", stored_block, 8, 100U, 0x352441c2U}})),
            "error: in.npz: array \"x\" is damaged: it ends after 3 of 100 bytes [N-data]\n");
}

TEST_F(NpzBadInput, MemberThatIsNoArray) {
  EXPECT_EQ(error_of_bytes(zip_bytes({{"read\x1bme.txt", "hello"}})),
            "error: in.npz: member \"read\\x1bme.txt\" is not an array; expected names that end in .npy [N-member]\n");
  EXPECT_EQ(
      error_of_npy("hello world"),
      "error: in.npz: array \"x\" is not in .npy format (it starts with \"hello wo\"...); expected \"\\x93NUMPY\" "
      "[N-header]\n");
  EXPECT_EQ(error_of_npy(""), "error: in.npz: array \"x\" is empty; expected an array in .npy format [N-header]\n");
}

TEST_F(NpzBadInput, EncryptedOrOtherMethod) {
  EXPECT_EQ(error_of_bytes(zip_bytes({{"x.npy", "0123456789abcdef", 0, 4U, {}, 1U}})),
            "error: in.npz: array \"x\" is encrypted; expected an archive written by numpy.savez [N-member]\n");
  EXPECT_EQ(
      error_of_bytes(zip_bytes({{"x.npy", "0123456789abcdef", 12}})),
      "error: in.npz: array \"x\" is packed with zip method 12; expected 0 (stored) or 8 (deflated) [N-member]\n");
}

TEST_F(NpzBadInput, DuplicateNames) {
  const std::string npy = npy_bytes(kGood, std::string(24, '\0'));
  EXPECT_EQ(error_of_bytes(zip_bytes({{"x.npy", npy}, {"y.npy", npy}, {"x.npy", npy}})),
            "error: in.npz: array \"x\" is there twice; expected each name once [N-duplicate]\n");
}

TEST_F(NpzBadInput, ClaimsAnEnormousSize) {
  EXPECT_EQ(
      error_of_bytes(zip_bytes({{"x.npy", "0123456789", 8, 4000000000U}})),
      "error: in.npz: array \"x\" would inflate 10 bytes to 4000000000, 1000 times or more, which is refused; store "
      "it with numpy.savez if this is meant [N-inflate]\n");
  EXPECT_EQ(error_of_bytes(zip_bytes({{"x.npy", "0123456789", 0, 4000000000U}})),
            "error: in.npz: array \"x\" is damaged: it claims 4000000000 bytes in a file of 118 [N-archive]\n");
}

TEST_F(NpzBadInput, InflatesTooFar) {
  const std::string size = std::to_string(fs::file_size(data("zeros.npz")));
  EXPECT_EQ(error_of(data("zeros.npz")), "read 1 arrays");
  EXPECT_THAT(error_of(data("zeros.npz"), {1U << 30U, 100, 1000}),
              ::testing::HasSubstr("zeros.npz: array \"x\" would inflate "));
  EXPECT_EQ(
      error_of_bytes(slurp(data("zeros.npz")), {1000, 1000, 1U << 20U}),
      "error: in.npz: array \"x\" brings the archive to more than 1000 bytes (it claims 524416), which is refused "
      "[N-inflate]\n");
}

/// Many members, each within the limits, may not add up to a bomb.
TEST_F(NpzBadInput, MembersInflateTooFarTogether) {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 40; ++i) entries.push_back({"x" + std::to_string(i) + ".npy", "0123456789", 8, 1000000U});
  EXPECT_EQ(error_of_bytes(zip_bytes(entries)),
            "error: in.npz: array \"x16\" would inflate 4002 bytes to 17000000, 1000 times or more, which is refused; "
            "store it with numpy.savez if this is meant [N-inflate]\n");
}

TEST_F(NpzBadInput, NpyVersionAndTruncatedHeader) {
  std::string npy = npy_bytes(kGood, std::string(24, '\0'));
  EXPECT_EQ(error_of_npy(npy.substr(0, 7)),
            "error: in.npz: array \"x\" is truncated: it ends inside its .npy header [N-header]\n");
  EXPECT_EQ(error_of_npy(npy.substr(0, 9)),
            "error: in.npz: array \"x\" is truncated: it ends inside its .npy header [N-header]\n");
  EXPECT_EQ(
      error_of_npy(npy.substr(0, 30)),
      "error: in.npz: array \"x\" is truncated: its .npy header should have 118 bytes, 20 are there [N-header]\n");
  npy[6] = 4;
  EXPECT_EQ(error_of_npy(npy),
            "error: in.npz: array \"x\" has .npy format version 4.0; expected 1.0, 2.0 or 3.0 [N-header]\n");
}

TEST_F(NpzBadInput, Version2HeaderIsRead) {
  std::string npy = npy_bytes(kGood, std::string(24, '\0'));
  npy[6] = 2;
  npy.insert(10, 2, '\0');
  EXPECT_EQ(error_of_npy(npy), "read 1 arrays");
}

std::string header_error(const std::string& what) {
  return "error: in.npz: array \"x\" has a malformed .npy header: " + what + " [N-header]\n";
}

TEST_F(NpzBadInput, MalformedHeaders) {
  const std::pair<const char*, const char*> cases[] = {
      {"hello", "expected a dictionary, found \"hello"},
      {"{'descr': <f4}", "expected a type descriptor in quotes, found \"<f4}"},
      {"{'descr': '<f4', 'fortran_order': no}", "expected True or False, found \"no}"},
      {"{'shape': [2, 3]}", "expected a tuple of sizes, found \"[2, 3]}"},
      {"{'shape': (2, -3)}", "expected a size of at least 0, found \"-3)}"},
      {"{'shape': (2 3)}", "expected ',' or ')', found \"3)}"},
      {"{'shape': (99999999999999999999,)}", "expected a size of at least 0, found \"99999999999999999999,)}"},
      {"{'descr' '<f4'}", "expected ':', found \"'<f4'}"},
      {"{descr: 3}", "expected a key in quotes, found \"descr: 3}"},
      {"{'shape': () 'descr': '<f4'}", "expected ',' or '}', found \"'descr': '<f4'}"},
  };
  for (const auto& [header, message] : cases) {
    EXPECT_THAT(
        error_of_npy(npy_bytes(header, "")),
        ::testing::StartsWith("error: in.npz: array \"x\" has a malformed .npy header: " + std::string(message)));
  }
  EXPECT_EQ(error_of_npy(npy_bytes("{'descr': '<f4', 'shape': (), }", "")),
            header_error("expected the keys 'descr', 'fortran_order' and 'shape'"));
  EXPECT_EQ(error_of_npy(npy_bytes("{'shape': (), 'shape': (), }", "")),
            header_error("expected the keys 'descr', 'fortran_order' and 'shape' once each, found \"shape\""));
  EXPECT_EQ(error_of_npy(npy_bytes("{'descr': '<f4', ", "")), header_error("expected a key in quotes before its end"));
  EXPECT_THAT(error_of_npy(npy_bytes(kGood + " or 1", std::string(24, '\0'))),
              ::testing::HasSubstr("expected nothing after the dictionary, found \"or 1"));
}

TEST_F(NpzBadInput, UnsupportedDtypes) {
  const std::pair<const char*, const char*> cases[] = {
      {"'|O'", "\"|O\" (Python objects; build it with a dtype)"},
      {"'>f4'", "\">f4\" (big-endian; convert with x.astype('<f4'))"},
      {"'<c8'", "\"<c8\" (complex; store x.real and x.imag)"},
      {"'<i2'", "\"<i2\" (an integer; convert with x.astype('<i4'))"},
      {"'>i8'", "\">i8\" (big-endian; convert with x.astype('<i8'))"},
      {"'|V3'", "\"|V3\" (raw bytes; |V2 is taken for bf16, |V1 for a float of 8 bits)"},
      {"'<u2'", "\"<u2\" (an integer; convert with x.astype('<i4'))"},
      {"'>u8'", "\">u8\" (big-endian; convert with x.astype('<u8'))"},
      {"'<f16'", "\"<f16\" (a float; convert with x.astype('<f4') or '<f8')"},
      {"'<U1'", "\"<U1\""},
      {"''", "\"\""},
      {"[('a', '<f4', [2])]", "\"[('a', '<f4', [2])]\" (structured; store one array per field)"},
  };
  for (const auto& [descr, text] : cases) {
    const std::string header = "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': (1,), }";
    EXPECT_EQ(error_of_npy(npy_bytes(header, "12345678")), "error: in.npz: array \"x\" has dtype " + std::string(text) +
                                                               "; expected one of " + kAccepted + " [N-dtype]\n");
  }
}

TEST_F(NpzBadInput, DataOfAnotherSize) {
  EXPECT_EQ(error_of_npy(npy_bytes(kGood, std::string(20, '\0'))),
            "error: in.npz: array \"x\" holds 20 bytes of data; expected 24 for f32[2,3]: it is truncated [N-size]\n");
  EXPECT_EQ(error_of_npy(npy_bytes(kGood, std::string(28, '\0'))),
            "error: in.npz: array \"x\" holds 28 bytes of data; expected 24 for f32[2,3] [N-size]\n");
  const std::string huge = "(4294967296, 4294967296)", none = "(0, 9223372036854775807, 3)";
  EXPECT_EQ(error_of_npy(npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': " + huge + ", }", "")),
            "error: in.npz: array \"x\" has a header that says f32[4294967296,4294967296], more than 2^63 bytes "
            "[N-size]\n");
  EXPECT_EQ(error_of_npy(npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': " + none + ", }", "")),
            "error: in.npz: array \"x\" has a header that says f32[0,9223372036854775807,3], more than 2^63 bytes "
            "[N-size]\n");
}

TEST_F(NpzBadInput, PredOfOtherBytes) {
  EXPECT_EQ(error_of_npy(
                npy_bytes("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", std::string("\x01\x00\x02", 3))),
            "error: in.npz: array \"x\" holds the byte 2 at element 2 of pred[3]; expected 0 or 1 [N-pred]\n");
}

}  // namespace
}  // namespace isoshard::npz_bad_input_test
