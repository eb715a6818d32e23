#include "plan/on_chip.hpp"

namespace pipewright {

void read_weights_on_chip(StageWork& stage) {
  for (Segments* pass : {&stage.forward, &stage.backward, &stage.input_gradient,
                         &stage.weight_gradient, &stage.last_backward, &stage.last_weight_gradient})
    for (Segment& segment : *pass)
      for (Work& work : segment.kernels) {
        work.read.count -= work.weights.count;
        work.weights = {};
      }
}

}  // namespace pipewright
