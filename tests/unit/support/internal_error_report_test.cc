#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "core/support/internal_error_report.h"

namespace isoshard::internal_error_report_test {
namespace {

/// The hash is FNV-1a's published value of "foobar".
TEST(InternalErrorReport, TheReportNamesPlaceVersionAndInputs) {
  const std::string path = ::testing::TempDir() + "internal_error_report_test.shard";
  std::ofstream(path) << "foobar";
  const int line = __LINE__ + 2;
  try {
    ISOSHARD_CHECK(1 + 1 == 3, "arithmetic");
    FAIL() << "nothing was thrown";
  } catch (const InternalError& error) {
    const std::string report = internal_error_report(error, "1.2.3", {path, "tp_mlp"});
    const std::string place = std::string(__FILE__) + ":" + std::to_string(line) + ": arithmetic (1 + 1 == 3)\n";
    EXPECT_NE(report.find("internal error: " + place), std::string::npos) << report;
    EXPECT_NE(report.find("\n  version 1.2.3\n"), std::string::npos) << report;
    EXPECT_NE(report.find("please report"), std::string::npos) << report;
    EXPECT_NE(report.find("  input   " + path + " (FNV-1a 85944171f73967e8)\n"), std::string::npos) << report;
    EXPECT_TRUE(report.ends_with("  input   tp_mlp\n")) << report;
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace isoshard::internal_error_report_test
