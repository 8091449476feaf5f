#include "ferry/dims.hpp"

#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace detail {
void throw_extent_overflow(unsigned long long value) {
  throw ShapeError("ferry: " + std::to_string(value) + " is too large for an extent, stride or index (at most 2^63-1)");
}
void throw_rank_overflow(std::size_t rank) {
  throw ShapeError("ferry: rank " + std::to_string(rank) + " is more than the " + std::to_string(Dims::max_rank) +
                   " axes that an array may have");
}
}  // namespace detail

void Dims::insert(std::size_t at, index_t value) {
  Dims longer = uninitialised(size_ + 1);
  for (std::size_t i = 0, j = 0; j < longer.size(); ++j) longer[j] = j == at ? value : (*this)[i++];
  *this = std::move(longer);
}

void Dims::erase(std::size_t at) {
  Dims shorter = uninitialised(size_ - 1);
  for (std::size_t i = 0, j = 0; i < size_; ++i) {
    if (i != at) shorter[j++] = (*this)[i];
  }
  *this = std::move(shorter);
}

std::string Dims::to_string() const {
  std::string text = "(";
  for (std::size_t i = 0; i < size_; ++i) text += (i > 0 ? ", " : "") + std::to_string((*this)[i]);
  return text + (size_ == 1 ? ",)" : ")");
}

}  // namespace ferry::inline v0
