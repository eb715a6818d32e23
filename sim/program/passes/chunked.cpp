#include "program/passes/chunked.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/required.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

/// Part `k` of `count` parts of a whole that are as even as whole numbers can be.
int64_t part_of(int64_t whole, int k, int count) {
  return whole / count + (k < whole % count ? 1 : 0);
}

bool is_product(const Work& work, int count) {
  return work.kernel == Kernel::gemm && work.direction != Direction::weight_gradient &&
         work.shape[0] == 1 && work.shape[1] >= count;
}

/// W of Y = X W, which every part reads.
int64_t weight_bytes(const Work& product) {
  const auto numbers =
      static_cast<double>(product.shape[2]) * static_cast<double>(product.shape[3]);
  return std::min<int64_t>(product.read.count,
                           std::llround(element_bytes(product.dtype) * numbers));
}

/// Returns part k of `count` of the rows of a product, or of a kernel that goes through rows one by
/// one.
Work rows_of(const Work& whole, int k, int count) {
  Work work = whole;
  const int64_t weights = whole.kernel == Kernel::gemm ? weight_bytes(whole) : 0;
  work.read.count = weights + part_of(whole.read.count - weights, k, count);
  work.written.count = part_of(whole.written.count, k, count);
  if (whole.kernel != Kernel::gemm) return work;
  work.shape[1] = part_of(whole.shape[1], k, count);
  work.flops *= static_cast<double>(work.shape[1]) / static_cast<double>(whole.shape[1]);
  return work;
}

/// Returns part k of `count` of the columns of a product's weights, and so of its output.
Work columns_of(const Work& whole, int k, int count) {
  Work work = whole;
  const int64_t weights = weight_bytes(whole);
  work.read.count = whole.read.count - weights + part_of(weights, k, count);
  work.weights.count = part_of(whole.weights.count, k, count);
  work.written.count = part_of(whole.written.count, k, count);
  work.shape[2] = part_of(whole.shape[2], k, count);
  work.flops *= static_cast<double>(work.shape[2]) / static_cast<double>(whole.shape[2]);
  return work;
}

CollectiveWork chunk_of(CollectiveWork whole, int k, int count) {
  whole.bytes.count = part_of(whole.bytes.count, k, count);
  return whole;
}

/// Returns how many kernels at the front of a segment can begin with the first rows that arrive: a
/// product, and what makes its operand.
size_t front_by_rows(const Segment& segment, int count) {
  const std::vector<Work>& kernels = segment.kernels;
  const size_t at = !kernels.empty() && kernels.front().kernel == Kernel::elementwise;
  return at < kernels.size() && is_product(kernels[at], count) ? at + 1 : 0;
}

/// Returns the collective of a segment that can be cut; null where there is none.
const CollectiveWork* cut_of(const Segment& segment, int count) {
  const std::optional<CollectiveWork>& collective = segment.collective;
  const bool is_cut =
      collective && collective->axis == Axis::tensor && collective->bytes.count >= count;
  return is_cut ? &*collective : nullptr;
}

bool gathers(const Segment& segment, int count) {
  const CollectiveWork* cut = cut_of(segment, count);
  return cut && cut->kind == CollectiveKind::all_gather;
}

/// Tells whether a collective that can be cut takes what kernels have made.
bool takes(const Segment& segment, int count) {
  return cut_of(segment, count) && !gathers(segment, count);
}

bool is_made_by_columns(const Segment& segment, int count) {
  return takes(segment, count) && !segment.kernels.empty() &&
         is_product(segment.kernels.back(), 1) && segment.kernels.back().shape[2] >= count;
}

/// Tells whether the collective goes round a ring beside compute, which alternates between two
/// chains and joins them itself.
bool is_on_own_chain(const Segments& pass, size_t k) {
  return pass[k].chain != 0 || (k > 0 && pass[k - 1].chain != 0);
}

/// Chain k is that of chunk k of the collective at hand.
class Cutting {
 public:
  explicit Cutting(int count) : count_(count) {}

  Segments run(const Segments& pass) {
    bool arrives = false;
    for (size_t k = 0; k < pass.size(); ++k) {
      Segment segment = pass[k];
      segment.joins = segment.joins || !is_on_own_chain(pass, k);
      if (arrives) take_front(segment);
      const bool taken = arrives && segment.kernels.empty() && !segment.collective;
      arrives = k + 1 < pass.size() && is_gathered_for(segment, pass[k + 1]);
      if (taken) continue;
      if (arrives)
        gather(std::move(segment));
      else if (is_made_by_rows(segment))
        make(std::move(segment));
      else
        all_.push_back(std::move(segment));
    }
    return std::move(all_);
  }

 private:
  bool is_gathered_for(const Segment& segment, const Segment& next) const {
    return gathers(segment, count_) && front_by_rows(next, count_) > 0;
  }

  bool is_made_by_rows(const Segment& segment) const {
    return takes(segment, count_) && !segment.kernels.empty() &&
           is_product(segment.kernels.back(), count_);
  }

  void take_front(Segment& segment) {
    const auto size = static_cast<std::ptrdiff_t>(front_by_rows(segment, count_));
    const auto begin = segment.kernels.begin();
    for (int k = 0; k < count_; ++k) {
      Segment& rows = all_.emplace_back(Segment{.part = segment.part, .chain = k});
      for (auto kernel = begin; kernel != begin + size; ++kernel)
        rows.kernels.push_back(rows_of(*kernel, k, count_));
    }
    segment.kernels.erase(begin, begin + size);
  }

  void gather(Segment first) {
    const CollectiveWork whole = required(first.collective, "it gathers");
    const int part = first.part;
    first.collective = chunk_of(whole, 0, count_);
    all_.push_back(std::move(first));
    for (int k = 1; k < count_; ++k)
      all_.push_back({.collective = chunk_of(whole, k, count_), .part = part, .chain = k});
  }

  void make(Segment first) {
    const CollectiveWork whole = required(first.collective, "it takes what is made");
    const Work product = first.kernels.back();
    const int part = first.part;
    first.kernels.back() = rows_of(product, 0, count_);
    first.collective = chunk_of(whole, 0, count_);
    all_.push_back(std::move(first));
    for (int k = 1; k < count_; ++k)
      all_.push_back({.kernels = {rows_of(product, k, count_)},
                      .collective = chunk_of(whole, k, count_),
                      .part = part,
                      .chain = k});
  }

  int count_;
  Segments all_;
};

}  // namespace

bool has_columns(const Segments& pass, int count) {
  return std::ranges::any_of(pass, [&](const Segment& s) { return is_made_by_columns(s, count); });
}

Segments in_columns(const Segments& pass, int count) {
  Segments all;
  bool follows = false;
  for (Segment segment : pass) {
    segment.joins = segment.joins || follows;
    follows = is_made_by_columns(segment, count);
    if (!follows) {
      all.push_back(std::move(segment));
      continue;
    }
    const Work product = segment.kernels.back();
    const CollectiveWork whole = *segment.collective;
    segment.kernels.pop_back();
    for (int k = 0; k < count; ++k) {
      segment.kernels.push_back(columns_of(product, k, count));
      all.push_back({.kernels = std::exchange(segment.kernels, {}),
                     .collective = chunk_of(whole, k, count),
                     .part = segment.part,
                     .chain = k,
                     .joins = segment.joins && k == 0});
    }
  }
  return all;
}

StageWork in_chunks(StageWork whole, int count) {
  for (Segments* pass : {&whole.forward, &whole.backward, &whole.input_gradient,
                         &whole.weight_gradient, &whole.last_backward, &whole.last_weight_gradient})
    *pass = Cutting(count).run(*pass);
  return whole;
}

}  // namespace pipewright
