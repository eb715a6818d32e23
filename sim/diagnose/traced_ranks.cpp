#include "diagnose/traced_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "diagnose/profile_files.hpp"
#include "diagnose/rank_file.hpp"
#include "diagnose/rank_places.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double most_apart_us = 10 * 86400e6;

/// "step 7", or "steps 5 to 7".
std::string steps_text(const Diagnosis& alone) {
  const auto [first, last] = std::ranges::minmax(alone.steps, {}, &StepFinding::number);
  return first.number == last.number ? fmt::format("step {}", first.number)
                                     : fmt::format("steps {} to {}", first.number, last.number);
}

class RanksReading {
 public:
  RanksReading(const std::vector<std::string>& files, Unreadable unreadable,
               const std::vector<FlightRecord>& flights)
      : flights_(flights), used_(flights.size()) {
    const std::vector<std::vector<NsysProcess>> elsewhere = processes_elsewhere(files);
    std::vector<RankFile> read(files.size());
    in_parallel(files.size(), 0, [&](size_t i) {
      try {
        read[i] = read_rank_file(files[i], flights, elsewhere[i]);
      } catch (const InputError& error) {
        if (unreadable == Unreadable::refused) throw;
        read[i].error = error;
      }
    });
    join(std::move(read), unreadable);
    tell_idle_dumps();
  }

  TracedRanks run() {
    leave_out_nameless();
    leave_out_other_steps();
    tell_silence();
    tell_missing();
    if (!tell_places_apart()) place_in_order();
    return std::move(all_);
  }

 private:
  void join(std::vector<RankFile> read, Unreadable unreadable) {
    std::vector<InputError> errors;
    for (RankFile& file : read) {
      for (const size_t flight : file.used_flights) used_[flight] = true;
      std::ranges::move(file.notes, std::back_inserter(all_.notes));
      try {
        if (file.error) throw InputError(*file.error);
        for (TracedRank& rank : file.ranks) add(std::move(rank));
      } catch (const InputError& error) {
        if (unreadable == Unreadable::refused) throw;
        errors.push_back(error);
      }
    }
    if (all_.ranks.empty()) throw errors.front();
    for (const InputError& error : errors)
      all_.notes.push_back(
          fmt::format("'{}' was left out: {}", error.where().file, error.message()));
  }

  void tell_idle_dumps() {
    for (size_t i = 0; i < flights_.size(); ++i)
      if (!used_[i])
        all_.notes.push_back(fmt::format("'{}' was left out: no trace is of {}", flights_[i].file,
                                         flights_[i].rank < 0
                                             ? "its rank, which its name does not end with"
                                             : fmt::format("rank {}", flights_[i].rank)));
  }

  /// Times of all ranks count from the beginning of the first.
  void add(TracedRank rank) {
    if (all_.ranks.empty()) origin_us_ = rank.begin_us;
    const double later_us = rank.begin_us - origin_us_;
    if (std::abs(later_us) > most_apart_us)
      throw InputError(
          {rank.file, 0, 0},
          fmt::format("begins more than 10 days before or after '{}'", all_.ranks.front().file));
    check(rank);
    const Time shift = seconds(later_us * 1e-6);
    for (TracedOperation& one : rank.work.operations) one.start += shift;
    all_.ranks.push_back(std::move(rank));
  }

  void check(const TracedRank& one) const {
    for (const TracedRank& other : all_.ranks) {
      if (one.world >= 0 && other.world >= 0 && one.world != other.world)
        throw InputError({one.file, 0, 0}, fmt::format("is of a job of {} ranks, '{}' of one of {}",
                                                       one.world, other.file, other.world));
      if (one.rank >= 0 && one.rank == other.rank)
        throw InputError({one.file, 0, 0},
                         fmt::format("is of rank {}, as '{}' is", one.rank, other.file));
    }
  }

  /// Whether no two ranks stand in the same place of the grid.
  bool tell_places_apart() const {
    std::set<std::tuple<int, int, int>> places;
    for (const TracedRank& rank : all_.ranks)
      places.emplace(rank.place.data, rank.place.stage, rank.place.tensor);
    return places.size() == all_.ranks.size();
  }

  static RankSigns signs_of(const TracedRank& rank) {
    const auto first =
        std::ranges::find(rank.work.operations, OperationKind::forward, &TracedOperation::kind);
    if (first == rank.work.operations.end()) return {rank.messages, {}, {}};
    return {rank.messages, first->start, first->end()};
  }

  void place_in_order() {
    std::ranges::stable_sort(all_.ranks, {}, &TracedRank::rank);
    std::vector<RankSigns> signs;
    for (const TracedRank& rank : all_.ranks) signs.push_back(signs_of(rank));
    const std::vector<GridPlace> places = places_by_messages(signs);
    all_.placed_by_messages = places.back().stage > 0;
    for (size_t i = 0; i < all_.ranks.size(); ++i) {
      all_.ranks[i].place = places[i];
      for (TracedOperation& one : all_.ranks[i].work.operations)
        one.dp_rank = places[i].data, one.stage = places[i].stage;
    }
  }

  /// Among ranks that name their groups one that does not has no place.
  void leave_out_nameless() {
    if (std::ranges::none_of(all_.ranks, &TracedRank::names_groups)) return;
    leave_out([](const TracedRank& rank) { return !rank.names_groups; },
              [](const TracedRank&) {
                return "it has no collective that names its group, as the others have";
              });
  }

  /// A lone rank says of itself that it is one of several.
  void tell_missing() {
    const int world = all_.ranks.front().world;
    if (all_.ranks.size() < 2 || world <= static_cast<int>(all_.ranks.size())) return;
    std::set<int> known;
    for (const TracedRank& rank : all_.ranks) known.insert(rank.rank);
    if (*known.begin() < 0) return;
    all_.lacks = true;
    all_.notes.push_back(fmt::format(
        "the traces are of {} of {} ranks of the job, without {}: whether missing ranks "
        "or the links to them are slow cannot be told",
        all_.ranks.size(), world, missing_among(known, world)));
  }

  /// "rank 0", "ranks 0, 4 to 7": those below `world` that are not known, some of very many.
  static std::string missing_among(const std::set<int>& known, int world) {
    constexpr size_t shown = 8;
    std::vector<std::string> runs;
    int from = 0;
    for (auto next = known.begin(); from < world; from = *next++ + 1) {
      const int end = next == known.end() ? world : std::min(*next, world);
      if (end - from == 1) runs.push_back(std::to_string(from));
      if (end - from > 1) runs.push_back(fmt::format("{} to {}", from, end - 1));
      if (next == known.end()) break;
    }
    const bool more = runs.size() > shown;
    runs.resize(std::min(runs.size(), shown));
    const bool one = world == static_cast<int>(known.size()) + 1;
    return fmt::format("{} {}{}", one ? "rank" : "ranks", fmt::join(runs, ", "),
                       more ? ", ..." : "");
  }

  void tell_silence() {
    if (all_.ranks.size() > 1 && std::ranges::none_of(all_.ranks, &TracedRank::communicates))
      all_.notes.push_back(
          "no rank shows communication: they are taken for data ranks, and waiting for others "
          "looks "
          "like waiting for hosts");
  }

  /// Ranks of one job that were traced at one time share the numbers of their steps.
  void leave_out_other_steps() {
    std::map<int, int> ranks_with;  // by number of a step
    for (const TracedRank& rank : all_.ranks)
      for (const StepFinding& step : rank.alone.steps) ++ranks_with[step.number];
    const auto shares_one = [&](const TracedRank& rank) {
      return std::ranges::any_of(
          rank.alone.steps, [&](const StepFinding& step) { return ranks_with[step.number] > 1; });
    };
    const auto shared = std::ranges::find_if(all_.ranks, shares_one);
    if (shared == all_.ranks.end()) return refuse_other_steps();
    const std::string theirs = fmt::format("{} of '{}'", steps_text(shared->alone), shared->file);
    leave_out([&](const TracedRank& rank) { return !shares_one(rank); },
              [&](const TracedRank& rank) {
                return fmt::format("it shows {}, and not {}", steps_text(rank.alone), theirs);
              });
  }

  void refuse_other_steps() const {
    if (all_.ranks.size() == 1) return;
    const TracedRank &one = all_.ranks[1], &other = all_.ranks[0];
    throw InputError({one.file, 0, 0},
                     fmt::format("shows {} and '{}' {}: give traces of the same steps of one job",
                                 steps_text(one.alone), other.file, steps_text(other.alone)));
  }

  template <class Is, class Why>
  void leave_out(Is is, Why why) {
    for (const TracedRank& rank : all_.ranks)
      if (is(rank))
        all_.notes.push_back(fmt::format("'{}' was left out: {}", rank.file, why(rank)));
    std::erase_if(all_.ranks, is);
  }

  const std::vector<FlightRecord>& flights_;
  std::vector<bool> used_;  ///< by dump
  double origin_us_ = 0;
  TracedRanks all_;
};

}  // namespace

TracedRanks read_traced_ranks(const std::vector<std::string>& files, Unreadable unreadable,
                              const std::vector<FlightRecord>& flights) {
  return RanksReading(files, unreadable, flights).run();
}

}  // namespace pipewright::diagnose
