#include "calibrate/live/messages/ring_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "calibrate/train/layers/host_numbers.hpp"

namespace pipewright::live {
namespace {

using kernels::Array;
using kernels::Kernels;
using kernels::Tensor;
using train::array_of;
using train::Exchange;
using train::Movement;
using train::Moving;
using train::numbers_of;
using train::Range;

using Numbers = std::vector<float>;

/// Numbers in one part for each member, which go round.
class Ring : public RingPart {
 public:
  Ring(Numbers numbers, size_t own, size_t members, int64_t unit)
      : numbers_(std::move(numbers)),
        own_(own),
        chunks_(train::even_parts(static_cast<int64_t>(numbers_.size()), static_cast<int>(members),
                                  unit)) {}
  size_t hop(int) const override { return 1; }
  Numbers outgoing(int step) const override {
    const Range& chunk = chunk_of(step);
    return {numbers_.begin() + chunk.first, numbers_.begin() + chunk.end()};
  }
  int64_t expects(int step) const override { return chunk_of(step + 1).count; }
  void incoming(int step, std::span<const float> numbers) override {
    const Range& chunk = chunk_of(step + 1);  // what goes on in the next step
    take(step, std::span(numbers_).subspan(static_cast<size_t>(chunk.first), numbers.size()),
         numbers);
  }

 protected:
  size_t members() const { return chunks_.size(); }
  const Range& chunk(size_t member) const { return chunks_[member % members()]; }
  /// The member's own is sent `lag` steps after the first.
  const Range& chunk_of(int step) const {
    const size_t back = (static_cast<size_t>(step) + lag()) % members();
    return chunk(own_ + members() - back);
  }
  virtual size_t lag() const { return 0; }
  virtual void take(int step, std::span<float> to, std::span<const float> from) = 0;
  static void add(std::span<float> to, std::span<const float> from) {
    for (size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }

  Numbers numbers_;
  size_t own_;
  std::vector<Range> chunks_;
};

class RingSum final : public Ring {
 public:
  RingSum(Kernels& kernels, const Moving& moving, size_t own, size_t members)
      : Ring(numbers_of(kernels, place_of(moving)), own, members,
             moving.how == Exchange::softmax ? 3 : 1),
        moving_(moving) {}
  int steps() const override { return 2 * (static_cast<int>(members()) - 1); }
  Array result(Kernels& kernels) override {
    kernels.upload(numbers_, place_of(moving_));
    return moving_.array;
  }

 private:
  /// A softmax joins three numbers of every row.
  static Tensor place_of(const Moving& moving) {
    const Tensor& all = moving.array;
    return moving.how == Exchange::softmax ? all.column_range(all.columns - 3, 3) : all;
  }
  void take(int step, std::span<float> to, std::span<const float> from) override {
    if (step >= static_cast<int>(members()) - 1)
      std::copy(from.begin(), from.end(), to.begin());
    else if (moving_.how == Exchange::sum)
      add(to, from);
    else
      for (size_t i = 0; i < to.size(); i += 3) join(to.data() + i, from.data() + i);
  }
  static void join(float* to, const float* from) {
    const float highest = std::max(to[0], from[0]);
    to[1] = to[1] * std::exp(to[0] - highest) + from[1] * std::exp(from[0] - highest);
    to[2] += from[2];
    to[0] = highest;
  }
  Moving moving_;
};

class RingGather final : public Ring {
 public:
  RingGather(Kernels& kernels, const Moving& moving, size_t own, size_t members)
      : Ring(spread(numbers_of(kernels, moving.array), own, members), own, members, 1) {}
  int steps() const override { return static_cast<int>(members()) - 1; }
  Array result(Kernels& kernels) override {
    return array_of(kernels, numbers_, static_cast<int64_t>(numbers_.size()));
  }

 private:
  static Numbers spread(const Numbers& part, size_t own, size_t members) {
    Numbers all(part.size() * members);
    std::copy(part.begin(), part.end(),
              all.begin() + static_cast<std::ptrdiff_t>(own * part.size()));
    return all;
  }
  void take(int, std::span<float> to, std::span<const float> from) override {
    std::copy(from.begin(), from.end(), to.begin());
  }
};

/// The last part that comes is the member's own.
class RingScatter final : public Ring {
 public:
  RingScatter(Kernels& kernels, const Moving& moving, size_t own, size_t members)
      : Ring(numbers_of(kernels, moving.array), own, members, 1) {}
  int steps() const override { return static_cast<int>(members()) - 1; }
  Array result(Kernels& kernels) override {
    const Range& part = chunk(own_);
    return array_of(kernels, {numbers_.begin() + part.first, numbers_.begin() + part.end()},
                    part.count);
  }

 private:
  size_t lag() const override { return 1; }
  void take(int, std::span<float> to, std::span<const float> from) override { add(to, from); }
};

/// A matrix on the host.
struct Block {
  Numbers numbers;
  int64_t columns = 0;

  Block cut(int64_t first_row, int64_t rows, const Range& wanted) const {
    Block part{{}, wanted.count};
    for (int64_t row = first_row; row < first_row + rows; ++row) {
      const auto begin = numbers.begin() + row * columns + wanted.first;
      part.numbers.insert(part.numbers.end(), begin, begin + wanted.count);
    }
    return part;
  }
  void put(int64_t first_row, const Range& wanted, std::span<const float> from) {
    for (size_t i = 0; i < from.size(); ++i) {
      const auto row = first_row + static_cast<int64_t>(i) / wanted.count;
      const auto column = wanted.first + static_cast<int64_t>(i) % wanted.count;
      numbers.at(static_cast<size_t>(row * columns + column)) = from[i];
    }
  }
};

/// Everybody to everybody: strips of all samples become all of some, or the other way round.
class ShareOut final : public RingPart {
 public:
  ShareOut(Kernels& kernels, const Moving& moving, size_t own, size_t members)
      : to_samples_(moving.how == Exchange::samples),
        own_(own),
        strips_(moving.cut->own),
        before_{numbers_of(kernels, moving.array), moving.array.tensor.columns} {
    const auto n = static_cast<int64_t>(members);
    rows_ = to_samples_ ? moving.array.tensor.rows / n : moving.array.tensor.rows;
    after_.columns = to_samples_ ? strips_.back().end() : strips_[own].count;
    after_.numbers.resize(static_cast<size_t>((to_samples_ ? rows_ : n * rows_) * after_.columns));
    accept(own, piece(own).numbers);
  }
  int steps() const override { return static_cast<int>(strips_.size()) - 1; }
  size_t hop(int step) const override { return static_cast<size_t>(step) + 1; }
  Numbers outgoing(int step) const override {
    return piece((own_ + hop(step)) % strips_.size()).numbers;
  }
  int64_t expects(int step) const override {
    return rows_ * (to_samples_ ? strips_[before(step)].count : after_.columns);
  }
  void incoming(int step, std::span<const float> numbers) override {
    accept(before(step), numbers);
  }
  Array result(Kernels& kernels) override {
    return array_of(kernels, after_.numbers, after_.columns);
  }

 private:
  size_t before(int step) const { return (own_ + strips_.size() - hop(step)) % strips_.size(); }
  /// Returns the piece for a member.
  Block piece(size_t member) const {
    const auto first = static_cast<int64_t>(member) * rows_;
    return to_samples_ ? before_.cut(first, rows_, {0, before_.columns})
                       : before_.cut(0, rows_, strips_[member]);
  }
  /// Accepts the piece of a member.
  void accept(size_t member, std::span<const float> numbers) {
    if (to_samples_)
      after_.put(0, strips_[member], numbers);
    else
      after_.put(static_cast<int64_t>(member) * rows_, {0, after_.columns}, numbers);
  }

  bool to_samples_;
  size_t own_;
  std::vector<Range> strips_;
  int64_t rows_ = 0;  ///< of samples that a member has for itself
  Block before_, after_;
};

/// Rows to the next neighbour, then to the one before, where those are two.
class Halo final : public RingPart {
 public:
  Halo(Kernels& kernels, const Moving& moving, size_t own, size_t members)
      : home_(moving.how == Exchange::home),
        own_(own),
        from_(home_ ? moving.cut->want : moving.cut->own),
        to_(home_ ? moving.cut->own : moving.cut->want),
        rows_(moving.array.tensor.rows),
        before_{numbers_of(kernels, moving.array), moving.array.tensor.columns},
        after_{Numbers(static_cast<size_t>(rows_ * to_[own].count)), to_[own].count} {
    for (size_t i = 0; i < members; ++i)
      if (i != own && i != next(1) && i != next(members - 1))
        if (overlap(from_[own], to_[i]).count > 0)
          throw Failure("windows that reach over a whole strip cannot be run over processes");
    accept(own, piece(own));
  }
  int steps() const override { return from_.size() == 2 ? 1 : 2; }
  size_t hop(int step) const override { return step == 0 ? 1 : from_.size() - 1; }
  Numbers outgoing(int step) const override { return piece(next(hop(step))); }
  int64_t expects(int step) const override {
    return rows_ * overlap(from_[next(from_.size() - hop(step))], to_[own_]).count;
  }
  void incoming(int step, std::span<const float> numbers) override {
    accept(next(from_.size() - hop(step)), numbers);
  }
  Array result(Kernels& kernels) override {
    return array_of(kernels, after_.numbers, after_.columns);
  }

 private:
  size_t next(size_t hop) const { return (own_ + hop) % from_.size(); }
  Numbers piece(size_t member) const {
    Range part = overlap(from_[own_], to_[member]);
    part.first -= from_[own_].first;
    return before_.cut(0, rows_, part).numbers;
  }
  void accept(size_t member, std::span<const float> numbers) {
    Range part = overlap(from_[member], to_[own_]);
    part.first -= to_[own_].first;
    Block came{{numbers.begin(), numbers.end()}, part.count};
    const Block sum = after_.cut(0, rows_, part);  // 0 but where an adjoint has added already
    for (size_t i = 0; i < numbers.size(); ++i) came.numbers[i] += sum.numbers[i];
    after_.put(0, part, came.numbers);
  }

  bool home_;
  size_t own_;
  std::vector<Range> from_, to_;
  int64_t rows_;
  Block before_, after_;
};

std::unique_ptr<RingPart> part_of(Kernels& kernels, const Moving& moving, size_t own,
                                  size_t members) {
  switch (moving.how) {
    case Exchange::gather:
      return std::make_unique<RingGather>(kernels, moving, own, members);
    case Exchange::scatter:
      return std::make_unique<RingScatter>(kernels, moving, own, members);
    case Exchange::samples:
    case Exchange::strips:
      return std::make_unique<ShareOut>(kernels, moving, own, members);
    case Exchange::halo:
    case Exchange::home:
      return std::make_unique<Halo>(kernels, moving, own, members);
    default:
      return std::make_unique<RingSum>(kernels, moving, own, members);
  }
}

}  // namespace

RingExchange::RingExchange(Kernels& kernels, const std::vector<Moving>& moving, size_t own,
                           size_t members)
    : own_(own), members_(members) {
  for (const Moving& one : moving) parts_.push_back(part_of(kernels, one, own, members));
}

int RingExchange::steps() const {
  int most = 0;
  for (const auto& part : parts_) most = std::max(most, part->steps());
  return most;
}

size_t RingExchange::hop(int step) const {
  for (const auto& part : parts_)
    if (step < part->steps()) return part->hop(step);
  return 1;
}

Numbers RingExchange::outgoing(int step) const {
  Numbers all;
  for (const auto& part : parts_) {
    if (step >= part->steps()) continue;
    const Numbers own = part->outgoing(step);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void RingExchange::incoming(int step, std::span<const float> numbers) {
  int64_t expected = 0;
  for (const auto& part : parts_) expected += step < part->steps() ? part->expects(step) : 0;
  if (expected != static_cast<int64_t>(numbers.size()))
    throw Failure("a rank has sent other numbers than its group exchanges");
  for (const auto& part : parts_) {
    if (step >= part->steps()) continue;
    const auto count = static_cast<size_t>(part->expects(step));
    part->incoming(step, numbers.first(count));
    numbers = numbers.subspan(count);
  }
}

std::vector<Array> RingExchange::results(Kernels& kernels) {
  std::vector<Array> all;
  for (const auto& part : parts_) all.push_back(part->result(kernels));
  return all;
}

}  // namespace pipewright::live
