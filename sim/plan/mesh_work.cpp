#include "plan/mesh_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/place_of_degrees.hpp"
#include "plan/dispatch.hpp"
#include "plan/gradient_sums.hpp"
#include "plan/workload_of.hpp"
#include "program/passes/chunked.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright {
namespace {

void require_columns(const MeshWork& work) {
  const int columns = work.cuts.columns;
  const auto has = [&](const Layer& layer) { return has_columns(layer.forward, columns); };
  if (columns > 1 && std::ranges::none_of(work.layers, has))
    work.experiment.misfit(
        "overlap",
        fmt::format("overlap.tensor: no product before a tensor collective has {} columns",
                    columns));
}

void build(const Model& model, MeshWork& work) {
  const auto layers = [&](const WorkloadOptions& options) {
    std::vector<Layer> made = model_layers(model, options, place_of_degrees(work.experiment));
    add_gradient_sums(work.experiment, made);
    return made;
  };
  work.layers = layers(work.options);
  require_columns(work);
  scale_dispatch(work.layers, work.dispatch);
  if (work.cuts.slices == 1) return;
  WorkloadOptions slice = work.options;
  slice.micro_batch /= work.cuts.slices;
  work.sliced_layers = layers(slice);
  scale_dispatch(work.sliced_layers, work.dispatch);
}

}  // namespace

void MeshWork::begin_stages_at(const Model& model, const std::vector<int64_t>& starts) {
  if (options.recompute.blocks < 0) return;
  options.recompute.stage_starts = starts;
  build(model, *this);
}

void MeshWork::send_of_dispatch(double share) {
  dispatch = share;
  scale_dispatch(layers, share);
  scale_dispatch(sliced_layers, share);
}

std::vector<MeshWork> mesh_works(const Experiment& experiment, const Model& model) {
  std::vector<MeshWork> works;
  const size_t ranks = experiment.meshes.ranks.size();
  for (size_t k = 0; k == 0 || k < ranks; ++k) {
    MeshWork& work = works.emplace_back(experiment_of_mesh(experiment, static_cast<int>(k)));
    work.options = workload_options(work.experiment);
    work.cuts = tensor_cuts(work.experiment);
    build(model, work);
  }
  return works;
}

void settle_dispatch(const Experiment& experiment, const Model& model, const Grid& grid,
                     const Topology& topology, std::vector<MeshWork>& works) {
  const std::optional<Experts>& experts = model.transformer.experts;
  if (experiment.gives("dispatch") && !experts)
    experiment.misfit("dispatch", "dispatch: a model without experts sends them nothing");
  if (!experts) return;
  for (size_t k = 0; k < works.size(); ++k)
    works[k].send_of_dispatch(dispatch_share(experiment, topology, grid.meshes[k]));
}

Bytes tied_gradient(const std::vector<MeshWork>& works, DType gradients) {
  double parameters = 0;
  // Where stages differ, the largest share is summed over all of them.
  for (const MeshWork& work : works) {
    for (const Layer& layer : work.layers)
      if (!layer.trained) parameters = std::max(parameters, layer.tied.device_parameters);
  }
  return {std::llround(parameters * element_bytes(gradients))};
}

std::vector<Layer> whole_layers(const Experiment& experiment, const Model& model) {
  WorkloadOptions options = workload_options(experiment);
  options.micro_batch *= experiment.parallel.data;
  options.tensor = options.context = options.context_split.strips = options.context_split.heads = 1;
  options.expert = options.expert_tensor = 1;
  options.tensor_grid = {};
  options.signatures = {};
  options.sequence_parallel = false;
  options.recompute = {};
  return model_layers(model, options, experiment.at("model"));
}

}  // namespace pipewright
