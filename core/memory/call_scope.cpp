#include "ferry/backend/call_scope.hpp"

namespace ferry::inline v0::backend {

namespace {
thread_local const char* current_call = nullptr;
}

CallScope::CallScope(const char* call) noexcept : is_outermost_(current_call == nullptr) {
  if (is_outermost_) current_call = call;
}
CallScope::~CallScope() {
  if (is_outermost_) current_call = nullptr;
}
const char* CallScope::current(const char* otherwise) noexcept {
  return current_call != nullptr ? current_call : otherwise;
}

}  // namespace ferry::inline v0::backend
