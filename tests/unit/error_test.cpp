// The error classes and the sink for errors that cannot be thrown.
#include <gtest/gtest.h>

#include <ferry/error.hpp>
#include <string>
#include <type_traits>

namespace ferry::test {
namespace {

template <class... Errors>
constexpr bool all_derive = (std::is_base_of_v<Error, Errors> && ...);
static_assert(all_derive<ShapeError, LayoutError, DTypeError, IndexError, AccessError, LifetimeError, FormatError,
                         BackendUnavailable, DeviceError, OutOfMemory>);
static_assert(std::is_base_of_v<std::runtime_error, Error>);

std::string received;  // NOLINT: a sink is a plain function
void keep(const char* message) noexcept {
  received = message;
}

class ErrorSinkTest : public ::testing::Test {
 protected:
  void SetUp() override { former_ = set_error_sink(keep); }
  void TearDown() override { set_error_sink(former_); }
  ErrorSink former_ = nullptr;
};

TEST_F(ErrorSinkTest, ReceivesTheText) {
  report_error("ferry: a test");
  EXPECT_EQ(received, "ferry: a test");
  EXPECT_EQ(set_error_sink(keep), &keep);
}

TEST_F(ErrorSinkTest, NullRestoresTheLineOnStderr) {
  received.clear();
  EXPECT_EQ(set_error_sink(nullptr), &keep);
  ::testing::internal::CaptureStderr();
  report_error("ferry: a test");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "ferry: a test\n");
  EXPECT_TRUE(received.empty());
}

TEST(ErrorTexts, DeviceErrorNamesCallNameAndCode) {
  const DeviceError error("cuMemcpy", 700, "illegal address", true);
  EXPECT_EQ(error.call(), "cuMemcpy");
  EXPECT_EQ(error.name(), "illegal address");
  EXPECT_EQ(error.code(), 700);
  EXPECT_TRUE(error.fatal());
  for (const char* part : {"cuMemcpy", "illegal address", "700", "cannot be used again"}) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " is not in: " << error.what();
  }
  EXPECT_FALSE(DeviceError("cuMemcpy", 1, "invalid value").fatal());
}

TEST(ErrorTexts, OutOfMemoryCountsBytes) {
  const OutOfMemory error("host", 4096, 100, 200, "velocity: 100");
  EXPECT_EQ(error.asked(), 4096U);
  EXPECT_EQ(error.free(), 100U);
  EXPECT_EQ(error.total(), 200U);
  for (const char* part : {"host", "4096", "100 of 200", "velocity: 100"}) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " is not in: " << error.what();
  }
}

}  // namespace
}  // namespace ferry::test
