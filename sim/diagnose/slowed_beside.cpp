#include "diagnose/slowed_beside.hpp"

#include <algorithm>
#include <cmath>

namespace pipewright::diagnose {
namespace {

/// One more parameter that means nothing lowers the mean square of what is left by less in 19 cases
/// of 20: the 95th percentile of F with one and many degrees of freedom.
constexpr double by_chance = 3.84;
/// Sums of products differ by so much though nothing does.
constexpr double rounded_away = 1e-12;
/// The part is found to within this.
constexpr double exact = 1e-4;

}  // namespace

void SlowedBeside::add(const RunSlice& piece, Time beside) {
  passes_[{piece.stage, piece.kind, piece.micro_batch, piece.slice}][piece.rank].push_back(
      {in_seconds(piece.end - piece.start), in_seconds(beside)});
  communicates_ = communicates_ || beside > Time{};
}

/// Pieces that are held against those of another rank.
double SlowedBeside::compared() const {
  double pieces = 0;
  for (const auto& [pass, ranks] : passes_) {
    const Pieces& first = ranks.begin()->second;
    for (const auto& [rank, own] : ranks)
      if (&own != &first && own.size() == first.size()) pieces += static_cast<double>(own.size());
  }
  return pieces;
}

/// The squares that are left when every rank has the factor that fits it best.
double SlowedBeside::left_over(double part) const {
  const auto alone = [&](const Piece& one) { return one.length_s - part * one.beside_s; };
  struct Sums {
    double own = 0, both = 0, first = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, Sums> pairs;
  for (const auto& [pass, ranks] : passes_) {
    const auto& [first_rank, first] = *ranks.begin();
    for (const auto& [rank, own] : ranks) {
      if (own.size() != first.size()) continue;
      Sums& sums = pairs[{first_rank, rank}];
      for (size_t i = 0; i < own.size(); ++i) {
        sums.own += alone(own[i]) * alone(own[i]);
        sums.both += alone(own[i]) * alone(first[i]);
        sums.first += alone(first[i]) * alone(first[i]);
      }
    }
  }
  double left = 0;
  for (const auto& [pair, sums] : pairs)
    if (sums.own > 0 && sums.first > 0) left += 1 - sums.both * sums.both / (sums.own * sums.first);
  return left;
}

double SlowedBeside::part() const {
  if (!communicates_ || compared() == 0) return 0;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = 0, high = 1;
  while (high - low > exact) {
    const double one = high - golden * (high - low), other = low + golden * (high - low);
    if (left_over(one) <= left_over(other))
      high = other;
    else
      low = one;
  }
  const double found = (low + high) / 2, left = left_over(found);
  const double spared = left_over(0) - left;
  const bool tells = spared > rounded_away && spared * compared() > by_chance * left;
  return low < exact || !tells ? 0 : found;
}

SlowedCompute slowed_compute(const RunTrace& trace, const WeightGathers& gathers) {
  SlowedBeside found;
  std::vector<Time> beside;
  for (const RunSlice& slice : trace.slices) {
    beside.push_back(is_pass(slice.kind) ? gathers.beside(slice.rank, slice.start, slice.end)
                                         : Time{});
    if (is_pass(slice.kind) && slice.kind != RunSliceKind::pair) found.add(slice, beside.back());
  }
  SlowedCompute slowed{.part = found.part(), .longer = {}};
  for (const Time one : beside) slowed.longer.push_back(seconds(slowed.part * in_seconds(one)));
  return slowed;
}

}  // namespace pipewright::diagnose
