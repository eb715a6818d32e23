#include "report/text/report.hpp"

#include "report/text/table.hpp"

namespace pipewright {

Report& Report::part(ReportPart::Kind kind, std::string text, TableRows rows) {
  if (!text.empty()) parts_.push_back({kind, std::move(text), std::move(rows)});
  return *this;
}

Report& Report::heading(std::string_view title, std::string shown) {
  title_ = title;
  return part(ReportPart::Kind::heading, std::move(shown));
}

Report& Report::lines(std::string text) { return part(ReportPart::Kind::lines, std::move(text)); }

Report& Report::items(std::string text) { return part(ReportPart::Kind::items, std::move(text)); }

Report& Report::table(TableRows rows, size_t indent) {
  std::string text = aligned(rows, indent);
  return table(std::move(rows), std::move(text));
}

Report& Report::table(TableRows rows, std::string text) {
  return part(ReportPart::Kind::table, std::move(text), std::move(rows));
}

Report& Report::drawing(std::string text) {
  return part(ReportPart::Kind::drawing, std::move(text));
}

Report& Report::add(const Report& other) {
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
  return *this;
}

std::string Report::text() const {
  std::string text;
  for (const ReportPart& part : parts_) text += part.text;
  return text;
}

}  // namespace pipewright
