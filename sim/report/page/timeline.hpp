// A timeline as the JSON that a page draws it from.
//
//   {schedule, executor, tick_s, last, capacity_bytes, ranks: [name],
//    kinds: [{category, stage, bytes}],
//    names: [text], patterns,                  as in report/page/span_names.hpp, where `patterns`
//    links: [{name, bytes, busy_fraction}],    name: "FROM > TO"
//    lanes: [{rank, name, count}],             rows, and how many spans each has
//    shown,                                    how many of the ranks have lanes
//    start, length, kind, name, micro: column, by span, lane after lane, in order of time
//    critical: column,                         indices of spans of the critical path
//    memory: [{rank, from: column, held: column}], memory_unit_bytes,
//    passes, cluster}                          see report/page/drawn.hpp
//
// Times are whole ticks, so that 31 bits hold the longest; spans that touch still do. A micro-batch
// of -1: the op counts optimizer steps. Columns: html_columns.hpp. A browser draws a million spans;
// of a run that has more, only the first ranks are shown, as many as it takes to have a million.
#pragma once

#include <string>

#include "result/drawn.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// The text is the object above, on one line. Text that is not UTF-8 gets replacement characters.
std::string timeline_json(const Run& run, const Drawn& drawn = {});

}  // namespace pipewright
