// Chooses the kernels and shapes that are measured.
#pragma once

#include "calibrate/measure/point.hpp"
#include "program/program.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright::calibration {

struct SweepOptions {
  bool gpu = false;
  bool quick = false;
  bool fp8 = false;    ///< products in fp8 can be measured
  bool cudnn = false;  ///< fused attention in 16 bits and convolutions can
};

/// A grid over everything that training asks for: products in bf16 on a GPU, in fp32 on a CPU.
std::vector<Point> general_sweep(const SweepOptions& options);

/// Exactly the shapes of `program`, and what any program needs (launch and copies). Works of other
/// kernels or in types that cannot be measured are left out. Of a transformer of `shape` the
/// streaming kernels are among them (model_streams.hpp).
std::vector<Point> sweep_for(const Program& program, const SweepOptions& options,
                             const TransformerShape* shape = nullptr);

}  // namespace pipewright::calibration
