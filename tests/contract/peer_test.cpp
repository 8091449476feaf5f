// Copies between two devices of one backend.
#include "contract/contract.hpp"

namespace ferry::test {

class ContractPeer : public Contract {
 protected:
  void SetUp() override {
    if (!space.capabilities().peer_copies) GTEST_SKIP() << GetParam() << " does not copy between devices";
    const std::string other =
        std::string(space.backend_name()) + ":" + std::to_string(space.index() == 0 ? 1 : space.index() - 1);
    try {
      neighbour = &backend::find_space(other);
    } catch (const BackendUnavailable&) {
      GTEST_SKIP() << "there is one device only";
    }
  }
  void upload_to_neighbour(std::byte* to, const Bytes& bytes) {
    neighbour->copy(to, bytes.data(), bytes.size(), nullptr);
    neighbour->synchronize_stream(nullptr);
  }
  MemorySpace* neighbour = nullptr;
};
FERRY_CONTRACT(ContractPeer);

TEST_P(ContractPeer, MovesExactlyTheBytes) {
  const Block target(space, 1000), source(*neighbour, 1000);
  upload(target.get(), Bytes(1000, 0xEE));
  upload_to_neighbour(source.get(), iota(1000));
  space.copy_peer(target.get() + 10, *neighbour, source.get() + 3, 501, nullptr);
  space.synchronize_stream(nullptr);
  const Bytes found = download(target.get(), 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(found[i], i >= 10 && i < 511 ? static_cast<std::uint8_t>(i - 7) : 0xEE) << i;
  }
}

TEST_P(ContractPeer, IsOrderedOnTheDestinationsStream) {
  Streams streams(space);
  const NativeStream stream = streams.stream(true);
  const Block target(space, 100), kept(space, 100), source(*neighbour, 100);
  upload_to_neighbour(source.get(), Bytes(100, 4));
  fill(target.get(), 100, 1, stream);
  space.copy_peer(target.get(), *neighbour, source.get(), 100, stream);
  space.copy(kept.get(), target.get(), 100, stream);
  fill(target.get(), 100, 2, stream);
  space.synchronize_stream(stream);
  EXPECT_EQ(download(kept.get(), 100), Bytes(100, 4));
  EXPECT_EQ(download(target.get(), 100), Bytes(100, 2));
}

TEST_P(ContractPeer, WaitsForTheOtherDevicesWorkByEvent) {
  Streams here(space), there(*neighbour);
  const NativeStream stream = here.stream(true), other = there.stream(true);
  const NativeEvent written = there.event(), read = here.event();
  const Block target(space, 100), source(*neighbour, 100);
  const auto fill_source = [&](std::uint8_t value) {
    const auto pattern = static_cast<std::byte>(value);
    neighbour->fill_strided({source.get(), 1, Dims{100}, Dims{1}, &pattern}, other);
  };
  fill_source(5);
  neighbour->record(written, other);
  space.wait(stream, written);
  space.copy_peer(target.get(), *neighbour, source.get(), 100, stream);
  space.record(read, stream);
  neighbour->wait(other, read);
  fill_source(6);
  space.synchronize_stream(stream);
  neighbour->synchronize_stream(other);
  EXPECT_EQ(download(target.get(), 100), Bytes(100, 5));
}

TEST_P(ContractPeer, NoBytesDoNothing) {
  const Block target(space, 10), source(*neighbour, 10);
  space.copy_peer(target.get(), *neighbour, source.get(), 0, nullptr);
  space.copy_peer(nullptr, *neighbour, nullptr, 0, nullptr);
  space.synchronize_stream(nullptr);
}

}  // namespace ferry::test
