#include "diagnose/iteration_ends.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>

namespace pipewright::diagnose {
namespace {

using Kind = OperationKind;

bool is_receive(Kind kind) { return kind == Kind::forward_recv || kind == Kind::backward_recv; }

class IterationEnds {
 public:
  IterationEnds(const MeasuredJob& job, std::span<const TracedOperation> all,
                std::span<const TracedOperation> own, const std::vector<size_t>& places,
                std::vector<std::vector<size_t>>& after)
      : job_(job), all_(all), own_(own), places_(places), after_(after) {}

  void run() {
    place_gathers();
    place_end();
  }

 private:
  void add(size_t later, size_t earlier) {
    if (later != earlier) after_[later].push_back(earlier);
  }

  void chain(const std::vector<size_t>& places) {
    for (size_t k = 1; k < places.size(); ++k) add(places[k], places[k - 1]);
  }

  /// Those of the iteration that is looked at.
  template <class Predicate>
  std::vector<size_t> of_iteration(Predicate holds) const {
    std::vector<size_t> places;
    std::ranges::copy_if(places_, std::back_inserter(places),
                         [&](size_t i) { return holds(all_[i]); });
    return places;
  }

  /// The last gathering of a chunk comes before the first forward of the chunk.
  void place_gathers() {
    const std::vector<size_t> gathers = of_iteration(
        [](const TracedOperation& one) { return one.kind == Kind::params_all_gather; });
    chain(gathers);
    std::map<int32_t, size_t> last, first;
    for (const size_t i : places_)
      if (all_[i].kind == Kind::forward) first.emplace(all_[i].chunk, i);
    for (const size_t i : gathers)
      if (const auto found = first.find(all_[i].chunk);
          found != first.end() && all_[i].start < all_[found->second].start)
        last[all_[i].chunk] = i;
    for (const auto& [chunk, gather] : last) add(first[chunk], gather);
  }

  bool ends_step(const TracedOperation& one, bool overlapped) const {
    if (one.kind == Kind::grads_reduce_scatter) return !overlapped;
    return one.kind == Kind::gc || one.kind == Kind::optimizer ||
           (communicates(one.kind) && !is_transfer(one.kind));
  }

  void place_end() {
    const std::vector<size_t> passes =
        of_iteration([](const TracedOperation& one) { return computes(one.kind); });
    if (passes.empty()) return;
    const std::vector<size_t> reductions = of_iteration(
        [](const TracedOperation& one) { return one.kind == Kind::grads_reduce_scatter; });
    const size_t last =
        *std::ranges::max_element(passes, {}, [&](size_t i) { return all_[i].end(); });
    const bool overlapped =
        !reductions.empty() && all_[reductions.front()].start < all_[last].end();
    std::vector<size_t> end = {last};
    for (const size_t i :
         of_iteration([&](const TracedOperation& one) { return ends_step(one, overlapped); }))
      if (all_[i].start >= all_[last].start) end.push_back(i);
    chain_end(end);
    begin_next(end.back());
    if (overlapped) place_overlapped(passes, reductions, end);
  }

  /// Which of the things that end a step stand one after another: chunk (-1: of all) and group.
  using EndQueue = std::pair<int32_t, int32_t>;

  /// One after another. What one chunk or one group of data ranks does may stand beside what
  /// another does.
  void chain_end(const std::vector<size_t>& end) {
    std::map<EndQueue, size_t> last;
    for (const size_t i : end | std::views::drop(1)) {
      const EndQueue queue{all_[i].chunk, all_[i].group};
      bool alone = true;
      for (const auto& [other, before] : last) {
        const bool of_one = queue.first < 0 || other.first < 0 || queue == other;
        if (!of_one && all_[i].start + same_time < all_[before].end()) continue;
        add(i, before);
        alone = false;
      }
      if (alone) add(i, end.front());
      if (queue.first < 0) last.clear();
      last[queue] = i;
    }
  }

  /// Where iterations run on, the next one of a rank begins after what ends this one: with what it
  /// computes or with the weights that it gathers for that, and with what it receives before.
  void begin_next(size_t last) {
    if (job_.run_on.empty()) return;
    const auto from = std::ranges::lower_bound(own_, all_[last].end(), {}, &TracedOperation::start);
    const auto next = std::find_if(from, own_.end(), [](const TracedOperation& one) {
      return holds_device(one.kind) || one.kind == Kind::params_all_gather;
    });
    for (auto one = from; one != next; ++one)
      if (is_receive(one->kind) && one->iteration > all_[last].iteration)
        add(static_cast<size_t>(&*one - all_.data()), last);
    if (next != own_.end()) add(static_cast<size_t>(&*next - all_.data()), last);
  }

  void place_overlapped(const std::vector<size_t>& passes, const std::vector<size_t>& reductions,
                        const std::vector<size_t>& end) {
    chain(reductions);
    std::map<int32_t, size_t> first, last;
    for (const size_t i : reductions) first.emplace(all_[i].chunk, i);
    for (const size_t i : passes)
      if (all_[i].kind != Kind::forward) last[all_[i].chunk] = i;
    for (const auto& [chunk, reduction] : first)
      if (const auto found = last.find(chunk); found != last.end()) add(reduction, found->second);
    const Time sums_end = all_[reductions.back()].end();
    for (const size_t i : end | std::views::drop(1))
      if (communicates(all_[i].kind) || all_[i].start + same_time >= sums_end)
        return add(i, reductions.back());
  }

  const MeasuredJob& job_;
  std::span<const TracedOperation> all_, own_;
  const std::vector<size_t>& places_;
  std::vector<std::vector<size_t>>& after_;
};

}  // namespace

void place_iteration(const MeasuredJob& job, std::span<const TracedOperation> all,
                     std::span<const TracedOperation> own, const std::vector<size_t>& places,
                     std::vector<std::vector<size_t>>& after) {
  IterationEnds(job, all, own, places, after).run();
}

}  // namespace pipewright::diagnose
