#include <algorithm>
#include <random>

#include "contract/contract.hpp"

namespace ferry::test {

class ContractCopy : public Contract {};
FERRY_CONTRACT(ContractCopy);

TEST_P(ContractCopy, AllPairsOfKinds) {
  const Bytes data = iota(1000);
  for (const MemoryKind from : all_kinds) {
    for (const MemoryKind to : all_kinds) {
      const Block source(space, 1000, from), target(space, 1000, to);
      upload(source.get(), data);
      space.copy(target.get() + 1, source.get(), 999, nullptr);
      EXPECT_EQ(download(target.get() + 1, 999), Bytes(data.begin(), data.end() - 1))
          << to_string(from) << " to " << to_string(to);
    }
  }
}

TEST_P(ContractCopy, MappedMemoryIsOneMemoryUnderBothAddresses) {
  const Block mapped(space, 64, MemoryKind::mapped);
  void* const device_face = space.query(mapped.get()).device_pointer;
  ASSERT_NE(device_face, nullptr);
  fill(static_cast<std::byte*>(device_face), 64, 5, nullptr);
  space.synchronize_stream(nullptr);
  EXPECT_EQ(mapped.host()[63], 5);
  std::fill_n(mapped.host(), 64, std::uint8_t{9});
  EXPECT_EQ(download(static_cast<std::byte*>(device_face), 64), Bytes(64, 9));
}

TEST_P(ContractCopy, PitchedInEveryDirectionLeavesTheGapsAlone) {
  constexpr std::size_t rows = 7, width = 12, from_pitch = 20, to_pitch = 33;
  const Bytes data = iota(rows * from_pitch);
  for (const MemoryKind from : all_kinds) {
    for (const MemoryKind to : all_kinds) {
      const Block source(space, rows * from_pitch, from), target(space, rows * to_pitch, to);
      upload(source.get(), data);
      upload(target.get(), Bytes(rows * to_pitch, 0xAA));
      space.copy_pitched(target.get(), to_pitch, source.get(), from_pitch, width, rows, nullptr);
      Bytes expected(rows * to_pitch, 0xAA);
      for (std::size_t row = 0; row < rows; ++row) {
        std::copy_n(data.begin() + static_cast<long>(row * from_pitch), width,
                    expected.begin() + static_cast<long>(row * to_pitch));
      }
      EXPECT_EQ(download(target.get(), rows * to_pitch), expected) << to_string(from) << " to " << to_string(to);
    }
  }
}

TEST_P(ContractCopy, C013_PitchedWithTwoMillionRows) {
  constexpr std::size_t rows = 2'000'000, width = 12, pitch = 16;
  Bytes data(rows * pitch);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
  const Block target(space, rows * width);
  space.copy_pitched(target.get(), width, data.data(), pitch, width, rows, nullptr);
  Bytes back(rows * pitch, 0);
  space.copy_pitched(back.data(), pitch, target.get(), width, width, rows, nullptr);
  space.synchronize_stream(nullptr);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.size(); ++i) wrong += back[i] != (i % pitch < width ? data[i] : 0);
  EXPECT_EQ(wrong, 0u);
}

// Any rank, strides of any sign, zero source strides, odd addresses, against a walk by index.
TEST_P(ContractCopy, StridedAgainstAWalkByIndex) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  constexpr std::size_t bytes = 40'000;
  const Block source(space, bytes), target(space, bytes);
  Bytes from_image(bytes);
  for (auto& byte : from_image) byte = static_cast<std::uint8_t>(pick(0, 255));
  upload(source.get(), from_image);
  for (int round = 0; round < 300; ++round) {
    Bytes to_image(bytes, static_cast<std::uint8_t>(round));
    upload(target.get(), to_image);
    const int item = std::vector<int>{1, 2, 3, 4, 7, 8, 12, 16, 24, 40}[static_cast<std::size_t>(pick(0, 9))];
    const int rank = pick(0, 4);
    Dims extents, to_strides, from_strides;
    index_t to_stride = item, to_at = pick(0, 7), from_at = 20'000;
    for (int axis = 0; axis < rank; ++axis) {  // nested from the last axis outwards, so that targets do not alias
      const index_t n = pick(1, 5);
      extents.insert(0, n);
      to_strides.insert(0, to_stride);
      to_stride = to_stride * n + pick(0, 9);
      from_strides.insert(0, pick(-60, 60) * pick(0, 1) + pick(0, 1) * item);
    }
    space.copy_strided({target.get() + to_at, source.get() + from_at, item, extents, to_strides, from_strides},
                       nullptr);
    std::vector<index_t> index(static_cast<std::size_t>(rank), 0);
    for (bool more = true; more;) {
      index_t t = to_at, f = from_at;
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        t += index[axis] * to_strides[axis];
        f += index[axis] * from_strides[axis];
      }
      for (int byte = 0; byte < item; ++byte) {
        to_image[static_cast<std::size_t>(t + byte)] = from_image[static_cast<std::size_t>(f + byte)];
      }
      more = false;
      for (std::size_t axis = index.size(); axis-- > 0 && !more;) {
        more = ++index[axis] < extents[axis];
        if (!more) index[axis] = 0;
      }
    }
    ASSERT_EQ(download(target.get(), bytes), to_image)
        << "round " << round << ", item " << item << ", extents " << extents.to_string();
  }
}

TEST_P(ContractCopy, FillsWithPatternsOfAnySize) {
  for (index_t item = 1; item <= 24; ++item) {
    const Block target(space, 2000);
    upload(target.get(), Bytes(2000, 0xAA));
    Bytes pattern = iota(static_cast<std::size_t>(item), 1);
    space.fill_strided(
        {target.get() + 3, item, {4, 5}, {6 * item + 1, item}, reinterpret_cast<std::byte*>(pattern.data())}, nullptr);
    std::fill(pattern.begin(), pattern.end(), std::uint8_t{0xFF});  // it was read before the call returned
    Bytes expected(2000, 0xAA);
    for (index_t i = 0; i < 4; ++i) {
      for (index_t j = 0; j < 5; ++j) {
        for (index_t byte = 0; byte < item; ++byte) {
          expected[static_cast<std::size_t>(3 + i * (6 * item + 1) + j * item + byte)] =
              static_cast<std::uint8_t>(1 + byte);
        }
      }
    }
    EXPECT_EQ(download(target.get(), 2000), expected) << item;
  }
}

TEST_P(ContractCopy, FillsDenseMemory) {
  for (index_t item = 1; item <= 24; ++item) {
    const Block target(space, 2000);
    upload(target.get(), Bytes(2000, 0xAA));
    const Bytes pattern = iota(static_cast<std::size_t>(item), 1), same(static_cast<std::size_t>(item), 7);
    space.fill_strided({target.get() + 1, item, {11}, {item}, reinterpret_cast<const std::byte*>(pattern.data())},
                       nullptr);
    space.fill_strided({target.get() + 1000, item, {11}, {item}, reinterpret_cast<const std::byte*>(same.data())},
                       nullptr);
    Bytes expected(2000, 0xAA);
    for (std::size_t i = 0; i < 11 * pattern.size(); ++i) {
      expected[1 + i] = pattern[i % pattern.size()];
      expected[1000 + i] = 7;
    }
    EXPECT_EQ(download(target.get(), 2000), expected) << item;
  }
}

// Kernels get the device's address of memory that the host sees too (C072), and that may differ from the host's.
TEST_P(ContractCopy, C072_KernelsReachMappedManagedAndRegisteredMemory) {
  const Block device(space, 1000), mapped(space, 1000, MemoryKind::mapped), managed(space, 1000, MemoryKind::managed);
  std::vector<std::uint8_t> memory(1000);
  space.register_host(memory.data(), memory.size(), {});
  upload(device.get(), iota(1000));
  for (std::uint8_t* const host : {mapped.host(), managed.host(), memory.data()}) {
    std::fill_n(host, 1000, std::uint8_t{0});
    auto* const face = static_cast<std::byte*>(space.query(host + 100).device_pointer);
    ASSERT_NE(face, nullptr);
    space.copy_strided({face, device.get() + 900, 1, {300}, {2}, {-3}}, nullptr);
    space.synchronize_stream(nullptr);
    for (std::size_t i = 0; i < 300; ++i) {
      ASSERT_EQ(host[100 + 2 * i], static_cast<std::uint8_t>(900 - 3 * i)) << i;
      ASSERT_EQ(host[101 + 2 * i], 0) << i;
    }
    const Block back(space, 300);
    space.copy_strided({back.get(), face, 1, {300}, {1}, {2}}, nullptr);
    EXPECT_EQ(download(back.get(), 300)[299], static_cast<std::uint8_t>(900 - 3 * 299));
  }
  space.unregister_host(memory.data());
}

TEST_P(ContractCopy, PitchesWithoutGapsAreOneRun) {
  const Bytes data = iota(1200);
  const Block target(space, 1200);
  space.copy_pitched(target.get(), 12, data.data(), 12, 12, 100, nullptr);
  EXPECT_EQ(download(target.get(), 1200), data);
}

TEST_P(ContractCopy, RowsWiderThanTheirPitchAreRefused) {
  const Block target(space, 1000);
  const Bytes data = iota(1000);
  upload(target.get(), Bytes(1000, 0xAA));
  EXPECT_EQ(error_code([&] { space.copy_pitched(target.get(), 7, data.data(), 9, 8, 3, nullptr); }), invalid_value);
  EXPECT_EQ(error_code([&] { space.copy_pitched(target.get(), 9, data.data(), 7, 8, 3, nullptr); }), invalid_value);
  EXPECT_EQ(download(target.get(), 1000), Bytes(1000, 0xAA));
}

TEST_P(ContractCopy, ConversionsThatAstypeLacksAreRefusedBeforeAnythingIsQueued) {
  struct Opaque {
    char bytes[8];
  };
  const Block source(space, 80), target(space, 80);
  upload(target.get(), Bytes(80, 0xAA));
  const DType raw = dtype_of<Opaque>();
  ASSERT_FALSE(backend::is_convertible(dtype_of<double>(), raw));
  EXPECT_THROW(space.convert_strided({target.get(), source.get(), dtype_of<double>(), raw, {10}, {8}, {8}}, nullptr),
               DTypeError);
  EXPECT_EQ(download(target.get(), 80), Bytes(80, 0xAA));
}

TEST_P(ContractCopy, Converts) {
  const std::vector<double> values = {-1.5, 2.5, 1e10, -1e10, 3.999};
  const Block source(space, 200), target(space, 200);
  space.copy(source.get(), values.data(), 40, nullptr);
  space.convert_strided({target.get(), source.get() + 32, dtype_of<std::int32_t>(), dtype_of<double>(), {5}, {8}, {-8}},
                        nullptr);
  std::int32_t back[10] = {};
  space.copy(back, target.get(), 40, nullptr);
  space.synchronize_stream(nullptr);
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(back[2], INT32_MIN);
  EXPECT_EQ(back[4], INT32_MAX);
  EXPECT_EQ(back[6], 2);
  EXPECT_EQ(back[8], -1);
}

}  // namespace ferry::test
