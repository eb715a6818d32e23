#include "report/text/run_change.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "report/text/numbers.hpp"
#include "report/text/table.hpp"

namespace pipewright {
namespace {

constexpr size_t screen = 80;
constexpr size_t rows_shown = 6;   // of causes and of kernels
constexpr size_t name_shown = 36;  // characters

std::string shortened(const std::string& name) {
  const std::string text = printable(name);
  return text.size() > name_shown ? text.substr(0, name_shown - 3) + "..." : text;
}

class Table {
 public:
  explicit Table(const std::string& source)
      : rows_{{"against " + shortened(source), "before", "after", "change"}} {}

  void add(const std::string& name, const Changed& one) {
    const double change = one.change_s();
    rows_.push_back({name, human_time(one.before_s), human_time(one.after_s),
                     (change < 0 ? "-" : "+") + human_time(std::abs(change))});
  }
  std::string text() const { return aligned(rows_); }

 private:
  std::vector<std::vector<std::string>> rows_;
};

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
  std::string text = '\n' + table.text();
  for (const std::string& note : change.notes)
    text += wrapped("note: " + printable(note) + '\n', screen, 6);
  return text;
}

}  // namespace pipewright
