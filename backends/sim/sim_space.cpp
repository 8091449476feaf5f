#include "backends/sim/sim_space.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "backends/cpu/rows.hpp"
#include "backends/cpu/sizes.hpp"
#include "backends/sim/sim_races.hpp"
#include "backends/sim/sim_report.hpp"
#include "ferry/backend/call_scope.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::sim {

namespace {

constexpr std::align_val_t alignment{256};
constexpr std::size_t granularity = 256;  // of what an allocation takes from a device's memory
constexpr int poison = 0xDD;              // of pageable memory that is gone
constexpr std::size_t most_memory = std::size_t{64} << 30;

std::size_t charge(MemoryKind kind, std::size_t bytes) {
  if (kind != MemoryKind::device && kind != MemoryKind::managed) return 0;
  return (bytes + granularity - 1) / granularity * granularity;
}

bool is_empty(const Dims& extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

}  // namespace

SimSpace::SimSpace(Simulator& simulator, const char* backend, int index, const Settings& settings)
    : simulator_(simulator),
      backend_(backend),
      index_(index),
      capacity_(std::min(settings.memory, most_memory)),
      faults_(settings.faults) {}
SimSpace::~SimSpace() = default;

void SimSpace::fail(const char* call, const cpu::Fault& fault, const std::string& why) const {
  cpu::raise("sim", call, fault, why);
}

void SimSpace::enter(const char* call) const {
  if (simulator_.executor.is_lost(index_)) {
    cpu::raise("sim", call, cpu::device_lost, "the device is lost", true);
  }
}
void SimSpace::enter(const char* call, NativeStream stream) {
  enter(call);
  if (!simulator_.executor.is_live(index_, stream)) {
    fail(call, cpu::invalid_handle, "the stream was destroyed, or never was this device's");
  }
}

MemoryInfo SimSpace::memory_info() const {
  const Lock lock(simulator_.mutex);
  enter("memory_info");
  return {capacity_ > used_ ? capacity_ - used_ : 0, capacity_};
}

std::string SimSpace::description() const {
  const Lock lock(simulator_.mutex);
  return "simulated device, schedule " + simulator_.executor.schedule().to_string();
}

::ferry::sim::Counts SimSpace::counts() const {
  const Lock lock(simulator_.mutex);
  ::ferry::sim::Counts counts = counts_;
  counts.pending = simulator_.executor.pending(index_);
  return counts;
}

std::size_t SimSpace::set_capacity(std::size_t bytes) {
  const Lock lock(simulator_.mutex);
  return std::exchange(capacity_, std::min(bytes, most_memory));
}

void SimSpace::set_lost(bool lost) {
  const Lock lock(simulator_.mutex);
  if (lost) {
    simulator_.executor.lose(index_);
  } else {
    simulator_.executor.restore(index_);
    faults_ = {};
  }
}

OperationPtr SimSpace::queue(const char* call, NativeStream stream, Task work) {
  if (Faults::is_due(faults_.lost)) {
    simulator_.executor.lose(index_);
    enter(call);
  }
  return simulator_.executor.enqueue(index_, stream, CallScope::current(call), std::move(work));
}

void SimSpace::use(const OperationPtr& operation, const Operand& operand, bool writes) {
  if (operand.block == nullptr) return;
  const Touch touch{operation, operand.what, writes};
  check_access(simulator_.executor, *operand.block, touch);
  simulator_.flights.add(operand.block, touch);
}

void* SimSpace::allocate(MemoryKind kind, std::size_t bytes, MemoryFlags flags, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("allocate", stream);
  if (bytes == 0) return nullptr;
  const MemoryInfo info = memory_info();
  const auto fail_for_want = [&] {
    throw OutOfMemory(std::string(backend_) + ":" + std::to_string(index_), bytes, info.free, info.total);
  };
  const bool is_retry = failed_.bytes == bytes && failed_.kind == kind;
  failed_.bytes = 0;
  if (!is_retry && Faults::is_due(faults_.allocation)) {
    failed_ = {kind, bytes};
    fail_for_want();
  }
  const bool on_device = charge(kind, 1) > 0;
  if (is_retry || bytes > (on_device ? info.free : cpu::machine_memory()) || charge(kind, bytes) > info.free) {
    fail_for_want();
  }
  void* address = nullptr;
  if (kind == MemoryKind::pageable) {
    address = ::operator new(bytes, alignment, std::nothrow);
  } else if (const BlockPtr block = simulator_.memory.allocate(index_, kind, bytes, flags.portable)) {
    address = block->address;
  }
  if (address == nullptr) fail_for_want();
  simulator_.ledger.add_allocation(address, bytes, kind);
  used_ += charge(kind, bytes);
  ++counts_.allocations;
  return address;
}

void SimSpace::deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("deallocate", stream);
  if (address == nullptr && bytes == 0) return;
  const BlockPtr block = simulator_.memory.find(address);
  if (block != nullptr && block->device != index_) {
    fail("deallocate", cpu::invalid_value, describe(*block) + " is another device's");
  }
  if (block == nullptr && simulator_.memory.owns(address)) {
    if (const BlockPtr gone = simulator_.memory.find_retired(address); gone != nullptr && gone->freed != nullptr) {
      fail("deallocate", cpu::invalid_value, describe(*gone) + " was given back before, by " + describe(*gone->freed));
    }
  }
  simulator_.ledger.remove_allocation(address, bytes, kind);
  ++counts_.deallocations;
  const OperationPtr operation = queue("deallocate", stream, Task([this, kind, address, bytes, block] {
                                         if (block != nullptr) {
                                           simulator_.memory.release(*block);
                                           used_ -= charge(kind, bytes);
                                         } else {
                                           std::memset(address, poison, bytes);
                                           ::operator delete(address, alignment);
                                         }
                                       }));
  if (block != nullptr) {
    check_end(simulator_.executor, *block, operation);
    simulator_.flights.close(*block);
    simulator_.memory.retire(block);
  }
  simulator_.executor.advance();
}

void SimSpace::set_label(const void* address, std::string_view label) noexcept {
  const Lock lock(simulator_.mutex);
  if (const BlockPtr block = simulator_.memory.find(address)) block->label = label;
}

void SimSpace::register_host(void* address, std::size_t bytes, MemoryFlags flags) {
  const Lock lock(simulator_.mutex);
  enter("register_host");
  if (bytes == 0) return;
  simulator_.ledger.add_registration(address, bytes);
  simulator_.memory.add_registration(index_, static_cast<std::byte*>(address), bytes, flags.portable);
}

void SimSpace::unregister_host(void* address) {
  const Lock lock(simulator_.mutex);
  enter("unregister_host");
  simulator_.ledger.remove_registration(address);
  if (const BlockPtr block = simulator_.memory.find(address)) simulator_.end_registration(block);
}

bool SimSpace::is_page_locked_here(const Block& block) const noexcept {
  return block.device == index_ || block.portable || block.kind == MemoryKind::managed;
}

PointerInfo SimSpace::query(const void* address) const noexcept {
  const Lock lock(simulator_.mutex);
  const BlockPtr block = simulator_.memory.find(address);
  if (block == nullptr || !is_page_locked_here(*block)) return {};
  const std::size_t offset = block->offset_of(static_cast<const std::byte*>(address));
  PointerInfo info{block->kind, index_, block->address, block->bytes, nullptr};
  if (block->device_address != nullptr) info.device_pointer = block->device_address + offset;
  return info;
}

SimSpace::Operand SimSpace::reach(const char* call, const void* first, index_t begin, index_t end,
                                  bool by_kernel) const {
  const auto* const low = static_cast<const std::byte*>(first) + begin;
  const BlockPtr block = simulator_.memory.find(low);
  if (block == nullptr && simulator_.memory.owns(low)) {
    if (const BlockPtr gone = simulator_.memory.find_retired(low); gone != nullptr && gone->freed != nullptr) {
      report_bug(describe(*gone) + " is used after it was freed\n  " + CallScope::current(call) + " was given it\n  " +
                 describe(*gone->freed) + " gave it back");
    }
    fail(call, cpu::invalid_value, "the range is not, or not all, allocated");
  }
  const bool inside = block != nullptr && block->contains(low, static_cast<std::size_t>(end - begin));
  if (block != nullptr && !inside && !block->is_registered()) {
    fail(call, cpu::invalid_value, "the range leaves " + describe(*block));
  }
  if (inside && !is_page_locked_here(*block) && block->kind == MemoryKind::device) {
    fail(call, cpu::invalid_value, describe(*block) + " is another device's");
  }
  // Memory that is only in part page-locked is treated as pageable: that is right for both parts.
  if (!inside || !is_page_locked_here(*block)) {
    if (by_kernel) fail(call, cpu::invalid_value, "kernels of this device do not reach this memory: it is pageable");
    return {static_cast<std::byte*>(const_cast<void*>(first)), nullptr};
  }
  if (by_kernel && block->device_address == nullptr) {
    fail(call, cpu::invalid_value, "kernels do not reach " + describe(*block));
  }
  return {block->engine + block->offset_of(low) - begin, block};
}

SimSpace::Operand SimSpace::reach_rows(const char* call, const void* first, std::size_t pitch, std::size_t width,
                                       std::size_t rows) const {
  const std::size_t bytes = (rows - 1) * pitch + width;
  Operand operand = reach(call, first, 0, static_cast<index_t>(bytes), false);
  if (operand.block == nullptr) return operand;
  const std::size_t offset = operand.block->offset_of(static_cast<const std::byte*>(first));
  operand.what = rows == 1 || pitch == width
                     ? Footprint::run(offset, bytes)
                     : Footprint(Layout::strided({static_cast<index_t>(rows)}, {static_cast<index_t>(pitch)},
                                                 static_cast<index_t>(width), static_cast<index_t>(offset)));
  return operand;
}

SimSpace::Operand SimSpace::reach_elements(const char* call, const void* first, const Dims& extents,
                                           const Dims& strides, index_t itemsize) const {
  index_t begin = 0, end = itemsize;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const index_t reach_of_axis = strides[axis] * (extents[axis] - 1);
    (reach_of_axis < 0 ? begin : end) += reach_of_axis;
  }
  Operand operand = reach(call, first, begin, end, true);
  const auto offset = static_cast<index_t>(operand.block->offset_of(static_cast<const std::byte*>(first) + begin));
  operand.what = Footprint(Layout::strided(extents, strides, itemsize, offset - begin));
  return operand;
}

void SimSpace::copy_operands(const char* call, const Operand& to, std::size_t to_pitch, const Operand& from,
                             std::size_t from_pitch, std::size_t width, std::size_t rows, NativeStream stream) {
  if (Faults::is_due(faults_.copy)) fail(call, cpu::unknown, "this copy was made to fail");
  Task work;
  if (from.block == nullptr) {
    // The source is free again when the call returns, so what it holds now is what travels.
    std::vector<std::byte> snapshot(width * rows);
    cpu::copy_rows(snapshot.data(), width, from.engine, from_pitch, width, rows);
    work = Task([target = to.engine, to_pitch, width, rows, snapshot = std::move(snapshot)] {
      cpu::copy_rows(target, to_pitch, snapshot.data(), width, width, rows);
    });
  } else {
    work = Task([target = to.engine, source = from.engine, to_pitch, from_pitch, width, rows] {
      cpu::copy_rows(target, to_pitch, source, from_pitch, width, rows);
    });
  }
  const OperationPtr operation = queue(call, stream, std::move(work));
  ++counts_.copies;
  use(operation, from, false);
  use(operation, to, true);
  simulator_.executor.advance();
  if (to.block == nullptr) simulator_.wait_for(operation);
}

void SimSpace::copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  copy_pitched(to, bytes, from, bytes, bytes, 1, stream);
}

void SimSpace::copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t rows, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("copy", stream);
  if (width > to_pitch || width > from_pitch) {
    fail("copy", cpu::invalid_value, "a row is wider than the distance between rows");
  }
  if (width == 0 || rows == 0) return;
  const Operand target = reach_rows("copy", to, to_pitch, width, rows);
  const Operand source = reach_rows("copy", from, from_pitch, width, rows);
  copy_operands("copy", target, to_pitch, source, from_pitch, width, rows, stream);
}

void SimSpace::copy_peer(void* to, MemorySpace& source, const void* from, std::size_t bytes, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("copy_peer", stream);
  auto* const other = dynamic_cast<SimSpace*>(&source);
  if (other == nullptr) fail("copy_peer", cpu::invalid_value, "the source is a device of another backend");
  other->enter("copy_peer");
  if (bytes == 0) return;
  const Operand target = reach_rows("copy_peer", to, bytes, bytes, 1);
  const Operand origin = other->reach_rows("copy_peer", from, bytes, bytes, 1);
  if (target.block == nullptr || origin.block == nullptr) {
    fail("copy_peer", cpu::invalid_value, "a side is pageable host memory");
  }
  copy_operands("copy_peer", target, bytes, origin, bytes, bytes, 1, stream);
}

void SimSpace::prefetch(void* address, std::size_t bytes, bool, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("prefetch", stream);
  if (bytes > 0) reach("prefetch", address, 0, static_cast<index_t>(bytes), true);
}

void SimSpace::copy_strided(const StridedCopy& copy, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("copy_strided", stream);
  if (is_empty(copy.extents)) return;
  const Operand to = reach_elements("copy_strided", copy.to, copy.extents, copy.to_strides, copy.itemsize);
  const Operand from = reach_elements("copy_strided", copy.from, copy.extents, copy.from_strides, copy.itemsize);
  if (Faults::is_due(faults_.copy)) fail("copy_strided", cpu::unknown, "this copy was made to fail");
  StridedCopy inside = copy;
  inside.to = to.engine;
  inside.from = from.engine;
  const OperationPtr operation =
      queue("copy_strided", stream, Task([inside = std::move(inside)] { host_copy(inside); }));
  ++counts_.copies;
  use(operation, from, false);
  use(operation, to, true);
  simulator_.executor.advance();
}

void SimSpace::fill_strided(const StridedFill& fill, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("fill_strided", stream);
  if (is_empty(fill.extents)) return;
  const Operand to = reach_elements("fill_strided", fill.to, fill.extents, fill.to_strides, fill.itemsize);
  StridedFill inside = fill;
  inside.to = to.engine;
  std::vector<std::byte> pattern(fill.pattern, fill.pattern + fill.itemsize);
  const OperationPtr operation =
      queue("fill_strided", stream, Task([inside = std::move(inside), pattern = std::move(pattern)]() mutable {
              inside.pattern = pattern.data();
              host_fill(inside);
            }));
  ++counts_.fills;
  use(operation, to, true);
  simulator_.executor.advance();
}

void SimSpace::convert_strided(const StridedConvert& convert, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("convert_strided", stream);
  if (!is_convertible(convert.to_dtype, convert.from_dtype)) {
    throw DTypeError("ferry: sim: no conversion from " + convert.from_dtype.name() + " to " + convert.to_dtype.name());
  }
  if (is_empty(convert.extents)) return;
  const Operand to = reach_elements("convert_strided", convert.to, convert.extents, convert.to_strides,
                                    static_cast<index_t>(convert.to_dtype.itemsize()));
  const Operand from = reach_elements("convert_strided", convert.from, convert.extents, convert.from_strides,
                                      static_cast<index_t>(convert.from_dtype.itemsize()));
  StridedConvert inside = convert;
  inside.to = to.engine;
  inside.from = from.engine;
  const OperationPtr operation =
      queue("convert_strided", stream, Task([inside = std::move(inside)] { host_convert(inside); }));
  ++counts_.conversions;
  use(operation, from, false);
  use(operation, to, true);
  simulator_.executor.advance();
}

void SimSpace::run(Task task, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("run", stream);
  if (!task) return;
  const OperationPtr operation =
      queue("run", stream, Task([this, task = std::move(task)]() mutable { simulator_.kernels.run(task, nullptr); }));
  simulator_.executor.mark_open_ended(*operation);
  ++counts_.kernels;
  simulator_.executor.advance();
}

void SimSpace::run_declared(Task task, const MemoryUse* uses, std::size_t count, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("run", stream);
  if (!task) return;
  std::vector<Operand> operands;
  std::vector<Kernels::Declared> declared;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_empty(uses[i].extents)) {
      operands.emplace_back();
      continue;
    }
    operands.push_back(reach_elements("run", uses[i].first, uses[i].extents, uses[i].strides, uses[i].itemsize));
    declared.push_back({operands.back().block, uses[i].writes});
  }
  const OperationPtr operation =
      queue("run", stream, Task([this, task = std::move(task), declared = std::move(declared)]() mutable {
              simulator_.kernels.run(task, &declared);
            }));
  ++counts_.kernels;
  for (std::size_t i = 0; i < count; ++i) use(operation, operands[i], uses[i].writes);
  simulator_.executor.advance();
}

NativeStream SimSpace::create_stream(StreamFlags flags) {
  const Lock lock(simulator_.mutex);
  enter("create_stream");
  return simulator_.executor.create_stream(index_, flags.non_blocking);
}
void SimSpace::destroy_stream(NativeStream stream) noexcept {
  const Lock lock(simulator_.mutex);
  if (!simulator_.executor.destroy_stream(index_, stream)) {
    report_error("ferry: sim: destroy_stream was given no live stream");
  }
}
void SimSpace::synchronize_stream(NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("synchronize_stream", stream);
  simulator_.wait_for(simulator_.executor.last(index_, stream));
}
bool SimSpace::is_stream_done(NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("is_stream_done", stream);
  return simulator_.poll(simulator_.executor.last(index_, stream));
}
void SimSpace::synchronize_device() {
  const Lock lock(simulator_.mutex);
  enter("synchronize_device");
  simulator_.wait_for_device(index_);
}

NativeEvent SimSpace::create_event(bool timing) {
  const Lock lock(simulator_.mutex);
  enter("create_event");
  return simulator_.events.create(timing);
}
void SimSpace::destroy_event(NativeEvent event) noexcept {
  const Lock lock(simulator_.mutex);
  if (!simulator_.events.destroy(event)) report_error("ferry: sim: destroy_event was given no live event");
}
void SimSpace::record(NativeEvent event, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("record", stream);
  Events::Event& found = simulator_.events.find("record", event);
  found.point = queue("record", stream, Task());
  simulator_.executor.advance();
}
void SimSpace::wait(NativeStream stream, NativeEvent event) {
  const Lock lock(simulator_.mutex);
  enter("wait", stream);
  const OperationPtr point = simulator_.events.find("wait", event).point;
  if (point == nullptr) return;
  simulator_.executor.enqueue(index_, stream, "wait", Task(), point);
  simulator_.executor.advance();
}
bool SimSpace::is_event_done(NativeEvent event) {
  const Lock lock(simulator_.mutex);
  enter("is_event_done");
  return simulator_.poll(simulator_.events.find("is_event_done", event).point);
}
void SimSpace::synchronize_event(NativeEvent event) {
  const Lock lock(simulator_.mutex);
  enter("synchronize_event");
  simulator_.wait_for(simulator_.events.find("synchronize_event", event).point);
}
float SimSpace::elapsed_ms(NativeEvent start, NativeEvent stop) {
  const Lock lock(simulator_.mutex);
  enter("elapsed_ms");
  return simulator_.events.elapsed_ms(start, stop);
}

}  // namespace ferry::inline v0::backend::sim
