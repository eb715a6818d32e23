// By how much ranges are wider than residuals say.
#pragma once

namespace pipewright {

/// By how much further ranges reach at both ends than the residuals of other sources say, in the
/// logarithm: by so much four in five published runs whose own source is left out are met, sources
/// weighing as in group_weights() (conformalized quantiles: Romano, Patterson, Candes, NeurIPS
/// 2019; groups left out: Dunn, Wasserman, Ramdas, "Distribution-free prediction sets for two-layer
/// hierarchical models", 2022). It is never negative, as one number for all regimes: where most
/// sources are nearer than residuals say, the one that is as far as any would be left outside.
/// tests/validation/published_runs_test.cpp finds it again.
inline constexpr double range_widening = 0;
static_assert(range_widening >= 0);

}  // namespace pipewright
