// Arrows point one way: include/ depends on nothing, core/ and backends/ implement what it declares, and neither knows
// the other. An include that breaks this fails here.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

bool is_foreign(std::string_view header) {
  return starts_with_any(header, {"cuda", "cublas", "cub/", "thrust/", "nvtx", "driver_types.h", "vector_types.h",
                                  "hip/", "hip_", "rocm", "Kokkos", "kokkos", "mpi.h", "mdspan", "dlpack/"});
}

/// What hipcc needs where nvcc needs no include, in the one header that asks which compiler reads it.
bool is_device_compilers(std::string_view file, std::string_view header) {
  return file.ends_with("ferry/config.hpp") && header == "hip/hip_runtime.h";
}

/// Glue for another library stays in opt-in headers that bear its name: include/ferry/kokkos.hpp.
bool is_glue(std::string_view file) {
  constexpr std::string_view folder = "include/ferry/";
  return file.starts_with(folder) &&
         starts_with_any(file.substr(folder.size()), {"kokkos", "mpi", "mdspan", "dlpack", "cuda", "hip"});
}

/// "backends/gpu/" from "backends/gpu/space.cpp"; empty elsewhere.
std::string_view backend_of(std::string_view path) {
  constexpr std::string_view folder = "backends/";
  if (!path.starts_with(folder)) return {};
  const std::size_t end = path.find('/', folder.size());
  return end == std::string_view::npos ? std::string_view{} : path.substr(0, end + 1);
}

/// What is wrong with `file`, a path from the project's root, including `header`; empty when nothing is.
std::string judge(std::string_view file, std::string_view header) {
  if (starts_with_any(header, {"../", "./"})) return "is relative: write the path from the project's root";
  if (file.starts_with("include/") && starts_with_any(header, {"core/", "backends/", "tests/"})) {
    return "is not a public header";
  }
  if (file.starts_with("include/") && is_foreign(header) && !is_glue(file) && !is_device_compilers(file, header)) {
    return "names a vendor or another library, which only glue named after it may";
  }
  if (file.starts_with("core/")) {
    if (starts_with_any(header, {"backends/", "tests/"})) return "belongs to a backend, and the core knows none";
    if (is_foreign(header)) return "names a vendor or another library, and the core knows none";
  }
  if (const std::string_view own = backend_of(file); !own.empty()) {
    if (starts_with_any(header, {"core/", "tests/"})) {
      return "belongs to the core, which backends know through include/ferry/ only";
    }
    const std::string_view other = backend_of(header);
    const bool shared = (other == "backends/gpu/" && (own == "backends/cuda/" || own == "backends/hip/")) ||
                        (other == "backends/cpu/" && (own == "backends/host/" || own == "backends/sim/"));
    if (!other.empty() && other != own && !shared) return "belongs to another backend";
  }
  return {};
}

std::vector<std::string> includes_of(const fs::path& file) {
  std::vector<std::string> found;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("\"<", at);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close != std::string::npos) found.push_back(line.substr(open + 1, close - open - 1));
  }
  return found;
}

bool is_source(const fs::path& file) {
  static const std::set<std::string> endings = {".hpp", ".cpp", ".h", ".cu", ".cuh", ".hip", ".inc"};
  return endings.contains(file.extension().string());
}

TEST(IncludeRules, HoldInTheWholeTree) {
  const fs::path root = FERRY_SOURCE_DIR;
  for (const char* folder : {"include", "core", "backends"}) {
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      ++files;
      const std::string file = entry.path().lexically_relative(root).generic_string();
      for (const std::string& header : includes_of(entry.path())) {
        const std::string wrong = judge(file, header);
        EXPECT_TRUE(wrong.empty()) << file << " includes \"" << header << "\", which " << wrong;
      }
    }
    EXPECT_GT(files, 0) << "no sources under " << root / folder;
  }
}

// ferry.hpp is what plain C++ users include; glue for other libraries stays in headers of its own.
TEST(IncludeRules, TheMainHeaderReachesNoOtherLibrary) {
  const fs::path include = fs::path(FERRY_SOURCE_DIR) / "include";
  std::set<std::string> seen = {"ferry/ferry.hpp"};
  std::vector<std::string> todo(seen.begin(), seen.end());
  while (!todo.empty()) {
    const std::string file = todo.back();
    todo.pop_back();
    ASSERT_TRUE(fs::exists(include / file)) << file;
    for (const std::string& header : includes_of(include / file)) {
      EXPECT_TRUE(!is_foreign(header) || is_device_compilers(file, header)) << file << " includes <" << header << ">";
      if (header.starts_with("ferry/") && seen.insert(header).second) todo.push_back(header);
    }
  }
  EXPECT_GT(seen.size(), 5u);
}

// The judge itself, since a tree without faults does not show that it finds any.
TEST(IncludeRules, AreJudgedRight) {
  using Case = std::array<const char*, 2>;
  for (const auto& [file, header] :
       {Case{"include/ferry/array.hpp", "core/layout/axes.hpp"},
        Case{"include/ferry/array.hpp", "backends/host/host_space.hpp"},
        Case{"include/ferry/array.hpp", "cuda_runtime.h"}, Case{"include/ferry/array.hpp", "hip/hip_runtime.h"},
        Case{"include/ferry/backend/memory_space.hpp", "Kokkos_Core.hpp"},
        Case{"core/memory/registry.cpp", "backends/host/host_space.hpp"},
        Case{"core/memory/registry.cpp", "cuda_runtime.h"}, Case{"core/memory/registry.cpp", "hip/hip_runtime.h"},
        Case{"core/memory/registry.cpp", "Kokkos_Core.hpp"}, Case{"backends/host/host_space.cpp", "core/copy/plan.hpp"},
        Case{"backends/host/host_space.cpp", "backends/gpu/space.hpp"},
        Case{"backends/sim/sim_space.cpp", "backends/host/host_space.hpp"},
        Case{"backends/cpu/ledger.cpp", "backends/sim/sim_space.hpp"},
        Case{"backends/gpu/space.cpp", "backends/cuda/alias.hpp"},
        Case{"backends/hip/space.cpp", "backends/cuda/alias.hpp"},
        Case{"backends/cuda/space.cpp", "../gpu/space.hpp"}}) {
    EXPECT_FALSE(judge(file, header).empty()) << file << " may not include " << header;
  }
  for (const auto& [file, header] :
       {Case{"include/ferry/array.hpp", "ferry/layout.hpp"}, Case{"include/ferry/array.hpp", "vector"},
        Case{"include/ferry/kokkos.hpp", "Kokkos_Core.hpp"}, Case{"core/copy/plan.cpp", "core/copy/plan.hpp"},
        Case{"core/copy/plan.cpp", "ferry/layout.hpp"},
        Case{"backends/host/host_space.cpp", "backends/host/host_space.hpp"},
        Case{"backends/cuda/space.cpp", "backends/gpu/space.hpp"}, Case{"backends/cuda/space.cpp", "cuda_runtime.h"},
        Case{"backends/hip/space.cpp", "backends/gpu/space.hpp"},
        Case{"backends/sim/sim_space.cpp", "backends/cpu/ledger.hpp"}}) {
    EXPECT_EQ(judge(file, header), "") << file << " may include " << header;
  }
}

}  // namespace
