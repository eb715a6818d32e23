#include <algorithm>

#include "diagnose/device_work.hpp"

namespace pipewright::diagnose {
namespace {

class Account {
 public:
  Account(const DeviceWork& work, size_t step) : step_(work.steps[step]) {
    for (const DeviceOp& op : work.ops) {
      if (op.step != static_cast<int>(step)) continue;
      (op.computes() || op.own_memory ? compute_ : other_).push_back(&op);
      has_pipeline_ = has_pipeline_ || (op.communicates && op.traffic == Traffic::pipeline);
    }
  }

  Breakdown run() {
    Time at = step_.begin;
    for (const DeviceOp* op : compute_) {
      const Time start = std::clamp(op->start, at, step_.end);
      const Time end = std::clamp(op->end, start, step_.end);
      gap(at, start, op);
      breakdown_[op->compute] += end - start;
      at = end;
    }
    gap(at, step_.end, nullptr);
    return breakdown_;
  }

 private:
  struct Part {
    Time begin, end, over;
    Traffic traffic;
  };

  /// What communicates or copies between `begin` and `end`, as far as bytes move, what ends last
  /// first.
  std::vector<Part> under_way(Time begin, Time end) {
    while (next_ < other_.size() && other_[next_]->start < end) open_.push_back(other_[next_++]);
    std::erase_if(open_, [&](const DeviceOp* op) { return op->end <= begin; });
    std::vector<Part> parts;
    for (const DeviceOp* op : open_) {
      const Time from = std::max(op->end - op->moving, begin), to = std::min(op->end, end);
      if (from < to) parts.push_back({from, to, op->end, op->copies ? Traffic::host : op->traffic});
    }
    std::ranges::stable_sort(parts, std::greater{}, &Part::over);
    return parts;
  }

  void gap(Time begin, Time end, const DeviceOp* next) {
    if (end <= begin) return;
    Time painted_from = end;
    for (const Part& part : under_way(begin, end)) {
      const Time to = std::min(part.end, painted_from);
      if (to <= part.begin) continue;
      wait(to, painted_from, next);
      breakdown_[part.traffic] += to - part.begin;
      painted_from = part.begin;
    }
    wait(begin, painted_from, next);
  }

  /// Until the next op is launched its host is late, unless the device starts it by itself.
  void wait(Time begin, Time end, const DeviceOp* next) {
    if (end <= begin) return;
    if (next && goes_on(*next, begin, end)) {
      breakdown_[next->compute] += end - begin;
      return;
    }
    const Time late = next ? late_until(*next, begin, end) : end;
    breakdown_.host += late - begin;
    breakdown_.bubble += end - late;
  }

  static bool goes_on(const DeviceOp& next, Time begin, Time end) {
    return next.within_graph || (next.asked <= begin && end <= begin + at_once);
  }

  /// What a launch takes to reach the device is of the host, too. In a pipeline all that comes
  /// behind a launch waits for others.
  Time late_until(const DeviceOp& next, Time begin, Time end) const {
    if (has_pipeline_) return std::clamp(next.launched, begin, end);
    return next.asked <= begin ? begin : end;
  }

  DeviceStep step_;
  std::vector<const DeviceOp*> compute_, other_, open_;
  size_t next_ = 0;
  bool has_pipeline_ = false;
  Breakdown breakdown_;
};

}  // namespace

Breakdown account_of(const DeviceWork& work, size_t step) { return Account(work, step).run(); }

}  // namespace pipewright::diagnose
