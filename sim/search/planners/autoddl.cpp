// AutoDDL (arXiv 2301.06813): SBP signatures of every product over an n-D grid of devices.
//
// Assumption: no pipeline; products y = x w in a chain, each cut on every side of the grid (halves
//   of a node, nodes) by batch, columns of w, rows of w, or not at all; a tensor that is made
//   otherwise than it is wanted is boxed; a transformer is its block's four products, repeated, and
//   a residual stream beside them.
// Cost (search/signatures.cpp): compute / cuts + all-reduce of gradients + boxing there and back,
//   collectives at the price that the simulation starts from.
// Search: coordinate descent over windows of two operators, the rest held, from 16 random starts.
//   Where all combinations can be counted out they are, and a note sets both searches side by side.
// Mapping: what it finds is written as `parallel.sbp` and simulated, beside the tensor and data
//   parallelism that the same grid allows. A network that is no chain is data parallel.
// Limits: embedding, head and memory are left out of the search; they are in the simulation.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "program/grid_groups.hpp"
#include "search/chain.hpp"
#include "search/registry.hpp"
#include "search/signatures.hpp"
#include "search/space.hpp"
#include "workload/model/model.hpp"

namespace pipewright::search {
namespace {

using config::Value;

constexpr int restarts = 16;
constexpr double most_choices = 70'000;

/// Innermost first.
std::vector<int> sides_of(const Given& given) {
  const int node = given.devices_per_node, nodes = given.devices / node;
  const bool halves = given.transformer && node > 2 && node % 2 == 0;
  std::vector<int> sides;
  if (node > 1) sides.push_back(halves ? node / 2 : node);
  if (halves) sides.push_back(2);
  if (nodes > 1) sides.push_back(nodes);
  return sides;
}

Mesh mesh_of(const std::vector<int>& sides, int devices) {
  Mesh mesh{.tensor = devices, .tensor_grid = {TensorKind::signatures, {1, 1, 1}}};
  std::ranges::copy(sides, mesh.tensor_grid.sides.begin());
  mesh.devices.resize(static_cast<size_t>(devices));
  std::iota(mesh.devices.begin(), mesh.devices.end(), 0);
  return mesh;
}

/// Queries, keys and values; the attention's output; into and out of the MLP.
std::vector<Operator> block_operators(const TransformerShape& shape, const Link& link,
                                      double batch) {
  const int64_t context = shape.attention.heads * shape.attention.head_dim, hidden = shape.hidden,
                ffn = shape.ffn;
  const int64_t widths[][2] = {
      {hidden, context + 2 * shape.attention.kv_heads * shape.attention.head_dim},
      {context, hidden},
      {hidden, ffn * (shape.gated ? 2 : 1)},
      {ffn, hidden}};
  // Attention and the activation run on what a product left: whole heads, and a part of all three.
  const int64_t heads = std::gcd(std::gcd(shape.attention.heads, shape.attention.kv_heads), ffn);
  const int64_t cut_in[] = {0, context, 0, ffn}, cut_out[] = {heads, hidden, heads, hidden};
  const int64_t leaves[] = {context, hidden, ffn, hidden};
  double all = 0;
  for (const auto& [in, out] : widths) all += static_cast<double>(in) * static_cast<double>(out);
  const double feature =
      static_cast<double>(link.output.count) * batch / static_cast<double>(hidden);
  std::vector<Operator> operators;
  for (size_t i = 0; i < 4; ++i) {
    const auto [in, out] = widths[i];
    const double share = static_cast<double>(in) * static_cast<double>(out) / all;
    operators.push_back({.seconds = share * in_seconds(link.both()) * batch,
                         .weights = share * static_cast<double>(link.gradients.count),
                         .output = feature * static_cast<double>(leaves[i]),
                         .in = cut_in[i],
                         .out = cut_out[i],
                         .whole_input = i % 2 == 0});
  }
  return operators;
}

bool is_chain(const CnnShape& shape) {
  using Kind = CnnStep::Kind;
  constexpr Kind known[] = {Kind::conv, Kind::dense, Kind::max_pool, Kind::average_pool,
                            Kind::global_pool};
  return std::ranges::all_of(shape.layers, [&](const CnnStep& step) {
    return std::ranges::find(known, step.kind) != std::end(known);
  });
}

/// Products, each with the pools that follow it.
std::vector<Operator> chain_operators(const CnnShape& shape, const std::vector<Link>& links,
                                      double batch) {
  std::vector<Operator> operators;
  int64_t channels = shape.input.channels;
  for (size_t i = 0; i < links.size(); ++i) {
    const CnnStep& step = shape.layers[i];
    const double seconds = in_seconds(links[i].both()) * batch;
    const bool product = step.kind == CnnStep::Kind::conv || step.kind == CnnStep::Kind::dense;
    if (!product && operators.empty()) continue;  // before anything has weights
    if (product) {
      operators.push_back({.weights = static_cast<double>(links[i].gradients.count),
                           .in = channels,
                           .out = step.channels});
      channels = step.channels;
    }
    operators.back().seconds += seconds;
    operators.back().output = static_cast<double>(links[i].output.count) * batch;
  }
  return operators;
}

/// Uncuttable but by batch: networks that are no chain.
std::vector<Operator> any_operators(const std::vector<Link>& links, double batch) {
  std::vector<Operator> operators;
  for (const Link& link : links)
    operators.push_back({.seconds = in_seconds(link.both()) * batch,
                         .weights = static_cast<double>(link.gradients.count),
                         .output = static_cast<double>(link.output.count) * batch,
                         .cuttable = false});
  return operators;
}

class Job {
 public:
  explicit Job(const Problem& problem)
      : problem_(problem),
        given_(given_by(problem)),
        model_(read_model(problem.catalogue.resolve("models", *problem.experiment.find("model")))),
        chain_(chain_of(problem, {.data = given_.devices, .schedule = schedule_named("1f1b")})),
        sides_(sides_of(given_)),
        mesh_(mesh_of(sides_, given_.devices)) {
    if (given_.transformer && (model_.transformer.experts || model_.transformer.attention.latent))
      throw Misfit("its signatures are of dense products; this model has experts or low ranks");
    if (given_.transformer && !model_.transformer.rare_part().empty())
      throw Misfit(
          fmt::format("its signatures are of blocks of attention and MLP; this model has {}",
                      model_.transformer.rare_part()));
    if (sides_.empty()) throw Misfit("one device leaves nothing to cut");
    asked_.grid = mesh_.tensor_grid;
    asked_.batch = given_.global;
    asked_.price = [this](const CollectiveWork& work) { return price(work); };
    const auto batch = static_cast<double>(given_.global);
    if (given_.transformer) {
      asked_.times = given_.blocks;
      asked_.residual = true;
      asked_.operators =
          block_operators(model_.transformer, chain_.links[chain_.links.size() / 2], batch);
    } else if (model_.cnn && is_chain(*model_.cnn)) {
      asked_.operators = chain_operators(*model_.cnn, chain_.links, batch);
    } else {
      asked_.operators = any_operators(chain_.links, batch);
    }
  }

  Proposal propose() {
    const SignaturePlan best = descend(asked_, restarts, problem_.run.seed);
    std::vector<Estimated> possible = as_written(best);
    for (int tensor = 1; const int side : std::vector<int>(sides_)) {
      uniform(tensor, possible);
      if (!given_.transformer) break;
      tensor *= side;
      if (tensor == given_.devices) uniform(tensor, possible);
    }
    std::ranges::stable_sort(possible, {}, &Estimated::estimate);
    Proposal proposal = best_of(problem_, possible, static_cast<size_t>(problem_.simulations));
    proposal.findings.note = note(best);
    return proposal;
  }

 private:
  /// Seconds of a collective along one axis, of the group of the first device.
  double price(const CollectiveWork& work) const {
    std::vector<int32_t> group;
    for (int t = 0; t < mesh_.tensor; ++t)
      if (group_key(mesh_, work.axis, t, 0) == group_key(mesh_, work.axis, 0, 0))
        group.push_back(t);
    return in_seconds(chain_.prices.collective(work.kind, group, work.bytes));
  }

  bool is_signed() const { return given_.transformer || (model_.cnn && is_chain(*model_.cnn)); }

  /// Returns the value of `parallel.sbp`.
  Value sbp_of(const SignaturePlan& plan) const {
    const auto list = [] {
      Value value;
      value.kind = Value::Kind::list;
      return value;
    };
    constexpr const char* names[] = {"qkv", "out", "up", "down"};
    Value grid = list(), sbp, layers = given_.transformer ? Value{} : list();
    for (const int side : sides_) grid.items.push_back(config::number(side));
    for (size_t i = 0; i < plan.choice.size(); ++i) {
      Value words = list();
      for (size_t side = 0; side < sides_.size(); ++side)
        words.items.push_back(
            config::scalar(signature_names[static_cast<size_t>(plan.choice[i][side])]));
      if (given_.transformer)
        layers.set(names[i], std::move(words));
      else
        layers.items.push_back(std::move(words));
    }
    sbp.set("grid", std::move(grid));
    sbp.set("layers", std::move(layers));
    return sbp;
  }

  /// The whole batch at once, and in parts.
  std::vector<Estimated> as_written(const SignaturePlan& plan) const {
    if (!is_signed() || given_.global > 1 << 20) return {};
    std::vector<Candidate> candidates;
    for (int64_t micro = given_.global; micro > 0; micro /= 2) {
      for (const char* recompute : {"none", "full"}) {
        if (!given_.transformer && recompute[0] == 'f') continue;
        candidates.push_back({.micro = static_cast<int>(micro),
                              .recompute = given_.transformer ? recompute : "",
                              .schedule = schedule_named("1f1b"),
                              .sbp = sbp_of(plan)});
      }
      if (micro % 2 != 0) break;
    }
    return at_estimate(candidates, plan.seconds);
  }

  std::vector<Estimated> at_estimate(const std::vector<Candidate>& candidates, double s) const {
    std::vector<Estimated> all = estimated(problem_, candidates);
    for (Estimated& one : all) one.estimate = seconds(s), one.least = {};
    return all;
  }

  /// Tensor parallelism in the first devices, data parallelism beside it.
  void uniform(int tensor, std::vector<Estimated>& all) const {
    const double took = seconds_of(asked_, uniform_choice(tensor));
    std::ranges::move(at_estimate(uniform_candidates(tensor), took), std::back_inserter(all));
  }

  /// Columns and rows in turn over the sides of the grid that hold the tensor ranks.
  Choice uniform_choice(int tensor) const {
    Choice choice(asked_.operators.size());
    for (size_t i = 0; i < choice.size(); ++i) {
      int64_t inside = 1;
      for (size_t side = 0; side < grid_sides; ++side) {
        const bool cut = inside < tensor;
        inside *= asked_.grid.sides[side];
        choice[i][side] = !cut ? Signature::batch : i % 2 == 1 ? Signature::row : Signature::column;
      }
    }
    return choice;
  }

  std::vector<Candidate> uniform_candidates(int tensor) const {
    const int data = given_.devices / tensor / given_.context;
    std::vector<Candidate> candidates;
    for (int micro = 1; micro <= 64; micro *= 2) {
      if (data == 0 || given_.global % (int64_t{data} * micro) != 0) continue;
      for (const char* recompute : {"none", "full"}) {
        if (!given_.transformer && recompute[0] == 'f') continue;
        candidates.push_back({.tensor = tensor,
                              .data = data,
                              .micro = micro,
                              .zero = data > 1,
                              .recompute = given_.transformer ? recompute : "",
                              .schedule = schedule_named("1f1b")});
      }
    }
    return candidates;
  }

  std::string signatures_text(const Choice& all) const {
    std::string text;
    for (size_t i = 0; i < all.size() && i < 24; ++i) {
      text += i == 0 ? "" : "; ";
      for (size_t side = 0; side < sides_.size(); ++side)
        text += fmt::format("{}{}", side == 0 ? "" : " x ",
                            signature_names[static_cast<size_t>(all[i][side])]);
    }
    return text;
  }

  std::string note(const SignaturePlan& best) const {
    std::string text = fmt::format("its signatures, {:.4g} s an iteration by its own estimate: {}",
                                   best.seconds, signatures_text(best.choice));
    const double choices = signature_choices(asked_);
    if (choices > most_choices) return text + "; there are too many to try all";
    const SignaturePlan all = try_all(asked_);
    return text + fmt::format("; the best of all {:.0f} is {:.2g} % quicker", choices,
                              100 * (1 - all.seconds / best.seconds));
  }

  const Problem& problem_;
  Given given_;
  Model model_;
  Chain chain_;
  std::vector<int> sides_;
  Mesh mesh_;
  SignatureProblem asked_;
};

Proposal propose(const Problem& problem) { return Job(problem).propose(); }

}  // namespace

const Planner planner::autoddl{"autoddl", "signatures over a grid, coordinate descent (AutoDDL)",
                               propose};

}  // namespace pipewright::search
