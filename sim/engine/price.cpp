#include "engine/price.hpp"

#include <unordered_map>

#include "base/stop.hpp"
#include "engine/compute_times.hpp"
#include "program/computes.hpp"

namespace pipewright {
namespace {

/// Remembers what was computed for a pair of small numbers.
class Memo {
 public:
  template <class F>
  Time of(uint32_t a, uint32_t b, F&& compute) {
    const uint64_t key = uint64_t{a} << 32 | b;
    if (key == last_key_) return last_;
    last_key_ = key;
    const auto [found, is_new] = times_.try_emplace(key);
    if (is_new) found->second = compute();
    return last_ = found->second;
  }

 private:
  uint64_t last_key_ = UINT64_MAX;
  Time last_;
  std::unordered_map<uint64_t, Time> times_;
};

class Pricing {
 public:
  Pricing(const Program& program, const Prices& prices)
      : program_(program),
        prices_(prices),
        computes_(program, prices),
        transfers_(program.types.size()) {}

  Time of(OpId id) {
    const Op& op = program_.ops[id];
    const OpType& type = program_.types[op.type];
    switch (type.kind) {
      case OpKind::compute:
      case OpKind::step:
        return program_.lengths.empty() ? compute(op) : program_.lengths[id];
      case OpKind::transfer:
        return transfers_[op.type].of(op.rank, op.peer, [&] { return transfer(op, type); });
      case OpKind::collective:
        return collectives_.of(op.type, op.peer, [&] {
          return prices_.collective(type.collective, program_.groups[op.peer], type.bytes) +
                 waited(op);
        });
      case OpKind::copy:
        return collectives_.of(op.type, op.rank, [&] {
          return prices_.source->host_copy(program_.ranks[op.rank].device, type.bytes);
        });
      case OpKind::marker:
        return {};
    }
    return {};
  }

 private:
  Time compute(const Op& op) { return computes_.of(op.type, program_.ranks[op.rank].device); }

  /// A collective too is started by a host, which waits for it where it waits for kernels. What a
  /// host compares before it is a wait of the pass, within one.
  Time waited(const Op& op) const {
    const size_t ranks = program_.groups[op.peer].size();
    if (prices_.host.waits) return prices_.host.starts(ranks);
    return computes_.is_in_pass(op.type) ? Time{} : prices_.host.checks(ranks);
  }

  Time transfer(const Op& op, const OpType& type) const {
    if (type.resharding != none) return prices_.resharding->time(type.resharding, type.bytes);
    const int32_t from = program_.ranks[op.rank].device, to = program_.ranks[op.peer].device;
    return from == to ? Time{} : prices_.transfer(from, to, type.bytes);
  }

  const Program& program_;
  const Prices& prices_;
  ComputeTimes computes_;
  Memo collectives_;
  std::vector<Memo> transfers_;  // by type; a stage may send to several holders of the next
};

}  // namespace

std::vector<Time> price(const Program& program, const Prices& prices) {
  Pricing pricing(program, prices);
  std::vector<Time> durations;
  durations.reserve(program.ops.size());
  for (OpId op = 0; op < program.ops.size(); ++op) {
    stop_sometimes(op);
    durations.push_back(pricing.of(op));
  }
  slow_down(program, prices.slowdown, durations);
  return durations;
}

void slow_down(const Program& program, const std::vector<double>& slowdown,
               std::vector<Time>& durations) {
  if (slowdown.empty()) return;
  for (OpId op = 0; op < durations.size(); ++op) {
    if (!computes(program.type(op))) continue;
    const int32_t device = program.ranks[program.ops[op].rank].device;
    const double factor = slowdown[static_cast<size_t>(device)];
    if (factor != 1) durations[op] = seconds(in_seconds(durations[op]) * factor);
  }
}

}  // namespace pipewright
