#include "search/chain.hpp"

#include "plan/memory.hpp"
#include "study/prepare.hpp"
#include "study/workload_of.hpp"
#include "workload/model_layers.hpp"

namespace pipewright::search {
namespace {

Experiment experiment_read(const Problem& problem, const Candidate& candidate) {
  Experiment e = read_experiment(resolve(experiment_of(problem, candidate), problem.catalogue));
  const Model model = read_model(e.at("model"));
  if (e.batch.sequence == 0) e.batch.sequence = static_cast<int>(model.sequence.value_or(0));
  if (!model.has_tokens()) e.batch.sequence = 0;
  return e;
}

/// Where links begin: every layer but embeddings in front and heads behind, which go with their
/// neighbours.
std::vector<size_t> beginnings(const std::vector<Layer>& layers) {
  size_t first = 0, last = layers.size();
  while (first < last && layers[first].kind == LayerKind::embedding) ++first;
  while (last > first && layers[last - 1].kind == LayerKind::head) --last;
  std::vector<size_t> begin{0};
  for (size_t i = first + 1; i < last; ++i) begin.push_back(i);
  begin.push_back(layers.size());
  return begin;
}

class Builder {
 public:
  Builder(const Experiment& experiment, const Chain& chain, const Grid& grid)
      : e_(experiment), chain_(chain), grid_(grid) {
    state_.precision = e_.precision;
    state_.gradients = e_.gradients;
    if (const config::Value* optimizer = e_.document.find("optimizer"))
      state_.optimizer = read_optimizer(*optimizer);
    state_.zero = e_.parallel.zero;
    state_.shards = grid_.replicas();
    state_.expert_shards = std::max(1, grid_.replicas() * grid_.tensor / grid_.expert);
  }

  Link link(std::span<const Layer> layers) const {
    Link link;
    for (const Layer& layer : layers) {
      link.forward += time(layer.forward);
      for (const Segments* pass : {&layer.recompute, &layer.input_gradient, &layer.weight_gradient})
        link.backward += time(*pass), link.kernels += kernels(*pass);
      link.kernels += kernels(layer.forward);
      link.stash += layer.stash;
    }
    link.gradients = gradient_bytes(layers, e_.gradients).all;
    link.weights = gradient_bytes(layers, activation_dtype(e_.precision)).all;
    link.state = static_memory(layers, state_).total();
    link.output = layers.back().output;
    return link;
  }

 private:
  Time time(const Segments& segments) const {
    return segments_time(segments, chain_.prices, grid_);
  }

  Time kernels(const Segments& segments) const {
    Time sum;
    for (const Segment& segment : segments)
      for (const Work& work : segment.kernels)
        sum += chain_.prices.compute(work, grid_.devices.front());
    return sum;
  }

  const Experiment& e_;
  const Chain& chain_;
  const Grid& grid_;
  StateOptions state_;
};

}  // namespace

Chain chain_of(const Problem& problem, const Candidate& candidate) {
  const Experiment e = experiment_read(problem, candidate);
  const Machine machine = read_machine(e, problem.catalogue);
  machine.require_devices(e);
  const Grid grid = make_grid(e, machine.device_count());
  const std::vector<Layer> layers =
      model_layers(read_model(e.at("model")), workload_options(e), e.at("model"));
  Chain chain{.links = {}, .prices = machine.prices(e), .machine = machine};
  const std::vector<size_t> begin = beginnings(layers);
  const Builder builder(e, chain, grid);
  std::vector<Link> links;
  for (size_t i = 0; i + 1 < begin.size(); ++i)
    links.push_back(builder.link(std::span(layers).subspan(begin[i], begin[i + 1] - begin[i])));
  chain.links = std::move(links);
  return chain;
}

}  // namespace pipewright::search
