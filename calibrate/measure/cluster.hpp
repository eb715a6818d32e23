// Every device and every pair of a cluster, measured, and who does not belong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/measure/bench.hpp"
#include "calibrate/measure/health.hpp"
#include "calibrate/measure/pairs.hpp"

namespace pipewright::calibration {

/// One device, by one rank.
struct DeviceRow {
  std::string host, name;
  double flops_per_s = 0, bytes_per_s = 0;  ///< of a large product, of a large copy
  double spread = 0;                        ///< of the product's time, see Measured::spread
  std::optional<Health> health;             ///< while it worked
};
DeviceRow measure_device(Bench& bench);

struct MeasuredCluster {
  std::vector<DeviceRow> devices;  ///< by rank
  std::vector<PairTimes> pairs;    ///< from rank r to s at r * devices + s
};

/// Returns what each rank measured, from all to all. All ranks come here together.
MeasuredCluster gather(transport::Session& session, const DeviceRow& own,
                       const std::vector<PairTimes>& to);

/// Returns who does not belong and why, in words, a line each. Pairs are held against pairs of
/// their kind: of one host, or of two.
std::vector<std::string> findings(const MeasuredCluster& cluster);

/// Returns the cluster with its matrices, as a YAML document for an experiment.
std::string cluster_yaml(const MeasuredCluster& cluster, const std::string& name);
/// The devices that are slow, as an experiment's `stragglers`; empty where there are none.
std::string stragglers_yaml(const MeasuredCluster& cluster);
/// A line a device, with a header.
std::string devices_csv(const MeasuredCluster& cluster);

}  // namespace pipewright::calibration
