// AutoDDL (arXiv 2301.06813): SBP signatures of every operator over an n-D grid of devices.
//
// Assumption: no pipeline; operators y = x w in a chain, each cut in every dimension of the grid
//   (halves of a node, nodes) by batch, columns of w, rows of w, or not at all; a tensor that is
//   made otherwise than it is wanted is boxed; a transformer is its block's four products,
//   repeated.
// Cost (search/signatures.cpp): compute / cuts + all-reduce of gradients + boxing there and back,
//   each latency + bytes / bandwidth of the grid's dimension.
// Search: coordinate descent over windows of two operators, the rest held, from 16 random starts.
//   Where all combinations can be counted out they are, and a note sets both searches side by side.
// Mapping: batch in a dimension is data parallelism, column-row-column-row tensor parallelism. The
//   best of such is simulated; an optimum of another kind is named in a note.
// Limits: embedding, head and memory are left out of the search; memory is the simulation's.
#include <fmt/format.h>

#include <algorithm>

#include "search/chain.hpp"
#include "search/registry.hpp"
#include "search/signatures.hpp"
#include "search/space.hpp"
#include "study/clock.hpp"
#include "workload/model.hpp"

namespace pipewright::search {
namespace {

constexpr int restarts = 16;
constexpr double most_choices = 70'000;

GridDimension dimension(const Chain& chain, int size, int32_t neighbour) {
  constexpr Bytes probe = 64 * MiB;
  const double latency = in_seconds(chain.prices.transfer(0, neighbour, {}));
  const double all = in_seconds(chain.prices.transfer(0, neighbour, probe));
  return {size, latency, static_cast<double>(probe.count) / std::max(all - latency, 1e-12)};
}

/// Innermost first.
std::vector<GridDimension> grid_of(const Given& given, const Chain& chain) {
  std::vector<GridDimension> grid;
  const int node = given.devices_per_node, nodes = given.devices / node;
  const bool halves = given.transformer && node > 2 && node % 2 == 0;
  if (node > 1) grid.push_back(dimension(chain, halves ? node / 2 : node, 1));
  if (halves) grid.push_back(dimension(chain, 2, node / 2));
  if (nodes > 1) grid.push_back(dimension(chain, nodes, node));
  return grid;
}

/// Queries, keys and values; the attention's output; into and out of the MLP.
std::vector<Operator> block_operators(const TransformerShape& shape, const Link& link,
                                      double batch) {
  const auto wide = [](int64_t n) { return static_cast<double>(n); };
  const double queries = wide(shape.heads * shape.head_dim);
  const double keys = wide(shape.kv_heads * shape.head_dim);
  const double ffn = wide(shape.ffn) * (shape.gated ? 2 : 1), hidden = wide(shape.hidden);
  const double widths[][2] = {
      {hidden, queries + 2 * keys}, {queries, hidden}, {hidden, ffn}, {wide(shape.ffn), hidden}};
  double all = 0;
  for (const auto& [in, out] : widths) all += in * out;
  const double feature = static_cast<double>(link.output.count) * batch / hidden;
  std::vector<Operator> operators;
  for (const auto& [in, out] : widths) {
    const double share = in * out / all;
    operators.push_back({.seconds = share * in_seconds(link.both()) * batch,
                         .weights = share * static_cast<double>(link.gradients.count),
                         .output = feature * out,
                         .whole_input = operators.size() % 2 == 0});
  }
  return operators;
}

class Job {
 public:
  explicit Job(const Problem& problem)
      : problem_(problem),
        given_(given_by(problem)),
        model_(read_model(problem.catalogue.resolve("models", *problem.experiment.find("model")))),
        chain_(chain_of(problem, {.data = given_.devices, .schedule = schedule_named("1f1b")})) {
    if (given_.transformer && (model_.transformer.experts || model_.transformer.latent))
      throw Misfit("its signatures are of dense products; this model has experts or low ranks");
    asked_.grid = grid_of(given_, chain_);
    const auto batch = static_cast<double>(given_.global);
    if (given_.transformer) {
      asked_.times = given_.blocks;
      asked_.operators =
          block_operators(model_.transformer, chain_.links[chain_.links.size() / 2], batch);
      return;
    }
    for (const Link& link : chain_.links)
      asked_.operators.push_back({.seconds = in_seconds(link.both()) * batch,
                                  .weights = static_cast<double>(link.gradients.count),
                                  .output = static_cast<double>(link.output.count) * batch,
                                  .cuttable = link.gradients.count > 0});
  }

  Proposal propose() {
    if (asked_.grid.empty()) throw Misfit("one device leaves nothing to cut");
    const ClockTime begin = now();
    const SignaturePlan best = descend(asked_, restarts, problem_.run.seed);
    const double took = seconds_since(begin);
    std::vector<Estimated> possible;
    expressible({}, 1, false, possible);
    std::ranges::stable_sort(possible, {}, &Estimated::estimate);
    Proposal proposal = best_of(problem_, possible, static_cast<size_t>(problem_.simulations));
    proposal.note = note(best, took);
    return proposal;
  }

 private:
  /// Tensor parallelism in the innermost dimensions, data parallelism in the others.
  void expressible(Signatures dimensions, int tensor, bool data, std::vector<Estimated>& all) {
    if (dimensions.size() == asked_.grid.size()) {
      simulate(dimensions, tensor, all);
      return;
    }
    const int size = asked_.grid[dimensions.size()].size;
    dimensions.push_back(Signature::batch);
    expressible(dimensions, tensor, true, all);
    if (data || !given_.transformer) return;
    dimensions.back() = Signature::column;
    expressible(dimensions, tensor * size, false, all);
  }

  void simulate(const Signatures& dimensions, int tensor, std::vector<Estimated>& all) {
    Signatures signatures;
    for (size_t i = 0; i < asked_.operators.size(); ++i)
      for (const Signature s : dimensions)
        signatures.push_back(s == Signature::column && i % 2 == 1 ? Signature::row : s);
    const Time estimate = seconds(seconds_of(asked_, signatures));
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
    for (Estimated& one : estimated(problem_, candidates))
      all.push_back({std::move(one.candidate), estimate, one.held});
  }

  std::string signatures_text(const Signatures& all) const {
    constexpr const char* letters[] = {"batch", "column", "row", "whole"};
    std::string text;
    for (size_t i = 0; i < asked_.operators.size() && i < 24; ++i) {
      text += i == 0 ? "" : "; ";
      for (size_t d = 0; d < asked_.grid.size(); ++d)
        text += fmt::format("{}{}", d == 0 ? "" : " x ",
                            letters[static_cast<size_t>(all[i * asked_.grid.size() + d])]);
    }
    return text;
  }

  std::string note(const SignaturePlan& best, double took) const {
    std::string text = fmt::format("its signatures, {:.4g} s an iteration: {}", best.seconds,
                                   signatures_text(best.signatures));
    const double choices = signature_choices(asked_);
    if (choices > most_choices)
      return text + fmt::format("; found in {:.2g} s, too many to try all", took);
    const ClockTime begin = now();
    const SignaturePlan all = try_all(asked_);
    return text + fmt::format(
                      "; the best of all {:.0f} is {:.2g} % quicker and took {:.3g} times as "
                      "long to find",
                      choices, 100 * (1 - all.seconds / best.seconds),
                      seconds_since(begin) / std::max(took, 1e-9));
  }

  const Problem& problem_;
  Given given_;
  Model model_;
  Chain chain_;
  SignatureProblem asked_;
};

Proposal propose(const Problem& problem) { return Job(problem).propose(); }

}  // namespace

const Planner planner::autoddl{"autoddl", "signatures over a grid, coordinate descent (AutoDDL)",
                               propose};

}  // namespace pipewright::search
