#include "estimate/estimate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "estimate/closed_form.hpp"
#include "plan/segments_time.hpp"
#include "plan/stage_placement.hpp"
#include "plan/update_time.hpp"
#include "program/op_types.hpp"
#include "program/passes/paired.hpp"
#include "run/prepared.hpp"

namespace pipewright {
namespace {

using schedule::Action;
using schedule::Pass;

class Estimate {
 public:
  explicit Estimate(const Prepared& prepared)
      : p_(prepared),
        slices_(static_cast<size_t>(prepared.schedule.slices)),
        placement_(prepared.schedule) {
    const bool split = std::ranges::any_of(
        p_.schedule.order.front(), [](const Action& a) { return a.pass == Pass::weight_gradient; });
    for (const StageWork& work : p_.work.stages) {
      const Mesh& mesh = mesh_of(static_cast<int>(passes_.size() / slices_));
      const std::vector<int32_t> devices = unlike_devices(mesh.devices, p_.prices);
      const auto time = [&](const Segments& pass) { return slowest(pass, mesh, devices); };
      std::array<Time, 4>& passes =
          passes_.emplace_back(std::array{time(work.forward), time(work.backward),
                                          time(work.input_gradient), time(work.weight_gradient)});
      add_waits(work, mesh, devices, split, passes);
    }
  }

  Time iteration() const {
    Time busiest;
    for (const schedule::Order& order : p_.schedule.order) {
      Time busy;
      for (size_t k = 0; k < order.size(); ++k) {
        const bool beside = p_.work.pairs_beside && order[k].pairs_with_next;
        busy += beside ? pair(order[k], order[k + 1]) : pass(order[k]);
        if (beside) ++k;
      }
      busiest = std::max(busiest, busy);
    }
    const Time steady = divide(busiest, p_.schedule.iterations);
    return p_.schedule.synchronous ? steady + fill() + hops() + end() : steady + step();
  }

 private:
  const Mesh& mesh_of(int stage) const { return p_.grid.mesh(placement_.rank_of(stage)); }

  /// Returns how long a pass takes on the slowest of `devices` of `mesh`.
  Time slowest(const Segments& pass, const Mesh& mesh, const std::vector<int32_t>& devices) const {
    Time longest;
    for (const int32_t device : devices) {
      const Time alone = segments_time(pass, p_.prices, mesh, device);
      const double slowdown = p_.prices.slowdown_of(device);
      const Time time = slowdown == 1 ? alone : seconds(in_seconds(alone) * slowdown);
      longest = std::max(longest, time);
    }
    return longest;
  }

  /// Adds what the passes of a stage wait for their host, on the device where that is most.
  void add_waits(const StageWork& work, const Mesh& mesh, const std::vector<int32_t>& devices,
                 bool split, std::array<Time, 4>& passes) const {
    std::array<Time, 4> longest{};
    for (const int32_t device : devices) {
      const auto load = [&](const Segments& pass) {
        return host_load(pass, p_.prices, mesh, device);
      };
      std::vector<HostLoad> loads{load(work.forward)};
      if (split)
        loads.insert(loads.end(), {load(work.input_gradient), load(work.weight_gradient)});
      else
        loads.push_back(load(work.backward));
      const std::vector<Time> waits = host_waits(loads, p_.prices.host);
      const Time last = split ? waits[2] : Time{};
      longest[0] = std::max(longest[0], waits[0]);
      longest[1] = std::max(longest[1], waits[1] + last);
      longest[2] = std::max(longest[2], waits[1]);
      longest[3] = std::max(longest[3], last);
    }
    for (size_t k = 0; k < passes.size(); ++k) passes[k] += longest[k];
  }

  Time pass(const Action& a) const {
    return passes_[static_cast<size_t>(a.stage) * slices_ + static_cast<size_t>(a.slice)]
                  [static_cast<size_t>(a.pass)];
  }

  /// Returns how long two passes take side by side, where one's messages hide behind the other's
  /// compute. Each waits for its host as it does alone.
  Time pair(const Action& a, const Action& b) const {
    Time& both = pairs_[{a.stage, a.pass, b.stage, b.pass}];
    if (both > Time{}) return both;
    const Mesh& mesh = mesh_of(a.stage);
    const std::vector<int32_t> devices = unlike_devices(mesh.devices, p_.prices);
    const Segments &first = segments(a), &second = segments(b);
    const Time apart = slowest(first, mesh, devices) + slowest(second, mesh, devices);
    const Time beside = slowest(side_by_side(first, second), mesh, devices);
    return both = pass(a) + pass(b) + beside - apart;
  }

  const Segments& segments(const Action& a) const {
    const StageWork& work =
        p_.work.stages[static_cast<size_t>(a.stage) * slices_ + static_cast<size_t>(a.slice)];
    return segments_of(work, a.pass);
  }

  Time largest() const {
    Time largest;
    for (const auto& [forward, backward, input, weight] : passes_)
      largest = std::max(largest, forward + backward);
    return largest;
  }

  Time fill() const { return (p_.schedule.ranks() - 1) * largest(); }

  static bool ends(const Action& a) {
    return a.pass == Pass::backward || a.pass == Pass::input_gradient;
  }

  Time hops() const {
    if (p_.schedule.ranks() == 1 || !p_.resharding_edges.empty()) return {};
    const schedule::Order& first = p_.schedule.order.front();
    const auto ahead = std::ranges::find_if(first, ends) - first.begin();
    const auto slots = std::ranges::count_if(first, ends);
    const Time hop = p_.prices.transfer(p_.grid.device(0, 0, 0), p_.grid.device(1, 0, 0),
                                        p_.work.stages.front().forward_output);
    return ahead > 0 ? exposed_hops(p_.schedule.stages, slots, ahead, largest(), hop) : Time{};
  }

  /// Returns the time that follows the last pass of a rank: earlier stages end theirs later.
  Time end() const {
    Time longest;
    for (size_t rank = 0; rank < p_.schedule.order.size(); ++rank) {
      const schedule::Order& order = p_.schedule.order[rank];
      if (order.empty() || p_.work.updates.empty()) continue;
      const Action& last = order.back();
      const Holders holders = pipewright::holders(p_.grid.meshes[rank]);
      Time time = exposed_reductions(p_.work.updates[static_cast<size_t>(last.stage)], p_.prices,
                                     holders, pass(last));
      std::set<int> stages;
      for (const Action& a : order) stages.insert(a.stage);
      for (const int stage : stages) {
        time += step_time(p_.work.updates[static_cast<size_t>(stage)], p_.prices, holders);
        time += sharding(stage, order, p_.grid.meshes[rank]);
      }
      for (int stage = 0; stage < last.stage && last.pass == Pass::backward; ++stage)
        time -= passes_[static_cast<size_t>(stage) * slices_][static_cast<size_t>(Pass::backward)];
      longest = std::max(longest, time);
    }
    return longest;
  }

  /// Returns what a stage takes longer for weights or gradients that are cut over replicas.
  Time sharding(int stage, const schedule::Order& order, const Mesh& mesh) const {
    const ShardedWeights& sharded = p_.work.sharded;
    if (sharded.stages.empty() || !sharded.scatter) return {};
    const auto passes =
        std::ranges::count_if(order, [&](const Action& a) { return a.stage == stage && ends(a); });
    const auto& [forward, backward, input, weight] = passes_[static_cast<size_t>(stage) * slices_];
    const ShardedWeights::Stage& parts = sharded.stages[static_cast<size_t>(stage)];
    if (sharded.stepped)
      return exposed_scatters(parts, p_.prices, holders(mesh), forward + backward, passes);
    return exposed_sharding(parts, sharded.reshard, p_.prices, sharers(mesh),
                            {forward, backward, sharded.keep ? 1 : passes});
  }

  /// The optimizer's kernels alone.
  Time step() const {
    Time largest;
    for (const UpdateWork& update : p_.work.updates) {
      Time sum;
      for (const Work& work : update.kernels)
        sum += p_.prices.compute(work, p_.grid.device(0, 0, 0));
      largest = std::max(largest, sum);
    }
    return largest;
  }

  const Prepared& p_;
  size_t slices_;
  StagePlacement placement_;
  std::vector<std::array<Time, 4>> passes_;  // by stage and slice, then by pass
  mutable std::map<std::tuple<int, Pass, int, Pass>, Time> pairs_;
};

}  // namespace

Time estimate_iteration(const Prepared& prepared) { return Estimate(prepared).iteration(); }

}  // namespace pipewright
