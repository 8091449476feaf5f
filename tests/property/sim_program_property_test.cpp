// Random programs of several streams whose order is known: the simulated device must not find fault with a correct one,
// under any schedule, and must find the one place where a needed wait was left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ferry/ferry.hpp>
#include <ferry/sim.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "support/random_case.hpp"
#include "support/test_device.hpp"

namespace ferry::test {

namespace {

constexpr index_t rows = 6, columns = 8;  // 48 elements: a set of them is one word

/// What is ordered before what, by the rules of streams and events alone. Its own account, not the simulator's.
class Order {
 public:
  using Clock = std::vector<int>;
  struct Point {
    std::size_t stream;
    int time;
  };

  /// The first stream is the legacy default stream.
  std::size_t add_stream(bool non_blocking) {
    streams_.push_back({{}, non_blocking});
    return streams_.size() - 1;
  }
  Point queue(std::size_t stream) {
    Clock& clock = streams_[stream].clock;
    join(clock, seen_);
    for (std::size_t other = 0; other < streams_.size(); ++other) {
      const bool fence = !streams_[stream].non_blocking && !streams_[other].non_blocking;
      if (fence && (stream == 0 || other == 0)) join(clock, Clock(streams_[other].clock));
    }
    clock.resize(streams_.size(), 0);
    return {stream, ++clock[stream]};
  }
  const Clock& clock(std::size_t stream) const { return streams_[stream].clock; }
  /// What a new operation on the stream would be behind.
  bool would_be_behind(std::size_t stream, const Point& point) const {
    Order copy = *this;
    copy.queue(stream);
    return knows(copy.streams_[stream].clock, point);
  }
  bool host_is_behind(const Point& point) const { return knows(seen_, point); }
  void wait(std::size_t stream, const Clock& event) { join(streams_[stream].clock, event); }
  void host_waits(const Clock& clock) { join(seen_, clock); }
  void host_waits_for_all() {
    for (const auto& stream : streams_) join(seen_, stream.clock);
  }

 private:
  struct Timeline {
    Clock clock;
    bool non_blocking;
  };
  static bool knows(const Clock& clock, const Point& point) {
    return point.stream < clock.size() && clock[point.stream] >= point.time;
  }
  static void join(Clock& into, const Clock& from) {
    into.resize(std::max(into.size(), from.size()), 0);
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
  }
  std::vector<Timeline> streams_;
  Clock seen_;
};

/// A part of an array: rows and columns with steps, and the set of its elements.
struct Part {
  Slice row = slice(), column = slice();
  std::vector<std::size_t> elements;
  std::uint64_t set = 0;
  Shape shape;
};

Part random_part(Random& random, const Shape& shape) {
  const index_t row_step = random.between(1, 2), column_step = random.between(1, 3);
  const index_t r = shape[0], c = shape[1];
  const index_t first_row = random.between(0, rows - ((r - 1) * row_step + 1));
  const index_t first_column = random.between(0, columns - ((c - 1) * column_step + 1));
  Part part;
  part.row = slice(first_row, first_row + (r - 1) * row_step + 1, row_step);
  part.column = slice(first_column, first_column + (c - 1) * column_step + 1, column_step);
  part.shape = shape;
  for (index_t i = 0; i < r; ++i) {
    for (index_t j = 0; j < c; ++j) {
      const auto element =
          static_cast<std::size_t>((first_row + i * row_step) * columns + first_column + j * column_step);
      part.elements.push_back(element);
      part.set |= std::uint64_t{1} << element;
    }
  }
  return part;
}
// Small enough for any steps.
Shape random_shape(Random& random) {
  return {random.between(1, 3), random.between(1, 3)};
}

template <template <class> class Array>
struct Item {
  struct Use {
    Order::Point point;
    std::uint64_t set;
    bool writes;
  };
  Array<int> array;
  std::size_t bound = 0;  ///< the stream of calls that name none
  std::array<int, rows * columns> values{};
  std::vector<Use> uses;

  Array<int> operator()(const Part& part) const { return array.view(part.row, part.column); }
};

class SimPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_name() != "sim") GTEST_SKIP() << "about the simulated device";
  }
};

/// One program. With `faulty`, one wait that is needed is left out, and nothing else is wrong.
class Program {
 public:
  Program(Random& random, bool faulty) : random_(random), faulty_(faulty) {
    streams_.push_back(device_.default_stream());
    order_.add_stream(false);
    for (index_t n = random_.between(1, 3); n > 0; --n) add_stream();
    for (int i = 0; i < 3; ++i) on_device_.push_back(new_device_item());
    for (int i = 0; i < 2; ++i) on_host_.push_back(new_host_item());
  }

  void run() {
    for (index_t steps = random_.between(10, 40); steps > 0; --steps) step();
    device_.synchronize();
    order_.host_waits_for_all();
    if (faulty_) return;
    for (auto& item : on_device_) expect_values(item->array.copy_to_host(), item->values);
    for (auto& item : on_host_) expect_values(item->array, item->values);
  }
  bool left_a_wait_out() const { return left_out_; }

 private:
  using DeviceItem = Item<NDArray>;
  using HostItem = Item<HostArray>;

  void add_stream() {
    const bool non_blocking = random_.chance(60);
    streams_.push_back(Stream(device_, {.non_blocking = non_blocking}));
    order_.add_stream(non_blocking);
  }
  std::unique_ptr<DeviceItem> new_device_item() {
    auto item = std::make_unique<DeviceItem>();
    const std::size_t s = item->bound = any_stream();
    item->array = full<int>({rows, columns}, 0, {.stream = streams_[s], .label = "device"});
    item->uses.push_back({order_.queue(s), ~std::uint64_t{0}, true});
    return item;
  }
  std::unique_ptr<HostItem> new_host_item() {
    auto item = std::make_unique<HostItem>();
    item->array = pinned_array<int>({rows, columns}, {.device = device_, .label = "pinned"});
    item->array.fill(0);  // in the place of work on the legacy stream
    order_.queue(0);
    order_.host_waits(order_.clock(0));
    return item;
  }
  std::size_t any_stream() { return static_cast<std::size_t>(random_.below(static_cast<index_t>(streams_.size()))); }
  DeviceItem& any_device_item() { return *random_.pick(on_device_); }
  HostItem& any_host_item() { return *random_.pick(on_host_); }

  /// Before an operation on the stream uses the elements: whatever conflicts must be behind it.
  template <class AnyItem>
  void order(std::size_t stream, const AnyItem& item, std::uint64_t set, bool writes) {
    for (const auto& use : item.uses) {
      if ((use.set & set) == 0 || !(use.writes || writes) || order_.would_be_behind(stream, use.point)) continue;
      if (leave_out()) continue;
      const std::size_t other = use.point.stream;
      if (random_.chance(70)) {
        const Event event = streams_[other].record();
        order_.queue(other);
        streams_[stream].wait(event);
        order_.wait(stream, order_.clock(other));
        order_.queue(stream);
      } else {
        host_waits_for(other);
      }
    }
  }
  template <class AnyItem>
  void order_host(const AnyItem& item, std::uint64_t set, bool writes) {
    for (const auto& use : item.uses) {
      if ((use.set & set) == 0 || !(use.writes || writes) || order_.host_is_behind(use.point)) continue;
      if (!leave_out()) host_waits_for(use.point.stream);
    }
  }
  // Once left out, everything that follows would have to be, or might mend it.
  bool leave_out() {
    if (!faulty_ || left_out_ || !random_.chance(50)) return left_out_;
    return left_out_ = true;
  }
  void host_waits_for(std::size_t stream) {
    switch (random_.below(3)) {
      case 0:
        streams_[stream].synchronize();
        break;
      case 1: {
        const Event event = streams_[stream].record();
        order_.queue(stream);
        event.wait();
        break;
      }
      default:
        while (!streams_[stream].ready()) {
        }
    }
    order_.host_waits(order_.clock(stream));
  }
  template <class AnyItem>
  static void note(AnyItem& item, const Order::Point& point, std::uint64_t set, bool writes) {
    item.uses.push_back({point, set, writes});
  }

  void step() {
    if (left_out_) return;  // the operation that needed the wait is queued
    switch (random_.below(12)) {
      case 0:
      case 1:
        return fill();
      case 2:
        return kernel();
      case 3:
        return kernel_of_two();
      case 4:
      case 5:
        return device_copy();
      case 6:
        return upload();
      case 7:
        return download();
      case 8:
        return use_on_host();
      case 9:
        return synchronous_download();
      case 10:
        return replace();
      default:
        return bystander();
    }
  }

  void fill() {
    DeviceItem& item = any_device_item();
    const Part part = random_part(random_, random_shape(random_));
    const std::size_t s = any_stream();
    order(s, item, part.set, true);
    const int value = static_cast<int>(random_.below(1000));
    item(part).fill(value, streams_[s]);
    note(item, order_.queue(s), part.set, true);
    for (const std::size_t i : part.elements) item.values[i] = value;
  }

  // Undeclared ones are seen when they have run; Ferry must be told of the stream then.
  void kernel() {
    DeviceItem& item = any_device_item();
    const Part part = random_part(random_, random_shape(random_));
    const std::size_t s = any_stream();
    order(s, item, part.set, true);
    const NDArray<int> view = item(part);
    const auto body = [v = view.device_view<2>()](index_t i, index_t j) { v(i, j) = 3 * v(i, j) + 1; };
    if (faulty_ || random_.chance(50)) {
      for_each_index(streams_[s], part.shape, reads(), writes(view), body);
    } else {
      detail::note_use(view.handle(), streams_[s]);
      for_each_index(streams_[s], part.shape, body);
    }
    note(item, order_.queue(s), part.set, true);
    for (const std::size_t i : part.elements) item.values[i] = 3 * item.values[i] + 1;
  }

  void kernel_of_two() {
    DeviceItem &to = any_device_item(), &from = any_device_item();
    if (&to == &from) return;
    const Shape shape = random_shape(random_);
    const Part target = random_part(random_, shape), source = random_part(random_, shape);
    const std::size_t s = any_stream();
    order(s, from, source.set, false);
    order(s, to, target.set, true);
    const NDArray<int> a = to(target), b = from(source);
    for_each_index(streams_[s], shape, reads(b), writes(a),
                   [x = a.device_view<2>(), y = b.device_view<2>()](index_t i, index_t j) { x(i, j) += y(i, j); });
    const Order::Point point = order_.queue(s);
    note(from, point, source.set, false);
    note(to, point, target.set, true);
    for (std::size_t i = 0; i < source.elements.size(); ++i) {
      to.values[target.elements[i]] += from.values[source.elements[i]];
    }
  }

  template <class To, class From, class Copy>
  void copy(To& to, From& from, const Copy& call) {
    const Shape shape = random_shape(random_);
    const Part target = random_part(random_, shape), source = random_part(random_, shape);
    const std::size_t s = any_stream();
    order(s, from, source.set, false);
    order(s, to, target.set, true);
    const Transfer transfer = call(to(target), from(source), streams_[s]);
    const Order::Point point = order_.queue(s);
    // Otherwise the host has used its side itself, and is done with it; nothing is said of the device's side. It may
    // well have waited for all of it, so that what is left out after that need not have been needed.
    if (faulty_ && !transfer.is_async()) order_.host_waits(order_.clock(s));
    const bool host_is_busy = transfer.is_async();
    if (host_is_busy || std::is_same_v<From, DeviceItem>) note(from, point, source.set, false);
    if (host_is_busy || std::is_same_v<To, DeviceItem>) note(to, point, target.set, true);
    for (std::size_t i = 0; i < source.elements.size(); ++i) {
      to.values[target.elements[i]] = from.values[source.elements[i]];
    }
  }
  void device_copy() {
    DeviceItem &to = any_device_item(), &from = any_device_item();
    if (&to == &from) return;
    copy(to, from, [](const auto& a, const auto& b, const Stream& s) { return a.copy_to_device(b, s); });
  }
  void upload() {
    copy(any_device_item(), any_host_item(),
         [](const auto& a, const auto& b, const Stream& s) { return a.copy_to_device(b, s); });
  }
  void download() {
    copy(any_host_item(), any_device_item(),
         [](const auto& a, const auto& b, const Stream& s) { return b.copy_to_host(a, s); });
  }

  void use_on_host() {
    HostItem& item = any_host_item();
    const Part part = random_part(random_, random_shape(random_));
    const bool writes = random_.chance(50);
    order_host(item, part.set, writes);
    for (const std::size_t i : part.elements) {
      int& element = item.array(static_cast<index_t>(i) / columns, static_cast<index_t>(i) % columns);
      if (writes) {
        element = item.values[i] = static_cast<int>(random_.below(1000));
      } else if (!left_out_) {
        EXPECT_EQ(element, item.values[i]);
      } else {
        sink_ = element;
      }
    }
  }

  void synchronous_download() {
    DeviceItem& item = any_device_item();
    const Part part = random_part(random_, random_shape(random_));
    order(item.bound, item, part.set, false);
    const HostArray<int> host = item(part).copy_to_host();
    order_.queue(item.bound);
    order_.host_waits(order_.clock(item.bound));
    if (left_out_) return;
    auto value = host.begin();
    for (const std::size_t i : part.elements) EXPECT_EQ(*value++, item.values[i]);
  }

  // What the former one was used for may still be under way: its end puts streams in an order that nothing else may
  // count on.
  void replace() {
    if (faulty_) return;
    if (random_.chance(30)) {
      on_host_[static_cast<std::size_t>(random_.below(2))] = new_host_item();
    } else {
      on_device_[static_cast<std::size_t>(random_.below(3))] = new_device_item();
    }
  }

  // Order that nothing needs.
  void bystander() {
    const std::size_t a = any_stream(), b = any_stream();
    switch (random_.below(5)) {
      case 0:
        if (streams_.size() < 6) add_stream();
        break;
      case 1:
        kept_.push_back({streams_[a].record(), order_.queue(a).stream});
        kept_.back().clock = order_.clock(a);
        break;
      case 2:
        if (kept_.empty()) return;
        streams_[b].wait(kept_.front().event);
        order_.wait(b, kept_.front().clock);
        order_.queue(b);
        kept_.erase(kept_.begin());
        break;
      case 3:
        if (streams_[a].ready()) order_.host_waits(order_.clock(a));
        break;
      default:
        host_waits_for(a);
    }
  }

  template <class Host>
  static void expect_values(const Host& host, const std::array<int, rows * columns>& values) {
    EXPECT_TRUE(std::equal(host.begin(), host.end(), values.begin()));
  }

  struct Kept {
    Event event;
    std::size_t stream;
    Order::Clock clock = {};
  };
  Random& random_;
  const bool faulty_;
  bool left_out_ = false;
  volatile int sink_ = 0;
  const Device device_ = device();
  Order order_;
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<DeviceItem>> on_device_;
  std::vector<std::unique_ptr<HostItem>> on_host_;
  std::vector<Kept> kept_;
};

class Scheduled {
 public:
  explicit Scheduled(const std::string& schedule) { sim::set_schedule(schedule); }
  Scheduled(const Scheduled&) = delete;
  Scheduled& operator=(const Scheduled&) = delete;
  ~Scheduled() { sim::set_schedule(former_); }

 private:
  std::string former_ = sim::schedule();
};

void run_correct_programs(const std::string& schedule, std::uint64_t count) {
  for_each_case(count, [&](Random& random) {
    const bool random_order = schedule == "random";
    const Scheduled scheduled(random_order ? "random:" + std::to_string(random.next()) : schedule);
    Program(random, false).run();
  });
}

TEST_F(SimPrograms, CorrectOnesPassEagerly) {
  run_correct_programs("eager", 10'000);
}
TEST_F(SimPrograms, CorrectOnesPassLazily) {
  run_correct_programs("lazy", 10'000);
}
TEST_F(SimPrograms, CorrectOnesPassInRandomOrder) {
  run_correct_programs("random", 10'000);
}

using SimProgramsDeathTest = SimPrograms;
TEST_F(SimProgramsDeathTest, OneMissingWaitIsFound) {
  for_each_case(500, [](Random& random) {
    const char* const schedules[] = {"eager", "lazy", "random:1"};
    const Scheduled scheduled(schedules[random.below(3)]);
    const auto wrong = [&random] {
      // Not every program needs a wait.
      for (bool left_out = false; !left_out;) {
        Program program(random, true);
        program.run();
        left_out = program.left_a_wait_out();
      }
    };
    EXPECT_DEATH(wrong(), "race on|while it is in flight|the host wrote to");
  });
}

}  // namespace

}  // namespace ferry::test
