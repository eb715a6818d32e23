// What came of a command, in every form that it can be written in: the command line writes it, a
// caller from Python reads it.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "config/value.hpp"
#include "report/text/report.hpp"

namespace pipewright::cli {

/// The forms that an outcome may have beside JSON, text and Markdown.
struct Forms {
  bool csv = false, html = false, trace = false;
};

class Outcome {
 public:
  virtual ~Outcome() = default;
  virtual Forms forms() const { return {}; }
  /// The document that --json writes.
  virtual void json(std::ostream& out) const = 0;
  /// What is printed, for a terminal of so many columns.
  virtual Report report(size_t columns) const = 0;
  // These throw InputError where forms() says that there is none.
  virtual void csv(std::ostream& out) const;
  virtual void html(std::ostream& out) const;
  virtual void trace(std::ostream& out) const;
  /// Writes the trace to a file, or to several with names after that one.
  virtual void save_trace(const std::string& path) const;
  /// Writes the experiment that was run, found or proposed, as a file that 'simulate' reads. Throws
  /// InputError where there is none.
  virtual void save_experiment(const std::string& path) const;
  /// Returns the place of the row to take, in the rows of the JSON; empty where there is none.
  virtual std::optional<size_t> best() const { return {}; }
};

/// The outcome whose forms are the reports of one value.
template <class Value>
class ReportedOutcome : public Outcome {
 public:
  using Reporter = Report (*)(const Value&);

  ReportedOutcome(Value value, Reporter reporter) : value_(std::move(value)), reporter_(reporter) {}
  void json(std::ostream& out) const override { out << json_text(value_); }
  Report report(size_t) const override { return reporter_(value_); }
  Forms forms() const override { return {.csv = has_csv, .html = has_page}; }
  void csv(std::ostream& out) const override {
    if constexpr (has_csv)
      out << csv_text(value_);
    else
      Outcome::csv(out);
  }
  void html(std::ostream& out) const override {
    if constexpr (has_page)
      write_html(value_, out);
    else
      Outcome::html(out);
  }
  const Value& value() const { return value_; }

 private:
  static constexpr bool has_csv = requires(const Value& value) { csv_text(value); };
  static constexpr bool has_page = requires(const Value& value, std::ostream& out) {
    write_html(value, out);
  };

  Value value_;
  Reporter reporter_;
};

/// The outcome that is a YAML document.
class DocumentOutcome : public Outcome {
 public:
  explicit DocumentOutcome(config::Value document) : document_(std::move(document)) {}
  void json(std::ostream& out) const override;
  Report report(size_t columns) const override;

 private:
  config::Value document_;
};

}  // namespace pipewright::cli
