// The traffic between stages that are not alike: the whole tensor, from the layout of one mesh to
// that of the other (arXiv 2211.05322).
//
// Assumption: sequences are cut over data ranks, tokens over context ranks; with sequence
//   parallelism tokens over tensor ranks too, on a grid of those (2d, 2.5d, 3d) the width over
//   them; else tensor ranks hold the same. `sharding.activations` says otherwise, over the rows and
//   columns of its mesh; a stage that then gets less than its layers want gathers it: an all-gather
//   among as many devices as share it. One that gets more slices it at no cost.
// Time: that of network/resharding under the best balance of load by order, but not less than the
//   bytes on its busiest link take. Where links are shared its bytes are on all of them from the
//   end of its latency to its own end, in the shares of resharding/footprint.
// Left out: gradients are laid out as activations; gathering shares no link with others.
#include "plan/resharding_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "network/resharding/footprint.hpp"
#include "workload/model/model.hpp"

namespace pipewright {
namespace {

using resharding::Cut;
using resharding::Sharding;

constexpr size_t dimensions = 3;  // sequences, tokens, width

struct Resharding {
  resharding::Meshes meshes;
  std::vector<resharding::Piece> pieces;
  resharding::Strategy strategy;
  /// Groups of devices that gather alike; empty: nobody gathers.
  std::vector<std::vector<int32_t>> gatherers;
  int parts = 1;  ///< of the tensor, one for each group that gathers
};

int parts_of(const Sharding& layout) {
  int parts = 1;
  for (size_t d = 0; d < layout.dimensions.size(); ++d) parts *= layout.pieces(d);
  return parts;
}

Sharding layout_by_degrees(const Experiment& e, const StageMesh& stage) {
  const bool is_line = stage.tensor_grid.is_line();
  const bool cuts_tokens = e.parallel.sequence && is_line;
  return {.dimensions = {Cut::rows, is_line ? Cut::columns : Cut::none,
                         is_line ? Cut::none : Cut::columns},
          .rows = stage.data,
          .columns = e.parallel.context * stage.tensor,
          .copies = is_line && !cuts_tokens ? stage.tensor : 1};
}

/// Returns the lengths of the tensor; zero stands for one that is not known.
std::array<int64_t, dimensions> lengths_of(const Experiment& e) {
  const Model& model = e.model_or_fail();
  return {int64_t{e.batch.micro} * e.parallel.data, e.batch.sequence,
          model.cnn || model.recurrent || model.layers ? 0 : model.transformer.hidden};
}

Sharding layout_of(const Experiment& e, const StageMesh& stage) {
  if (stage.activations.empty()) return layout_by_degrees(e, stage);
  Sharding layout{.dimensions = stage.activations, .rows = stage.rows, .columns = stage.columns};
  layout.dimensions.resize(dimensions, Cut::none);
  const auto lengths = lengths_of(e);
  constexpr const char* names[] = {"sequences", "tokens", "elements of width"};
  for (size_t d = 0; d < dimensions; ++d)
    if (lengths[d] % layout.pieces(d) != 0)
      stage.given.find("sharding")
          ->find("activations")
          ->misfit(fmt::format("{} {} do not divide over {} devices", lengths[d], names[d],
                               layout.pieces(d)));
  return layout;
}

/// Returns the groups of `size` tensor ranks, as far from each other as they can be.
std::vector<std::vector<int32_t>> gatherers_of(const StageMesh& stage, const Mesh& mesh, int size) {
  std::vector<std::vector<int32_t>> groups;
  if (size < 2 || size > stage.tensor) return groups;
  const int apart = stage.tensor / size;
  for (int replica = 0; replica < mesh.replicas(); ++replica) {
    for (int first = 0; first < apart; ++first) {
      std::vector<int32_t>& group = groups.emplace_back();
      for (int k = 0; k < size; ++k) group.push_back(mesh.device(first + k * apart, replica));
    }
  }
  return groups;
}

Resharding resharding_between(const Experiment& e, const Grid& grid, int from, int to) {
  const StageMesh& source = e.meshes.ranks[static_cast<size_t>(from)];
  const StageMesh& destination = e.meshes.ranks[static_cast<size_t>(to)];
  const resharding::Change change{layout_of(e, source), layout_of(e, destination)};
  Resharding all{.meshes = {grid.mesh(from).devices, grid.mesh(to).devices},
                 .pieces = resharding::pieces_of(change),
                 .strategy = e.meshes.resharding,
                 .gatherers = {}};
  all.parts = parts_of(layout_by_degrees(e, destination));
  all.gatherers = gatherers_of(destination, grid.mesh(to), parts_of(change.to) / all.parts);
  return all;
}

class Reshardings final : public ReshardingPrices {
 public:
  Reshardings(std::vector<Resharding> all, const Machine& machine,
              std::shared_ptr<const PriceSource> source)
      : all_(std::move(all)), machine_(machine), source_(std::move(source)) {}

  LinkFootprint footprint(uint32_t number, Bytes bytes) const override {
    const Resharding& one = all_[number];
    return footprint(one, ship(one, bytes));
  }

  std::vector<resharding::Message> messages(uint32_t number, Bytes bytes) const override {
    const Resharding& one = all_[number];
    std::vector<resharding::Message> messages = resharding::messages_of(
        machine_.topology(), one.meshes, one.pieces, bytes, one.strategy, ship(one, bytes).senders);
    for (const std::vector<int32_t>& group : one.gatherers)
      resharding::add_gathering(group, 1.0 / one.parts / static_cast<double>(group.size()),
                                messages);
    return messages;
  }

  Time time(uint32_t number, Bytes bytes) const override {
    const Resharding& one = all_[number];
    const resharding::Shipment shipment = ship(one, bytes);
    const LinkFootprint footprint = this->footprint(one, shipment);
    const double on_links = static_cast<double>(bytes.count) / footprint.bandwidth;
    return std::max(shipment.time, seconds(on_links)) + gathering(one, bytes);
  }

 private:
  resharding::Shipment ship(const Resharding& one, Bytes bytes) const {
    return resharding::ship(machine_.topology(), one.meshes, one.pieces, bytes, one.strategy,
                            resharding::Balance::order);
  }
  LinkFootprint footprint(const Resharding& one, const resharding::Shipment& shipment) const {
    return resharding::footprint_of(machine_.topology(), one.meshes, one.pieces, one.strategy,
                                    shipment.senders);
  }
  Time gathering(const Resharding& one, Bytes bytes) const {
    if (one.gatherers.empty()) return {};
    return source_->collective(CollectiveKind::all_gather, one.gatherers.front(),
                               {bytes.count / one.parts});
  }

  std::vector<Resharding> all_;
  Machine machine_;
  std::shared_ptr<const PriceSource> source_;
};

/// Throws Misfit where both tokens and width of what the mesh sends are cut over its columns.
void require_line(const Experiment& e, int rank) {
  const StageMesh& mesh = e.meshes.ranks[static_cast<size_t>(rank)];
  if (e.parallel.context > 1 && !mesh.tensor_grid.is_line())
    mesh.given.misfit(
        "context ranks on a grid of tensor ranks cannot be resharded: context must "
        "be 1");
}

}  // namespace

std::vector<ReshardingEdge> add_resharding_edges(const Experiment& e, const Grid& grid,
                                                 const Machine& machine, Prices& prices) {
  std::vector<Resharding> all;
  std::map<std::pair<int, int>, uint32_t> numbers;  // by the ranks that send and take
  const auto number_of = [&](int from, int to) {
    const auto [known, is_new] = numbers.try_emplace({from, to}, static_cast<uint32_t>(all.size()));
    if (is_new) all.push_back(resharding_between(e, grid, from, to));
    return known->second;
  };
  const std::vector<StageMeshes::Stage>& stages = e.meshes.stages;
  std::vector<ReshardingEdge> resharding_edges(stages.size());
  for (size_t k = 0; k + 1 < stages.size(); ++k) {
    if (!e.meshes.is_resharding_edge(static_cast<int>(k))) continue;
    require_line(e, stages[k].rank);
    require_line(e, stages[k + 1].rank);
    const int from = stages[k].rank, to = stages[k + 1].rank;
    resharding_edges[k].forward = number_of(from, to);
    resharding_edges[k].backward = number_of(to, from);
  }
  if (all.empty()) return {};
  prices.resharding = std::make_shared<const Reshardings>(std::move(all), machine, prices.source);
  return resharding_edges;
}

}  // namespace pipewright
