// What a command prints, in parts, so that a terminal and Markdown show the same words and rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pipewright {

using TableRows = std::vector<std::vector<std::string>>;

/// A part of a report. Its `text` is what a terminal shows, with the empty lines around it.
struct ReportPart {
  enum class Kind { heading, lines, items, table, drawing };

  Kind kind = Kind::lines;
  std::string text;
  TableRows rows = {};  ///< of a table; the first has the names of the columns
  size_t indent = 0;
  bool is_aligned = false;  ///< the text of a table is its rows, aligned
};

class Report {
 public:
  /// Adds the title. A terminal shows it where `shown` is given.
  Report& heading(std::string_view title, std::string shown = {});
  /// Adds sentences. Lines that follow each other are one paragraph.
  Report& lines(std::string text);
  /// Adds a list with an item on each line.
  Report& items(std::string text);
  /// Adds a table. A terminal shows its columns aligned, after `indent` spaces.
  Report& table(TableRows rows, size_t indent = 0);
  /// Adds a table that a terminal shows as `text`.
  Report& table(TableRows rows, std::string text);
  /// Adds lines whose columns have to stay as they are.
  Report& drawing(std::string text);
  /// Adds the parts of another report.
  Report& add(const Report& other);

  const std::vector<ReportPart>& parts() const { return parts_; }
  const std::string& title() const { return title_; }
  /// Returns what a terminal shows.
  std::string text() const;
  /// Returns what a terminal of so many columns shows: sentences are broken between words, and so
  /// are cells of tables that are too wide.
  std::string text(size_t columns) const;

 private:
  /// Adds a part, unless there is nothing in it.
  Report& part(ReportPart::Kind kind, std::string text, TableRows rows = {});

  std::string title_;
  std::vector<ReportPart> parts_;
};

}  // namespace pipewright
