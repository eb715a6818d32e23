// What a page draws of a run besides its timeline.
#pragma once

#include "machine/run_options.hpp"
#include "result/drawn.hpp"
#include "result/run_result.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

/// Prepares the experiment of `run` again, by the options that it ran with, and tells the kernels
/// of its passes and its cluster. Traffic and peers have neither.
Drawn drawn_run(const Run& run, const config::Catalogue& catalogue, RunOptions options);

}  // namespace pipewright
