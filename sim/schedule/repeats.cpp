#include "schedule/repeats.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace pipewright::schedule {
namespace {

constexpr size_t longest_period = 1 << 14;
constexpr size_t least_periods = 4, least_actions = 32;

bool follows(const Action& earlier, const Action& later, int micro_batches) {
  Action shifted = earlier;
  shifted.micro_batch += micro_batches;
  return shifted == later;
}

/// Finds stretches by trying periods from the middle of a section on.
class StretchFinder {
 public:
  explicit StretchFinder(const Order& order) : order_(order) {}

  std::vector<Stretch> run() {
    search({0, order_.size()});
    return std::move(found_);
  }

 private:
  void search(const Section& section) {
    if (section.size() < least_actions) return;
    const size_t middle = section.first + section.size() / 2;
    const std::optional<Stretch> stretch = around(middle, section);
    search({section.first, stretch ? stretch->first : middle});
    if (stretch) found_.push_back(*stretch);
    search({stretch ? stretch->last : middle, section.last});
  }

  /// Returns the stretch with the shortest period that is long beside its section.
  std::optional<Stretch> around(size_t position, const Section& section) const {
    const size_t longest = std::min(longest_period, section.size() / (2 * least_periods));
    for (size_t period = 1; period <= longest; ++period) {
      const Stretch stretch = extended(position, period, section);
      if (stretch.periods() >= least_periods &&
          stretch.last - stretch.first >= section.size() / least_periods)
        return stretch;
    }
    return std::nullopt;
  }

  Stretch extended(size_t position, size_t period, const Section& section) const {
    Stretch stretch{position, position, period,
                    order_[position + period].micro_batch - order_[position].micro_batch};
    if (stretch.micro_batches == 0) return stretch;
    const auto repeats_at = [&](size_t k) {
      return follows(order_[k], order_[k + period], stretch.micro_batches);
    };
    while (stretch.first > section.first && repeats_at(stretch.first - 1)) --stretch.first;
    while (stretch.last + period < section.last && repeats_at(stretch.last)) ++stretch.last;
    stretch.last += period;
    return stretch;
  }

  const Order& order_;
  std::vector<Stretch> found_;
};

/// Returns the positions that are left out, in the midst of each stretch; nothing where one is too
/// short.
std::vector<Section> gaps_of(const std::vector<Stretch>& stretches, int left_out) {
  std::vector<Section> gaps;
  for (const Stretch& stretch : stretches) {
    const auto periods = static_cast<size_t>(left_out / std::abs(stretch.micro_batches));
    if (stretch.periods() < periods + least_periods) return {};
    const size_t before = (stretch.periods() - periods) / 2;
    const size_t first = stretch.first + before * stretch.period;
    gaps.push_back({first, first + periods * stretch.period});
  }
  return gaps;
}

}  // namespace

void MicroBatchRange::include(int micro_batch) {
  if (size() == 0) *this = {micro_batch, micro_batch + 1};
  first = std::min(first, micro_batch);
  last = std::max(last, micro_batch + 1);
}

std::optional<Repeats> Repeats::of(const Schedule& schedule) {
  const bool plain = schedule.synchronous && schedule.iterations == 1 &&
                     schedule.evictions.empty() && !schedule.parallel_passes;
  if (!plain) return std::nullopt;
  Repeats repeats(schedule);
  if (!repeats.find_directions()) return std::nullopt;
  for (const Order& order : schedule.order)
    if (!repeats.find_stretches(order)) return std::nullopt;
  return repeats;
}

/// Passes whose micro-batches lie between each other go in one direction.
bool Repeats::find_directions() {
  std::vector<MicroBatchRange> all;
  for (const Order& order : schedule_->order) {
    std::vector<MicroBatchRange>& ranges = of_number_.emplace_back(numbers());
    for (const Action& a : order) ranges[number(a)].include(a.micro_batch);
    std::ranges::copy_if(ranges, std::back_inserter(all),
                         [](const MicroBatchRange& range) { return range.size() > 0; });
  }
  std::ranges::sort(all);
  for (const MicroBatchRange& range : all) {
    if (directions_.empty() || range.first >= directions_.back().last)
      directions_.push_back(range);
    else
      directions_.back().last = std::max(directions_.back().last, range.last);
  }
  return std::ranges::all_of(directions_, [&](const MicroBatchRange& direction) {
    return direction.size() == directions_.front().size();
  });
}

/// Of several stretches that have the same passes the longest counts.
bool Repeats::find_stretches(const Order& order) {
  std::vector<Stretch> found = StretchFinder(order).run();
  const auto length = [](const Stretch& stretch) { return stretch.last - stretch.first; };
  std::ranges::stable_sort(found, std::ranges::greater(), length);
  std::vector<bool> has(numbers());
  std::vector<Stretch>& kept = stretches_.emplace_back();
  for (const Stretch& stretch : found) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(stretch.first);
    const auto end = begin + static_cast<std::ptrdiff_t>(stretch.period);
    if (std::any_of(begin, end, [&](const Action& a) { return has[number(a)]; })) continue;
    std::for_each(begin, end, [&](const Action& a) { has[number(a)] = true; });
    kept.push_back(stretch);
    unit_ = std::lcm(unit_, stretch.micro_batches);
  }
  std::ranges::sort(kept, {}, &Stretch::first);
  return !kept.empty();
}

std::optional<ShorterSchedule> Repeats::without(int left_out) const {
  ShorterSchedule shorter;
  shorter.schedule = *schedule_;
  shorter.left_out = left_out;
  int next = 0;
  for (const MicroBatchRange& direction : directions_) {
    shorter.directions.push_back({next, next + direction.size() - left_out});
    next = shorter.directions.back().last;
  }
  shorter.schedule.micro_batches = shorter.schedule.step_every = next;
  size_t forwards = 0;
  for (size_t rank = 0; rank < stretches_.size(); ++rank) {
    const std::vector<Section> gaps = gaps_of(stretches_[rank], left_out);
    if (gaps.empty() || !leave_out(rank, gaps, shorter)) return std::nullopt;
    shorter.repeating.push_back(repeating_of(rank, left_out));
    forwards += static_cast<size_t>(
        std::ranges::count(shorter.schedule.order[rank], Pass::forward, &Action::pass));
  }
  const auto pieces =
      static_cast<size_t>(schedule_->stages) * static_cast<size_t>(schedule_->slices);
  if (forwards != pieces * static_cast<size_t>(next)) return std::nullopt;
  return shorter;
}

/// Returns by how much the directions before that of an action are shorter.
int Repeats::shift_of(size_t rank, size_t number, int left_out) const {
  int shift = 0;
  for (const MicroBatchRange& direction : directions_)
    if (direction.last <= of_number_[rank][number].first) shift += left_out;
  return shift;
}

/// Passes that are in no gap are of micro-batches before or behind all that are left out.
bool Repeats::leave_out(size_t rank, const std::vector<Section>& gaps,
                        ShorterSchedule& shorter) const {
  const Order& order = schedule_->order[rank];
  const std::vector<MicroBatchRange> missing = missing_of(order, gaps);
  Order& kept = shorter.schedule.order[rank];
  kept.clear();
  auto gap = gaps.begin();
  for (size_t k = 0; k < order.size(); ++k) {
    const MicroBatchRange& range = missing[number(order[k])];
    while (gap != gaps.end() && k >= gap->last) ++gap;
    const bool is_missing = gap != gaps.end() && k >= gap->first;
    if (is_missing != range.has(order[k].micro_batch)) return false;
    if (range.size() == 0 && gap != gaps.begin() && gap != gaps.end()) return false;
    if (is_missing) continue;
    const bool behind = range.size() == 0 ? gap == gaps.end() : order[k].micro_batch >= range.last;
    Action& a = kept.emplace_back(order[k]);
    a.micro_batch -= shift_of(rank, number(a), shorter.left_out);
    if (behind) a.micro_batch -= shorter.left_out;
  }
  return backwards_fit(kept, order);
}

/// Returns the micro-batches of each number that stand in gaps.
std::vector<MicroBatchRange> Repeats::missing_of(const Order& order,
                                                 const std::vector<Section>& gaps) const {
  std::vector<MicroBatchRange> missing(numbers());
  for (const Section& gap : gaps)
    for (size_t k = gap.first; k < gap.last; ++k)
      missing[number(order[k])].include(order[k].micro_batch);
  return missing;
}

/// Tells whether every stage of a rank has lost as many backwards, whole or in halves, as forwards.
bool Repeats::backwards_fit(const Order& kept, const Order& order) const {
  std::vector<int> lost(numbers());
  for (const Action& a : order) ++lost[number(a)];
  for (const Action& a : kept) --lost[number(a)];
  for (size_t first = 0; first < numbers(); first += 4) {
    const auto of = [&](Pass pass) { return lost[first + static_cast<size_t>(pass)]; };
    const int forwards = of(Pass::forward), wholes = of(Pass::backward);
    if (wholes + of(Pass::input_gradient) != forwards) return false;
    if (wholes + of(Pass::weight_gradient) != forwards) return false;
  }
  return true;
}

std::vector<MicroBatchRange> Repeats::repeating_of(size_t rank, int left_out) const {
  const Order& order = schedule_->order[rank];
  std::vector<MicroBatchRange> repeating(numbers());
  for (const Stretch& stretch : stretches_[rank]) {
    for (size_t k = stretch.first; k < stretch.last; ++k) {
      const int b = order[k].micro_batch - shift_of(rank, number(order[k]), left_out);
      repeating[number(order[k])].include(b);
    }
  }
  for (MicroBatchRange& range : repeating)
    if (range.size() > 0) range.last -= left_out;
  return repeating;
}

}  // namespace pipewright::schedule
