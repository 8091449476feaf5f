// Names of devices, and how backends are found.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <ferry/backend/registry.hpp>
#include <ferry/error.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/toy_backend.hpp"

namespace {

using namespace ferry;

/// A backend of `devices` devices, all of them the host's.
class NamedBackend final : public backend::Backend {
 public:
  NamedBackend(std::string name, int devices, std::string reason = {})
      : name_(std::move(name)), reason_(std::move(reason)), devices_(devices) {}
  std::string_view name() const noexcept override { return name_; }
  int device_count() const noexcept override { return devices_; }
  std::string unavailable_reason() const override { return reason_; }
  bool is_accelerator() const noexcept override { return false; }
  backend::MemorySpace& space(int) override { return backend::find_space("host"); }

 private:
  std::string name_, reason_;
  int devices_;
};

/// Adds it once, however often the tests are repeated in one process.
void ensure_backend(const std::string& name, int devices, const std::string& reason = {}) {
  try {
    backend::register_backend(std::make_unique<NamedBackend>(name, devices, reason));
  } catch (const Error&) {
  }
}

template <class E>
std::string text_of_failure(std::string_view device_name) {
  try {
    backend::find_space(device_name);
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error of the expected type for '" << device_name << "'";
  return {};
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Sets FERRY_DEVICE for a scope.
class DeviceVariable {
 public:
  explicit DeviceVariable(const char* value) {
    if (const char* old = std::getenv("FERRY_DEVICE")) old_ = std::make_unique<std::string>(old);
    value != nullptr ? ::setenv("FERRY_DEVICE", value, 1) : ::unsetenv("FERRY_DEVICE");
  }
  DeviceVariable(const DeviceVariable&) = delete;
  DeviceVariable& operator=(const DeviceVariable&) = delete;
  ~DeviceVariable() { old_ != nullptr ? ::setenv("FERRY_DEVICE", old_->c_str(), 1) : ::unsetenv("FERRY_DEVICE"); }

 private:
  std::unique_ptr<std::string> old_;
};

TEST(Registry, FindsADeviceByNameAndNumber) {
  EXPECT_EQ(backend::find_space("host").backend_name(), "host");
  EXPECT_EQ(&backend::find_space("host:0"), &backend::find_space("host"));
  EXPECT_EQ(&backend::find_space("toy"), &backend::find_space("toy:0"));
  EXPECT_NE(&backend::find_space("toy:0"), &backend::find_space("toy:1"));
  EXPECT_EQ(backend::find_space("toy:1").index(), 1);
}

TEST(Registry, RefusesMalformedNamesAndShowsTheForm) {
  for (const char* name : {"", ":", ":0", "cuda:", "cuda:x", "cuda:-1", "cuda:-0", "cuda:+1", "host:0x", "host:0 ",
                           "host: 0", "host:1.0", "host:0:0", "host:99999999999", "host:4294967296"}) {
    const std::string text = text_of_failure<AccessError>(name);
    EXPECT_TRUE(has(text, "'" + std::string(name) + "'")) << text;
    EXPECT_TRUE(has(text, "\"cuda:1\"")) << text;
  }
}

TEST(Registry, AnUnknownBackendIsAnsweredWithThoseThatAreThere) {
  for (const char* name : {"opencl", "opencl:3", "Host", "host "}) {
    const std::string text = text_of_failure<BackendUnavailable>(name);
    EXPECT_TRUE(has(text, "'host'") && has(text, "'toy'")) << text;
  }
}

// Which backends were built is the build's affair; one that was left out must say how to get it.
TEST(Registry, ABackendThatWasNotBuiltNamesItsOption) {
  bool seen = false;
  for (const auto& folder : std::filesystem::directory_iterator(FERRY_SOURCE_DIR "/backends")) {
    if (!std::filesystem::exists(folder.path() / "backend.cmake")) continue;
    const std::string name = folder.path().filename().string();
    try {
      backend::find_space(name);
    } catch (const BackendUnavailable& error) {
      const std::string text = error.what();
      EXPECT_FALSE(has(text, "there is no backend")) << name << " is missing from the build's table: " << text;
      if (!has(text, "this build has no backend")) continue;  // built, but without a device
      seen = true;
      EXPECT_TRUE(has(text, "-DFERRY_") && has(text, "=ON")) << text;
    }
  }
  if (!seen) GTEST_SKIP() << "this build left no backend out";
}

TEST(Registry, ANumberTooLargeIsAnsweredWithHowManyThereAre) {
  EXPECT_TRUE(has(text_of_failure<BackendUnavailable>("host:1"), "has 1 device,"));
  EXPECT_TRUE(has(text_of_failure<BackendUnavailable>("toy:2"), "has 2 devices,"));
  EXPECT_TRUE(has(text_of_failure<BackendUnavailable>("toy:2147483647"), "has 2 devices,"));
}

TEST(Registry, ABackendWithoutDevicesSaysWhy) {
  ensure_backend("asleep", 0, "the driver is not loaded; load it with modprobe");
  EXPECT_TRUE(has(text_of_failure<BackendUnavailable>("asleep"), "modprobe"));
  EXPECT_TRUE(has(text_of_failure<BackendUnavailable>("asleep:7"), "modprobe"));
}

TEST(Registry, RefusesANameTwiceOrOneThatCannotBeWritten) {
  EXPECT_THROW(backend::register_backend(ferry::test::make_toy_backend()), Error);
  EXPECT_THROW(backend::register_backend(std::make_unique<NamedBackend>("host", 1)), Error);
  EXPECT_THROW(backend::register_backend(std::make_unique<NamedBackend>("", 1)), Error);
  EXPECT_THROW(backend::register_backend(std::make_unique<NamedBackend>("a:b", 1)), Error);
  EXPECT_THROW(backend::register_backend(nullptr), Error);
  EXPECT_EQ(backend::find_space("toy").backend_name(), "toy") << "the first one stays";
}

TEST(Registry, TheDefaultIsWhatTheEnvironmentNames) {
  const DeviceVariable variable("toy:1");
  EXPECT_EQ(&backend::default_space(), &backend::find_space("toy:1"));
  const DeviceVariable changed("host");  // read at each call
  EXPECT_EQ(&backend::default_space(), &backend::find_space("host"));
}

TEST(Registry, AWrongEnvironmentVariableIsNamed) {
  for (const char* wrong : {"opencl", "toy:9", "host:x"}) {
    const DeviceVariable variable(wrong);
    try {
      backend::default_space();
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_TRUE(has(error.what(), "FERRY_DEVICE") && has(error.what(), wrong)) << error.what();
    }
  }
}

TEST(Registry, WithoutTheVariableTheDefaultIsAnAcceleratorOrTheHost) {
  for (const char* unset : {static_cast<const char*>(nullptr), ""}) {
    const DeviceVariable variable(unset);
    EXPECT_NE(backend::default_space().backend_name(), "toy") << "the toy is no accelerator";
  }
}

TEST(Registry, ManyThreadsFindAndRegister) {
  static std::atomic<int> serial{0};
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&wrong, t] {
      backend::MemorySpace* const host = &backend::find_space("host");
      for (int i = 0; i < 50; ++i) {
        if (&backend::find_space("host") != host || backend::find_space("toy:1").index() != 1) ++wrong;
        if (i % 10 == t % 10) {
          const std::string name = "thread" + std::to_string(serial++);
          ensure_backend(name, 1);
          if (&backend::find_space(name) != host) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(MemoryKind, HasANameForEach) {
  EXPECT_EQ(to_string(MemoryKind::pageable), "pageable");
  EXPECT_EQ(to_string(MemoryKind::pinned), "pinned");
  EXPECT_EQ(to_string(MemoryKind::mapped), "mapped");
  EXPECT_EQ(to_string(MemoryKind::managed), "managed");
  EXPECT_EQ(to_string(MemoryKind::device), "device");
}

}  // namespace
