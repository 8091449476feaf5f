// Kokkos, for as long as an example runs.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdlib>

namespace examples {

/// Declare it first in main(): Views and arrays with work of Kokkos must be gone when it ends.
class KokkosSession {
 public:
  KokkosSession() {
    ::setenv("OMP_PROC_BIND", "false", 0);  // else Kokkos with OpenMP asks for it on stderr
    Kokkos::initialize();                   // without the arguments, of which Kokkos would take --device for its own
  }
  ~KokkosSession() { Kokkos::finalize(); }
  KokkosSession(const KokkosSession&) = delete;
  KokkosSession& operator=(const KokkosSession&) = delete;
};

}  // namespace examples
