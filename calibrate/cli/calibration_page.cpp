#include "calibrate/cli/calibration_page.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "calibrate/fit/kernels.hpp"
#include "calibrate/measure/point_work.hpp"
#include "cost/profile_cost.hpp"
#include "report/page/page.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the seconds as a benchmark measures them, and nothing where the device has no peak for
/// the point.
Json predicted_seconds(const ProfileCost& cost, const calibration::Point& point) {
  const Device& device = cost.profile().device;
  const std::optional<Work> work = calibration::work_of(point);
  if (!work || (work->flops > 0 && !device.peak_at(work->dtype))) return nullptr;
  return in_seconds(cost.duration(*work, device));
}

/// Adds what the kernel computes and moves, for the roofline; nothing where nobody knows.
void add_work(const ProfileCost& cost, const calibration::Point& point, Json& j) {
  const std::optional<Work> work = calibration::work_of(point);
  if (!work || !cost.profile().device.peak_at(work->dtype)) return;
  j["flops"] = work->flops;
  j["bytes"] = (work->read + work->written).count;
  j["dtype"] = name_of(work->dtype);
}

Json json(const ProfileCost& cost, const calibration::Measured& m) {
  Json j = {{"what", to_text(m.point)},
            {"kernel", m.point.kernel},
            {"measured_s", m.median_s},
            {"p10_s", m.p10_s},
            {"p90_s", m.p90_s},
            {"predicted_s", predicted_seconds(cost, m.point)},
            {"repetitions", m.repetitions},
            {"outliers", m.outliers},
            {"steady", m.steady}};
  add_work(cost, m.point, j);
  return j;
}

/// Returns the roofs of the device: the peak of each type of numbers, over its memory's bandwidth.
Json roofs(const Device& device) {
  Json j = {{"bytes_per_s", device.memory_bandwidth.bytes_per_s}, {"flops_per_s", Json::object()}};
  for (size_t type = 0; type < device.peak.size(); ++type)
    if (const auto peak = device.peak[type])
      j["flops_per_s"][name_of(static_cast<DType>(type))] = peak->flops_per_s;
  return j;
}

Json held_out(const Profile& profile) {
  Json all = Json::array();
  for (const GemmProfile& family : profile.gemm) {
    for (const fit::Guess& guess : fit::unseen_products(family.model.points(), profile.device)) {
      const auto& [n, k, m, unused, also_unused] = guess.sample.sizes;
      all.push_back({{"dtype", name_of(family.model.dtype())},
                     {"m", m},
                     {"n", n},
                     {"k", k},
                     {"measured_s", guess.sample.seconds},
                     {"predicted_s", guess.seconds}});
    }
  }
  return all;
}

Json json(const Conditions& conditions) {
  const Steadiness& steadiness = conditions.steadiness;
  Json j = {{"launch_s", conditions.launch_s},
            {"first_allocation_s", conditions.first_allocation_s},
            {"next_allocation_s", conditions.next_allocation_s},
            {"first_clock_hz", steadiness.first_clock_hz},
            {"last_clock_hz", steadiness.last_clock_hz},
            {"slowdown", steadiness.slowdown},
            {"stolen", steadiness.stolen},
            {"load", steadiness.load},
            {"verdict", steadiness.verdict()},
            {"ranks", conditions.spread.ranks},
            {"slowest", conditions.spread.slowest},
            {"beside", Json::array()},
            {"cache", Json::array()}};
  for (const BesideTime& time : conditions.beside)
    j["beside"].push_back({{"kernel", time.kernel},
                           {"what", time.what},
                           {"channels", time.channels},
                           {"alone_s", time.alone_s},
                           {"beside_s", time.beside_s},
                           {"slowdown", time.slowdown()},
                           {"moved_bytes_per_s", time.bytes_per_s}});
  for (const CacheTime& time : conditions.cache)
    j["cache"].push_back({{"kernel", time.kernel}, {"hot_s", time.hot_s}, {"cold_s", time.cold_s}});
  return j;
}

}  // namespace

void write_html(const Profile& profile, const std::vector<calibration::Measured>& measured,
                std::ostream& out) {
  Profile benchmark = profile;
  benchmark.steady = 1;
  const ProfileCost cost(std::move(benchmark));
  Json j = {{"device", profile.device.name}, {"points", Json::array()}};
  for (const calibration::Measured& m : measured) j["points"].push_back(json(cost, m));
  j["roofs"] = roofs(profile.device);
  j["held_out"] = held_out(profile);
  if (profile.conditions) j["conditions"] = json(*profile.conditions);
  write_page({.kind = "calibration",
              .title = "Calibration of " + profile.device.name,
              .results = dump_json(j)},
             out);
}

}  // namespace pipewright::cli
