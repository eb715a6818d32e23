// Results as JSON, schemas pipewright.result/1 and pipewright.results/1.
//
// Every key of the schema is always there; a value that the model or the network cannot have
// (tokens of a synthetic model, energy of a device without a power) is null. Numbers are in base
// units and read back as the very same doubles. The same result gives the same bytes, except for
// the object `simulation`, which says what the simulator itself took.
#pragma once

#include <span>
#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// The document is the object of one run. The text ends with a newline.
std::string json_text(const RunResult& result);

/// The document has the rows in the given order. Each is the object of one run with the key
/// `schedule` added; one that could not run has `schedule` and `reason` alone.
std::string json_text(std::span<const Row> rows);

}  // namespace pipewright
