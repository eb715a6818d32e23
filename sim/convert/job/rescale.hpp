// A job that was imported, on other devices: what stays, and what follows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/catalogue.hpp"

namespace pipewright::job {

/// Lays the `assignments` key.path=value over an experiment, and derives again what they do not
/// say: replicas fill the devices, each keeps its sequences, and stages are cut evenly where there
/// are other ones. A training keeps its tokens, or its steps where `carried`, what its import
/// carries, says that nobody knew how many devices a step was for (step_counts.hpp). Returns half a
/// line for everything that was derived so. What the experiment says before need not fit together.
/// Throws InputError where the degrees do not divide the devices.
std::vector<std::string> rescale(config::Value& experiment, config::Value& carried,
                                 const std::vector<std::string>& assignments,
                                 const config::Catalogue& catalogue);

/// How notes begin that say how long sequences and how large micro-batches are assumed to be.
inline constexpr std::string_view models_sequence = "sequences have ";
inline constexpr std::string_view usual_micro_batch = "a device has 8 sequences at once";

/// Tells whether `line`, a comment of an import, tells an assumption in whose place `assignments`
/// say what is so. How many nodes or devices there are does not say which cluster it is.
bool is_said(std::string_view line, const std::vector<std::string>& assignments);

}  // namespace pipewright::job
