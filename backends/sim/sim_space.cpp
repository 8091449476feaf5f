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

void SimSpace::fail(const char* call, const fault::Fault& fault, const std::string& why) const {
  fault::raise("sim", call, fault, why.c_str());
}

void SimSpace::enter(const char* call) const {
  if (is_forked_child()) {
    fault::raise("sim", call, fault::initialization,
                 "this process was forked from one that used the device; start it with exec instead", true);
  }
  if (simulator_.executor.is_lost(index_)) {
    fault::raise("sim", call, fault::device_lost, "the device is lost", true);
  }
}
void SimSpace::enter(const char* call, NativeStream stream) {
  enter(call);
  if (!simulator_.executor.is_live(index_, stream)) {
    fail(call, fault::invalid_handle, "the stream was destroyed, or never was this device's");
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

bool SimSpace::is_lost() const noexcept {
  const Lock lock(simulator_.mutex);
  return is_forked_child() || simulator_.executor.is_lost(index_);
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
  for (const Part& part : operand.parts) {
    const Touch touch{operation, part.what, writes};
    simulator_.flights.add(part.block, touch);  // while the list still has what the new touch covers
    check_access(simulator_.executor, *part.block, touch);
  }
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
    fail("deallocate", fault::invalid_value, describe(*block) + " is another device's");
  }
  if (block == nullptr && simulator_.memory.owns(address)) {
    if (const BlockPtr gone = simulator_.memory.find_retired(address); gone != nullptr && gone->freed != nullptr) {
      fail("deallocate", fault::invalid_value,
           describe(*gone) + " was given back before, by " + describe(*gone->freed));
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

SimSpace::Operand SimSpace::reach(const char* call, const void* first, const Layout& what, bool by_kernel) const {
  const auto* const origin = static_cast<const std::byte*>(first);
  const ByteRange range = what.byte_range();
  const std::byte *const low = origin + range.begin, *const end = origin + range.end;
  const BlockPtr block = simulator_.memory.find(low);
  if (block == nullptr && simulator_.memory.owns(low)) {
    if (const BlockPtr gone = simulator_.memory.find_retired(low); gone != nullptr && gone->freed != nullptr) {
      report_bug(describe(*gone) + " is used after it was freed\n  " + CallScope::current(call) + " was given it\n  " +
                 describe(*gone->freed) + " gave it back");
    }
    fail(call, fault::invalid_value, "the range is not, or not all, allocated");
  }
  // Registrations may lie side by side. Memory that is only in part page-locked is treated as pageable: that is right
  // for both parts.
  std::vector<BlockPtr> blocks;
  for (const std::byte* at = low; at < end;) {
    const BlockPtr part = at == low ? block : simulator_.memory.find(at);
    if (part == nullptr || !(part == block || part->is_registered())) break;
    blocks.push_back(part);
    at += part->bytes - part->offset_of(at);
    if (!part->is_registered() && at < end) fail(call, fault::invalid_value, "the range leaves " + describe(*part));
    if (at >= end) {
      Operand operand{block->engine + static_cast<std::ptrdiff_t>(block->offset_of(low)) - range.begin, {}};
      for (const BlockPtr& one : blocks) {
        if (!is_page_locked_here(*one)) {
          if (one->kind == MemoryKind::device)
            fail(call, fault::invalid_value, describe(*one) + " is another device's");
          operand.parts.clear();
          break;
        }
        if (by_kernel && one->device_address == nullptr) {
          fail(call, fault::invalid_value, "kernels do not reach " + describe(*one));
        }
        const auto offset = one == block ? static_cast<index_t>(one->offset_of(low)) : low - one->address;
        operand.parts.push_back(
            {one, Footprint(what.with_offset(what.offset() + offset - range.begin)).within(one->bytes)});
      }
      if (!operand.is_pageable()) return operand;
    }
  }
  if (by_kernel) {
    fail(call, fault::invalid_value, "kernels of this device do not reach this memory: it is pageable, or in part");
  }
  return {static_cast<std::byte*>(const_cast<void*>(first)), {}};
}

SimSpace::Operand SimSpace::reach_rows(const char* call, const void* first, std::size_t pitch, std::size_t width,
                                       std::size_t rows) const {
  const auto bytes = static_cast<index_t>((rows - 1) * pitch + width);
  if (rows == 1 || pitch == width) return reach(call, first, Layout::strided({}, {}, bytes), false);
  return reach(
      call, first,
      Layout::strided({static_cast<index_t>(rows)}, {static_cast<index_t>(pitch)}, static_cast<index_t>(width)), false);
}

void SimSpace::copy_operands(const char* call, const Operand& to, std::size_t to_pitch, const Operand& from,
                             std::size_t from_pitch, std::size_t width, std::size_t rows, NativeStream stream) {
  if (Faults::is_due(faults_.copy)) fail(call, fault::unknown, "this copy was made to fail");
  Task work;
  if (from.is_pageable()) {
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
  if (to.is_pageable()) simulator_.wait_for(operation);
}

void SimSpace::copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  copy_pitched(to, bytes, from, bytes, bytes, 1, stream);
}

void SimSpace::copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t rows, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("copy", stream);
  if (width > to_pitch || width > from_pitch) {
    fail("copy", fault::invalid_value, "a row is wider than the distance between rows");
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
  if (other == nullptr) fail("copy_peer", fault::invalid_value, "the source is a device of another backend");
  other->enter("copy_peer");
  if (bytes == 0) return;
  const Operand target = reach_rows("copy_peer", to, bytes, bytes, 1);
  const Operand origin = other->reach_rows("copy_peer", from, bytes, bytes, 1);
  if (target.is_pageable() || origin.is_pageable()) {
    fail("copy_peer", fault::invalid_value, "a side is pageable host memory");
  }
  copy_operands("copy_peer", target, bytes, origin, bytes, bytes, 1, stream);
}

void SimSpace::prefetch(void* address, std::size_t bytes, bool, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("prefetch", stream);
  if (bytes > 0) reach("prefetch", address, Layout::strided({}, {}, static_cast<index_t>(bytes)), true);
}

void SimSpace::copy_strided(const StridedCopy& copy, NativeStream stream) {
  const Lock lock(simulator_.mutex);
  enter("copy_strided", stream);
  if (is_empty(copy.extents)) return;
  const Operand to =
      reach("copy_strided", copy.to, Layout::strided(copy.extents, copy.to_strides, copy.itemsize), true);
  const Operand from =
      reach("copy_strided", copy.from, Layout::strided(copy.extents, copy.from_strides, copy.itemsize), true);
  if (Faults::is_due(faults_.copy)) fail("copy_strided", fault::unknown, "this copy was made to fail");
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
  const Operand to =
      reach("fill_strided", fill.to, Layout::strided(fill.extents, fill.to_strides, fill.itemsize), true);
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
  const Operand to = reach(
      "convert_strided", convert.to,
      Layout::strided(convert.extents, convert.to_strides, static_cast<index_t>(convert.to_dtype.itemsize())), true);
  const Operand from =
      reach("convert_strided", convert.from,
            Layout::strided(convert.extents, convert.from_strides, static_cast<index_t>(convert.from_dtype.itemsize())),
            true);
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
    operands.push_back(
        reach("run", uses[i].first, Layout::strided(uses[i].extents, uses[i].strides, uses[i].itemsize), true));
    for (const Part& part : operands.back().parts) declared.push_back({part.block, uses[i].writes});
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
