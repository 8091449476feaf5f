// ferry-info: what this build and this machine have, what is missing and how to get it, and how fast memory moves.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ferry/backend/registry.hpp>
#include <ferry/ferry.hpp>
#include <string>
#include <vector>

namespace {

using namespace ferry;

/// Gigabytes (1e9) in a second, the best of some runs; a device-to-device copy counts what is read and what is written.
struct Bandwidth {
  double pinned_up = 0, pinned_down = 0, pageable_up = 0, pageable_down = 0, device = 0;
};

template <class Work>
double best_rate(const Device& device, double bytes, Work&& work) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    device.synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    device.synchronize();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, bytes / seconds.count() / 1e9);
  }
  return best;
}

Bandwidth measure(const Device& device) {
  const auto total = static_cast<index_t>(device.memory_info().free);
  const index_t size = std::min<index_t>(index_t{256} << 20, total / 8) / 4;
  const auto bytes = static_cast<double>(size) * 4;
  const auto a = device_array<std::uint32_t>({size}, {.device = device});
  const auto b = device_array<std::uint32_t>({size}, {.device = device});
  const auto pinned = pinned_array<std::uint32_t>({size}, {.device = device});
  const auto pageable = host_array<std::uint32_t>({size});
  for (index_t i = 0; i < size; ++i) {  // random data: memory may be quicker with zeros
    pinned(i) = pageable(i) = static_cast<std::uint32_t>(i) * 2654435761u;
  }
  Bandwidth rates;
  rates.pinned_up = best_rate(device, bytes, [&] { a.copy_to_device(pinned); });
  rates.pageable_up = best_rate(device, bytes, [&] { a.copy_to_device(pageable); });
  rates.device = best_rate(device, 2 * bytes, [&] { b.copy_to_device(a); });
  rates.pinned_down = best_rate(device, bytes, [&] { b.copy_to_host(pinned); });
  rates.pageable_down = best_rate(device, bytes, [&] { b.copy_to_host(pageable); });
  return rates;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

void print_text(const std::vector<backend::BackendStatus>& backends) {
  std::printf("ferry %d.%d.%d\n", FERRY_VERSION_MAJOR, FERRY_VERSION_MINOR, FERRY_VERSION_PATCH);
  std::printf("default device: %s\n", default_device().name().c_str());
  for (const auto& status : backends) {
    if (status.devices == 0) std::printf("\n%s: %s\n", status.name.c_str(), status.reason.c_str());
    for (int i = 0; i < status.devices; ++i) {
      const Device device(status.name == "host" ? status.name : status.name + ":" + std::to_string(i));
      const MemoryInfo memory = device.memory_info();
      const std::string description = device.space().description();
      std::printf("\n%s%s%s\n", device.name().c_str(), description.empty() ? "" : ": ", description.c_str());
      std::printf("  memory   %.1f GiB free of %.1f\n", static_cast<double>(memory.free) / (1 << 30),
                  static_cast<double>(memory.total) / (1 << 30));
      const Bandwidth rates = measure(device);
      std::printf("  to the device    %7.1f GB/s from page-locked memory, %7.1f from pageable\n", rates.pinned_up,
                  rates.pageable_up);
      std::printf("  to the host      %7.1f GB/s into page-locked memory, %7.1f into pageable\n", rates.pinned_down,
                  rates.pageable_down);
      std::printf("  within the device%7.1f GB/s read and written\n", rates.device);
    }
  }
}

void print_json(const std::vector<backend::BackendStatus>& backends) {
  std::printf("{\"ferry\": \"%d.%d.%d\", \"default_device\": %s, \"backends\": [", FERRY_VERSION_MAJOR,
              FERRY_VERSION_MINOR, FERRY_VERSION_PATCH, quoted(default_device().name()).c_str());
  const char* between_backends = "";
  for (const auto& status : backends) {
    std::printf("%s\n  {\"name\": %s, \"built\": %s, \"option\": %s, \"missing\": %s, \"devices\": [", between_backends,
                quoted(status.name).c_str(), status.built ? "true" : "false", quoted(status.option).c_str(),
                quoted(status.reason).c_str());
    between_backends = ",";
    const char* between = "";
    for (int i = 0; i < status.devices; ++i) {
      const Device device(status.name == "host" ? status.name : status.name + ":" + std::to_string(i));
      const MemoryInfo memory = device.memory_info();
      const Bandwidth rates = measure(device);
      std::printf(
          "%s\n    {\"name\": %s, \"description\": %s, \"free_bytes\": %zu, \"total_bytes\": %zu, "
          "\"gb_per_s\": {\"pinned_to_device\": %.2f, \"pageable_to_device\": %.2f, "
          "\"device_to_pinned\": %.2f, \"device_to_pageable\": %.2f, \"within_device\": %.2f}}",
          between, quoted(device.name()).c_str(), quoted(device.space().description()).c_str(), memory.free,
          memory.total, rates.pinned_up, rates.pageable_up, rates.pinned_down, rates.pageable_down, rates.device);
      between = ",";
    }
    std::printf("]}");
  }
  std::printf("\n]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: ferry-info [--json]\n");
    return 2;
  }
  try {
    json ? print_json(backend::backend_list()) : print_text(backend::backend_list());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ferry-info: %s\n", error.what());
    return 1;
  }
  return 0;
}
