// When the host's side of a transfer is free again: at once for pageable memory, later for the rest.
#include <algorithm>

#include "contract/contract.hpp"

namespace ferry::test {

class ContractTransfer : public Contract {
 protected:
  Streams streams{space};
  NativeStream stream = streams.stream();
};
FERRY_CONTRACT(ContractTransfer);

TEST_P(ContractTransfer, APageableSourceIsFreeOnReturn) {
  const Block target(space, 100);
  for (const bool told : {false, true}) {  // pageable memory may be any, or the space's own
    const Block own(space, 100, MemoryKind::pageable);
    Bytes any(100);
    std::uint8_t* const source = told ? own.host() : any.data();
    std::iota(source, source + 100, std::uint8_t{0});
    space.copy(target.get(), source, 100, stream);
    std::fill_n(source, 100, std::uint8_t{0xEE});
    space.synchronize_stream(stream);
    EXPECT_EQ(download(target.get(), 100), iota(100));
  }
}

TEST_P(ContractTransfer, APitchedPageableSourceIsFreeOnReturn) {
  const Block target(space, 80);
  Bytes source = iota(200);
  space.copy_pitched(target.get(), 4, source.data() + 3, 9, 4, 20, stream);
  std::fill(source.begin(), source.end(), std::uint8_t{0xEE});
  space.synchronize_stream(stream);
  const Bytes result = download(target.get(), 80);
  for (std::size_t i = 0; i < 80; ++i) ASSERT_EQ(result[i], 3 + i / 4 * 9 + i % 4) << i;
}

TEST_P(ContractTransfer, ASourceOnlyInPartPageLockedIsFreeOnReturn) {
  const Block target(space, 100);
  Bytes source = iota(100);
  space.register_host(source.data() + 20, 40, {});
  for (const std::size_t begin : {std::size_t{0}, std::size_t{30}}) {
    std::iota(source.begin(), source.end(), std::uint8_t{0});
    space.copy(target.get(), source.data() + begin, 70, stream);
    std::fill(source.begin(), source.end(), std::uint8_t{0xEE});
    space.synchronize_stream(stream);
    EXPECT_EQ(download(target.get(), 70), iota(70, static_cast<std::uint8_t>(begin))) << begin;
  }
  space.unregister_host(source.data() + 20);
}

TEST_P(ContractTransfer, APageableDestinationIsFilledOnReturn) {
  const Block source(space, 100), pageable(space, 100, MemoryKind::pageable);
  fill(source.get(), 100, 3, stream);
  Bytes target(100), rows(100, 0xAA);
  space.copy(target.data(), source.get(), 100, stream);
  EXPECT_EQ(target, Bytes(100, 3));
  fill(source.get(), 100, 4, stream);
  space.copy(pageable.get(), source.get(), 100, stream);
  EXPECT_EQ(pageable.host()[99], 4);
  fill(source.get(), 100, 5, stream);
  space.copy_pitched(rows.data(), 10, source.get(), 5, 5, 10, stream);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(rows[i], i % 10 < 5 ? 5 : 0xAA) << i;
}

TEST_P(ContractTransfer, ADestinationOnlyInPartPageLockedIsFilledOnReturn) {
  const Block source(space, 100);
  for (const std::size_t begin : {std::size_t{0}, std::size_t{30}}) {
    Bytes target(100, 0xAA);
    space.register_host(target.data() + 20, 40, {});
    fill(source.get(), 100, 3, stream);
    space.copy(target.data() + begin, source.get(), 70, stream);
    EXPECT_EQ(std::count(target.begin(), target.end(), 3), 70) << begin;
    space.unregister_host(target.data() + 20);
  }
}

// Drivers lock whole pages, and refuse copies that cross the end of what is locked.
TEST_P(ContractTransfer, CopiesMayCrossTheEndsOfPageLocksOnManyPages) {
  constexpr std::size_t page = 4096, bytes = 8 * page, pitch = 100, rows = bytes / pitch;
  const Block there(space, bytes);
  Bytes source = iota(bytes), back(bytes);
  for (Bytes* const host : {&source, &back}) {
    space.register_host(host->data() + page + 50, page, {});
    space.register_host(host->data() + 4 * page, 2 * page + 7, {});
  }
  space.copy(there.get(), source.data(), bytes, stream);
  space.copy(back.data(), there.get(), bytes, stream);
  space.synchronize_stream(stream);
  EXPECT_EQ(back, source);
  std::fill(back.begin(), back.end(), std::uint8_t{0xEE});
  space.copy_pitched(there.get(), 64, source.data(), pitch, 60, rows, stream);
  space.copy_pitched(back.data(), pitch, there.get(), 64, 60, rows, stream);
  space.synchronize_stream(stream);
  for (std::size_t i = 0; i < bytes; ++i) {
    ASSERT_EQ(back[i], i / pitch < rows && i % pitch < 60 ? source[i] : 0xEE) << i;
  }
  for (Bytes* const host : {&source, &back}) {
    space.unregister_host(host->data() + page + 50);
    space.unregister_host(host->data() + 4 * page);
  }
}

TEST_P(ContractTransfer, PageableSidesAreFreeOnReturnWhateverTheOtherSideIs) {
  for (const MemoryKind kind : all_kinds) {
    const Block device(space, 100), other(space, 100, kind);
    Bytes source = iota(100), target(100);
    space.copy(other.get(), source.data(), 100, stream);
    std::fill(source.begin(), source.end(), std::uint8_t{0xEE});
    space.copy(target.data(), other.get(), 100, stream);
    EXPECT_EQ(target, iota(100)) << to_string(kind);
    fill(device.get(), 100, 3, stream);
    space.copy(other.get(), device.get(), 100, stream);
    space.copy(target.data(), other.get(), 100, stream);
    EXPECT_EQ(target, Bytes(100, 3)) << to_string(kind);
  }
}

TEST_P(ContractTransfer, APageableDestinationSeesWorkOfOtherStreamsThatItsStreamWaitsFor) {
  const NativeStream other = streams.stream(true);
  const NativeEvent event = streams.event();
  const Block source(space, 100);
  fill(source.get(), 100, 6, other);
  space.record(event, other);
  space.wait(stream, event);
  Bytes target(100);
  space.copy(target.data(), source.get(), 100, stream);
  EXPECT_EQ(target, Bytes(100, 6));
}

// A page-locked side is busy until the stream is synchronised; who leaves it alone till then gets what was sent.
TEST_P(ContractTransfer, PageLockedSidesAreRightOnceSynchronised) {
  const Block source(space, 100, MemoryKind::pinned), target(space, 100, MemoryKind::pinned), device(space, 100);
  Bytes registered = iota(100, 50);
  space.register_host(registered.data(), 100, {});
  std::iota(source.host(), source.host() + 100, std::uint8_t{1});
  space.copy(device.get(), source.get(), 100, stream);
  space.copy(target.get(), device.get(), 100, stream);
  space.synchronize_stream(stream);
  EXPECT_EQ(Bytes(target.host(), target.host() + 100), iota(100, 1));
  space.copy(device.get(), registered.data(), 100, stream);
  space.copy(target.get(), device.get(), 100, stream);
  space.synchronize_stream(stream);
  EXPECT_EQ(Bytes(target.host(), target.host() + 100), iota(100, 50));
  space.unregister_host(registered.data());
}

TEST_P(ContractTransfer, FreedMemoryIsReadByTheWorkQueuedBefore) {
  for (const NativeStream order : {stream, streams.stream(true), NativeStream{nullptr}}) {
    for (const MemoryKind kind : all_kinds) {
      const Block target(space, 4096);
      Block source(space, 4096, kind);
      upload(source.get(), iota(4096));
      space.copy(target.get(), source.get(), 4096, order);
      source.free_on(order);
      const Block next(space, 4096, kind, order);  // whoever gets the memory next must not disturb the copy
      space.copy(next.get(), Bytes(4096, 0xEE).data(), 4096, order);
      space.synchronize_stream(nullptr);  // no other stream's progress may give the memory back early
      space.synchronize_stream(order);
      EXPECT_EQ(download(target.get(), 4096), iota(4096)) << to_string(kind);
    }
  }
}

}  // namespace ferry::test
