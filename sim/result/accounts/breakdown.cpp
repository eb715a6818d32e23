#include "result/accounts/breakdown.hpp"

#include <algorithm>
#include <numeric>

namespace pipewright {
namespace {

__extension__ using Wide = __int128;

constexpr size_t places = compute_kinds + traffic_kinds + 2;

/// The parts of a breakdown as one list.
std::array<int64_t, places> listed(const Breakdown& breakdown) {
  std::array<int64_t, places> list{};
  size_t k = 0;
  for (const Time time : breakdown.compute) list[k++] = time.ps;
  for (const Time time : breakdown.exposed) list[k++] = time.ps;
  list[k++] = breakdown.host.ps;
  list[k++] = breakdown.bubble.ps;
  return list;
}

Breakdown from_list(const std::array<int64_t, places>& list) {
  Breakdown breakdown;
  size_t k = 0;
  for (Time& time : breakdown.compute) time.ps = list[k++];
  for (Time& time : breakdown.exposed) time.ps = list[k++];
  breakdown.host.ps = list[k++];
  breakdown.bubble.ps = list[k++];
  return breakdown;
}

/// Returns the parts numerators / denominator as whole numbers whose sum is `total`, the sum of the
/// exact parts: Hamilton's method of largest remainders.
std::array<int64_t, places> rounded(const std::array<Wide, places>& numerators, Wide denominator,
                                    int64_t total) {
  std::array<int64_t, places> parts{};
  std::array<size_t, places> order{};
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t k = 0; k < places; ++k) parts[k] = static_cast<int64_t>(numerators[k] / denominator);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return numerators[a] % denominator > numerators[b] % denominator;
  });
  int64_t left = total - std::accumulate(parts.begin(), parts.end(), int64_t{0});
  for (size_t k = 0; left > 0; ++k, --left) ++parts[order[k]];
  return parts;
}

Time sum(std::span<const Time> times) {
  return std::accumulate(times.begin(), times.end(), Time{});
}

}  // namespace

const char* name_of(ComputeKind kind) {
  constexpr const char* names[] = {"forward",   "backward",  "input_gradient", "weight_gradient",
                                   "recompute", "optimizer", "other"};
  return names[static_cast<size_t>(kind)];
}

Time Breakdown::computing() const { return sum(compute); }
Time Breakdown::communicating() const { return sum(exposed); }

void Breakdown::add(const Breakdown& other, int64_t times) {
  std::array<int64_t, places> sums = listed(*this);
  const std::array<int64_t, places> added = listed(other);
  for (size_t k = 0; k < places; ++k) sums[k] += times * added[k];
  *this = from_list(sums);
}

Breakdown mean(std::span<const WeighedBreakdown> parts) {
  if (parts.empty()) return {};
  std::array<Wide, places> sums{};
  Wide weight = 0;
  for (const WeighedBreakdown& part : parts) {
    const std::array<int64_t, places> list = listed(part.breakdown);
    for (size_t k = 0; k < places; ++k) sums[k] += Wide{list[k]} * part.weight;
    weight += part.weight;
  }
  return from_list(rounded(sums, weight, parts.front().breakdown.total().ps));
}

Breakdown scaled(const Breakdown& breakdown, Time to) {
  const Time from = breakdown.total();
  if (from == to) return breakdown;
  if (from.ps == 0) return {.bubble = to};
  std::array<Wide, places> products{};
  const std::array<int64_t, places> list = listed(breakdown);
  for (size_t k = 0; k < places; ++k) products[k] = Wide{list[k]} * to.ps;
  return from_list(rounded(products, from.ps, to.ps));
}

}  // namespace pipewright
