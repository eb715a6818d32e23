#include "report/text/run_change.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "report/text/numbers.hpp"
#include "report/text/table.hpp"

namespace pipewright {
namespace {

constexpr size_t rows_shown = 6;   // of causes and of kernels
constexpr size_t name_shown = 36;  // characters
constexpr double least = 1e-12;    // seconds: the clock's step, below which sums are rounded

std::string shortened(const std::string& name) {
  const std::string text = printable(name);
  return text.size() > name_shown ? text.substr(0, name_shown - 3) + "..." : text;
}

class Table {
 public:
  explicit Table(const std::string& source)
      : rows_{{"against " + shortened(source), "before", "after", "change"}} {}

  void add(const std::string& name, const Changed& one) {
    const double change = std::abs(one.change_s()) < least ? 0 : one.change_s();
    rows_.push_back({name, human_time(one.before_s), human_time(one.after_s),
                     (change < 0 ? "-" : "+") + human_time(std::abs(change))});
  }
  std::string text() const { return aligned(rows_); }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// The share of a change that one cause must have to be called the reason of it.
constexpr double most_of_it = 0.5;
/// Runs of one job differ by so much from day to day.
constexpr double same = 0.005;

/// The cause that changed most in the direction of the step; the bubble follows from others. Null:
/// none explains most of it.
const ChangedCause* reason_of(const RunChange& change) {
  const double all = change.measured.change_s();
  for (const ChangedCause& cause : change.causes)
    if (cause.kind != CauseKind::bubble && cause.recovered.change_s() / all >= most_of_it)
      return &cause;
  return nullptr;
}

/// What a reader wants to know first.
std::string verdict(const RunChange& change) {
  const double all = change.measured.change_s(), before = change.measured.before_s;
  if (before <= 0 || std::abs(all) <= same * before) return "Steps take as long as before.\n";
  const char* more = all > 0 ? "more" : "less";
  const std::string text = fmt::format("Steps take {} {}, {}. ", human_time(std::abs(all)), more,
                                       percent(std::abs(all) / before));
  if (const ChangedCause* cause = reason_of(change))
    return text + fmt::format("'{}' ({}) costs {} {}.\n", printable(cause->recovered.name),
                              name_of(cause->kind),
                              human_time(std::abs(cause->recovered.change_s())), more);
  if (change.ideal.change_s() / all >= most_of_it)
    return text + fmt::format("The work itself (the ideal) takes {} {}.\n",
                              human_time(std::abs(change.ideal.change_s())), more);
  return text + "No single cause has half of it.\n";
}

}  // namespace

std::string change_text(const RunChange& change) {
  Table table(change.source);
  for (const Changed* one : {&change.measured, &change.simulated, &change.ideal})
    table.add(one->name, *one);
  for (const Changed& part : change.parts) table.add("  " + part.name, part);
  size_t shown = 0;
  for (const ChangedCause& cause : change.causes)
    if (shown++ < rows_shown)
      table.add(fmt::format("{}: {}", name_of(cause.kind), shortened(cause.recovered.name)),
                cause.recovered);
  shown = 0;
  for (const Changed& kernel : change.kernels)
    if (shown++ < rows_shown) table.add("kernel " + shortened(kernel.name), kernel);
  std::string text = '\n' + wrapped(verdict(change), screen, 0) + table.text();
  for (const std::string& note : change.notes)
    text += wrapped("note: " + printable(note) + '\n', screen, 6);
  return text;
}

}  // namespace pipewright
