// explain(): the way that each copy takes, told without making it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ferry/ferry.hpp>
#include <sstream>

#include "support/test_device.hpp"

namespace ferry::test {
namespace {

const char* tuning() {
  return std::getenv("FERRY_COPY_TUNING");
}

class Explain : public ::testing::Test {
 protected:
  bool is_gpu_like_ = device().space().capabilities().asynchronous;

  // The expected way on a device apart from the host; on a device that is the host there is only one.
  template <class From, class To>
  void expect_route(const char* route, const From& from, const To& to) const {
    const Explanation found = explain(from, to);
    EXPECT_EQ(found.chosen.route, is_gpu_like_ ? route : "host") << found;
    EXPECT_GE(found.chosen.seconds, 0) << found;
    EXPECT_EQ(found.bytes, to.nbytes()) << found;
    EXPECT_NE(found.text.find(found.chosen.route), std::string::npos) << found;
    EXPECT_FALSE(found.chosen.limit.empty()) << found;
  }
};

TEST_F(Explain, EachWay) {
  if (tuning() != nullptr) GTEST_SKIP() << "about the usual sizes";
  const auto small = host_array<float>({100, 100}), large = host_array<float>({1024, 1024});
  const auto locked = pinned_array<float>({1024, 1024}, {.device = device()});
  const auto on_device = device_array<float>({1024, 1024}, {.device = device()});
  const auto corner = on_device(slice(0, 100), slice(0, 100));
  expect_route("driver", small, corner);
  expect_route("driver", corner, small);
  expect_route("driver", locked, on_device);
  expect_route("driver", on_device, locked);
  expect_route("pipeline", large, on_device);
  expect_route("pipeline", on_device, large);
  expect_route("pipeline", large.transpose(), on_device);
  expect_route("locked_run", locked.transpose(), on_device);
  expect_route("locked_run", on_device, locked.transpose());
  expect_route("device", on_device.transpose(), on_device);
  EXPECT_EQ(explain(large.transpose(), large).chosen.route, "host");
}

// Elements with gaps between them in page-locked memory: packed, or moved along with the gaps.
TEST_F(Explain, TheCostModelWeighsGapsAgainstPacking) {
  if (!is_gpu_like_) GTEST_SKIP() << "host memory is not moved to such a device";
  const auto locked = pinned_array<float>({1024, 2048}, {.device = device()});
  const auto to = device_array<float>({1024, 1024}, {.device = device()});
  const Explanation found = explain(locked.view(slice(), slice(none, none, 2)), to);
  if (tuning() != nullptr && std::strstr(tuning(), "pipeline=1000000") != nullptr) {
    EXPECT_EQ(found.chosen.route, "pipeline") << "where nothing counts as long there is nothing to weigh";
    return;
  }
  ASSERT_EQ(found.rejected.size(), 1u) << found;
  EXPECT_LE(found.chosen.seconds, found.rejected.front().seconds) << found;
  const std::string routes = found.chosen.route + " before " + found.rejected.front().route;
  if (tuning() != nullptr && std::strstr(tuning(), "elements=1") != nullptr) {
    EXPECT_EQ(routes, "locked_span before pipeline") << found;
  } else {
    EXPECT_TRUE(routes == "locked_span before pipeline" || routes == "pipeline before locked_span") << found;
  }
  // What is written must be the elements alone.
  EXPECT_EQ(explain(to, locked.view(slice(), slice(none, none, 2))).chosen.route, "pipeline");
}

TEST_F(Explain, ReadsAndWritesNothing) {
  const auto a = full({100}, 1.0, {.device = device()}), b = full({100}, 2.0, {.device = device()});
  static_cast<void>(explain(a, b));
  EXPECT_EQ(a.item(7), 1);
  EXPECT_EQ(b.item(7), 2);
}

TEST_F(Explain, SaysWhereThereIsNothingToDo) {
  const auto a = full({100}, 1.0, {.device = device()});
  EXPECT_EQ(explain(a, a).bytes, 0);
  EXPECT_NE(explain(a, a).text.find("nothing to do"), std::string::npos);
  EXPECT_EQ(explain(a(slice(0, 0)), a(slice(5, 5))).bytes, 0);
  EXPECT_NE(explain(a(slice(0, 50)), a(slice(1, 51))).text.find("share memory"), std::string::npos);
}

TEST_F(Explain, ThrowsWhatTheCopyThrows) {
  const auto a = full({10, 10}, 1.0, {.device = device()});
  EXPECT_THROW(explain(a, a(0)), ShapeError);
  EXPECT_THROW(explain(a, full({10, 10}, 1, {.device = device()})), DTypeError);
  EXPECT_THROW(explain(a(0), a(0).broadcast_to({10, 10})), LayoutError);
  EXPECT_NO_THROW(explain(a(0), a));
}

TEST_F(Explain, IsPrinted) {
  const auto from = host_array<float>({2, 3});
  const auto to = device_array<float>({2, 3}, {.device = device(), .label = "x"});
  std::ostringstream out;
  out << explain(from, to);
  EXPECT_EQ(out.str().rfind("copy of float32", 0), 0u) << out.str();
  EXPECT_NE(out.str().find("24 bytes"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace ferry::test
