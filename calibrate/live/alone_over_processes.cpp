#include "calibrate/live/alone_over_processes.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/error.hpp"

namespace pipewright::live {
namespace {

constexpr size_t warm_ups_of_type = 1, samples_of_type = 9;

bool is_computed(const Program& program, OpId op) {
  const OpKind kind = program.type(op).kind;
  return kind == OpKind::compute || kind == OpKind::step;
}

/// Measures the types that `rank` computes; the session hears that it lives.
std::vector<Time> measure_types(const Program& program, DeviceWork& work, LiveDevice& device,
                                transport::Session& session) {
  const auto rank = static_cast<uint32_t>(session.rank());
  std::vector<std::vector<Time>> times(program.types.size());
  for (OpId op = 0; op < program.ops.size(); ++op) {
    std::vector<Time>& of_type = times[program.ops[op].type];
    if (program.ops[op].rank != rank || !is_computed(program, op)) continue;
    while (of_type.size() < warm_ups_of_type + samples_of_type) {
      of_type.push_back(device.time_alone(work, op));
      ensure(!session.poll(), "nobody sends while ops are measured");
    }
  }
  std::vector<Time> typical(times.size());
  for (size_t type = 0; type < times.size(); ++type) {
    if (times[type].empty()) continue;
    std::sort(times[type].begin() + warm_ups_of_type, times[type].end());
    typical[type] = times[type][warm_ups_of_type + samples_of_type / 2];
  }
  return typical;
}

}  // namespace

Hosts hosts_of(transport::Session& session, const LiveDevice& device) {
  const bool is_gpu = device.gpu().has_value();
  const auto cores =
      is_gpu ? 1 : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto all = session.exchange(transport::bytes_of(&cores, sizeof cores));
  Hosts hosts;
  std::vector<std::string> names;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const std::string name =
        is_gpu ? std::to_string(rank) : session.hosts()[rank];  // a GPU is a host of its own
    const auto known = std::find(names.begin(), names.end(), name);
    hosts.of_rank.push_back(static_cast<uint32_t>(known - names.begin()));
    if (known != names.end()) continue;
    names.push_back(name);
    std::memcpy(&hosts.cores.emplace_back(), all[rank].data(), sizeof(int));
  }
  return hosts;
}

OpTimes measure_over_processes(const Program& program, DeviceWork& work, LiveDevice& device,
                               transport::Session& session, const Hosts& hosts,
                               std::vector<Time> durations) {
  const auto rank = static_cast<uint32_t>(session.rank());
  const auto measure = [&] { return measure_types(program, work, device, session); };
  std::vector<Time> alone, together;
  for (int turn = 0; turn < hosts.most_ranks(); ++turn) {
    if (turn == hosts.place(rank)) alone = measure();
    session.exchange({});
  }
  for (int turn = 0; turn < hosts.turns(); ++turn) {
    if (hosts.at_once(rank) > 1 && hosts.computes(rank, turn)) together = measure();
    session.exchange({});
  }
  const std::vector<double> own = shares_of_memory(alone, together, hosts.at_once(rank));
  const auto times =
      session.exchange(transport::bytes_of(alone.data(), alone.size() * sizeof(Time)));
  const auto shares =
      session.exchange(transport::bytes_of(own.data(), own.size() * sizeof(double)));
  OpTimes all{std::move(durations), std::vector<double>(program.ops.size())};
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (!is_computed(program, op)) continue;
    const uint32_t type = program.ops[op].type, of = program.ops[op].rank;
    std::memcpy(&all.alone[op], times[of].data() + type * sizeof(Time), sizeof(Time));
    std::memcpy(&all.memory[op], shares[of].data() + type * sizeof(double), sizeof(double));
  }
  return all;
}

}  // namespace pipewright::live
