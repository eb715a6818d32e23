// Training on peers that nobody plans for, in place of a schedule: `peers:`.
//
// swarm   every device serves one stage of a pipeline; micro-batches find their way
//         (engine/swarm.hpp)
//
// atom    every device has the whole model in host memory and runs it segment by segment, the next
//         one's weights being fetched meanwhile (arXiv 2403.10504): with C micro-batches, G
//         segments
//           forward   l_1 + sum over k of max(C F_k, l_{k+1})
//           backward  sum over k, from the last, of max(C B_k, l_{k-1}, l_{k+1}), and l_1
//         l_k = bytes of segment k's weights (coming) or gradients (going, the other way) over the
//         host link. Peers do not wait for each other: their all-reduce runs beside the next step
//         (overlap.data), so a step takes the longer of the two. peers/atom_program.hpp makes a
//         program of that, which is simulated; where the user does not say the number of segments,
//         all are, and the fastest that fits is taken. Under `failures` each peer works
//         the share mtbf / (mtbf + restart) of the time, and nobody else stops.
//         Memory: two segments' weights and gradients, C inputs of every segment, one micro-batch's
//         activations of the largest. Not modelled: the optimizer, which runs on the host.
#pragma once

#include "experiment/experiment.hpp"
#include "machine/run_options.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// The share of time a device with these is there. 1 where it never fails.
double presence(const std::optional<Failures>& failures);

/// Throws InputError, and Misfit at what cannot be trained so.
Run run_peers_experiment(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options);

// --- parts, each in its own file ---

/// `value`: the options. The experiment's own pipeline degree is how many stages there are.
Run run_swarm_experiment(const Experiment& experiment, const config::Value& value,
                         const config::Catalogue& catalogue, const RunOptions& options);
Run run_atom_experiment(const Experiment& experiment, const config::Value& value,
                        const config::Catalogue& catalogue, const RunOptions& options);

/// The experiment under a schedule that everything else is read from.
Experiment under_schedule(const Experiment& experiment, config::Value schedule);
/// A resolved document with `peers` in place of the schedule, without what means nothing beside it.
config::Value without_schedule(config::Value resolved, const config::Value& peers);

}  // namespace pipewright
