// A job that was imported, on other devices: what stays, and what follows.
#pragma once

#include <string>
#include <vector>

#include "config/catalogue.hpp"

namespace pipewright::job {

/// Lays the `assignments` key.path=value over an experiment, and derives again what they do not
/// say: replicas fill the devices, each keeps its sequences, and stages are cut evenly where there
/// are other ones. Returns half a line for everything that was derived so. Throws InputError where
/// the degrees do not divide the devices.
std::vector<std::string> rescale(config::Value& experiment,
                                 const std::vector<std::string>& assignments,
                                 const config::Catalogue& catalogue);

}  // namespace pipewright::job
