#include "diagnose/device_steps.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

namespace pipewright::diagnose {
namespace {

constexpr double whole_step = 0.9;      // of the kernels of the median step
constexpr size_t telling_kernels = 10;  // one of fewer is more than a tenth
constexpr size_t fewest_steps = 5;      // of which the first may be unlike the others
/// A kernel may begin while the one before it drains (programmatic launches).
constexpr Time most_overlap = microseconds(20);

class Steps {
 public:
  Steps(const std::vector<StepMark>& marks, DeviceWork& work) : marks_(marks), work_(work) {}

  void run() {
    leave_out_cut_steps();
    number_steps();
    leave_out_warm_up();
    find_overlapping();
  }

 private:
  /// The stream on which most is computed; -1 where nothing is.
  int main_stream() const {
    std::map<int, Time> computing;
    for (const DeviceOp& op : work_.ops)
      if (op.computes()) computing[op.stream] += op.end - op.start;
    const auto most =
        std::ranges::max_element(computing, {}, [](const auto& one) { return one.second; });
    return most == computing.end() ? -1 : most->first;
  }

  /// A step begins on the main stream: what other streams fetch for it beforehand is beside the
  /// step before.
  void find_begins() {
    const int stream = main_stream();
    std::vector<Time> begins(work_.steps.size(), longest_time);
    for (const DeviceOp& op : work_.ops) {
      Time& begin = begins[static_cast<size_t>(op.step)];
      if (op.stream == stream) begin = std::min(begin, op.start);
    }
    for (size_t step = 0; step < begins.size(); ++step)
      if (begins[step] < longest_time) work_.steps[step].begin = begins[step];
  }

  /// The median of the steps between the first and the last, else the more of two.
  static size_t kernels_of_whole(const std::map<int, size_t>& kernels) {
    std::vector<size_t> counts;
    for (const auto& [mark, count] : kernels) counts.push_back(count);
    if (counts.size() == 2) return std::max(counts[0], counts[1]);
    const std::span inner(counts.data() + 1, counts.size() - 2);
    std::ranges::nth_element(inner, inner.begin() + static_cast<ptrdiff_t>(inner.size() / 2));
    return inner[inner.size() / 2];
  }

  /// What a profiler did not see whole says nothing of a step.
  void leave_out_cut_steps() {
    std::map<int, size_t> kernels;  // by mark
    for (const DeviceOp& op : work_.ops) kernels[op.step] += op.computes();
    if (kernels.size() < 2) return;
    const size_t whole = kernels_of_whole(kernels);
    if (whole < telling_kernels) return;
    for (const int mark : {kernels.begin()->first, kernels.rbegin()->first}) {
      if (static_cast<double>(kernels[mark]) >= whole_step * static_cast<double>(whole)) continue;
      std::erase_if(work_.ops, [mark](const DeviceOp& op) { return op.step == mark; });
      ++work_.cut_off;
    }
  }

  /// A first step that takes longer than any two others together warms up: libraries are loaded,
  /// kernels are chosen, memory is allocated.
  void leave_out_warm_up() {
    if (work_.steps.size() < fewest_steps) return;
    std::vector<Time> lengths;
    for (const DeviceStep& step : work_.steps) lengths.push_back(step.end - step.begin);
    const Time first = lengths.front();
    std::ranges::partial_sort(lengths.begin() + 1, lengths.begin() + 3, lengths.end(),
                              std::greater{});
    if (first <= lengths[1] + lengths[2]) return;
    work_.warm_up = first;
    work_.steps.erase(work_.steps.begin());
    std::erase_if(work_.ops, [](const DeviceOp& op) { return op.step == 0; });
    for (DeviceOp& op : work_.ops) --op.step;
  }

  void find_overlapping() {
    const int stream = main_stream();
    Time last = work_.ops.front().start;
    for (const DeviceOp& op : work_.ops) {
      if (op.stream != stream || !op.computes()) continue;
      if (const Time both = std::min(last, op.end) - op.start; both > most_overlap)
        work_.overlapping += both;
      last = std::max(last, op.end);
    }
  }

  /// Marks in which nothing ran are no steps.
  void number_steps() {
    std::map<int, int> place;
    for (const DeviceOp& op : work_.ops) place.emplace(op.step, 0);
    for (auto& [mark, step] : place) {
      step = static_cast<int>(work_.steps.size());
      const bool marked = mark < static_cast<int>(marks_.size());
      work_.steps.push_back(
          {marked ? marks_[static_cast<size_t>(mark)].number : 0, longest_time, {}});
    }
    for (DeviceOp& op : work_.ops) {
      op.step = place[op.step];
      DeviceStep& step = work_.steps[static_cast<size_t>(op.step)];
      step.begin = std::min(step.begin, op.start);
      step.end = std::max(step.end, op.end);
    }
    std::vector<const StepMark*> marked;
    for (const auto& [mark, step] : place)
      marked.push_back(mark < static_cast<int>(marks_.size()) ? &marks_[static_cast<size_t>(mark)]
                                                              : nullptr);
    work_.has_marks = work_.has_launches && std::ranges::find(marked, nullptr) == marked.end();
    bound_steps(marked);
  }

  void bound_steps(const std::vector<const StepMark*>& marks) {
    std::vector<Time> ends;  // of the last op
    for (const DeviceStep& step : work_.steps) ends.push_back(step.end);
    const bool at_once = starts_at_once();
    find_begins();
    for (size_t i = 0; i < marks.size() && work_.has_marks; ++i) {
      if (i == 0 && !at_once) continue;
      const Time idle = i == 0 ? marks[i]->begin : std::max(marks[i]->begin, ends[i - 1]);
      work_.steps[i].begin = std::min(work_.steps[i].begin, idle);
    }
    for (size_t i = 0; i < work_.steps.size(); ++i) {
      DeviceStep& step = work_.steps[i];
      if (work_.has_marks) step.end = std::max(step.end, marks[i]->end);
      if (i + 1 < work_.steps.size() && (!work_.has_marks || follows(i)))
        step.end = std::max(work_.steps[i + 1].begin, step.begin);
    }
  }

  bool follows(size_t step) const {
    return work_.steps[step + 1].number == work_.steps[step].number + 1;
  }

  /// Whether the device stood still when the host asked for the first op of the first step. Else it
  /// was busy with what the trace does not show.
  bool starts_at_once() const {
    for (const DeviceOp& op : work_.ops)
      if (op.step == 0) return op.start <= op.launched + most_overlap;
    return false;
  }

  const std::vector<StepMark>& marks_;
  DeviceWork& work_;
};

}  // namespace

void find_steps(const std::vector<StepMark>& marks, DeviceWork& work) { Steps(marks, work).run(); }

}  // namespace pipewright::diagnose
