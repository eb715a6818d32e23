#include "engine/host_load.hpp"

#include <algorithm>

namespace pipewright {

void HostLoad::add(Time op_busy, Time op_issued) {
  busy += op_busy;
  issued += op_issued;
  if (op_issued > op_busy) lacking += op_issued - op_busy;
}

HostLoad& HostLoad::operator+=(const HostLoad& other) {
  busy += other.busy;
  issued += other.issued;
  lacking += other.lacking;
  stops = stops || other.stops;
  return *this;
}

Time host_time(std::span<const Work> works, const HostTimes& host) {
  Time issued;
  for (const Work& work : works) {
    if (work.kernel == Kernel::fixed) continue;
    if (work.captured != Captured::no) {
      if (work.captured == Captured::opens) issued += host.graph();
      continue;
    }
    issued += host.launch + (work.kernels() - 1) * host.repeat;
    if (work.kernel == Kernel::gemm && work.in_turn) issued += work.kernels() * host.part;
  }
  return issued;
}

double waiting_part(std::span<const HostLoad> passes, std::span<const double> often,
                    const HostTimes& host) {
  const auto stops = [](const HostLoad& pass) { return pass.stops; };
  if (host.stops || std::ranges::any_of(passes, stops)) return 1;
  double behind = 0, lead = 0;
  for (size_t k = 0; k < passes.size(); ++k) {
    const double times = often.empty() ? 1 : often[k];
    behind += times * in_seconds(passes[k].behind());
    lead += times * in_seconds(passes[k].lead());
  }
  return std::max(0.0, behind - lead) / std::max(behind, 1e-12);
}

std::vector<Time> host_waits(std::span<const HostLoad> passes, const HostTimes& host) {
  std::vector<Time> waits;
  const double part = waiting_part(passes, {}, host);
  for (const HostLoad& pass : passes)
    waits.push_back(host.waits   ? pass.issued
                    : pass.stops ? pass.lacking
                                 : seconds(part * in_seconds(pass.behind())));
  return waits;
}

}  // namespace pipewright
