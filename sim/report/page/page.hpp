// The page that every HTML report is. It works offline: it holds the data as JSON and the scripts
// that show them.
//
// The page has what the JSON output has, under `results`, and the timelines. The same results give
// the same bytes, except for the object `simulation` of each. First come the words and the data,
// then the scripts, so that a browser shows something while it reads.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace pipewright {

/// The contents of a page.
struct Page {
  std::string kind;                    ///< which script shows it: run, comparison, sweep, ...
  std::string title;                   ///< plain text
  std::string advice;                  ///< plain text; may be empty
  std::string assumed = {};            ///< JSON: what the experiment does not say; may be empty
  std::string results;                 ///< JSON
  std::string judgement;               ///< JSON: of a sweep's runs, by its objectives; may be empty
  std::vector<std::string> timelines;  ///< JSON, by result; null where there is none
};

/// This writes the page. Texts that are not UTF-8 get replacement characters; no name can end the
/// script that it stands in.
void write_page(const Page& page, std::ostream& out);

}  // namespace pipewright
