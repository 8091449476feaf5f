// Small programs that are wrong in ways in which GPU programs are wrong, each with its corrected twin: one function
// does both, and differs in nothing but the correction.
#pragma once

#include <ferry/ferry.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace ferry::test::corpus {

struct Program {
  const char* name;
  const char* message;  ///< what the simulated device says of the wrong one: a regular expression
  /// `first` and, for programs of two devices, `second` are where it runs.
  void (*run)(const Device& first, const Device& second, bool correct);
  bool needs_two = false;
};

/// Thrown by programs that notice by themselves that a result is wrong.
struct WrongResult : std::runtime_error {
  WrongResult() : std::runtime_error("the program's own check: a result is wrong") {}
};
inline void check(bool right) {
  if (!right) throw WrongResult();
}

std::span<const Program> transfer_programs();
std::span<const Program> stream_programs();
std::span<const Program> lifetime_programs();
std::span<const Program> space_programs();
std::span<const Program> kernel_programs();

inline std::vector<Program> all_programs() {
  std::vector<Program> all;
  for (const auto& some :
       {transfer_programs(), stream_programs(), lifetime_programs(), space_programs(), kernel_programs()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// A stream that nothing but events orders with others.
inline Stream lone_stream(const Device& device) {
  return Stream(device, {.non_blocking = true});
}

/// Memory that is managed by hand, as with a vendor's own calls.
template <class T>
class Raw {
 public:
  Raw(const Device& device, MemoryKind kind, std::size_t count)
      : space_(device.space()),
        kind_(kind),
        bytes_(count * sizeof(T)),
        address_(space_.allocate(kind, bytes_, {}, nullptr)) {}
  T* get() const { return static_cast<T*>(address_); }
  T* on_device() const { return static_cast<T*>(space_.query(address_).device_pointer); }
  std::size_t bytes() const { return bytes_; }
  void free(const Stream& stream) const { space_.deallocate(kind_, address_, bytes_, stream.native()); }

 private:
  backend::MemorySpace& space_;
  MemoryKind kind_;
  std::size_t bytes_;
  void* address_;
};

}  // namespace ferry::test::corpus
