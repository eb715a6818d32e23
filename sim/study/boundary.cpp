#include "study/boundary.hpp"

namespace pipewright {
namespace {

void gather_first(Bytes whole, Segments& pass) {
  Segment gather{.kernels = {}, .collective = {{CollectiveKind::all_gather, Axis::tensor, whole}}};
  if (pass.empty()) return;
  gather.part = pass.front().part;
  pass.insert(pass.begin(), std::move(gather));
}

}  // namespace

int boundary_parts(const MeshWork& work) {
  const config::Value* boundary = work.experiment.document.find("boundary");
  if (!boundary || config::as_choice(*boundary, {"whole", "scatter-gather"}) == 0) return 1;
  if (!work.experiment.meshes.stages.empty())
    boundary->misfit(
        "boundary: stages that are not alike ('strategy') say by 'resharding' how they send");
  const bool whole = !work.options.sequence_parallel && work.options.tensor_grid.is_line();
  return whole ? work.options.tensor : 1;
}

void scatter_boundary(int parts, Neighbours neighbours, StageWork& stage) {
  if (parts == 1) return;
  if (neighbours.before) gather_first(stage.backward_output, stage.forward);
  if (neighbours.after)
    for (Segments* pass : {&stage.backward, &stage.input_gradient, &stage.last_backward})
      gather_first(stage.forward_output, *pass);
  for (Bytes* sent : {&stage.forward_output, &stage.backward_output})
    sent->count = (sent->count + parts - 1) / parts;
}

}  // namespace pipewright
