#include "run/packet_contention.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/required.hpp"
#include "run/shared_links.hpp"

namespace pipewright {
namespace {

/// A core moves at least so many packets over ports in a second; tests/perf/README.md has figures.
constexpr double crossings_a_second = 5e6;

/// All packets of a flow may be in flight at once, some 100 bytes each.
constexpr double most_of_a_flow = 50e6;

void check_number(const PacketLinks& links, const PacketPlan& plan) {
  if (plan.most_of_a_flow > most_of_a_flow)
    throw Misfit(links.where,
                 fmt::format("a message would be {:.2g} packets of {} B, where a flow has at most "
                             "{:.0g}. A larger 'mtu' makes fewer",
                             plan.most_of_a_flow, plan.options.mtu.count, most_of_a_flow));
  const double all = plan.crossings * links.runs;
  if (all <= most_crossings) return;
  throw Misfit(
      links.where,
      fmt::format(
          "{:.2g} packets of {} B would go between nodes in {} run{}, each over {:.1f} ports. That "
          "takes {:.1f} hours on a core, and at most {:.0f} minutes are simulated. A larger 'mtu' "
          "makes fewer packets{}, 'network: flow' none",
          plan.packets * links.runs, plan.options.mtu.count, links.runs, links.runs == 1 ? "" : "s",
          plan.crossings / plan.packets, all / crossings_a_second / 3600,
          most_crossings / crossings_a_second / 60,
          links.runs == 1 ? "" : ", fewer 'seeds' fewer runs"));
}

/// Tells whether all bytes cross the links where `network: flow` lays them.
bool all_bytes_arrive(const PacketOptions& options) {
  return options.transport == Transport::reliable && !options.spray;
}

}  // namespace

Contention packet_contention(const PacketProgram& run, const PacketLinks& links,
                             const Topology& topology, const Spreading& spreading,
                             OpRoutes op_routes,
                             const std::function<std::shared_ptr<LaidLinks>()>& inside,
                             const Mirror& mirror) {
  const auto plan = plan_packets(run.program, topology, spreading, op_routes, links.options);
  check_number(links, *plan);
  if (plan->packets == 0)
    return find_contention(run.program, run.prices, run.duration, std::move(op_routes));
  Contention contention =
      find_contention(run.program, run.prices, run.duration,
                      required(find_op_routes(run.program, run.prices, mirror, *inside()),
                               "every rank stands for itself"));
  contention.packets = plan;
  if (all_bytes_arrive(links.options))
    contention.cut =
        find_contention(run.program, run.prices, run.duration, std::move(op_routes)).cut;
  return contention;
}

Contention packet_contention(const Prepared& prepared, const Executed& run, const Prices& prices,
                             std::span<const Time> duration, OpRoutes op_routes) {
  const auto inside = [&] {
    return laid_links(prepared, run.folding, {.how = Spreading::How::none});
  };
  return packet_contention({run.program, prices, duration},
                           required(prepared.links.packets, "nodes send each other packets"),
                           required(prepared.links.topology, "packets need links"),
                           prepared.links.spreading, std::move(op_routes), inside,
                           mirror_of(prepared.grid, run.folding));
}

std::string what_became_of(const PacketCounts& counts) {
  return fmt::format(
      "{} packet{} went between nodes: {} {} dropped and {} sent again, after {} time-out{}",
      counts.packets, counts.packets == 1 ? "" : "s", counts.dropped,
      counts.dropped == 1 ? "was" : "were", counts.repeated, counts.timeouts,
      counts.timeouts == 1 ? "" : "s");
}

}  // namespace pipewright
