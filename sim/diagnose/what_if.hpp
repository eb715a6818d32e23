// The steps of a trace run again with other lengths.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "diagnose/measured_program.hpp"

namespace pipewright::diagnose {

/// How long each step, or iteration where they run on, takes when its ops take `lengths`.
std::vector<Time> step_times(const MeasuredProgram& trace, std::span<const Time> lengths);

/// How much shorter single steps are: the tenth and the ninetieth percentile, in seconds, linear
/// between steps. None for fewer than five steps.
std::optional<std::pair<double, double>> spread_of_gain(std::span<const Time> before,
                                                        std::span<const Time> after);

double mean_seconds(std::span<const Time> times);
double median_seconds(std::span<const Time> times);

/// The lengths as measured, but no operation waits for its host.
std::vector<Time> without_gaps(const MeasuredProgram& trace);

/// Puts what hosts take of the gaps into `lengths`, where that is known.
void keep_hosts(const MeasuredProgram& trace, std::vector<Time>& lengths);

/// Puts the gaps as measured into `lengths`.
void keep_gaps(const MeasuredProgram& trace, std::vector<Time>& lengths);

/// Each op lasts as long as its peers: operations of the same kind, on whatever rank, in whatever
/// step. What ranks that the trace lacks take part in keeps its length and is nobody's peer.
/// Compute takes their mean, communication their median, for a few late ones make a mean of nothing
/// that a link did. Nothing waits for its host.
std::vector<Time> ideal_lengths(const MeasuredProgram& trace);

}  // namespace pipewright::diagnose
