// Between two powers of two NCCL's expectations are lines over the size. Each is the least of all
// over one stretch of sizes at most, and a bisection finds where that begins.
#include "network/nccl/turning_points.hpp"

#include <algorithm>
#include <bit>

namespace pipewright {
namespace {

constexpr int doublings = 16;
constexpr double most_bytes = 1e18;

NcclChoice choice_at(const NcclTuning& tuning, NcclRequest request, int64_t bytes) {
  request.bytes.count = bytes;
  return choose(tuning, request);
}

bool is_same(const NcclChoice& a, const NcclChoice& b) {
  return a.algorithm == b.algorithm && a.protocol == b.protocol;
}

/// Returns the first size above `below` with the choice of `size`.
int64_t first_with_choice(const NcclTuning& tuning, const NcclRequest& request, int64_t below,
                          int64_t size) {
  const NcclChoice choice = choice_at(tuning, request, size);
  while (size - below > 1) {
    const int64_t middle = below + (size - below) / 2;
    (is_same(choice_at(tuning, request, middle), choice) ? size : below) = middle;
  }
  return size;
}

/// Returns the bytes/s that no collective reaches: switches that reduce double a link's, and links
/// of two directions or nodes do so once more.
double fastest(const NcclRequest& request) {
  return 4 * std::max(request.ring_bandwidth, request.node_bandwidth);
}

struct Sizes {
  int64_t below, last;
};

/// Adds the first sizes of the choices other than `before`, that of `sizes.below`, up to
/// `sizes.last`. `before` becomes the choice of `sizes.last`.
void add_between(const NcclTuning& tuning, const NcclRequest& request, Sizes sizes,
                 NcclChoice& before, std::vector<Bytes>& points) {
  const NcclChoice first = before;
  int64_t last = sizes.last;
  if (last > sizes.below) before = choice_at(tuning, request, last);
  while (last > sizes.below && !is_same(choice_at(tuning, request, last), first)) {
    points.push_back({first_with_choice(tuning, request, sizes.below, last)});
    last = points.back().count - 1;
  }
}

}  // namespace

std::vector<Bytes> turning_points(const NcclTuning& tuning, const NcclRequest& request,
                                  double most_s) {
  std::vector<Bytes> points;
  int64_t below = request.bytes.count;
  NcclChoice before = choose(tuning, request);
  const double most = std::min(most_s * fastest(request), most_bytes);
  auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(below)));
  for (int doubling = 0; doubling < doublings && power < most; ++doubling) {
    power = std::max<int64_t>(1, 2 * power);
    add_between(tuning, request, {below, power - 1}, before, points);
    const NcclChoice choice = choice_at(tuning, request, power);
    if (choice.algorithm == NcclAlgorithm::tree || !is_same(choice, before))
      points.push_back({power});
    before = choice;
    below = power;
  }
  return points;
}

}  // namespace pipewright
