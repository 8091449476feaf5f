// The contract that every backend keeps, as one suite: each sentence of memory_space.hpp is a test here. The suite is
// written against MemorySpace alone and never touches device memory directly.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ferry/backend/registry.hpp>
#include <ferry/backend/strided.hpp>
#include <ferry/error.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "support/error_code.hpp"

namespace ferry::test {

using backend::MemorySpace;
using backend::NativeEvent;
using backend::NativeStream;
using backend::PointerInfo;
using Bytes = std::vector<std::uint8_t>;

inline constexpr MemoryKind all_kinds[] = {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::mapped,
                                           MemoryKind::managed, MemoryKind::device};

/// FERRY_CONTRACT_DEVICES, separated by commas, else every backend that this binary has.
inline std::vector<std::string> contract_devices() {
  const char* text = std::getenv("FERRY_CONTRACT_DEVICES");
  const std::string list = text != nullptr && *text != '\0' ? text : "host,sim:0,sim:1";
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

// The numbers that CUDA and HIP give to the faults that callers tell apart.
inline constexpr int invalid_value = 1, invalid_handle = 400, already_registered = 712, not_registered = 713;

/// Memory that is given back at the scope's end. It starts blank, lest a test find there what it expects because an
/// earlier one left it; given a stream, it stays as it comes, since only that stream may touch it yet.
class Block {
 public:
  Block(MemorySpace& space, std::size_t bytes, MemoryKind kind = MemoryKind::device)
      : Block(space, bytes, kind, nullptr) {
    const Bytes blank(bytes, 0xA5);
    space.copy(address_, blank.data(), bytes, nullptr);
    space.synchronize_stream(nullptr);
  }
  Block(MemorySpace& space, std::size_t bytes, MemoryKind kind, NativeStream stream)
      : space_(space), kind_(kind), bytes_(bytes), address_(space.allocate(kind, bytes, {}, stream)) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    space_.synchronize_device();
    if (address_ != nullptr) space_.deallocate(kind_, address_, bytes_, nullptr);
  }
  std::byte* get() const { return static_cast<std::byte*>(address_); }
  std::uint8_t* host() const { return static_cast<std::uint8_t*>(address_); }
  /// Gives it back now, in the order of a stream.
  void free_on(NativeStream stream) { space_.deallocate(kind_, std::exchange(address_, nullptr), bytes_, stream); }

 private:
  MemorySpace& space_;
  MemoryKind kind_;
  std::size_t bytes_;
  void* address_;
};

class Streams {
 public:
  explicit Streams(MemorySpace& space) : space_(space) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() {
    for (const NativeStream stream : streams_) space_.destroy_stream(stream);
    for (const NativeEvent event : events_) space_.destroy_event(event);
  }
  NativeStream stream(bool non_blocking = false) {
    streams_.push_back(space_.create_stream({.non_blocking = non_blocking}));
    return streams_.back();
  }
  NativeEvent event(bool timing = false) {
    events_.push_back(space_.create_event(timing));
    return events_.back();
  }

 private:
  MemorySpace& space_;
  std::vector<NativeStream> streams_;
  std::vector<NativeEvent> events_;
};

class Contract : public ::testing::TestWithParam<std::string> {
 protected:
  MemorySpace& space = backend::find_space(GetParam());

  Bytes download(const std::byte* from, std::size_t bytes) {
    Bytes result(bytes);
    space.copy(result.data(), from, bytes, nullptr);
    space.synchronize_stream(nullptr);
    return result;
  }
  void upload(std::byte* to, const Bytes& bytes) {
    space.copy(to, bytes.data(), bytes.size(), nullptr);
    space.synchronize_stream(nullptr);
  }
  static Bytes iota(std::size_t n, std::uint8_t first = 0) {
    Bytes bytes(n);
    std::iota(bytes.begin(), bytes.end(), first);
    return bytes;
  }
  void fill(std::byte* to, std::size_t bytes, std::uint8_t value, NativeStream stream) {
    const auto pattern = static_cast<std::byte>(value);
    space.fill_strided({to, 1, Dims(bytes), Dims(1), &pattern}, stream);
  }
};

#define FERRY_CONTRACT(suite)                                                                      \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(::ferry::test::contract_devices()), \
                           [](const auto& device) {                                                \
                             std::string name = device.param;                                      \
                             for (char& c : name) c = c == ':' ? '_' : c;                          \
                             return name;                                                          \
                           })

}  // namespace ferry::test
