// The name of the call that the program made, for devices that report what was wrong with it.
#pragma once

#include "ferry/config.hpp"

namespace ferry::inline v0::backend {

/// Names a public call while it runs on this thread. The outermost one counts: the program called copy_to_host, and
/// not what that is made of.
class FERRY_EXPORT CallScope {
 public:
  /// `call` lives for ever: a literal.
  explicit CallScope(const char* call) noexcept;
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope();
  /// The call that is running on this thread, else `otherwise`.
  static const char* current(const char* otherwise) noexcept;

 private:
  bool is_outermost_;
};

}  // namespace ferry::inline v0::backend
