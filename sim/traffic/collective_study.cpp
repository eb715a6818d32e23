#include "traffic/collective_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "machine/collective_profile.hpp"
#include "network/collectives/collective.hpp"
#include "network/footprint.hpp"
#include "network/nccl/model.hpp"
#include "network/nccl/operations.hpp"
#include "result/ranges.hpp"

namespace pipewright {
namespace {

using collective::Algorithm;

/// Returns the kind of the operation; empty for send_recv.
std::optional<CollectiveKind> kind_of(const std::string& operation) {
  if (const NcclOperation* known = find_operation(operation)) return known->kind;
  std::vector<std::string_view> names;
  for (const NcclOperation& known : nccl_operations()) names.push_back(known.name);
  std::string hint = did_you_mean(operation, names);
  if (hint.empty()) hint = "; there are: " + join(names);
  throw InputError(fmt::format("unknown operation '{}'{}", operation, hint));
}

const Algorithm& algorithm_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : collective::algorithms()) {
    names.push_back(algorithm->name);
    if (algorithm->name == name) return *algorithm;
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "; there are: " + join(names);
  throw InputError(fmt::format("unknown algorithm '{}'{}", name, hint));
}

std::vector<int> first_devices(const Cluster& cluster, int ranks) {
  if (ranks > cluster.devices()) {
    throw InputError(
        fmt::format("{} ranks, but the cluster has {} devices", ranks, cluster.devices()));
  }
  std::vector<int> devices(static_cast<size_t>(ranks == 0 ? cluster.devices() : ranks));
  std::iota(devices.begin(), devices.end(), 0);
  if (devices.size() < 2) throw InputError("a collective needs at least two devices");
  return devices;
}

/// Returns the algorithms that serve a collective, as the end of a message.
std::string able(std::optional<CollectiveKind> kind, const collective::Members& members) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : collective::algorithms())
    if (kind && algorithm->serves(*kind, members)) names.push_back(algorithm->name);
  return names.empty() ? "; no algorithm can" : "; these can: " + join(names);
}

/// Fills in the times of one algorithm over links that carry what their data sheets say.
void by_algorithm(CollectiveTable& table, const CollectiveQuestion& question,
                  const Topology& topology, std::span<const int> devices) {
  const std::optional<CollectiveKind> kind = kind_of(question.operation);
  const Algorithm& algorithm = algorithm_named(question.algorithm);
  const collective::Members members = collective::members_on(topology, devices);
  if (!kind || !algorithm.serves(*kind, members)) {
    throw InputError(fmt::format("'{}' cannot do {} over {} ranks on {} nodes{}", algorithm.name,
                                 question.operation, members.size(), members.node_count(),
                                 able(kind, members)));
  }
  table.by = fmt::format("none: {} over the links' data sheets{}", algorithm.name,
                         question.expand ? ", message by message" : "");
  const std::vector<Time> times =
      question.expand ? expanded_times(topology, members, algorithm, *kind, question.sizes)
                      : fluid_times(topology, members, algorithm, *kind, question.sizes);
  for (size_t i = 0; i < times.size(); ++i)
    table.rows.push_back({.bytes = question.sizes[i], .time_s = in_seconds(times[i])});
}

/// Returns the neighbours that a ring of messages waits for, in which every rank sends to the next
/// as sendrecv_perf has them: two on different nodes where there are such.
std::span<const int> farthest(const Cluster& cluster, std::span<const int> devices) {
  const auto node = [&](int device) { return cluster.node_of[static_cast<size_t>(device)]; };
  for (size_t i = 0; i + 1 < devices.size(); ++i)
    if (node(devices[i]) != node(devices[i + 1])) return devices.subspan(i, 2);
  return devices.first(2);
}

void by_profiles(CollectiveTable& table, const CollectiveQuestion& question,
                 const GroupProfiles& profiles, const Cluster& cluster,
                 std::span<const int> devices) {
  const std::optional<CollectiveKind> kind = kind_of(question.operation);
  NcclRequest request = request_on(cluster.topology, kind ? devices : farthest(cluster, devices));
  if (!cluster.measured) request.release = cluster.nccl;
  request.kind = kind.value_or(CollectiveKind::all_to_all);
  request.element_bytes = table.element_bytes;
  for (const Bytes bytes : question.sizes) {
    request.bytes = bytes;
    const NcclTime time =
        kind ? nccl_time(profiles, request) : nccl_message_time(profiles, request);
    CollectiveRow row{.bytes = bytes, .time_s = time.total_s()};
    row.moving_s = time.moving_s;
    if (!operation_of(request.kind).pairs) row.choice = time.choice;
    row.extrapolated = std::ranges::any_of(profiles, [&](const CollectiveProfile* profile) {
      return bytes.count < profile->least_bytes || bytes.count > profile->most_bytes;
    });
    table.rows.push_back(row);
  }
}

void by_links(CollectiveTable& table, const CollectiveQuestion& question, const Cluster& cluster,
              std::span<const int> devices) {
  const std::optional<CollectiveKind> kind = kind_of(question.operation);
  const AlphaBeta links(cluster.topology);
  const std::span<const int> pair = farthest(cluster, devices);
  const auto time_of = [&](Bytes bytes) {
    return in_seconds(kind ? links.collective(*kind, devices, bytes)
                           : links.transfer(pair[0], pair[1], bytes));
  };
  for (const Bytes bytes : question.sizes) {
    CollectiveRow row{.bytes = bytes, .time_s = time_of(bytes)};
    row.moving_s = row.time_s - time_of({});
    table.rows.push_back(row);
  }
}

/// Multiplies times by what was measured on the network, over what is predicted of that.
void by_measurement(CollectiveTable& table, const NetworkProfile& known, DeviceProfiles profiles,
                    const Cluster& cluster, std::span<const int> devices) {
  CollectiveTimes times(cluster.topology, std::move(profiles));
  times.measured(known);
  const MeasuredNetwork& measured = *times.measured();
  table.by += describe(&measured, cluster, table.operation);
  const std::optional<CollectiveKind> kind = kind_of(table.operation);
  const std::span<const int> pair = farthest(cluster, devices);
  const int most = measured.most_nodes(table.operation);
  if (table.nodes > 1 && table.nodes > most)
    table.beyond = {most, deviation_beyond(1 - double(most) / table.nodes)};
  for (CollectiveRow& row : table.rows) {
    const double factor =
        kind ? times.factor(*kind, devices, row.bytes) : times.factor(pair[0], pair[1], row.bytes);
    row.time_s *= factor;
    row.moving_s *= factor;
    row.extrapolated = table.beyond.has_value();
  }
}

/// Its own messages share links, as those of the same collective in an experiment do.
void share_links(CollectiveTable& table, CollectiveKind kind, const Topology& topology,
                 std::span<const int> devices) {
  const LinkFootprint footprint = collective_footprint(topology, kind, devices);
  for (CollectiveRow& row : table.rows) {
    const double fixed_s = row.time_s - row.moving_s;
    row.moving_s = moving_on_links_s(topology, footprint, row.bytes, row.moving_s);
    row.time_s = fixed_s + row.moving_s;
  }
}

void add_draws(CollectiveTable& table, const RouteDraws& draws, const Topology& topology,
               std::span<const int> devices) {
  const std::vector<double> sorted = slowdowns(topology, devices, draws);
  const double median = quantile(sorted, 0.5) - 1, high = quantile(sorted, 0.95) - 1;
  for (CollectiveRow& row : table.rows) {
    row.p50_s = row.time_s + row.moving_s * median;
    row.p95_s = row.time_s + row.moving_s * high;
  }
}

/// Tells whether a network profile holds the very time that was measured of a row.
bool holds(const NetworkProfile& profile, const CollectiveTable& table, const CollectiveRow& row) {
  constexpr double written = 1e-6;  // how exactly a file says a time
  const auto has_row = [&](const MeasuredTime& known) {
    return row.measured_s && known.bytes == static_cast<double>(row.bytes.count) &&
           std::abs(known.time_s - *row.measured_s) <= written * known.time_s;
  };
  return std::ranges::any_of(profile.curves, [&](const MeasuredCurve& curve) {
    return curve.operation == table.operation && curve.nodes == table.nodes &&
           curve.ranks_per_node * curve.nodes == table.ranks &&
           std::ranges::any_of(curve.times, has_row);
  });
}

void check_draws(const CollectiveQuestion& question) {
  if (!question.draws) return;
  if (!question.algorithm.empty())
    throw InputError("--routing draws the rails of NCCL's rings: not with --algorithm");
  const NcclOperation* operation = find_operation(question.operation);
  if (operation && operation->pairs)
    throw InputError(
        fmt::format("--routing draws the rails of rings, which {} has not", question.operation));
}

}  // namespace

CollectiveTable ask(const CollectiveQuestion& question, const Cluster& cluster,
                    const std::string& cluster_name, const config::Catalogue& catalogue) {
  check_draws(question);
  CollectiveTable table{.cluster = cluster_name, .operation = question.operation};
  const std::optional<CollectiveKind> kind = kind_of(question.operation);
  const std::vector<int> devices =
      first_devices(cluster, !kind && question.ranks == 0 ? 2 : question.ranks);
  table.type = question.type;
  const std::optional<int> size = interop::element_bytes(question.type);
  if (!size) throw InputError(fmt::format("unknown type '{}'", question.type));
  table.element_bytes = *size;
  table.ranks = static_cast<int>(devices.size());
  table.nodes = collective::members_on(cluster.topology, devices).node_count();
  if (!question.algorithm.empty()) {
    by_algorithm(table, question, cluster.topology, devices);
    return table;
  }
  DeviceProfiles known = collective_profiles_of(cluster, catalogue);
  const GroupProfiles profiles = known.of(devices);
  table.by = describe(profiles);
  if (profiles.empty())
    by_links(table, question, cluster, devices);
  else
    by_profiles(table, question, profiles, cluster, devices);
  if (const std::optional<NetworkProfile> measured = network_profile_of(cluster))
    by_measurement(table, *measured, std::move(known), cluster, devices);
  if (kind) share_links(table, *kind, cluster.topology, devices);
  if (question.draws) add_draws(table, *question.draws, cluster.topology, devices);
  return table;
}

void set_against(CollectiveTable& table, const std::vector<interop::NcclPoint>& points,
                 const Cluster& cluster) {
  const std::optional<NetworkProfile> profile = network_profile_of(cluster);
  for (CollectiveRow& row : table.rows) {
    for (const interop::NcclPoint& point : points)
      if (point.bytes == row.bytes) row.measured_s = point.time_s;
    row.is_known = profile && holds(*profile, table, row);
  }
}

}  // namespace pipewright
