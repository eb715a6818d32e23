#include "diagnose/diagnose_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "diagnose/between_steps.hpp"
#include "diagnose/cause_order.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/expert_imbalance.hpp"
#include "diagnose/exposed_reductions.hpp"
#include "diagnose/launch_gaps.hpp"
#include "diagnose/lockstep.hpp"
#include "diagnose/mean_kernels.hpp"
#include "diagnose/measured_job.hpp"
#include "diagnose/number_chunks.hpp"
#include "diagnose/rank_actions.hpp"
#include "diagnose/tensor_ranks.hpp"
#include "diagnose/traced_layers.hpp"

namespace pipewright::diagnose {
namespace {

class Ranks {
 public:
  explicit Ranks(TracedRanks traced)
      : ranks_(std::move(traced.ranks)),
        placed_by_messages_(traced.placed_by_messages),
        lacks_(traced.lacks),
        notes_(std::move(traced.notes)) {}

  Diagnosis run(const std::string& source, const KnownLayers& layers) {
    Diagnosis diagnosis = ranks_.size() == 1 ? alone() : together(source, layers);
    std::ranges::move(notes_, std::back_inserter(diagnosis.notes));
    return diagnosis;
  }

 private:
  /// One rank, and the schedule that has its order of passes on its stage.
  Diagnosis alone() {
    TracedRank& rank = ranks_.front();
    rank.alone.no_layout = "the trace is of one rank, which has one stage";
    const int pipeline = rank.names_groups ? rank.alone.parallel.pipeline : 1;
    if (pipeline > 1 || rank.messages == 0) add_schedule(rank, pipeline);
    return std::move(rank.alone);
  }

  static void add_schedule(TracedRank& rank, int pipeline) {
    for (TracedOperation& one : rank.work.operations) one.dp_rank = 0;
    leave_exposed(rank.work.operations);
    const int chunks = pipeline > 1 ? number_chunks(rank.work.operations, pipeline) : 1;
    rank.alone.parallel.chunks = chunks;
    rank.alone.micro_batches /= chunks;
    std::vector<std::vector<int32_t>> stages(static_cast<size_t>(pipeline));
    if (rank.place.stage < pipeline)
      stages[static_cast<size_t>(rank.place.stage)] = rank.work.model_stages;
    try {
      Diagnosis joined = diagnose_job({.operations = std::move(rank.work.operations),
                                       .placement = placement_of(stages),
                                       .stages = pipeline},
                                      rank.file);
      rank.alone.rebuilt = std::move(joined.rebuilt);
      if (rank.alone.rebuilt)
        rank.alone.rebuilt->take_data_ranks(std::max(rank.alone.parallel.data, 1));
      if (pipeline == 1) return;
      rank.alone.schedule = joined.schedule;
      rank.alone.notes.push_back(
          fmt::format("the schedule is told by the passes of stage {} alone: others may have the "
                      "same order there",
                      rank.place.stage));
    } catch (const InputError&) {
      // It shows no passes.
    }
  }

  std::vector<TensorRank> tensor_ranks() const {
    std::vector<TensorRank> all;
    for (const TracedRank& rank : ranks_) {
      const Breakdown& own = rank.alone.breakdown;
      all.push_back({rank.place.data, rank.place.stage, rank.place.tensor,
                     in_seconds(own.computing()),
                     in_seconds(own.compute[static_cast<size_t>(ComputeKind::optimizer)])});
    }
    return all;
  }

  Diagnosis together(const std::string& source, const KnownLayers& layers) {
    balance_experts();
    std::vector<TracedOperation> all;
    const std::vector<bool> stands = stand_for_groups(tensor_ranks());
    for (size_t rank = 0; rank < ranks_.size(); ++rank)
      if (stands[rank]) std::ranges::move(ranks_[rank].work.operations, std::back_inserter(all));
    leave_exposed(all);
    leave_lockstep(all);
    const int chunks = number_chunks(all, stages());
    Diagnosis diagnosis;
    try {
      diagnosis =
          diagnose_job({.operations = std::move(all),
                        .placement = placement(),
                        .stages = stages(),
                        .degrees = {.data = lacks_ ? data_degree() : 1},
                        .knows_hosts = know_hosts(),
                        .step_lengths = step_lengths(),
                        .lacks = lacks_,
                        .slow_members = slow_members(tensor_ranks(), context_degree()),
                        .facts = facts()},
                       source, layers.empty() ? counted_layers(ranks_, stages(), chunks) : layers);
    } catch (const InputError& error) {
      if (!layers.empty()) throw;
      return typical_alone(error.message());
    }
    std::ranges::move(notes_on_groups(tensor_ranks(), context_degree()),
                      std::back_inserter(diagnosis.notes));
    if (placed_by_messages_)
      diagnosis.notes.push_back(
          "the traces do not name groups: stages were told by the messages of ranks in their "
          "order");
    diagnosis.nodes = nodes();
    add_degrees(diagnosis);
    add_accounts(diagnosis);
    add_causes_within(diagnosis);
    return diagnosis;
  }

  /// By node, in the order of their first ranks. Empty: ranks are missing, or some do not name
  /// their hosts.
  std::vector<std::vector<int>> nodes() const {
    if (lacks_) return {};
    std::map<std::string, std::vector<int>> by_host;
    for (const TracedRank& rank : ranks_) {
      if (rank.host.empty() || rank.rank < 0) return {};
      by_host[rank.host].push_back(rank.rank);
    }
    std::vector<std::vector<int>> nodes;
    for (auto& [host, ranks] : by_host) nodes.push_back(std::move(ranks));
    for (std::vector<int>& ranks : nodes) std::ranges::sort(ranks);
    std::ranges::sort(nodes);
    return nodes;
  }

  /// Ranks are named by their numbers where nodes are.
  std::map<std::pair<int32_t, int32_t>, RankFacts> facts() const {
    std::map<std::pair<int32_t, int32_t>, RankFacts> facts;
    if (nodes().empty()) return facts;
    const std::vector<bool> stands = stand_for_groups(tensor_ranks());
    for (size_t i = 0; i < ranks_.size(); ++i) {
      RankFacts& of_place = facts[{ranks_[i].place.data, ranks_[i].place.stage}];
      of_place.group.push_back(ranks_[i].rank);
      if (stands[i]) of_place.device = ranks_[i].rank;
    }
    return facts;
  }

  bool know_hosts() const {
    return std::ranges::all_of(ranks_,
                               [](const TracedRank& rank) { return rank.work.knows_hosts; });
  }

  StepLengths step_lengths() const {
    StepLengths all;
    for (const TracedRank& rank : ranks_)
      for (const auto& [step, length] : rank.work.step_lengths)
        all[{rank.place.data, rank.place.stage, step}] = length;
    return all;
  }

  /// The groups of a pipeline name ranks that the traces may lack.
  int stages() const {
    int most = 1;
    for (const TracedRank& rank : ranks_)
      if (rank.names_groups) most = std::max(most, rank.alone.parallel.pipeline);
    return placed_by_messages_ ? 1 : most;
  }

  /// By rank of a pipeline, the stages of the model that it holds; empty where actions do not say
  /// that.
  Placement placement() const {
    int most = stages();
    for (const TracedRank& rank : ranks_) most = std::max(most, rank.place.stage + 1);
    std::vector<std::vector<int32_t>> held(static_cast<size_t>(most));
    for (const TracedRank& rank : ranks_)
      held[static_cast<size_t>(rank.place.stage)] = rank.work.model_stages;
    return placement_of(held);
  }

  int most_of(int FoundParallelism::*degree) const {
    int most = 1;
    for (const TracedRank& rank : ranks_) most = std::max(most, rank.alone.parallel.*degree);
    return most;
  }
  int data_degree() const { return most_of(&FoundParallelism::data); }
  int context_degree() const { return most_of(&FoundParallelism::context); }

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

  void balance_experts() {
    std::vector<ExpertRank> experts;
    for (TracedRank& rank : ranks_)
      if (!rank.expert_group.empty())
        experts.push_back({rank.expert_group, rank.place.stage, &rank.work});
    find_imbalance(experts);
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
    if (diagnosis.rebuilt) diagnosis.rebuilt->take_data_ranks(all.data);
  }

  void add_accounts(Diagnosis& diagnosis) const {
    std::vector<WeighedBreakdown> parts;
    diagnosis.ranks.clear();
    std::vector<double> computing;  // in seconds: ranks may have steps of unequal length
    std::vector<std::vector<KernelNameTime>> names;
    for (const TracedRank& rank : ranks_) {
      names.push_back(rank.alone.names);
      const Breakdown own = scaled(rank.alone.breakdown, seconds(diagnosis.typical.measured_s));
      parts.push_back({own});
      computing.push_back(in_seconds(rank.alone.breakdown.computing()));
      diagnosis.ranks.push_back({rank.place.data, rank.place.stage, 1, own});
    }
    diagnosis.breakdown = mean(parts);
    diagnosis.kernels = ranks_.front().alone.kernels;
    diagnosis.names = mean_kernels(names);
    diagnosis.layers = ranks_.front().alone.layers;
    const double usual = std::accumulate(computing.begin(), computing.end(), 0.0) /
                         static_cast<double>(ranks_.size());
    for (size_t rank = 0; rank < ranks_.size(); ++rank)
      if (usual > 0) diagnosis.ranks[rank].relative_compute = computing[rank] / usual;
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
    std::erase_if(by_who, [&](const auto& one) {
      return 2 * one.second.size() <= ranks_.size() || is_between_ranks(one.first) ||
             (know_hosts() && one.second.front().kind == CauseKind::host);
    });
    // Launches say more than the gaps between passes that they make.
    if (std::ranges::any_of(
            by_who, [](const auto& one) { return one.second.front().kind == CauseKind::host; }))
      std::erase_if(diagnosis.causes, is_gap);
    double excess = 0;
    for (const StepFinding& step : diagnosis.steps)
      excess += (step.simulated_s - step.ideal_s) / static_cast<double>(diagnosis.steps.size());
    for (auto& [who, causes] : by_who) {
      std::ranges::sort(causes, {}, &Cause::recovered_s);
      const Cause& usual = causes[causes.size() / 2];
      if (usual.recovered_s <= 0) continue;
      Cause& cause = diagnosis.causes.emplace_back(usual);
      cause.attributed_s = 0;  // within what is attributed between ranks
      cause.share = share_of_excess(cause.recovered_s, excess, cause.beyond_peers);
      cause.share_of_causes.reset();
    }
    put_in_order(diagnosis.causes, Peers::some);
  }

  std::vector<TracedRank> ranks_;
  bool placed_by_messages_ = false;
  bool lacks_ = false;
  std::vector<std::string> notes_;
};

}  // namespace

Diagnosis diagnose_ranks(const std::vector<std::string>& files, const std::string& source,
                         const KnownBesides& known, Unreadable unreadable) {
  return Ranks(read_traced_ranks(files, unreadable, known.flights)).run(source, known.layers);
}

}  // namespace pipewright::diagnose
