// The results of a run that a study can be judged by.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "result/run_result.hpp"

namespace pipewright {

/// Returns the values that are kept of a run, by their names in JSON and CSV.
const std::vector<std::string_view>& objective_names();

/// The degree of data parallelism, of which a result says nothing: a study fills it in.
inline constexpr std::string_view degree_of_data = "data";

/// Returns those of them that a study can be judged by.
const std::vector<std::string_view>& judging_names();

/// Tells whether more of it is better.
bool is_gain(std::string_view objective);

/// Returns the value of an objective; empty where the run has no such result: energy of a device
/// without a power, say.
std::optional<double> objective_value(const RunResult& result, std::string_view objective);

/// Returns the part of an iteration's `energy_j` or `cost_usd` that falls to a token; empty where
/// the model has no tokens.
std::optional<double> per_token(const RunResult& result, const std::optional<double>& whole);

}  // namespace pipewright
