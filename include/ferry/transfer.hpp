// What a copy on a stream returns.
#pragma once

#include <utility>

#include "ferry/config.hpp"
#include "ferry/stream.hpp"

namespace ferry::inline v0 {

/// A copy that may still be under way. Destroying it neither waits nor cancels.
class Transfer {
 public:
  /// Done.
  Transfer() noexcept = default;
  Transfer(Event done, bool is_async) noexcept : done_(std::move(done)), is_async_(is_async) {}

  /// Blocks until the destination is filled and the source may be reused.
  void wait() const { done_.wait(); }
  bool ready() const { return done_.ready(); }
  /// False when the call itself had to wait, because a side was pageable memory or had to be packed on the host: both
  /// host sides were then free when it returned.
  bool is_async() const noexcept { return is_async_; }

 private:
  Event done_;
  bool is_async_ = false;
};

/// A result that an unfinished copy fills.
template <class Result>
class [[nodiscard]] Pending {
 public:
  Pending(Result result, Transfer transfer) noexcept : result_(std::move(result)), transfer_(std::move(transfer)) {}

  /// Waits, then hands the result over; call it once.
  Result get() {
    transfer_.wait();
    return std::move(result_);
  }
  void wait() const { transfer_.wait(); }
  bool ready() const { return transfer_.ready(); }
  bool is_async() const noexcept { return transfer_.is_async(); }

 private:
  Result result_;
  Transfer transfer_;
};

}  // namespace ferry::inline v0
