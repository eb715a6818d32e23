#include "calibrate/collectives/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "calibrate/measure/sampler.hpp"
#include "network/nccl/collective_table.hpp"

namespace pipewright::calibration {
namespace {

constexpr int element_bytes = sizeof(float);

std::vector<double> unpacked(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

/// Returns what each member measured, on all ranks.
std::vector<std::vector<double>> shared(transport::Session& session, const RankGroup& group,
                                        const std::vector<double>& own) {
  const auto all = session.exchange(transport::bytes_of(own.data(), own.size() * sizeof(double)));
  std::vector<std::vector<double>> members;
  for (const int member : group.members)
    members.push_back(unpacked(all[static_cast<size_t>(member)]));
  return members;
}

/// One group's points, one after the other.
class GroupRun {
 public:
  GroupRun(transport::Session& session, const RankGroup& group, Communicator* communicator,
           const CollectiveOptions& options)
      : session_(session), group_(group), communicator_(communicator), options_(options) {}

  MeasuredCollective measure(Operation operation, int64_t bytes) {
    const int ranks = static_cast<int>(group_.members.size());
    const int64_t count = elements(operation, bytes, element_bytes, ranks);
    run(operation, count, 1, 1);  // the first call makes buffers and connections
    const double once = slowest(run(operation, count, 2, 1));
    const int calls =
        static_cast<int>(std::clamp(std::ceil(options_.sample_s / std::max(once, 1e-7)), 1., 1e4));
    const int samples =
        static_cast<int>(std::clamp(options_.point_s / (once * calls),
                                    double(options_.least_samples), double(options_.most_samples)));
    const Measured timed = summarise(mean_of(run(operation, count, calls, samples)));
    MeasuredCollective measured{
        .p10_s = timed.p10_s, .p90_s = timed.p90_s, .samples = timed.repetitions, .calls = calls};
    measured.point = {.operation = std::string(name(operation)),
                      .type = "float",
                      .element_bytes = element_bytes,
                      .ranks = ranks,
                      .nodes = group_.hosts,
                      .bytes = {count * element_bytes},
                      .time_s = timed.median_s};
    return measured;
  }

 private:
  /// Seconds of a call: by member, then by sample.
  std::vector<std::vector<double>> run(Operation operation, int64_t count, int calls, int samples) {
    std::vector<double> own;
    for (int i = 0; communicator_ && i < samples; ++i) {
      own.push_back(communicator_->run(operation, count, calls) / calls);
      // Those who wait outside the group are to hear that this rank lives.
      ensure(!session_.poll(), "nobody sends while collectives are measured");
    }
    return shared(session_, group_, own);
  }

  static double slowest(const std::vector<std::vector<double>>& members) {
    double most = 0;
    for (const std::vector<double>& member : members) most = std::max(most, member.front());
    return most;
  }

  static std::vector<double> mean_of(const std::vector<std::vector<double>>& members) {
    std::vector<double> mean(members.front().size());
    for (const std::vector<double>& member : members)
      for (size_t i = 0; i < mean.size(); ++i)
        mean[i] += member[i] / static_cast<double>(members.size());
    return mean;
  }

  transport::Session& session_;
  const RankGroup& group_;
  Communicator* communicator_;
  const CollectiveOptions& options_;
};

/// Returns what every rank's two buffers fit into.
int64_t most_bytes(transport::Session& session, const Communicators& communicators,
                   const CollectiveOptions& options) {
  const int64_t own = communicators.most_bytes() / 2;
  int64_t least = options.most_bytes;
  for (const std::vector<std::byte>& said :
       session.exchange(transport::bytes_of(&own, sizeof own))) {
    int64_t bytes = 0;
    std::memcpy(&bytes, said.data(), sizeof bytes);
    least = std::min(least, bytes);
  }
  return std::max(least, options.least_bytes);
}

double bus_bandwidth_of(const interop::NcclPoint& point) {
  return bus_bandwidth({.operation = point.operation, .ranks = point.ranks},
                       {.bytes = point.bytes, .time_s = point.time_s});
}

}  // namespace

std::vector<MeasuredCollective> measure_collectives(transport::Session& session,
                                                    Communicators& communicators,
                                                    const CollectiveOptions& options,
                                                    const CollectiveDone& done) {
  const std::vector<RankGroup> groups = groups_of(session.hosts());
  const std::vector<int64_t> sizes =
      sizes_of(options.least_bytes, most_bytes(session, communicators, options), options.factor);
  const size_t points = groups.size() * sizes.size() * std::size(all_operations);
  std::vector<MeasuredCollective> all;
  for (const RankGroup& group : groups) {
    const std::unique_ptr<Communicator> communicator = communicators.join(group.members);
    GroupRun run(session, group, communicator.get(), options);
    for (const Operation operation : all_operations)
      for (const int64_t bytes : sizes) {
        all.push_back(run.measure(operation, bytes));
        if (session.is_first()) done(all.back(), all.size(), points);
      }
  }
  if (!session.is_first()) all.clear();
  return all;
}

std::string csv_of(const std::vector<MeasuredCollective>& all) {
  std::string text = "op,dtype,ranks,nodes,bytes,time_s,p10_s,p90_s,samples,calls\n";
  for (const MeasuredCollective& m : all)
    text += fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{},{}\n", m.point.operation,
                        m.point.type, m.point.ranks, m.point.nodes, m.point.bytes.count,
                        m.point.time_s, m.p10_s, m.p90_s, m.samples, m.calls);
  return text;
}

std::string summary_of(const std::vector<MeasuredCollective>& all) {
  std::string text =
      fmt::format("{:<16}{:>7}{:>7}{:>14}{:>22}\n", "operation", "ranks", "hosts", "least", "most");
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    const auto same = [&](const interop::NcclPoint& point) {
      const interop::NcclPoint& first = all[i].point;
      return point.operation == first.operation && point.ranks == first.ranks &&
             point.nodes == first.nodes;
    };
    while (end < all.size() && same(all[end].point)) ++end;
    const interop::NcclPoint &least = all[i].point, &most = all[end - 1].point;
    text +=
        fmt::format("{:<16}{:>7}{:>7}{:>11.2f} us{:>17.2f} GB/s\n", least.operation, least.ranks,
                    least.nodes, least.time_s * 1e6, bus_bandwidth_of(most) * 1e-9);
    i = end;
  }
  return text;
}

}  // namespace pipewright::calibration
