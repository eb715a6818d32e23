#include "engine/op_series.hpp"

#include <algorithm>
#include <numeric>

namespace pipewright {
namespace {

/// The ops of one rank and type that have the same peer and slice.
struct Likes {
  uint32_t peer = none;
  int16_t slice = 0;
  uint32_t next = none;  ///< others of the rank and type
};

/// Numbers the likes of a program. Most ranks have one of each type.
class Numbering {
 public:
  explicit Numbering(const Program& program)
      : program_(program), first_(program.ranks.size() * program.types.size(), none) {}

  uint32_t of(OpId id) {
    const Op& op = program_.ops[id];
    const uint32_t peer = program_.type(id).paired ? none : op.peer;  // else the number of the pair
    uint32_t* found = &first_[op.rank * program_.types.size() + op.type];
    while (*found != none && (all_[*found].peer != peer || all_[*found].slice != op.slice))
      found = &all_[*found].next;
    if (*found != none) return *found;
    const auto number = static_cast<uint32_t>(all_.size());
    *found = number;
    all_.push_back({peer, op.slice});
    return number;
  }
  size_t count() const { return all_.size(); }

 private:
  const Program& program_;
  std::vector<uint32_t> first_;  // by rank and type
  std::vector<Likes> all_;
};

/// Sorts likes by micro-batch and adds them to `all`, the k-th of every micro-batch as a series.
void add_series(const Program& program, std::span<OpId> likes, OpSeries& all) {
  const auto micro_batch = [&](OpId op) { return program.ops[op].micro_batch; };
  if (!std::ranges::is_sorted(likes, {}, micro_batch))
    std::ranges::stable_sort(likes, {}, micro_batch);
  std::vector<std::vector<OpId>> series;  // by k
  size_t kth = 0;
  for (size_t n = 0; n < likes.size(); ++n) {
    kth = n > 0 && micro_batch(likes[n]) == micro_batch(likes[n - 1]) ? kth + 1 : 0;
    if (kth == series.size()) series.emplace_back();
    series[kth].push_back(likes[n]);
  }
  for (const std::vector<OpId>& one : series) {
    all.offset.push_back(all.ops.size());
    all.ops.insert(all.ops.end(), one.begin(), one.end());
  }
}

}  // namespace

OpSeries series_of(const Program& program) {
  Numbering numbering(program);
  std::vector<uint32_t> number(program.ops.size());
  for (OpId op = 0; op < number.size(); ++op) number[op] = numbering.of(op);
  std::vector<size_t> end(numbering.count() + 1);
  for (const uint32_t one : number) ++end[one + 1];
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<OpId> likes(number.size());
  for (OpId op = 0; op < number.size(); ++op) likes[end[number[op]]++] = op;
  OpSeries all;
  all.ops.reserve(likes.size());
  size_t begin = 0;
  for (size_t k = 0; k < numbering.count(); ++k) {
    add_series(program, std::span(likes).subspan(begin, end[k] - begin), all);
    begin = end[k];
  }
  all.offset.push_back(all.ops.size());
  return all;
}

}  // namespace pipewright
