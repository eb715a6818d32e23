// Goodput by drawn histories of failures (run/failure_history.hpp), beside the formula of
// run/goodput.hpp.
#pragma once

#include <optional>

#include "result/run_result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Throws where `failures.events` asks for what cannot be drawn: histories of too many events, or
/// an elastic job whose layout or schedule says nothing of replicas.
void require_drawable(const Experiment& experiment, const Prepared& prepared);

/// Returns what the histories give, `iteration_s` an iteration; empty where none are asked for.
std::optional<GoodputEvents> goodput_events(const Prepared& prepared, double iteration_s);

}  // namespace pipewright
