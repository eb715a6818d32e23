#include "study/estimate.hpp"

#include <algorithm>
#include <array>

namespace pipewright {
namespace {

using schedule::Action;
using schedule::Pass;

class Estimate {
 public:
  explicit Estimate(const Prepared& prepared)
      : p_(prepared), slices_(static_cast<size_t>(prepared.schedule.slices)) {
    for (const StageWork& work : p_.work.stages) {
      const size_t stage = passes_.size() / slices_;
      // Where meshes differ, stage k is on mesh k; else any is like the stage's.
      const Mesh& mesh = p_.grid.meshes[stage % p_.grid.meshes.size()];
      const auto time = [&](const Segments& pass) { return segments_time(pass, p_.prices, mesh); };
      passes_.push_back({time(work.forward), time(work.backward), time(work.input_gradient),
                         time(work.weight_gradient)});
    }
  }

  Time iteration() const {
    Time busiest;
    for (const schedule::Order& order : p_.schedule.order) {
      Time busy;
      for (const Action& a : order) busy += pass(a);
      busiest = std::max(busiest, busy);
    }
    return divide(busiest, p_.schedule.iterations) + fill() + update();
  }

 private:
  Time pass(const Action& a) const {
    return passes_[static_cast<size_t>(a.stage) * slices_ + static_cast<size_t>(a.slice)]
                  [static_cast<size_t>(a.pass)];
  }

  Time fill() const {
    if (!p_.schedule.synchronous) return {};
    Time largest;
    for (const auto& [forward, backward, input, weight] : passes_)
      largest = std::max(largest, forward + backward);
    return {largest.ps * (p_.schedule.ranks() - 1)};
  }

  Time update() const {
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
  std::vector<std::array<Time, 4>> passes_;  // by stage and slice, then by pass
};

}  // namespace

Time estimate_iteration(const Prepared& prepared) { return Estimate(prepared).iteration(); }

}  // namespace pipewright
