// Algorithms of products as text: what is written is read, and each mistake is told at its place.
#include "exec/algorithms/algorithm_text.h"

#include <gtest/gtest.h>

#include "core/support/diagnostic.h"
#include "core/support/result.h"

namespace isoshard::exec::algorithm_text_test {
namespace {

constexpr const char* kLine =
    "device=\"a GPU\" cublaslt=130100 operands=bf16 result=bf16 tf32=0 batch=2 m=3 n=4 k=5 a_transposed=0 a_row=5 "
    "a_batch=15 a_alignment=256 b_transposed=1 b_row=8 b_batch=0 b_alignment=4 c_transposed=0 c_row=4 c_batch=12 "
    "c_alignment=16 epilogue=bias added_alignment=64 "
    "algorithm=00000000000000010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000fedcba9876543210\n";

std::shared_ptr<const SourceFile> file_of(const std::string& lines) {
  return std::make_shared<const SourceFile>(SourceFile{"a.txt", "isoshard algorithms 1\n" + lines});
}

/// What is said of a text; empty where it is read.
std::string mistake_in(const std::shared_ptr<const SourceFile>& file) {
  const Result<std::vector<ProductAlgorithm>> algorithms = parse_algorithms(file);
  if (algorithms) return "";
  EXPECT_EQ(algorithms.error().rule, "I-algorithms");
  const std::string text = render(algorithms.error());
  return text.substr(0, text.find('\n'));
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kLine;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return mistake_in(file_of(text.replace(at, from.size(), to)));
}

TEST(AlgorithmText, IsReadAsItWasWritten) {
  const Result<std::vector<ProductAlgorithm>> algorithms = parse_algorithms(file_of(kLine));
  ASSERT_TRUE(algorithms.has_value()) << render(algorithms.error());
  ASSERT_EQ(algorithms->size(), 1U);
  const ProductAlgorithm& one = (*algorithms)[0];
  EXPECT_STREQ(one.host.device.data(), "a GPU");
  EXPECT_EQ(one.host.version, 130100U);
  ProductKind kind{DType::bf16,     DType::bf16,       false, 2, 3, 4, 5, {false, 5, 15, 256},
                   {true, 8, 0, 4}, {false, 4, 12, 16}};
  kind.epilogue = calls::Epilogue::bias, kind.added_alignment = 64;
  EXPECT_EQ(one.kind, kind);
  EXPECT_EQ(one.words, (AlgorithmWords{1, 0, 0, 0, 0, 0, 0, 0xfedcba9876543210}));
  EXPECT_EQ(algorithms_text(*algorithms), file_of(kLine)->text);
}

TEST(AlgorithmText, MayHaveNoEntries) {
  EXPECT_EQ(mistake_in(file_of("")), "");
  EXPECT_EQ(algorithms_text({}), "isoshard algorithms 1\n");
}

TEST(AlgorithmText, OfAnotherFormatIsRefused) {
  for (const char* text : {"", "isoshard algorithms 2\n", "isoshard 1\n", "PK\3\4", "isoshard algorithms 1 \n"}) {
    EXPECT_EQ(mistake_in(std::make_shared<const SourceFile>(SourceFile{"a.txt", text})),
              "a.txt:1:1: error: expected the line `isoshard algorithms 1` [I-algorithms]");
  }
}

TEST(AlgorithmText, MistakesHaveAPlace) {
  EXPECT_EQ(changed("device", "devise"), "a.txt:2:1: error: \"devise=\\\"a\"; expected device= [I-algorithms]");
  EXPECT_NE(changed("a GPU\"", "a GPU").find(": error: the line ends; expected a double quote behind the text"),
            std::string::npos);
  EXPECT_EQ(changed("=\"a", "=a"), "a.txt:2:8: error: \"a\"; expected a text in double quotes [I-algorithms]");
  EXPECT_EQ(changed("cublaslt=130100", "cublaslt=13.1"),
            "a.txt:2:25: error: \"13.1\"; expected an integer from 0 to 18446744073709551615 [I-algorithms]");
  EXPECT_EQ(changed("bf16", "i32"), "a.txt:2:41: error: \"i32\"; expected a dtype of floats [I-algorithms]");
  EXPECT_EQ(changed("tf32=0", "tf32=2"), "a.txt:2:63: error: \"2\"; expected 0 or 1 [I-algorithms]");
  EXPECT_EQ(changed("m=3", "m=0"),
            "a.txt:2:75: error: \"0\"; expected an integer from 1 to 9223372036854775807 [I-algorithms]");
  EXPECT_EQ(changed("k=5", "k=99999999999999999999"),
            "a.txt:2:83: error: \"99999999999999999999\"; expected an integer from 1 to 9223372036854775807 "
            "[I-algorithms]");
  EXPECT_EQ(changed(" k=5", "  k=5"), "a.txt:2:81: error: a blank; expected k= [I-algorithms]");
  EXPECT_NE(changed("=bias", "=relu").find("\"relu\"; expected none, bias or residual"), std::string::npos);
  EXPECT_NE(changed("210\n", "21g\n").find("; expected 128 digits of base 16 [I-algorithms]"), std::string::npos);
  EXPECT_NE(changed("210\n", "210 \n").find("; expected the end of the line [I-algorithms]"), std::string::npos);
  EXPECT_EQ(changed("210\n", "210\n\n"), "a.txt:3:1: error: the line ends; expected device= [I-algorithms]");
}

TEST(AlgorithmText, OfADeviceWithAVeryLongNameIsRefused) {
  EXPECT_EQ(changed("a GPU", std::string(255, 'x')), "");
  EXPECT_NE(changed("a GPU", std::string(256, 'x')).find("; expected a text of at most 255 bytes"), std::string::npos);
}

TEST(AlgorithmText, CutAnywhereIsRefused) {
  const std::string line = kLine;
  for (size_t length = 1; length + 1 < line.size(); ++length) {
    EXPECT_NE(mistake_in(file_of(line.substr(0, length))), "") << length;
  }
}

TEST(AlgorithmText, HasOneAlgorithmForAProduct) {
  EXPECT_EQ(
      mistake_in(file_of(std::string(kLine) + kLine)),
      "a.txt:3:1: error: the algorithm of line 2 is for the same product, device and version; expected one of both "
      "[I-algorithms]");
}

}  // namespace
}  // namespace isoshard::exec::algorithm_text_test
