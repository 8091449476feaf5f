// One way for a process to end, chosen by name; see run_exit_cases.py for what each must do. As device code where a GPU
// backend is built, plain C++ elsewhere.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ferry/copy_threads.hpp>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace ferry;

// Alive until after main: their destructors run when a driver may be gone.
NDArray<double> static_array;
HostArray<double> static_pinned;
Stream static_stream;
Event static_event;

// Copies by several threads, and in a child process too, which has none of its parent's.
bool copies_by_threads() {
  const HostArray<int> source = arange<int>(1 << 20).reshape(1024, 1024);
  return array_equal(source.transpose().copy().transpose(), source);
}

struct CopiesAtTheEnd {
  bool armed = false;
  ~CopiesAtTheEnd() {
    if (armed && !copies_by_threads()) std::_Exit(13);
  }
};
CopiesAtTheEnd static_copies;

struct Arrays {
  NDArray<int> device;
  HostArray<int> pinned;
  Stream stream;
  explicit Arrays(const Device& where)
      : device(full({1000}, 3, {.device = where})),
        pinned(pinned_array<int>({1000}, {.device = where})),
        stream(where) {
    static_cast<void>(device.copy_to_host(pinned, stream));
  }
};

Arrays& function_static(const Device& where) {
  static Arrays arrays(where);
  return arrays;
}

// Returns the code that the process is to end with.
int run(const std::string& name, const Device& where) {
  if (name == "plain") {
    const Arrays arrays(where);
    return 0;
  }
  if (name == "code_3") {
    const Arrays arrays(where);
    return 3;
  }
  if (name == "statics") {  // with thread_locals and leaked: field case C095
    static_array = full({1000}, 1.0, {.device = where});
    static_pinned = pinned_array<double>({1000}, {.device = where});
    static_stream = Stream(where);
    static_event = static_stream.record();
    static_array.copy_to_host(static_pinned, static_stream);
    function_static(where);
    return 0;
  }
  if (name == "statics_of_every_pool") {
    static std::vector<NDArray<int>> arrays;
    for (const Pool pool : {Pool::direct, Pool::driver, Pool::cached}) {
      arrays.push_back(full({1000}, 1, {.device = where, .resource = &where.pool(pool)}));
      full({1000}, 2, {.device = where, .resource = &where.pool(pool)});  // one that stays in the cache
    }
    return 0;
  }
  if (name == "thread_locals") {
    thread_local std::unique_ptr<Arrays> here;
    here = std::make_unique<Arrays>(where);
    std::thread([&] {
      thread_local std::unique_ptr<Arrays> there;
      there = std::make_unique<Arrays>(where);
    }).join();
    return 0;
  }
  if (name == "exit_in_a_function") {
    const Arrays arrays(where);
    std::exit(4);
  }
  if (name == "exit_from_a_thread") {
    const Arrays arrays(where);
    std::thread([&] {
      const Arrays more(where);
      std::exit(5);
    }).join();
  }
  if (name == "quick_exit") {
    const Arrays arrays(where);
    std::quick_exit(6);
  }
  if (name == "leaked") {
    new Arrays(where);
    return 0;
  }
  if (name == "detached_threads") {
    for (int t = 0; t < 4; ++t) {
      std::thread([where] {
        try {
          for (;;) {
            const Arrays arrays(where);
            arrays.stream.synchronize();
          }
        } catch (const std::exception&) {  // the driver may go at any moment now
        }
      }).detach();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::_Exit(7);
  }
  if (name == "after_fork") {
    const Arrays arrays(where);
    arrays.stream.synchronize();
    const pid_t child = fork();
    if (child == 0) {
      // The child may hold and drop what it inherited; on a GPU it may not use it.
      int code = 8;
      try {
        const NDArray<int> copy = arrays.device.copy();
        if (!where.space().capabilities().asynchronous && copy.item(0) == 3) code = 9;
      } catch (const DeviceError& error) {
        if (error.fatal()) code = 9;
      }
      std::exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) return 100;
    return arrays.device.item(999) == 3 ? WEXITSTATUS(status) : 101;
  }
  if (name == "copy_threads") {
    set_copy_threads(3);
    static_copies.armed = true;
    static CopiesAtTheEnd earlier;
    earlier.armed = true;
    if (!copies_by_threads()) return 100;
    const pid_t child = fork();
    if (child == 0) std::exit(copies_by_threads() ? 0 : 101);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
  }
#if FERRY_DEVICE_CODE
  if (name == "after_reset") {
    const Arrays arrays(where);
    static_array = full({1000}, 1.0, {.device = where});
    arrays.stream.synchronize();
    static_cast<void>(FERRY_GPU_CALL(DeviceReset)());
    // What was on the device is gone. Whether it can be used again is the driver's affair; nothing may crash.
    try {
      full({10}, 1, {.device = where});
    } catch (const DeviceError&) {
    }
    return 10;
  }
  if (name == "after_reset_and_reuse") {
    static_array = full({1000}, 1.0, {.device = where});
    const Arrays arrays(where);
    arrays.stream.synchronize();
    static_cast<void>(FERRY_GPU_CALL(DeviceReset)());
    void* mine = nullptr;
    if (FERRY_GPU_CALL(Malloc)(&mine, 100) != FERRY_GPU_CALL(Success)) return 104;
    return 11;
  }
  if (name == "kernel_fault") {
    const Arrays arrays(where);
    static_array = full({1000}, 1.0, {.device = where});
    static_stream = Stream(where);
    int* const nowhere = reinterpret_cast<int*>(std::uintptr_t{8});
    for_each_index(static_stream, {1}, [nowhere] FERRY_FUNCTION(index_t) { *nowhere = 1; });
    try {
      static_stream.synchronize();
      return 105;
    } catch (const DeviceError& error) {
      if (!error.fatal()) return 106;
      std::fprintf(stderr, "%s\n", error.what());
    }
    try {  // later calls fail at once
      arrays.device.copy();
      return 107;
    } catch (const DeviceError& error) {
      if (!error.fatal()) return 108;
    }
    return 12;
  }
#endif
  std::fprintf(stderr, "there is no case '%s'\n", name.c_str());
  return 99;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 98;
  try {
    return run(argv[1], Device(argv[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 97;
  }
}
