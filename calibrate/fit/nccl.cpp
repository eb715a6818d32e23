// Each algorithm and protocol is a family with its own parameters and points; which family a point
// belongs to is NCCL's choice and does not depend on what is fitted. A parameter x is fitted as
// log x, so that it stays positive, with a weak pull to its default:
//
//   sum over points of Huber(log(predicted / measured), 5 %)  +  sum over x of (0.02 log(x / x0))^2
#include "calibrate/fit/nccl.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/required.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "network/nccl/operations.hpp"

namespace pipewright::fit {
namespace {

using interop::NcclPoint;

constexpr double knee = 0.05, pull = 0.02;
constexpr int folds = 5;
constexpr int64_t least_scored = 1024;

enum class Family : uint8_t { ll, ll128, simple, in_switch, pairs };
constexpr Family families[] = {Family::ll, Family::ll128, Family::simple, Family::in_switch,
                               Family::pairs};

Family family_of(const CollectiveProfile& profile, const NcclPoint& point) {
  if (operation_of(request_of(profile, point).kind).pairs) return Family::pairs;
  const NcclChoice choice = choose(profile.tuning, request_of(profile, point));
  if (choice.algorithm == NcclAlgorithm::nvls) return Family::in_switch;
  return static_cast<Family>(choice.protocol);
}

/// The parameters of a family, in place.
std::vector<double*> parameters(CollectiveProfile& profile, Family family) {
  if (family == Family::in_switch) {
    SwitchTimes& s = required(profile.in_switch, "a switch that was measured");
    return {&s.base_s, &s.early_bandwidth, &s.late_s, &s.bandwidth};
  }
  if (family == Family::pairs) {
    PairTimes& p = profile.pairs;
    return {&p.base_s,    &p.doubling_s, &p.first_bandwidth, &p.early_bandwidth, &p.late_s,
            &p.bandwidth, &p.own};
  }
  RingTimes& r = profile.ring[static_cast<size_t>(family)];
  std::vector<double*> all = {&r.base_s,         &r.hop_s,           &r.channel_bandwidth,
                              &r.one_byte,       &r.ends.all_gather, &r.ends.reduce_scatter,
                              &r.ends.all_reduce};
  if (family == Family::ll) all.push_back(&r.first_bandwidth);
  return all;
}

void set_defaults(CollectiveProfile& profile) {
  const NcclTuning& tuning = profile.tuning;
  constexpr PerProtocol shares = {0.45, 0.7, 0.78};  // of the links, all channels
  for (size_t p = 0; p < nccl_protocols; ++p) {
    RingTimes& ring = profile.ring[p];
    ring.base_s = tuning.ring_base_s[p];
    ring.hop_s = tuning.nvlink.ring[p];
    ring.channel_bandwidth = shares[p] * profile.link_bandwidth / tuning.channels;
    ring.one_byte = 0.1;
    ring.first_bandwidth = p == 0 ? ring.channel_bandwidth : 0;
  }
  const double link = profile.link_bandwidth;
  profile.pairs = {.base_s = 8e-6,
                   .doubling_s = 1e-6,
                   .first_bandwidth = 10e9,
                   .early_bandwidth = 0.5 * link,
                   .late_s = 5e-6,
                   .bandwidth = 0.7 * link,
                   .own = 0.4};
  if (tuning.nvls.efficiency > 0) {
    profile.in_switch = SwitchTimes{.base_s = tuning.nvlink.nvls_s,
                                    .early_bandwidth = 0.4 * link,
                                    .late_s = 20e-6,
                                    .bandwidth = 0.55 * link};
  }
}

std::vector<double> logarithms(const std::vector<double*>& all) {
  std::vector<double> values;
  for (const double* x : all) values.push_back(std::log(*x));
  return values;
}

void assign(const std::vector<double*>& all, const std::vector<double>& logarithms) {
  for (size_t i = 0; i < all.size(); ++i) *all[i] = std::exp(std::clamp(logarithms[i], -60., 60.));
}

/// Starts from the defaults, not from an earlier fit, which may have seen what is held out now.
void fit_family(CollectiveProfile& profile, Family family, const std::vector<NcclPoint>& points) {
  std::vector<NcclPoint> own;
  for (const NcclPoint& point : points)
    if (family_of(profile, point) == family) own.push_back(point);
  if (own.empty()) return;
  CollectiveProfile defaults = profile;
  set_defaults(defaults);
  const std::vector<double*> all = parameters(profile, family);
  const std::vector<double> start = logarithms(parameters(defaults, family));
  const Residuals residuals = [&](const std::vector<double>& values) {
    assign(all, values);
    std::vector<double> misses;
    for (const NcclPoint& point : own)
      misses.push_back(robust(std::log(predicted_s(profile, point) / point.time_s), knee));
    for (size_t i = 0; i < all.size(); ++i) misses.push_back(pull * (values[i] - start[i]));
    return misses;
  };
  assign(all, least_squares(residuals, start));
}

using Shape = std::tuple<std::string, int, int64_t>;

/// A fold for each shape, the same whatever the order of points.
std::map<Shape, int> folds_of(const std::vector<NcclPoint>& points) {
  std::map<Shape, int> fold;
  for (const NcclPoint& point : points) fold[{point.operation, point.ranks, point.bytes.count}] = 0;
  uint64_t state = 0x9e3779b97f4a7c15;
  for (auto& [shape, number] : fold) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // xorshift, Marsaglia (2003)
    number = static_cast<int>(state % folds);
  }
  return fold;
}

}  // namespace

CollectiveProfile fit_collectives(CollectiveProfile profile, const std::vector<NcclPoint>& points) {
  if (profile.ring[0].channel_bandwidth == 0) set_defaults(profile);
  for (const Family family : families) fit_family(profile, family, points);
  if (!points.empty()) {
    const auto [least, most] = std::minmax_element(
        points.begin(), points.end(),
        [](const NcclPoint& a, const NcclPoint& b) { return a.bytes < b.bytes; });
    profile.least_bytes = least->bytes.count;
    profile.most_bytes = most->bytes.count;
  }
  return profile;
}

HeldOut held_out_error(const CollectiveProfile& start, const std::vector<NcclPoint>& points) {
  std::map<Shape, int> fold = folds_of(points);
  std::vector<double> errors;
  for (int left_out = 0; left_out < folds; ++left_out) {
    std::vector<NcclPoint> known, unseen;
    for (const NcclPoint& point : points) {
      const bool out = fold[{point.operation, point.ranks, point.bytes.count}] == left_out;
      (out ? unseen : known).push_back(point);
    }
    const CollectiveProfile profile = fit_collectives(start, known);
    for (const NcclPoint& point : unseen)
      if (point.bytes.count >= least_scored)
        errors.push_back(predicted_s(profile, point) / point.time_s - 1);
  }
  return summary_of(std::move(errors));
}

}  // namespace pipewright::fit
