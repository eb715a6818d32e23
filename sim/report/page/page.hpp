// Reports as one page that works offline: the data as JSON, and the scripts of page/ that show it.
//
// The page has what the JSON output has, under `results`, and the timelines. The same results give
// the same bytes, except for the object `simulation` of each. First come the words and the data,
// then the scripts, so that a browser shows something while it reads.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "result/reproduction.hpp"
#include "result/run_result.hpp"
#include "result/validation.hpp"

namespace pipewright {

/// What a page shows.
struct Page {
  std::string kind;                    ///< which script shows it: run, comparison, sweep, ...
  std::string title;                   ///< plain text
  std::string advice;                  ///< plain text; may be empty
  std::string results;                 ///< JSON
  std::string judgement;               ///< JSON: of a sweep's runs, by its objectives; may be empty
  std::vector<std::string> timelines;  ///< JSON, by result; null where there is none
};

void write_page(const Page& page, std::ostream& out);

void write_html(const Run& run, std::ostream& out);
/// The timeline of every row that ran.
void write_html(std::span<const Row> rows, std::ostream& out);
void write_html(const Validation& validation, std::ostream& out);
void write_html(std::span<const Reproduction> papers, std::ostream& out);

}  // namespace pipewright
