// Ferry's calls on a stream that is being captured: what works becomes a part of the graph, all else is refused before
// it touches the stream, so that the capture stays good.
#include "gpu/support.hpp"

namespace ferry::test {
namespace {

class Capture : public ::testing::Test {
 protected:
  Stream stream{device()};
  GPU(Stream_t) native = static_cast<GPU(Stream_t)>(stream.native());
  GPU(Graph_t) graph = nullptr;
  GPU(GraphExec_t) executable = nullptr;

  void begin(GPU(StreamCaptureMode) mode = GPU(StreamCaptureModeGlobal)) {
    FERRY_GPU_OK(GPU(StreamBeginCapture)(native, mode));
  }
  void end() {
    FERRY_GPU_OK(GPU(StreamEndCapture)(native, &graph));
    FERRY_GPU_OK(instantiate(&executable, graph));
  }
  void replay() {
    FERRY_GPU_OK(GPU(GraphLaunch)(executable, native));
    FERRY_GPU_OK(GPU(StreamSynchronize)(native));
  }
  void TearDown() override {
    GPU(StreamCaptureStatus) status{};
    if (GPU(StreamIsCapturing)(native, &status) == GPU(Success) && status != GPU(StreamCaptureStatusNone)) {
      static_cast<void>(GPU(StreamEndCapture)(native, &graph));  // a failed test must not spoil the next
    }
    if (executable != nullptr) static_cast<void>(GPU(GraphExecDestroy)(executable));
    if (graph != nullptr) static_cast<void>(GPU(GraphDestroy)(graph));
    EXPECT_EQ(GPU(GetLastError)(), GPU(Success));
  }
};

TEST_F(Capture, CopiesAndFillsReplay) {
  const auto input = pinned_array<int>({6, 8}, {.device = device()});
  const auto output = pinned_array<int>({8, 6}, {.device = device()});
  const auto a = device_array<int>({6, 8}, {.device = device()});
  const auto b = device_array<int>({8, 6}, {.device = device()});
  for (const auto mode :
       {GPU(StreamCaptureModeGlobal), GPU(StreamCaptureModeThreadLocal), GPU(StreamCaptureModeRelaxed)}) {
    begin(mode);
    const Transfer up = a.copy_to_device(input, stream);
    EXPECT_TRUE(up.is_async());
    b.assign(a.transpose(), stream);
    b(slice(0, 2), slice()).fill(-1, stream);
    b.copy_to_host(output, stream);
    end();
    for (int round = 1; round <= 3; ++round) {
      for (index_t i = 0; i < 6; ++i) {
        for (index_t j = 0; j < 8; ++j) input(i, j) = static_cast<int>(round * 1000 + i * 8 + j);
      }
      replay();
      for (index_t i = 0; i < 8; ++i) {
        for (index_t j = 0; j < 6; ++j) {
          ASSERT_EQ(output(i, j), i < 2 ? -1 : round * 1000 + j * 8 + i) << round << ' ' << i << ' ' << j;
        }
      }
    }
    FERRY_GPU_OK(GPU(GraphExecDestroy)(executable));
    FERRY_GPU_OK(GPU(GraphDestroy)(graph));
    executable = nullptr, graph = nullptr;
  }
}

TEST_F(Capture, WhatCannotBeCapturedIsRefusedAndHurtsNothing) {
  const auto a = full({64, 64}, 3, {.device = device()});
  const auto b = full({64, 64}, 4, {.device = device()});
  const auto wide = a(slice(), slice(none, none, 2));
  const auto page_locked = pinned_array<int>({64, 64}, {.device = device()});
  HostArray<int> pageable = host_array<int>({64, 64});
  begin();
  EXPECT_THROW(a.copy_to_device(pageable, stream), AccessError);
  EXPECT_THROW(a.copy_to_host(pageable, stream), AccessError);
  EXPECT_THROW(static_cast<void>(a.copy_to_host(stream)), AccessError) << "allocates";
  EXPECT_THROW(device_array<int>({4}, {.stream = stream}), AccessError);
  EXPECT_THROW(a.copy(Order::K, stream), AccessError);
  EXPECT_THROW(a.astype<double>(Order::K, stream), AccessError);
  EXPECT_THROW(wide.transpose().copy_to_host(
                   page_locked(slice(), slice(none, none, 2)).transpose()(slice(none, none, -1)), stream),
               AccessError);
  EXPECT_THROW(a(slice(1, none)).assign(a(slice(none, -1)), stream), AccessError) << "overlap takes a temporary";
  EXPECT_THROW(a.bind(stream).fill(1), AccessError) << "cannot be waited for";
  EXPECT_THROW(a.bind(stream).item(0, 0), AccessError);
  b.assign(a, stream);
  end();
  replay();
  EXPECT_EQ(b.item(63, 63), 3);
}

TEST_F(Capture, MemoryDroppedMeanwhileIsGivenBackLater) {
  auto& resource = device().pool(Pool::driver);
  auto a = device_array<int>({1000}, {.stream = stream, .resource = &resource});
  const auto b = full({1000}, 1, {.device = device()});
  const auto before = resource.stats();
  begin();
  b.fill(2, stream);
  a = NDArray<int>();
  EXPECT_EQ(resource.stats().live_blocks, before.live_blocks) << "a free in the graph would run with each replay";
  end();
  replay();
  device().synchronize();
  EXPECT_EQ(resource.stats().live_blocks, before.live_blocks - 1);
  replay();
  EXPECT_EQ(b.item(999), 2);
}

TEST_F(Capture, OtherStreamsGoOn) {
  const Stream other(device(), {.non_blocking = true});
  const auto a = full({1000}, 1, {.stream = other});
  const auto b = full({1000}, 0, {.device = device()});
  stream.synchronize();
  begin();
  b.fill(9, stream);
  {
    const auto c = device_array<int>({1000}, {.stream = other});
    c.copy_to_device(a, other);
    const auto back = c.copy_to_host(other).get();
    EXPECT_EQ(back(999), 1);
  }
  end();
  replay();
  EXPECT_EQ(b.item(5), 9);
}

}  // namespace
}  // namespace ferry::test
