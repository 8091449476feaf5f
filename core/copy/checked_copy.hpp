// What has to hold before a copy may begin, and on which stream it then runs.
#pragma once

#include "core/copy/route.hpp"

namespace ferry::inline v0::copying {

/// The source under the destination's shape.
/// @throws ShapeError when the shapes do not agree as `match` asks
Layout match_source(const char* call, const DType& dtype, const Layout& to, const Layout& from, detail::Match match);
/// @throws LayoutError for a destination whose elements share memory with each other
void refuse_aliasing(const char* call, const DType& dtype, const Layout& to);

/// The operands of a copy that may be made, and where it runs. Reaches no memory.
class CheckedCopy {
 public:
  /// `named` is the stream named in the call, if any; `bound` that of the array whose method was called.
  /// @throws DTypeError, ShapeError, LayoutError, AccessError, LifetimeError
  CheckedCopy(const char* call, const detail::ArrayHandle& to, const DType& to_dtype, const detail::ArrayHandle& from,
              const DType& from_dtype, detail::Match match, const Stream& named, const Stream& bound);
  CheckedCopy(const CheckedCopy&) = delete;  // the sides point into this and to the caller's operands
  CheckedCopy& operator=(const CheckedCopy&) = delete;

  const Side& to() const noexcept { return to_; }
  const Side& from() const noexcept { return from_; }
  const Stream& stream() const noexcept { return stream_; }
  /// Each element would be copied onto itself.
  bool is_same_place() const;
  /// Some byte is an element's of both, or that could not be ruled out.
  bool may_overlap() const;

 private:
  detail::ArrayHandle source_;
  Side to_, from_;
  Stream stream_;
};

}  // namespace ferry::inline v0::copying
