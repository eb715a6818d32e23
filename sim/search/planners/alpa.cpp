// Alpa's inter-operator dynamic program (OSDI 2022, section 5.2) over our own costs.
//
// Assumption: stages run one after the other on meshes 1 x 2^k in a node or n whole nodes; a mesh
//   is cut into tensor x data as is quickest for the model on it (in place of the paper's integer
//   program); a micro-batch is spread over a mesh's replicas; what a stage sends is resharded to
//   the next one's mesh by broadcast (search/unequal_meshes.cpp; network/resharding).
// Recurrence: F(k, d, a) = min over j, b of r(a, b) + t(k..j, b) + F(j + 1, d - |b|, b) with all t
//   and r at most t_max; the answer is the least F(0, D) + (m - 1) t_max over t_max.
// Search: at most 16 clusters of layers (deeper pipelines are balanced), micro-batches of powers of
//   two; unequal meshes on at most 128 devices.
// Mapping: 1f1b. Meshes that are all alike are replicas by `parallel`; others stand in `strategy`,
//   each on the first devices that are free: in a node at a multiple of its size, or whole nodes.
//   A plan whose meshes do not find room so is left out.
// Limits: a stage's weights and one micro-batch must fit; the rest of memory is the simulation's.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "network/resharding/plan.hpp"
#include "search/chain.hpp"
#include "search/pools.hpp"
#include "search/registry.hpp"
#include "search/space.hpp"
#include "search/unequal_meshes.hpp"

namespace pipewright::search {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();
constexpr int most_clusters = 16;
constexpr int most_unequal = 128;  // devices

/// A mesh cut into tensor x data, and the chain on it.
struct MeshStrategy {
  Mesh mesh;
  int tensor = 1, data = 1;
  const Chain* chain = nullptr;
  bool operator==(const MeshStrategy& other) const {
    return mesh == other.mesh && tensor == other.tensor;
  }
};

/// The model's chains, each worked out once.
class Chains {
 public:
  Chains(const Problem& problem, const Given& given) : problem_(problem), given_(given) {}

  /// Returns every strategy to run a micro-batch of `micro` sequences on `mesh`.
  std::vector<MeshStrategy> strategies(const Mesh& mesh, int micro) {
    std::vector<MeshStrategy> all;
    for (const int tensor : divisors(mesh.columns)) {
      const int data = mesh.devices() / tensor;
      if (micro % data != 0) continue;
      if (const Chain* one = chain(tensor, micro / data)) all.push_back({mesh, tensor, data, one});
    }
    return all;
  }

 private:
  /// Returns the chain on `tensor` devices; null where the model does not allow that degree.
  const Chain* chain(int tensor, int micro) {
    const auto [at, is_new] = known_.try_emplace({tensor, micro});
    std::optional<Chain>& chain = at->second;
    if (!is_new) return chain ? &*chain : nullptr;
    if (given_.devices % tensor != 0 || given_.global % micro != 0) return nullptr;
    try {
      chain = chain_of(problem_, {.tensor = tensor,
                                  .data = given_.devices / tensor,
                                  .micro = micro,
                                  .zero = true,
                                  .schedule = schedule_named("1f1b")});
    } catch (const Misfit&) {
      return nullptr;
    }
    return chain ? &*chain : nullptr;
  }

  const Problem& problem_;
  const Given& given_;
  std::map<std::pair<int, int>, std::optional<Chain>> known_;  ///< by tensor, micro-batch
};

class Job {
 public:
  explicit Job(const Problem& problem) : problem_(problem), given_(given_by(problem)) {
    for (int k = 0; k < given_.devices; ++k) devices_.push_back(number_in_cluster(problem, k));
  }

  Proposal propose() {
    for (int micro = 1; micro <= given_.global && micro <= 1024; micro *= 2)
      if (given_.global % micro == 0) try_micro(micro);
    std::ranges::stable_sort(found_, {}, &Estimated::estimate);
    std::vector<Candidate> candidates;
    for (const Estimated& one : found_) candidates.push_back(one.candidate);
    std::vector<std::optional<Estimated>> real = estimates(problem_, candidates);
    std::vector<Estimated> possible;
    for (size_t k = 0; k < found_.size(); ++k)
      if (real[k])
        possible.push_back({std::move(real[k]->candidate), found_[k].estimate, real[k]->held, {}});
    return best_of(problem_, possible, static_cast<size_t>(problem_.simulations));
  }

 private:
  /// First links of at most sixteen clusters of as many links each, and the end.
  static std::vector<int> clusters(int links) {
    const int count = std::min(links, most_clusters);
    std::vector<int> begin;
    for (int c = 0; c <= count; ++c) begin.push_back(links * c / count);
    return begin;
  }

  double time_of(const MeshStrategy& strategy, int first, int end) const {
    Time busy;
    Bytes gradients;
    for (int i = first; i < end; ++i) {
      busy += strategy.chain->links[static_cast<size_t>(i)].both();
      gradients += strategy.chain->links[static_cast<size_t>(i)].gradients;
    }
    return in_seconds(busy) + in_seconds(reduce(strategy, gradients)) / micro_batches_;
  }

  double stage_s(const MeshStrategy& strategy, int first, int end) const {
    Bytes held;
    for (int i = first; i < end; ++i) {
      const Link& link = strategy.chain->links[static_cast<size_t>(i)];
      held += link.state + link.stash;
    }
    const std::optional<Bytes> memory = strategy.chain->machine.memory(devices_);
    return memory && held > *memory ? impossible : time_of(strategy, first, end);
  }

  static Time reduce(const MeshStrategy& strategy, Bytes gradients) {
    std::vector<int32_t> group;
    for (int replica = 0; replica < strategy.data; ++replica)
      group.push_back(replica * strategy.tensor);
    if (group.size() < 2) return {};
    return strategy.chain->prices.collective(CollectiveKind::all_reduce, group, gradients);
  }

  /// There and back, between meshes that lie side by side.
  double reshard_s(const MeshStrategy& from, const MeshStrategy& to, int last) const {
    const int columns = given_.devices_per_node;
    int start = from.mesh.devices();
    if (to.mesh.columns == columns) start = (start + columns - 1) / columns * columns;
    if (start + to.mesh.devices() > given_.devices) return impossible;
    resharding::Meshes meshes;
    for (int i = 0; i < from.mesh.devices(); ++i)
      meshes.from.push_back(number_in_cluster(problem_, i));
    for (int i = 0; i < to.mesh.devices(); ++i)
      meshes.to.push_back(number_in_cluster(problem_, start + i));
    const resharding::Change change = resharding::read_change(
        fmt::format("S0R@({},{}) -> S0R@({},{})", from.data, from.tensor, to.data, to.tensor));
    const Bytes bytes = from.chain->links[static_cast<size_t>(last)].output * from.data;
    const Time once =
        resharding::time_of(from.chain->machine.topology(), meshes, resharding::pieces_of(change),
                            bytes, resharding::Strategy::broadcast, resharding::Balance::size);
    return 2 * in_seconds(once);
  }

  /// Plans in units of `unit` devices.
  MeshPlan solve(const std::vector<MeshStrategy>& strategies, const std::vector<int>& begin,
                 int unit = 1) {
    MeshProblem asked{.links = static_cast<int>(begin.size()) - 1,
                      .devices = given_.devices / unit,
                      .micro_batches = micro_batches_};
    for (const MeshStrategy& strategy : strategies)
      asked.mesh_devices.push_back(strategy.mesh.devices() / unit);
    asked.stage_s = [&](int first, int last, size_t mesh) {
      return stage_s(strategies[mesh], begin[first], begin[last + 1]);
    };
    std::map<std::tuple<int64_t, size_t, size_t>, double> known;
    asked.reshard_s = [&](int last, size_t from, size_t to) {
      const int link = begin[last + 1] - 1;
      const int64_t bytes = strategies[from].chain->links[static_cast<size_t>(link)].output.count;
      const auto [at, is_new] = known.try_emplace({bytes, from, to});
      if (is_new) at->second = reshard_s(strategies[from], strategies[to], link);
      return at->second;
    };
    return unequal_meshes(asked);
  }

  /// Stages on meshes that are all like this one's.
  void keep_equal(const MeshStrategy& strategy, const std::vector<int>& begin, int micro) {
    Candidate c{.tensor = strategy.tensor,
                .pipeline = given_.devices / strategy.mesh.devices(),
                .data = strategy.data,
                .micro = micro / strategy.data,
                .zero = strategy.data > 1,
                .schedule = schedule_named("1f1b")};
    if (c.pipeline > begin.back()) return;
    if (c.pipeline >= static_cast<int>(begin.size())) {  // deeper than there are clusters
      c.split = split_of(problem_, Split::balanced);
      const double all = time_of(strategy, 0, begin.back());
      found_.push_back(
          {std::move(c), seconds(all + (micro_batches_ - 1) * all / c.pipeline), {}, {}});
      return;
    }
    const MeshPlan plan = solve({strategy}, begin, strategy.mesh.devices());
    if (plan.stages.empty()) return;
    for (const MeshStage& stage : plan.stages)
      c.layers.push_back(begin[static_cast<size_t>(stage.last) + 1] -
                         begin[static_cast<size_t>(stage.first)]);
    found_.push_back({std::move(c), seconds(plan.seconds), {}, {}});
  }

  void try_micro(int micro) {
    micro_batches_ = static_cast<int>(given_.global / micro);
    std::vector<MeshStrategy> quickest;
    std::vector<int> begin;
    for (const Mesh& mesh :
         submeshes(given_.devices / given_.devices_per_node, given_.devices_per_node)) {
      std::vector<std::pair<double, MeshStrategy>> timed;
      for (const MeshStrategy& strategy : chains_.strategies(mesh, micro)) {
        const int links = static_cast<int>(strategy.chain->links.size());
        begin = clusters(links);
        timed.emplace_back(stage_s(strategy, 0, std::max(1, links / 2)), strategy);
        if (given_.devices % mesh.devices() == 0) keep_equal(strategy, begin, micro);
      }
      const auto least = std::ranges::min_element(
          timed, [](const auto& a, const auto& b) { return a.first < b.first; });
      if (least != timed.end()) quickest.push_back(least->second);
    }
    if (quickest.empty() || given_.devices > most_unequal) return;
    const MeshPlan plan = solve(quickest, begin);
    keep_unequal(plan, quickest, begin, micro);
  }

  void keep_unequal(const MeshPlan& plan, const std::vector<MeshStrategy>& strategies,
                    const std::vector<int>& begin, int micro) {
    std::vector<Mesh> meshes;
    for (const MeshStage& stage : plan.stages) meshes.push_back(strategies[stage.mesh].mesh);
    const std::optional<std::vector<int>> first =
        first_devices(meshes, given_.devices, given_.devices_per_node);
    const bool unequal = std::ranges::any_of(plan.stages, [&](const MeshStage& stage) {
      return stage.mesh != plan.stages.front().mesh;
    });
    if (!unequal || !first) return;
    Candidate c{.pipeline = static_cast<int>(meshes.size()), .schedule = schedule_named("1f1b")};
    for (size_t k = 0; k < meshes.size(); ++k) {
      const MeshStage& stage = plan.stages[k];
      const MeshStrategy& strategy = strategies[stage.mesh];
      c.stages.push_back(
          {begin[static_cast<size_t>(stage.last) + 1] - begin[static_cast<size_t>(stage.first)],
           (*first)[k], strategy.tensor, strategy.data});
      c.data = std::max(c.data, strategy.data);
    }
    c.micro = micro / c.data;
    c.zero = c.data > 1;
    found_.push_back({std::move(c), seconds(plan.seconds), {}, {}});
  }

  const Problem& problem_;
  Given given_;
  std::vector<int32_t> devices_;  ///< that a plan may use
  int micro_batches_ = 1;
  Chains chains_{problem_, given_};
  std::vector<Estimated> found_;
};

Proposal propose(const Problem& problem) { return Job(problem).propose(); }

}  // namespace

const Planner planner::alpa{"alpa", "unequal meshes per stage, resharding between them", propose};

}  // namespace pipewright::search
