// An exchange of a group as one of its members makes it by packets, step by step, so that all end
// with what train::carry_out gives them.
//
// Sums go round a ring in parts, n - 1 times to be added up and as often to be known everywhere
// (reduce-scatter and all-gather; Thakur, Rabenseifner, Gropp, IJHPCA 19, 2005); every number is
// added up by one rank, so that all have the same. In step k of what shares out samples everybody
// sends to the k-th next; rows of a halo go to both neighbours.
#pragma once

#include <memory>
#include <span>

#include "calibrate/train/layers/exchange.hpp"

namespace pipewright::live {

/// One of what a group exchanges at once, in the memory of the host.
class RingPart {
 public:
  virtual ~RingPart() = default;
  virtual int steps() const = 0;
  /// Returns how many members further on step `step` sends; as many before is who sends here.
  virtual size_t hop(int step) const = 0;
  virtual std::vector<float> outgoing(int step) const = 0;
  virtual int64_t expects(int step) const = 0;
  /// Takes as many numbers as expects() says.
  virtual void incoming(int step, std::span<const float> numbers) = 0;
  /// Returns what this member has in the end.
  virtual kernels::Array result(kernels::Kernels& kernels) = 0;
};

/// All parts move together, as far as each has steps.
class RingExchange {
 public:
  RingExchange(kernels::Kernels& kernels, const std::vector<train::Moving>& moving, size_t own,
               size_t members);
  int steps() const;
  size_t to(int step) const { return (own_ + hop(step)) % members_; }
  size_t from(int step) const { return (own_ + members_ - hop(step)) % members_; }
  std::vector<float> outgoing(int step) const;
  /// Throws Failure for numbers that the other one should not have sent.
  void incoming(int step, std::span<const float> numbers);
  /// Returns the result of each array that was given.
  std::vector<kernels::Array> results(kernels::Kernels& kernels);

 private:
  size_t hop(int step) const;
  size_t own_, members_;
  std::vector<std::unique_ptr<RingPart>> parts_;
};

}  // namespace pipewright::live
