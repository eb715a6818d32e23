#include "diagnose/diagnose_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "diagnose/attribution.hpp"
#include "diagnose/between_steps.hpp"
#include "diagnose/candidates.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/expert_imbalance.hpp"
#include "diagnose/launch_gaps.hpp"
#include "diagnose/profile_files.hpp"
#include "diagnose/rank_operations.hpp"
#include "diagnose/rank_places.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double most_apart_us = 10 * 86400e6;

/// What is kept of a rank when its trace has been read.
struct TracedRank {
  std::string file;
  int rank = -1, world = -1;
  GridPlace place;
  size_t messages = 0;
  RankOperations work;
  std::string expert_group;  ///< who exchanges tokens with it
  Diagnosis alone;
};

class Ranks {
 public:
  explicit Ranks(const std::vector<std::string>& files) {
    for (const std::string& file : files)
      for (const RankProfile& profile : read_rank_profiles(file)) add(profile);
    if (!tell_places_apart()) place_in_order();
  }

  Diagnosis run(const std::string& source, const KnownLayers& layers) {
    if (ranks_.size() == 1) return std::move(ranks_.front().alone);
    balance_experts();
    std::vector<TracedOperation> all;
    size_t left_out = 0;
    for (TracedRank& rank : ranks_) {
      if (rank.place.tensor > 0)
        ++left_out;
      else
        std::ranges::move(rank.work.operations, std::back_inserter(all));
    }
    Diagnosis diagnosis;
    try {
      diagnosis =
          diagnose_operations(std::move(all), source, layers.empty() ? counted_layers() : layers);
    } catch (const InputError& error) {
      if (!layers.empty()) throw;
      return typical_alone(error.message());
    }
    if (left_out > 0)
      diagnosis.notes.push_back(fmt::format(
          "of each tensor group the first rank stands for all: {} were left out", left_out));
    if (placed_by_messages_)
      diagnosis.notes.push_back(
          "the traces do not name groups: stages were told by the messages of ranks in their "
          "order");
    add_degrees(diagnosis);
    add_accounts(diagnosis);
    add_causes_within(diagnosis);
    return diagnosis;
  }

 private:
  /// The rank of median step by itself, where the passes of several cannot be joined.
  Diagnosis typical_alone(const std::string& why) {
    std::ranges::stable_sort(ranks_, {},
                             [](const TracedRank& rank) { return rank.alone.typical.measured_s; });
    TracedRank& rank = ranks_[ranks_.size() / 2];
    rank.alone.notes.push_back(fmt::format(
        "the passes of the {} ranks cannot be joined to a step, so this is '{}' by itself: {}",
        ranks_.size(), rank.file, why));
    return std::move(rank.alone);
  }

  /// The layers of each stage as its ranks repeat them in their kernels. Empty where some do not:
  /// of each stage the ranks must agree.
  KnownLayers counted_layers() const {
    std::map<int, int> by_stage;
    for (const TracedRank& rank : ranks_) {
      const auto count = static_cast<int>(rank.alone.layers.size()) - 2;
      if (count < 1) return {};
      if (by_stage.emplace(rank.place.stage, count).first->second != count) return {};
    }
    if (by_stage.empty() || by_stage.rbegin()->first >= static_cast<int>(by_stage.size()))
      return {};
    KnownLayers layers;
    for (const auto& [stage, count] : by_stage) layers.push_back(count);
    return layers;
  }

  void add(const RankProfile& profile) {
    const DeviceWork work = device_work(profile);
    if (ranks_.empty()) origin_us_ = profile.begin_us;
    if (std::abs(profile.begin_us - origin_us_) > most_apart_us)
      throw InputError(
          {profile.file, 0, 0},
          fmt::format("begins more than 10 days before or after '{}'", ranks_.front().file));
    TracedRank one{.file = profile.file, .rank = profile.rank, .world = profile.world};
    one.place = place_of(profile, work);
    one.messages = static_cast<size_t>(std::ranges::count_if(work.ops, is_message));
    check(one);
    one.work = operations_and_exchanges(profile, work, one.place, origin_us_);
    if (!one.work.exchanges.empty() && one.work.exchanges.front().collective >= 0)
      one.expert_group =
          profile.collectives[static_cast<size_t>(one.work.exchanges.front().collective)].ranks;
    one.alone = diagnose_profile(profile);
    ranks_.push_back(std::move(one));
  }

  void balance_experts() {
    std::vector<ExpertRank> experts;
    for (TracedRank& rank : ranks_)
      if (!rank.expert_group.empty())
        experts.push_back({rank.expert_group, rank.place.stage, &rank.work});
    find_imbalance(experts);
  }

  void check(const TracedRank& one) const {
    for (const TracedRank& other : ranks_) {
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
    for (const TracedRank& rank : ranks_)
      places.emplace(rank.place.data, rank.place.stage, rank.place.tensor);
    return places.size() == ranks_.size();
  }

  static bool is_message(const DeviceOp& op) {
    return op.communicates && op.traffic == Traffic::pipeline;
  }

  static RankSigns signs_of(const TracedRank& rank) {
    const auto first =
        std::ranges::find(rank.work.operations, OperationKind::forward, &TracedOperation::kind);
    if (first == rank.work.operations.end()) return {rank.messages, {}, {}};
    return {rank.messages, first->start, first->end()};
  }

  void place_in_order() {
    std::ranges::stable_sort(ranks_, {}, &TracedRank::rank);
    std::vector<RankSigns> signs;
    for (const TracedRank& rank : ranks_) signs.push_back(signs_of(rank));
    const std::vector<GridPlace> places = places_by_messages(signs);
    placed_by_messages_ = places.back().stage > 0;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      ranks_[i].place = places[i];
      for (TracedOperation& one : ranks_[i].work.operations)
        one.dp_rank = places[i].data, one.stage = places[i].stage;
    }
  }

  void add_degrees(Diagnosis& diagnosis) const {
    FoundParallelism& all = diagnosis.parallel;
    for (const TracedRank& rank : ranks_) {
      const FoundParallelism& one = rank.alone.parallel;
      all.tensor = std::max(all.tensor, one.tensor);
      all.pipeline = std::max(all.pipeline, one.pipeline);
      all.data = std::max(all.data, one.data);
      all.context = std::max(all.context, one.context);
      all.expert = std::max(all.expert, one.expert);
    }
  }

  void add_accounts(Diagnosis& diagnosis) const {
    std::vector<WeighedBreakdown> parts;
    diagnosis.ranks.clear();
    double total = 0;
    for (const TracedRank& rank : ranks_) {
      const Breakdown own = scaled(rank.alone.breakdown, seconds(diagnosis.typical.measured_s));
      parts.push_back({own});
      total += in_seconds(own.computing());
      diagnosis.ranks.push_back({rank.place.data, rank.place.stage, 1, own});
    }
    diagnosis.breakdown = mean(parts);
    diagnosis.kernels = ranks_.front().alone.kernels;
    diagnosis.names = ranks_.front().alone.names;
    diagnosis.layers = ranks_.front().alone.layers;
    const double usual = total / static_cast<double>(ranks_.size());
    for (DiagnosedRank& rank : diagnosis.ranks)
      if (usual > 0) rank.relative_compute = in_seconds(rank.breakdown.computing()) / usual;
  }

  static bool is_gap(const Cause& cause) {
    return cause.kind == CauseKind::host &&
           (cause.who == launch_gaps_name || cause.who == late_begin_name ||
            cause.who == between_steps_name);
  }

  /// Within one rank, waiting for others looks like communication of what joins the passes of
  /// several.
  static bool is_between_ranks(const std::string& who) {
    return who == all_communication(Traffic::data) || who == all_communication(Traffic::pipeline);
  }

  /// Causes that a rank has by itself, each as it is on the rank of which it is the median.
  void add_causes_within(Diagnosis& diagnosis) const {
    std::map<std::string, std::vector<Cause>> by_who;
    for (const TracedRank& rank : ranks_)
      for (const Cause& cause : rank.alone.causes) by_who[cause.who].push_back(cause);
    for (auto& [who, causes] : by_who) {
      if (2 * causes.size() <= ranks_.size() || is_between_ranks(who)) continue;
      // Launches say more than the gaps between passes that they make.
      if (causes.front().kind == CauseKind::host) std::erase_if(diagnosis.causes, is_gap);
      std::ranges::sort(causes, {}, &Cause::recovered_s);
      diagnosis.causes.push_back(causes[causes.size() / 2]);
      diagnosis.causes.back().attributed_s = 0;  // within what is attributed between ranks
    }
    put_in_order(diagnosis.causes);
  }

  double origin_us_ = 0;
  bool placed_by_messages_ = false;
  std::vector<TracedRank> ranks_;
};

}  // namespace

Diagnosis diagnose_ranks(const std::vector<std::string>& files, const std::string& source,
                         const KnownLayers& layers) {
  return Ranks(files).run(source, layers);
}

}  // namespace pipewright::diagnose
