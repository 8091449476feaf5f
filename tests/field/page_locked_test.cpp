// Groups G and H: page-locked and mapped memory.
#include <algorithm>
#include <limits>
#include <span>

#include "support/error_code.hpp"
#include "support/stream_loops.hpp"
#include "values.hpp"

namespace ferry::test {
namespace {

using Floats = std::vector<float>;

ScopeOptions here() {
  return {.device = device()};
}

TEST(FieldCases, C059_NeighboursSharingAPage) {
  alignas(4096) static std::uint8_t page[4096];
  const std::span<std::uint8_t> first(page + 64, 80), second(page + 256, 20);
  for (const bool first_ends_first : {true, false}) {
    auto a = pinned(here(), first);
    auto b = pinned(here(), second);
    EXPECT_TRUE(is_pinned(first, device()) && is_pinned(second, device()));
    EXPECT_FALSE(is_pinned(std::span(page + 63, 2), device()));
    EXPECT_FALSE(is_pinned(std::span(page + 64, 212), device())) << "what lies between them is not";
    std::fill(first.begin(), first.end(), std::uint8_t{1});
    std::fill(second.begin(), second.end(), std::uint8_t{2});
    EXPECT_EQ(values(to_device(first, {.device = device()})), std::vector<std::uint8_t>(80, 1));
    EXPECT_EQ(values(to_device(second, {.device = device()})), std::vector<std::uint8_t>(20, 2));
    (first_ends_first ? a : b).end();
    EXPECT_EQ(is_pinned(first, device()), !first_ends_first);
    EXPECT_EQ(is_pinned(second, device()), first_ends_first);
    full<std::uint8_t>({20}, 3, {.device = device()}).copy_to_host(second);
    EXPECT_EQ(std::count(page, page + 4096, 3), 20);
    (first_ends_first ? b : a).end();
    EXPECT_FALSE(is_pinned(first, device()) || is_pinned(second, device()));
  }
}

TEST(FieldCases, C061_UnpinningIsTiedToTheScope) {
  Floats a(10);
  auto guard = pinned(here(), a);
  guard.end();
  guard.end();  // twice: nothing
  auto moved = pinned(here(), a);
  guard = std::move(moved);
  moved.end();  // moved from: nothing
  EXPECT_TRUE(is_pinned(a, device()));
}

TEST(FieldCases, C061_RegistrationsOfOthersAreReportedAndLeftAlone) {
  Floats a(10);
  backend::MemorySpace& space = device().space();
  {
    const auto guard = pinned(here(), a);
    EXPECT_EQ(error_code([&] { space.register_host(a.data(), 4, {}); }), 712);
    EXPECT_EQ(error_code([&] { space.unregister_host(a.data() + 1); }), 1);
  }
  EXPECT_EQ(error_code([&] { space.unregister_host(a.data()); }), 713);
  space.register_host(a.data() + 5, 4, {});
  EXPECT_EQ(error_code([&] { static_cast<void>(pinned(here(), a)); }), 712);
  EXPECT_TRUE(is_pinned(std::span(a).subspan(5, 1), device()));
  EXPECT_FALSE(is_pinned(std::span(a).first(5), device()));
  space.unregister_host(a.data() + 5);
}

TEST(FieldCases, C063_PinningATransposedArray) {
  const auto a = arange<float>(25).reshape(5, 5).transpose();
  {
    const auto guard = pinned(here(), a);
    EXPECT_TRUE(is_pinned(a, device()));
    const auto d = to_device(a, {.device = device()});
    EXPECT_EQ(values(d(0)), (Floats{0, 5, 10, 15, 20}));
    const auto back = host_array<float>({5, 5});
    d.copy_to_host(back);
    EXPECT_EQ(values(back(0, ellipsis)), (Floats{0, 5, 10, 15, 20}));
  }
  const auto copy = pinned_array<float>({5, 5}, {.device = device()});
  copy.assign(a);
  EXPECT_EQ(values(copy(0, ellipsis)), (Floats{0, 5, 10, 15, 20}));
}

TEST(FieldCases, C067_UploadThenOverwriteThePinnedSource) {
  constexpr index_t n = (32 << 20) / sizeof(float);
  const auto source = pinned_array<float>({n}, {.device = device()});
  source.fill(1.0F);
  const auto d = to_device(source, {.device = device()});
  source.fill(0.0F);
  const auto result = d.copy_to_host();
  EXPECT_EQ(std::count(result.data(), result.data() + n, 1.0F), n);
}

TEST(FieldCases, C067_ReversedAndMappedSourcesToo) {
  Floats source(1000, 1.0F);
  const auto guard = pinned(here(), source);
  const auto d = to_device(host_view(source.data(), {1000}).flip(0), {.device = device()});
  std::fill(source.begin(), source.end(), 0.0F);
  EXPECT_EQ(values(d), Floats(1000, 1.0F));
  const auto in_mapped = mapped_array<float>({1000}, {.device = device()});
  in_mapped.fill(1.0F);
  const auto e = to_device(in_mapped, {.device = device()});
  in_mapped.host().fill(0.0F);
  EXPECT_EQ(values(e), Floats(1000, 1.0F));
}

TEST(FieldCases, C068_AsynchronousWithPageableMemory) {
  const Stream stream(device());
  const auto d = full<std::int32_t>({1}, 7, {.device = device()});
  d.fill(8, stream);  // work that the copy must come after
  std::int32_t pageable = 0;
  const Transfer transfer = d.copy_to_host(host_view(&pageable, {1}), stream);
  EXPECT_FALSE(transfer.is_async());
  transfer.wait();
  EXPECT_EQ(pageable, 8);
  EXPECT_FALSE(is_pinned(host_view(&pageable, {1}), device()));
  EXPECT_TRUE(is_pinned(pinned_array<float>({3}, {.device = device()}), device()));
  EXPECT_TRUE(is_pinned(mapped_array<float>({3}, {.device = device()}), device()));
}

TEST(FieldCases, C070_ZeroBytesPinned) {
  const auto before = device().resource(MemoryKind::pinned).stats();
  const auto empty = pinned_array<float>({0}, {.device = device()});
  EXPECT_TRUE(is_pinned(empty, device()));
  EXPECT_EQ(empty.data(), nullptr);
  EXPECT_EQ(device().resource(MemoryKind::pinned).stats().allocations, before.allocations);
  Floats nothing;
  {
    const auto guard = pinned(here(), nothing, empty, std::span<float>());
    const auto [view] = mapped(here(), nothing);
    EXPECT_EQ(view.size(), 0);
  }
  EXPECT_TRUE(is_pinned(nothing, device()));
  const auto in_mapped = mapped_array<float>({0, 3}, {.device = device()});
  EXPECT_EQ(in_mapped.shape(), (Shape{0, 3}));
  EXPECT_TRUE(is_pinned(in_mapped, device()));
}

TEST(FieldCases, C072_ViewsReadWhatTheHostWroteAndTheReverse) {
  Floats a(100, 1.0F);
  {
    const auto scope = mapped(here(), a);
    const Stream stream(device());
    add_on(stream, scope.get<0>().device_view<1>(), 1.0F);
    scope.get<0>().used_on(stream);
  }
  EXPECT_EQ(a, Floats(100, 2.0F));
}

TEST(FieldCases, C074_KernelWritesAreSeenAfterHost) {
  const Stream stream(device(), {.non_blocking = true});
  const auto array = mapped_array<index_t>({100}, {.stream = stream});
  array.fill(0);
  add_on(stream, array.device_view<1>(), 5);
  EXPECT_EQ(values(array.host()), std::vector<index_t>(100, 5)) << "there is no way to the elements that does not wait";
  EXPECT_EQ(array.item(99), 5);
}

}  // namespace
}  // namespace ferry::test
