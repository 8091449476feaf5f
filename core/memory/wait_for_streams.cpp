#include "core/memory/wait_for_streams.hpp"

#include <exception>

namespace ferry::inline v0::detail {

void wait_for_streams(const std::vector<std::shared_ptr<StreamState>>& streams) {
  std::exception_ptr first;
  for (const auto& stream : streams) {
    try {
      if (stream->device().space().is_capturing(stream->native())) continue;
      StreamState::handle(stream).synchronize();
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace ferry::inline v0::detail
