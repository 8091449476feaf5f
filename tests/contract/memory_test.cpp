#include <algorithm>

#include "contract/contract.hpp"

namespace ferry::test {

class ContractMemory : public Contract {};
FERRY_CONTRACT(ContractMemory);

TEST_P(ContractMemory, KnowsItself) {
  const std::string name = std::string(space.backend_name());
  EXPECT_EQ(GetParam().rfind(name, 0), 0u);
  EXPECT_GE(space.index(), 0);
  const MemoryInfo info = space.memory_info();
  EXPECT_GT(info.total, 0u);
  EXPECT_LE(info.free, info.total);
}

TEST_P(ContractMemory, EveryKindIsAlignedAndDistinct) {
  for (const MemoryKind kind : all_kinds) {
    const Block a(space, 1, kind), b(space, 257, kind);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.get()) % 256, 0u) << to_string(kind);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.get()) % 256, 0u) << to_string(kind);
    EXPECT_TRUE(b.get() >= a.get() + 1 || a.get() >= b.get() + 257) << to_string(kind);
  }
}

TEST_P(ContractMemory, FreedMemoryCanBeHadAgain) {
  const std::size_t most = std::min<std::size_t>(space.memory_info().free, std::size_t{64} << 20) / 2 + 1;
  for (int i = 0; i < 20; ++i) {
    Block block(space, most);
    block.free_on(nullptr);
    space.synchronize_device();
  }
}

TEST_P(ContractMemory, HostKindsAreReachableFromTheHost) {
  for (const MemoryKind kind : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::mapped, MemoryKind::managed}) {
    const Block block(space, 100, kind);
    std::fill_n(block.host(), 100, std::uint8_t{7});
    EXPECT_EQ(std::count(block.host(), block.host() + 100, 7), 100) << to_string(kind);
  }
}

TEST_P(ContractMemory, FreeingWhatIsNotThereIsAnError) {
  void* const address = space.allocate(MemoryKind::device, 512, {}, nullptr);
  const auto free = [&](void* what, MemoryKind kind) { space.deallocate(kind, what, 512, nullptr); };
  int local = 0;
  EXPECT_NE(error_code([&] { free(&local, MemoryKind::device); }), 0) << "unknown";
  EXPECT_NE(error_code([&] { free(static_cast<std::byte*>(address) + 256, MemoryKind::device); }), 0) << "interior";
  EXPECT_NE(error_code([&] { free(address, MemoryKind::pinned); }), 0) << "wrong kind";
  EXPECT_EQ(error_code([&] { free(address, MemoryKind::device); }), 0);
  EXPECT_NE(error_code([&] { free(address, MemoryKind::device); }), 0) << "twice";
}

TEST_P(ContractMemory, ARefusedFreeChangesNothing) {
  const Block block(space, 512);
  upload(block.get(), Bytes(512, 6));
  space.synchronize_device();
  const std::size_t free_before = space.memory_info().free;
  int local = 0;
  EXPECT_THROW(space.deallocate(MemoryKind::device, &local, 512, nullptr), DeviceError);
  EXPECT_THROW(space.deallocate(MemoryKind::device, block.get() + 256, 256, nullptr), DeviceError);
  EXPECT_THROW(space.deallocate(MemoryKind::mapped, block.get(), 512, nullptr), DeviceError);
  space.synchronize_device();
  EXPECT_EQ(space.memory_info().free, free_before);
  EXPECT_EQ(space.query(block.get()).kind, MemoryKind::device);
  EXPECT_EQ(download(block.get(), 512), Bytes(512, 6));
}

TEST_P(ContractMemory, FlagsChangeOnlyTheSpeed) {
  for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::mapped}) {
    for (const bool portable : {false, true}) {
      for (const bool write_combined : {false, true}) {
        void* const address = space.allocate(kind, 100, {portable, write_combined}, nullptr);
        std::fill_n(static_cast<std::uint8_t*>(address), 100, std::uint8_t{3});
        EXPECT_EQ(space.query(address).kind, kind);
        EXPECT_EQ(download(static_cast<std::byte*>(address), 100), Bytes(100, 3));
        space.deallocate(kind, address, 100, nullptr);
      }
    }
  }
}

TEST_P(ContractMemory, OutOfMemoryChangesNothing) {
  const MemoryInfo before = space.memory_info();
  const std::size_t asked = std::size_t{1} << 46;
  try {
    space.allocate(MemoryKind::device, asked, {}, nullptr);
    FAIL() << "64 TiB were given out";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.asked(), asked);
    EXPECT_EQ(error.total(), before.total);
  }
  EXPECT_EQ(space.memory_info().free, before.free);
  const Block after(space, 1024);
  upload(after.get(), iota(1024));
  EXPECT_EQ(download(after.get(), 1024), iota(1024));
}

TEST_P(ContractMemory, EveryKindRunsOutOfMemory) {
  for (const MemoryKind kind : all_kinds) {
    for (const std::size_t asked : {std::size_t{1} << 46, SIZE_MAX - 100, SIZE_MAX}) {
      EXPECT_THROW(space.allocate(kind, asked, {}, nullptr), OutOfMemory) << to_string(kind) << ' ' << asked;
    }
    const Block after(space, 100, kind);
    EXPECT_NE(after.get(), nullptr);
  }
}

TEST_P(ContractMemory, NoBytesNeedNoMemory) {
  for (const MemoryKind kind : all_kinds) {
    void* const nothing = space.allocate(kind, 0, {}, nullptr);
    EXPECT_EQ(nothing, nullptr) << to_string(kind);
    EXPECT_NO_THROW(space.deallocate(kind, nothing, 0, nullptr)) << to_string(kind);
  }
}

TEST_P(ContractMemory, MemoryInfoFollowsAllocations) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  space.synchronize_device();
  const MemoryInfo before = space.memory_info();
  Block block(space, bytes);
  const MemoryInfo during = space.memory_info();
  EXPECT_LE(during.free, before.free - bytes);
  EXPECT_EQ(during.total, before.total);
  block.free_on(nullptr);
  space.synchronize_device();
  EXPECT_EQ(space.memory_info().free, before.free);
}

TEST_P(ContractMemory, FreedMemoryIsForgotten) {
  for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::mapped, MemoryKind::managed, MemoryKind::device}) {
    Block block(space, 1000, kind);
    const void* const address = block.get();
    block.free_on(nullptr);
    space.synchronize_device();
    EXPECT_EQ(space.query(address).base, nullptr) << to_string(kind);
    EXPECT_EQ(space.query(address).kind, MemoryKind::pageable) << to_string(kind);
  }
}

TEST_P(ContractMemory, QueryKnowsKindAndExtentAlsoFromWithin) {
  for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::mapped, MemoryKind::managed, MemoryKind::device}) {
    const Block block(space, 1000, kind);
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{999}}) {
      const PointerInfo info = space.query(block.get() + offset);
      EXPECT_EQ(info.kind, kind) << to_string(kind) << " + " << offset;
      EXPECT_EQ(info.device, space.index());
      EXPECT_EQ(info.base, block.get());
      EXPECT_EQ(info.bytes, 1000u);
      EXPECT_TRUE(kind == MemoryKind::pinned || info.device_pointer != nullptr);
    }
  }
  const Block pageable(space, 1000, MemoryKind::pageable);
  EXPECT_EQ(space.query(pageable.get() + 10).kind, MemoryKind::pageable);
  int local = 0;
  EXPECT_EQ(space.query(&local).kind, MemoryKind::pageable);
  EXPECT_EQ(space.query(&local).base, nullptr);
  EXPECT_EQ(space.query(nullptr).kind, MemoryKind::pageable);
}

TEST_P(ContractMemory, C059_NeighboursOnOnePageAreRegisteredIndependently) {
  alignas(4096) static std::byte page[4096];
  space.register_host(page + 64, 80, {});
  space.register_host(page + 256, 20, {});
  EXPECT_NE(space.query(page + 143).kind, MemoryKind::pageable);
  EXPECT_EQ(space.query(page + 144).kind, MemoryKind::pageable);
  EXPECT_NE(space.query(page + 256).kind, MemoryKind::pageable);
  space.unregister_host(page + 64);
  EXPECT_EQ(space.query(page + 64).kind, MemoryKind::pageable);
  EXPECT_NE(space.query(page + 256).kind, MemoryKind::pageable);
  space.unregister_host(page + 256);
  space.register_host(page + 256, 20, {});  // and again, in the other order
  space.register_host(page + 64, 80, {});
  space.unregister_host(page + 256);
  space.unregister_host(page + 64);
}

TEST_P(ContractMemory, OverlappingRegistrationsAreRefused) {
  std::vector<std::byte> memory(1000);
  space.register_host(memory.data() + 100, 100, {});
  for (const auto& [begin, size] : {std::pair{100, 100}, {150, 10}, {50, 51}, {199, 10}, {0, 1000}}) {
    EXPECT_EQ(error_code([&, b = begin, s = size] {
                space.register_host(memory.data() + b, static_cast<std::size_t>(s), {});
              }),
              already_registered)
        << begin << "+" << size;
  }
  EXPECT_EQ(space.query(memory.data() + 50).kind, MemoryKind::pageable) << "a refused registration leaves nothing";
  EXPECT_EQ(space.query(memory.data() + 205).kind, MemoryKind::pageable);
  EXPECT_EQ(space.query(memory.data() + 150).base, memory.data() + 100);
  for (const std::size_t begin : {std::size_t{90}, std::size_t{200}}) {  // ranges that touch do not overlap
    space.register_host(memory.data() + begin, 10, {});
    space.unregister_host(memory.data() + begin);
  }
  space.unregister_host(memory.data() + 100);
}

TEST_P(ContractMemory, QueryKnowsARegistration) {
  std::vector<std::byte> memory(1000);
  space.register_host(memory.data() + 10, 100, {.portable = true});
  for (const std::size_t offset : {std::size_t{10}, std::size_t{11}, std::size_t{109}}) {
    const PointerInfo info = space.query(memory.data() + offset);
    EXPECT_NE(info.kind, MemoryKind::pageable) << offset;
    EXPECT_EQ(info.base, memory.data() + 10);
    EXPECT_EQ(info.bytes, 100u);
    EXPECT_NE(info.device_pointer, nullptr);
  }
  for (const std::size_t offset : {std::size_t{9}, std::size_t{110}}) {
    EXPECT_EQ(space.query(memory.data() + offset).kind, MemoryKind::pageable) << offset;
  }
  space.unregister_host(memory.data() + 10);
  EXPECT_EQ(space.query(memory.data() + 10).base, nullptr);
}

TEST_P(ContractMemory, PageLockedMemoryIsNotRegisteredAgainButPageableMemoryIs) {
  const Block pinned(space, 1000, MemoryKind::pinned), pageable(space, 1000, MemoryKind::pageable);
  EXPECT_EQ(error_code([&] { space.register_host(pinned.get(), 1000, {}); }), already_registered);
  EXPECT_EQ(error_code([&] { space.register_host(pinned.get() + 100, 10, {}); }), already_registered);
  space.register_host(pageable.get() + 100, 10, {});
  EXPECT_NE(space.query(pageable.get() + 105).kind, MemoryKind::pageable);
  space.unregister_host(pageable.get() + 100);
  EXPECT_EQ(space.query(pageable.get() + 105).kind, MemoryKind::pageable);
}

TEST_P(ContractMemory, C061_UnregisteringTheWrongPointerSaysHow) {
  std::vector<std::byte> memory(1000);
  const Block pinned(space, 1000, MemoryKind::pinned);
  int local = 0;
  space.register_host(memory.data(), 1000, {});
  EXPECT_EQ(error_code([&] { space.unregister_host(&local); }), not_registered);
  EXPECT_EQ(error_code([&] { space.unregister_host(memory.data() + 10); }), invalid_value);
  EXPECT_EQ(error_code([&] { space.unregister_host(pinned.get()); }), invalid_value);
  EXPECT_EQ(space.query(memory.data() + 999).base, memory.data()) << "nothing has changed";
  EXPECT_EQ(space.query(pinned.get()).kind, MemoryKind::pinned);
  EXPECT_EQ(error_code([&] { space.unregister_host(memory.data()); }), 0);
  EXPECT_EQ(error_code([&] { space.unregister_host(memory.data()); }), not_registered);
}

TEST_P(ContractMemory, C070_ZeroBytesDoNothing) {
  std::byte byte{};
  space.register_host(&byte, 0, {});
  space.copy(&byte, &byte, 0, nullptr);
  space.copy(nullptr, nullptr, 0, nullptr);
  space.copy_pitched(nullptr, 0, nullptr, 0, 0, 5, nullptr);
  space.copy_pitched(nullptr, 8, nullptr, 8, 8, 0, nullptr);
  space.copy_strided({nullptr, nullptr, 4, {0, 3}, {12, 4}, {12, 4}}, nullptr);
  space.fill_strided({nullptr, 1, {0}, {1}, &byte}, nullptr);
  space.synchronize_stream(nullptr);
}

}  // namespace ferry::test
