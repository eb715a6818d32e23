#include "diagnose/beside_communication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnose/time_ranges.hpp"

namespace pipewright::diagnose {
namespace {

/// A kernel runs beside communication if that lasts for most of it, and alone if for hardly any.
constexpr double mostly = 0.5, hardly = 0.05;
constexpr size_t fewest_runs = 3;
/// Kernels of one shape vary by less.
constexpr double beyond_variation = 1.03;

/// The times in which a device communicates.
TimeRanges communication_of(const DeviceWork& work) {
  TimeRanges ranges;
  for (const DeviceOp& op : work.ops)
    if (op.communicates) ranges.add(op.end - op.moving, op.end);
  ranges.join();
  return ranges;
}

/// The part of the op beside which there is communication.
double part_beside(const TimeRanges& communication, const DeviceOp& op) {
  if (op.end <= op.start) return 0;
  return in_seconds(communication.within(op.start, op.end)) / in_seconds(op.end - op.start);
}

/// A kernel between its neighbours: before, its own name, after.
using Context = std::tuple<uint32_t, uint32_t, uint32_t>;

struct Alike {
  std::vector<double> alone, beside;  ///< seconds
  std::vector<size_t> places_beside;  ///< in DeviceProgram::ops

  double slowdown() const {
    if (alone.size() < fewest_runs || beside.size() < fewest_runs) return 1;
    const double usual = median_of(alone);
    return usual > 0 ? median_of(beside) / usual : 1;
  }
};

std::map<Context, Alike> kernels_alike(const DeviceProgram& program, const DeviceWork& work) {
  const TimeRanges communication = communication_of(work);
  std::map<int, std::vector<size_t>> by_stream;
  for (size_t i = 0; i < program.ops.size(); ++i)
    if (const DeviceOp& op = work.ops[program.ops[i]]; op.computes())
      by_stream[op.stream].push_back(i);
  std::map<Context, Alike> alike;
  for (const auto& [stream, places] : by_stream)
    for (size_t k = 1; k + 1 < places.size(); ++k) {
      const auto name = [&](size_t at) { return work.ops[program.ops[places[at]]].name; };
      const DeviceOp& op = work.ops[program.ops[places[k]]];
      Alike& group = alike[{name(k - 1), name(k), name(k + 1)}];
      const double part = part_beside(communication, op);
      if (part < hardly) group.alone.push_back(in_seconds(op.end - op.start));
      if (part <= mostly) continue;
      group.beside.push_back(in_seconds(op.end - op.start));
      group.places_beside.push_back(places[k]);
    }
  return alike;
}

}  // namespace

std::vector<Candidate> beside_communication(const DeviceProgram& program, const DeviceWork& work) {
  Candidate candidate{.kind = CauseKind::communication,
                      .aspect = Aspect::message,
                      .who = "compute beside communication"};
  double own = 0, cured = 0;
  for (const auto& [context, group] : kernels_alike(program, work)) {
    const double slowdown = group.slowdown();
    if (slowdown < beyond_variation) continue;
    for (const size_t place : group.places_beside) {
      const OpId body = program.trace.body[place];
      const double length = in_seconds(program.trace.lengths[body]);
      candidate.cure.push_back({body, seconds(length / slowdown)});
      own += length;
      cured += length / slowdown;
    }
  }
  if (candidate.cure.empty()) return {};
  candidate.remedy = fmt::format(
      "let communication take less of the device (fewer channels and multiprocessors, copy "
      "engines) or "
      "run it where memory is idle: kernels beside it take {:.2f} times as long as alone",
      own / cured);
  return {std::move(candidate)};
}

}  // namespace pipewright::diagnose
