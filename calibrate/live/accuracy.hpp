// A measured timeline beside the predicted one of the same program.
#pragma once

#include <string>
#include <vector>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright::live {

/// All ops of one kind. Times are means over the ops.
struct KindAccuracy {
  std::string kind;  ///< forward, backward, input_gradient, weight_gradient, step, or a traffic
  size_t count = 0;
  double predicted_s = 0, measured_s = 0;
  double waiting_s = 0;  ///< measured: ready, but not yet started
  /// (predicted - measured) / measured; 0 where nothing took time.
  double error() const;
};

/// Returns the accuracy by kind, in the order in which kinds are listed above; kinds without ops
/// are left out.
std::vector<KindAccuracy> accuracy(const Program& program, const Timeline& predicted,
                                   const Timeline& measured);

/// (predicted - measured) / measured.
double relative_error(double predicted, double measured);

}  // namespace pipewright::live
