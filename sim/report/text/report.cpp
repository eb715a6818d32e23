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
  if (text.empty()) return *this;
  parts_.push_back({ReportPart::Kind::table, std::move(text), std::move(rows), indent, true});
  return *this;
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

namespace {

std::string broken(const ReportPart& part, size_t columns) {
  if (part.is_aligned) return fitted(part.rows, part.indent, columns);
  constexpr size_t indent_of_items = 2;
  if (part.kind == ReportPart::Kind::lines) return wrapped(part.text, columns, 0);
  if (part.kind == ReportPart::Kind::items) return wrapped(part.text, columns, indent_of_items);
  return part.text;
}

}  // namespace

std::string Report::text(size_t columns) const {
  std::string text;
  for (const ReportPart& part : parts_) text += broken(part, columns);
  return text;
}

}  // namespace pipewright
