// wrap: a Kokkos View as a Ferry array.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "ferry/config.hpp"
#include "ferry/kokkos/data_type.hpp"
#include "ferry/kokkos/session.hpp"
#include "ferry/kokkos/space.hpp"
#include "ferry/kokkos/task_devices.hpp"
#include "ferry/kokkos/tools.hpp"
#include "ferry/managed_array.hpp"
#include "ferry/mapped_array.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0::kokkos {

namespace impl {

/// A managed View that an array keeps alive. Kokkos aborts the process when a View dies after Kokkos::finalize, so what
/// is left then is let go, and said.
class KeptView {
 public:
  KeptView(const KeptView&) = delete;
  KeptView& operator=(const KeptView&) = delete;
  virtual ~KeptView() = default;

 protected:
  explicit KeptView(Device device) : device_(device) {
    Kept& kept = all();
    const std::lock_guard lock(kept.mutex);
    if (kept.views.empty()) at_finalize([] { let_all_go(); });
    kept.views.insert(this);
  }
  void forget() noexcept {
    Kept& kept = all();
    const std::lock_guard lock(kept.mutex);
    kept.views.erase(this);
  }

 private:
  struct Kept {
    std::mutex mutex;
    std::set<KeptView*> views;
  };
  static Kept& all() {
    static Kept& kept = *new Kept;
    return kept;
  }
  static void let_all_go() {
    Kept& kept = all();
    // Owners of arrays that are gone already may wait for their work: it is done now, and they are let go.
    std::set<std::string> devices;
    {
      const std::lock_guard lock(kept.mutex);
      for (const KeptView* view : kept.views) devices.insert(view->device_.name());
    }
    for (const std::string& device : devices) Device(device).synchronize();
    for (;;) {
      KeptView* view = nullptr;
      {
        const std::lock_guard lock(kept.mutex);
        if (kept.views.empty()) return;
        view = *kept.views.begin();
        kept.views.erase(kept.views.begin());
      }
      const std::string text = "ferry: an array still wraps the Kokkos View '" + view->label() +
                               "' at Kokkos::finalize; its memory is freed now, and the array must not be used again";
      report_error(text.c_str());
      view->let_go();
    }
  }
  virtual std::string label() const = 0;
  virtual void let_go() noexcept = 0;

  Device device_;
};

template <class View>
class KeptViewOf final : public KeptView {
 public:
  KeptViewOf(const View& view, Device device) : KeptView(device), view_(view) {}
  ~KeptViewOf() override { forget(); }

 private:
  std::string label() const override { return view_->label(); }
  void let_go() noexcept override { view_.reset(); }
  std::optional<View> view_;
};

template <class View>
ferry::detail::ArrayHandle wrap_view(const View& view, MemoryKind kind, const Device& device) {
  using Element = typename View::value_type;
  constexpr std::size_t rank = rank_of<typename View::data_type>;
  Shape shape = Shape::filled(rank, 0);
  Strides strides = Strides::filled(rank, 0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] = static_cast<index_t>(view.extent(axis));
    strides[axis] = static_cast<index_t>(view.stride(axis)) * static_cast<index_t>(sizeof(Element));
  }
  std::shared_ptr<void> owner;
  std::string label;
  if (view.use_count() > 0) {
    owner = std::make_shared<KeptViewOf<View>>(view, device);
    label = view.label();
  }
  return ferry::detail::wrap_memory("wrap", const_cast<std::remove_const_t<Element>*>(view.data()), shape, strides,
                                    sizeof(Element), kind, device, std::move(owner), label);
}

template <class View>
void require_wrappable() {
  static_assert(Element<typename View::value_type>,
                "ferry: an array's elements must be trivially copyable and no pointers, so this View cannot be one");
  require_running("wrap");
  report_to_tools();
}

/// The device in whose memory a View's elements are: a GPU (the first one for addresses that it does not know, as of
/// empty Views), a simulated device, or the host.
template <class View>
Device device_of_view(const View& view) {
  if constexpr (kind_of_space<typename View::memory_space> == MemoryKind::pageable) {
    const Device device = TaskDevices::of(view.data());
    return device.is_set() ? device : Device("host");
  } else {
    const std::string backend(gpu_backend);
    const int index = Device(backend).space().query(view.data()).device;
    return Device(backend + ":" + std::to_string(index < 0 ? 0 : index));
  }
}

template <MemoryKind kind, class T>
struct WrappedAs {
  using type = HostArray<T>;
};
template <class T>
struct WrappedAs<MemoryKind::device, T> {
  using type = NDArray<T>;
};
template <class T>
struct WrappedAs<MemoryKind::mapped, T> {
  using type = MappedArray<T>;
};
template <class T>
struct WrappedAs<MemoryKind::managed, T> {
  using type = ManagedArray<T>;
};

}  // namespace impl

/// A View as an array over the same memory: HostArray of host memory, NDArray of a GPU's, ManagedArray and MappedArray
/// of Kokkos' shared and pinned spaces. Strides, padding and fixed extents stay as they are; a View of const elements
/// gives a read-only array.
///
/// Of a managed View the array holds a copy, and so keeps its memory until the array's last view is gone and the work
/// that Ferry knows of is done; one that is still held at Kokkos::finalize is let go there, and reported to the error
/// sink. An unmanaged View's memory must outlive the array. Work that Kokkos has queued is not known to Ferry: fence
/// its execution space, or use the stream of it, before the elements are touched elsewhere.
/// @throws LifetimeError while Kokkos does not run
template <class DataType, class... Properties>
auto wrap(const Kokkos::View<DataType, Properties...>& view) {
  using View = Kokkos::View<DataType, Properties...>;
  constexpr MemoryKind kind = impl::kind_of_space<typename View::memory_space>;
  impl::require_wrappable<View>();
  const Device device = impl::device_of_view(view);
  if (kind == MemoryKind::pageable && device != Device("host")) {
    throw AccessError("ferry: wrap: the View's elements are in memory of " + device.name() +
                      ", which the host does not reach; use wrap(view, device)");
  }
  ferry::detail::ArrayHandle handle = impl::wrap_view(view, kind, device);
  if constexpr (kind == MemoryKind::managed || kind == MemoryKind::mapped) handle.face = ferry::detail::Face::both;
  return typename impl::WrappedAs<kind, typename View::value_type>::type(std::move(handle));
}

/// A View as a NDArray, whatever the space: for programs that say "device" where Kokkos may have none but the host.
/// `device` is the one that the View's memory is of: a GPU, a simulated device, else "host".
/// @throws AccessError when it is another; else as above
template <class DataType, class... Properties>
NDArray<typename Kokkos::View<DataType, Properties...>::value_type> wrap(
    const Kokkos::View<DataType, Properties...>& view, const Device& device) {
  using View = Kokkos::View<DataType, Properties...>;
  constexpr MemoryKind kind = impl::kind_of_space<typename View::memory_space>;
  impl::require_wrappable<View>();
  const Device chosen = resolve(device), found = impl::device_of_view(view);
  if (chosen != found) {
    throw AccessError("ferry: wrap: the View's elements are in memory of " + found.name() + ", and not of " +
                      chosen.name() + "; copy them there with deep_copy");
  }
  return NDArray<typename View::value_type>(
      impl::wrap_view(view, kind == MemoryKind::pageable ? MemoryKind::device : kind, found));
}

}  // namespace ferry::inline v0::kokkos
