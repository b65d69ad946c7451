#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/support/check.h"

/// Expects that `statement` meets a broken invariant whose message contains `text`.
#define EXPECT_INTERNAL_ERROR(statement, text)       \
  EXPECT_THAT([&] { static_cast<void>(statement); }, \
              ::testing::ThrowsMessage<::isoshard::InternalError>(::testing::HasSubstr(text)))
