// Kokkos glue: arrays as Views and Views as arrays without a copy, streams as execution spaces, copies that Kokkos
// refuses. Not part of ferry.hpp: link ferry::kokkos, which is this header and your Kokkos (3.4 to 5.x), compiled in
// the way that your Kokkos wants. Ferry neither initialises nor finalises Kokkos.
#pragma once

#include "ferry/kokkos/deep_copy.hpp"
#include "ferry/kokkos/execution_space.hpp"
#include "ferry/kokkos/tools.hpp"
#include "ferry/kokkos/view.hpp"
#include "ferry/kokkos/wrap.hpp"
