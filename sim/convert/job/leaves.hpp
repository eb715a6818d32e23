// What an experiment says, key by key and in one form, whichever of several forms it was written
// in: two experiments say the same where these are the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/catalogue.hpp"
#include "convert/job/round_trip.hpp"

namespace pipewright::job {

/// Values by path. What is empty, or holds where nobody says it, is not among them.
using Leaves = std::map<std::string, std::string>;

/// Returns what the resolved document of an experiment says, as far as jobs of `writer` say it.
Leaves leaves_of(config::Value document, const config::Catalogue& catalogue, const Writer& writer);

/// Returns the paths whose values differ, the model's first: others follow from it.
std::vector<std::string> differences(const Leaves& wanted, const Leaves& read);

/// Tells whether jobs of `writer` say a constant of the model.
bool says(const Writer& writer, const Experiment& experiment, const ModelConstant& constant);

}  // namespace pipewright::job
