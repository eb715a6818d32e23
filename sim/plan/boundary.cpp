#include "plan/boundary.hpp"

#include <cmath>

namespace pipewright {
namespace {

constexpr double block = 4096;  ///< numbers that share a scale

double compressed(double numbers) { return numbers * (1 + 4 / block); }

void gather_first(Bytes whole, Segments& pass) {
  Segment gather{.kernels = {}, .collective = {{CollectiveKind::all_gather, Axis::tensor, whole}}};
  if (pass.empty()) return;
  gather.part = pass.front().part;
  pass.insert(pass.begin(), std::move(gather));
}

int parts_of(bool scatters, const WorkloadOptions& options) {
  const bool whole = !options.sequence_parallel && options.tensor_grid.is_line();
  return scatters && whole ? static_cast<int>(options.tensor) : 1;
}

void scatter(int parts, Neighbours neighbours, StageWork& stage) {
  if (parts == 1) return;
  if (neighbours.before) gather_first(stage.backward_output, stage.forward);
  if (neighbours.after)
    for (Segments* pass : {&stage.backward, &stage.input_gradient, &stage.last_backward})
      gather_first(stage.forward_output, *pass);
}

/// Returns a cast from `from` bytes to `to`, beside nothing.
Work cast(DType dtype, Direction direction, double from, double to) {
  return {.kernel = Kernel::elementwise,
          .dtype = dtype,
          .direction = direction,
          .read = whole_bytes(from),
          .written = whole_bytes(to)};
}

class Compressor {
 public:
  Compressor(double element, DType dtype) : element_(element), dtype_(dtype) {}

  /// Adds what `pass` takes and gives, each of so many bytes before compression; 0: nothing.
  void add(Segments& pass, Direction direction, Bytes taken, Bytes given) const {
    if (pass.empty()) return;
    if (taken > Bytes{}) {
      const auto wide = static_cast<double>(taken.count);
      std::vector<Work>& kernels = pass.front().kernels;
      kernels.insert(kernels.begin(), cast(dtype_, direction, compressed(wide / element_), wide));
    }
    if (given == Bytes{}) return;
    const auto wide = static_cast<double>(given.count);
    pass.push_back({.kernels = {cast(dtype_, direction, wide, compressed(wide / element_))},
                    .part = pass.back().part,
                    .joins = true});
  }

 private:
  double element_;
  DType dtype_;
};

}  // namespace

Bytes Boundary::sent(Bytes whole) const {
  const Bytes part{(whole.count + parts - 1) / parts};
  if (element == 0) return part;
  return whole_bytes(std::ceil(compressed(static_cast<double>(part.count) / element)));
}

Boundary boundary_of(const Experiment& experiment, const WorkloadOptions& options) {
  const BoundaryOptions& asked = experiment.boundary;
  if ((asked.scatter || asked.is_map) && experiment.meshes.reshards())
    experiment.misfit(
        "boundary",
        "boundary: stages that are not alike ('strategy') say by 'resharding' how they send");
  Boundary boundary{.parts = parts_of(asked.scatter, options)};
  if (asked.compress) boundary.element = element_bytes(activation_dtype(options.precision));
  return boundary;
}

void set_boundary(const Boundary& boundary, DType dtype, Neighbours neighbours, StageWork& stage) {
  scatter(boundary.parts, neighbours, stage);
  if (boundary.element > 0) {
    const Boundary plain{.parts = boundary.parts};
    const Bytes output = neighbours.after ? plain.sent(stage.forward_output) : Bytes{};
    const Bytes gradient = neighbours.before ? plain.sent(stage.backward_output) : Bytes{};
    const Compressor compression(boundary.element, dtype);
    compression.add(stage.forward, Direction::forward, gradient, output);
    for (Segments* pass : {&stage.backward, &stage.input_gradient, &stage.last_backward})
      compression.add(*pass, Direction::input_gradient, output, gradient);
  }
  for (Bytes* sent : {&stage.forward_output, &stage.backward_output}) *sent = boundary.sent(*sent);
}

}  // namespace pipewright
