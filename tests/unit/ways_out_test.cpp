// What destructors do when the device fails them: silent when there is no device any more, one report when there is a
// fault, and never a throw.
#include <gtest/gtest.h>

#include <ferry/backend/fault.hpp>
#include <ferry/backend/registry.hpp>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <string>
#include <vector>

namespace ferry::test {
namespace {

std::vector<std::string>& reports() {
  static std::vector<std::string> texts;
  return texts;
}

/// Fails to take memory back as a driver would.
class FailingResource final : public MemoryResource {
 public:
  int code = 0;
  const char* name = "";
  int refused = 0;

 private:
  void* do_allocate(std::size_t bytes, backend::NativeStream stream) override {
    return Device("host").space().allocate(MemoryKind::device, bytes, {}, stream);
  }
  void do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) override {
    Device("host").space().deallocate(MemoryKind::device, address, bytes, stream);  // the test itself must not leak
    if (code == 0) return;
    ++refused;
    throw DeviceError("free", code, name, true);
  }
};

class WaysOut : public ::testing::Test {
 protected:
  FailingResource resource;
  ErrorSink former = nullptr;

  void SetUp() override {
    reports().clear();
    former = set_error_sink([](const char* text) noexcept { reports().emplace_back(text); });
  }
  void TearDown() override { set_error_sink(former); }
  void drop_one() {
    const auto array = zeros<int>({10}, {.device = Device("host"), .resource = &resource});
    EXPECT_EQ(array.item(9), 0);
  }
};

TEST_F(WaysOut, C096_NoDeviceAnyMoreIsNothingToReport) {
  for (const backend::fault::Fault& gone :
       {backend::fault::unloading, backend::fault::initialization, backend::fault::context_destroyed}) {
    resource.code = gone.code;
    resource.name = gone.name;
    drop_one();
  }
  EXPECT_EQ(resource.refused, 3);
  EXPECT_TRUE(reports().empty()) << reports().front();
}

TEST_F(WaysOut, C096_AFaultIsReportedAndNotThrown) {
  resource.code = 700;
  resource.name = "IllegalAddress";
  drop_one();
  ASSERT_EQ(reports().size(), 1u);
  EXPECT_NE(reports().front().find("IllegalAddress"), std::string::npos);
  EXPECT_THROW(resource.deallocate(resource.allocate(8, nullptr), 8, nullptr), DeviceError)
      << "a call of one's own throws";
  EXPECT_EQ(reports().size(), 1u);
}

TEST_F(WaysOut, TheProgramGoesOn) {
  resource.code = 700;
  drop_one();
  resource.code = 0;
  drop_one();
  EXPECT_EQ(reports().size(), 1u);
}

}  // namespace
}  // namespace ferry::test
