// Do two sets of strided elements share a byte? The elements of an array lie at offset + sum(x_k * s_k) with
// 0 <= x_k < n_k, so the question is whether a sum of bounded multiples of strides can fall into a window: a bounded
// linear Diophantine problem. It is answered by a depth-first search from the largest stride down, in which each
// level leaves only the few multiples from which the smaller strides can still reach the window.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

namespace {

constexpr int work_limit = 200'000;  // search nodes; a millisecond or two
// The search adds up to four spans. No machine has arrays that long, so that nothing is lost by not deciding them.
constexpr index_t span_limit = index_t{1} << 60;

struct Term {
  index_t stride;  // > 0
  index_t most;    // the multiple lies in [0, most]
};

index_t floor_div(index_t a, index_t b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}
index_t ceil_div(index_t a, index_t b) {
  return a / b + (a % b != 0 && a > 0 ? 1 : 0);
}

class Search {
 public:
  explicit Search(std::vector<Term> terms) : terms_(std::move(terms)) {
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.stride > b.stride; });
    merge_equal_strides();
    reach_.assign(terms_.size() + 1, 0);
    divisor_.assign(terms_.size() + 1, 0);
    for (std::size_t i = terms_.size(); i-- > 0;) {
      reach_[i] = reach_[i + 1] + terms_[i].stride * terms_[i].most;
      divisor_[i] = std::gcd(divisor_[i + 1], terms_[i].stride);
    }
  }

  /// Can sum(x_k * s_k) lie in [low, high]?
  Overlap hits(index_t low, index_t high) {
    nodes_ = 0;
    return descend(0, low, high);
  }

 private:
  // x*s + y*s takes the same values as z*s with z up to the sum of both bounds. Two blocks of columns of one matrix
  // have such terms: as one term they cost a few nodes, as two the product of their row counts.
  void merge_equal_strides() {
    std::size_t kept = 0;
    for (const Term& term : terms_) {
      if (kept > 0 && terms_[kept - 1].stride == term.stride) {
        terms_[kept - 1].most += term.most;
      } else {
        terms_[kept++] = term;
      }
    }
    terms_.resize(kept);
  }

  Overlap descend(std::size_t level, index_t low, index_t high) {
    // Counted before anything is ruled out: a level may have millions of multiples that fail at once.
    if (++nodes_ > work_limit) return Overlap::undecided;
    low = std::max<index_t>(low, 0);
    high = std::min(high, reach_[level]);
    if (low > high) return Overlap::no;
    if (low == 0) return Overlap::yes;  // all remaining multiples 0
    if (level == terms_.size()) return Overlap::no;
    if (ceil_div(low, divisor_[level]) > floor_div(high, divisor_[level])) return Overlap::no;
    const auto [stride, most] = terms_[level];
    const index_t first = std::max<index_t>(ceil_div(low - reach_[level + 1], stride), 0);
    const index_t last = std::min(floor_div(high, stride), most);
    Overlap verdict = Overlap::no;
    for (index_t x = first; x <= last; ++x) {
      const Overlap below = descend(level + 1, low - x * stride, high - x * stride);
      if (below == Overlap::yes) return below;
      if (below == Overlap::undecided) {
        verdict = below;
        if (nodes_ > work_limit) break;
      }
    }
    return verdict;
  }

  std::vector<Term> terms_;
  std::vector<index_t> reach_;    // the largest sum from a level on
  std::vector<index_t> divisor_;  // every sum from a level on is a multiple of it
  int nodes_ = 0;
};

void add_terms(std::vector<Term>& terms, const Layout& layout) {
  for (std::size_t axis = 0; axis < layout.ndim(); ++axis) {
    if (layout.shape()[axis] > 1 && layout.strides()[axis] != 0) {
      terms.push_back({std::abs(layout.strides()[axis]), layout.shape()[axis] - 1});
    }
  }
}

}  // namespace

Overlap overlap(const Layout& a, const Layout& b) {
  if (a.nbytes() == 0 || b.nbytes() == 0) return Overlap::no;  // also elements without bytes
  const ByteRange ra = a.byte_range(), rb = b.byte_range();
  if (ra.end <= rb.begin || rb.end <= ra.begin) return Overlap::no;
  if ((a.is_c_contiguous() || a.is_f_contiguous()) && (b.is_c_contiguous() || b.is_f_contiguous())) return Overlap::yes;
  if (ra.size() > span_limit || rb.size() > span_limit) return Overlap::undecided;
  // With A = ra.begin + sum over a and B = rb.begin + sum over b, they share a byte when
  // -a.itemsize() < A - B < b.itemsize(). The sum over b is mirrored, so that all
  // signs are positive: B = (rb.end - b.itemsize()) - sum'.
  std::vector<Term> terms;
  add_terms(terms, a);
  add_terms(terms, b);
  const index_t target = rb.end - b.itemsize() - ra.begin;
  return Search(std::move(terms)).hits(target - a.itemsize() + 1, target + b.itemsize() - 1);
}

Overlap self_overlap(const Layout& layout) {
  if (layout.size() < 2 || layout.itemsize() == 0) return Overlap::no;
  std::vector<Term> terms;
  for (std::size_t axis = 0; axis < layout.ndim(); ++axis) {
    if (layout.shape()[axis] > 1 && layout.strides()[axis] == 0) return Overlap::yes;
  }
  add_terms(terms, layout);
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.stride < b.stride; });
  // Nested axes, each stepping over all that the smaller ones span: nearly every array there is.
  index_t span = layout.itemsize();
  bool nested = true;
  for (const Term& term : terms) {
    nested = nested && term.stride >= span;
    span += term.stride * term.most;
  }
  if (nested) return Overlap::no;
  if (span > span_limit) return Overlap::undecided;
  // Two indices collide when some difference d != 0, |d_k| <= n_k - 1, gives |sum(d_k * s_k)| < itemsize. Signs may be
  // swapped, so let the first d_k that is not 0, counted from some fixed axis, be positive: one search for each such k.
  // Differences of the later axes are shifted to start at 0.
  Overlap verdict = Overlap::no;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    std::vector<Term> later;
    index_t shift = 0;
    for (std::size_t j = k + 1; j < terms.size(); ++j) {
      later.push_back({terms[j].stride, 2 * terms[j].most});
      shift += terms[j].stride * terms[j].most;
    }
    later.push_back({terms[k].stride, terms[k].most - 1});  // d_k = 1 + x
    const index_t target = shift - terms[k].stride;
    const Overlap found = Search(std::move(later)).hits(target - layout.itemsize() + 1, target + layout.itemsize() - 1);
    if (found == Overlap::yes) return found;
    if (found == Overlap::undecided) verdict = found;
  }
  return verdict;
}

}  // namespace ferry::inline v0::layouts
