// What the suites of real GPUs share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <string>

#include "gpu/kernels.hpp"
#include "gpu/vendor.hpp"
#include "support/test_device.hpp"

namespace ferry::test {

#define FERRY_GPU_OK(call) ASSERT_EQ(GPU(Success), (call)) << #call

/// A foreign stream, as another library would make it.
class ForeignStream {
 public:
  explicit ForeignStream(unsigned flags = GPU(StreamDefault)) {
    static_cast<void>(GPU(StreamCreateWithFlags)(&stream_, flags));
  }
  ForeignStream(const ForeignStream&) = delete;
  ForeignStream& operator=(const ForeignStream&) = delete;
  ~ForeignStream() { static_cast<void>(GPU(StreamDestroy)(stream_)); }
  operator GPU(Stream_t)() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  GPU(Stream_t) stream_ = nullptr;
};

}  // namespace ferry::test
