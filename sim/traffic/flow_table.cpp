// The flows of a traffic experiment, from a list or a CSV file.
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>

#include "base/text.hpp"
#include "config/catalogue.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {
namespace {

using config::Mark;
using config::Value;

enum Column : size_t { from, to, bytes, start, priority, weight, cap, name, after, delay, columns };
constexpr std::array<std::string_view, columns> names = {
    "from", "to", "bytes", "start", "priority", "weight", "cap", "name", "after", "delay"};
constexpr const char* usual_header = "from,to,bytes,start";

int device(const Value& value, int devices) {
  const int64_t number = config::as_int(value, 0, INT32_MAX);
  if (number >= devices) {
    value.fail(fmt::format("device {} is not there: the cluster has {}, from 0 to {}", number,
                           devices, devices - 1));
  }
  return static_cast<int>(number);
}

constexpr double least_weight = 1e-6, most_weight = 1e6;

using Cells = std::array<const Value*, columns>;

/// Reads flows one after the other and knows those before by name.
class FlowReader {
 public:
  explicit FlowReader(int devices) : devices_(devices) {}

  /// `cells` by column; nullptr for what is not given.
  void add(const Cells& cells, const Mark& mark);
  std::vector<GivenFlow> take() { return std::move(flows_); }

 private:
  void read_after(const Value& value, GivenFlow& flow) const;
  void add_after(const Value& value, std::string_view name, GivenFlow& flow) const;

  int devices_;
  std::vector<GivenFlow> flows_;
  std::map<std::string, uint32_t, std::less<>> named_;
};

void FlowReader::add_after(const Value& value, std::string_view name, GivenFlow& flow) const {
  const auto found = named_.find(name);
  if (found == named_.end())
    value.fail(fmt::format("no flow before this one is called '{}'", name));
  flow.after.push_back(found->second);
}

/// A list of names, or a text with ';' between them.
void FlowReader::read_after(const Value& value, GivenFlow& flow) const {
  if (value.is_list()) {
    for (const Value& item : value.items) add_after(item, config::as_text(item, "a name"), flow);
    return;
  }
  std::string_view rest = config::as_text(value, "names of flows");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    add_after(value, rest.substr(0, end), flow);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void FlowReader::add(const Cells& cells, const Mark& mark) {
  GivenFlow flow{.from = device(*cells[from], devices_),
                 .to = device(*cells[to], devices_),
                 .bytes = config::as_bytes(*cells[bytes]),
                 .mark = mark};
  if (cells[start]) flow.start = config::as_time(*cells[start]);
  if (cells[priority])
    flow.priority = static_cast<int>(config::as_int(*cells[priority], 0, most_priority));
  if (cells[weight]) flow.weight = config::as_number(*cells[weight], least_weight, most_weight);
  if (cells[cap]) flow.cap = config::as_bandwidth(*cells[cap]);
  if (cells[after]) read_after(*cells[after], flow);
  if (cells[delay]) flow.delay = config::as_time(*cells[delay]);
  if (flow.after.empty() && flow.delay > Time{})
    cells[delay]->fail("a delay is counted from the end of the flows named in 'after'");
  const bool has_name = cells[name] && !cells[name]->text.empty();
  if (has_name && !named_.try_emplace(cells[name]->text, flows_.size()).second)
    cells[name]->fail(fmt::format("two flows are called '{}'", cells[name]->text));
  flows_.push_back(std::move(flow));
}

Cells cells_of(const Value& value) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const config::Fields fields(value, "a flow", known);
  Cells cells{};
  for (const Column needed : {from, to, bytes}) cells[needed] = &fields.at(names[needed]);
  for (size_t column = start; column < columns; ++column)
    cells[column] = fields.find(names[column]);
  if (cells[name]) config::as_text(*cells[name], "a name");
  return cells;
}

/// Reads a table line by line. Cells keep their places, so that what is wrong in one is told there.
class Table {
 public:
  Table(std::string_view text, std::string_view file_name, int devices)
      : rest_(text), reader_(devices) {
    mark_.file = std::make_shared<const std::string>(file_name);
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // as spreadsheets write it
  }

  std::vector<GivenFlow> read() {
    if (!next_line()) fail(fmt::format("no flows: expected a header such as '{}'", usual_header));
    read_header();
    while (next_line()) read_row();
    std::vector<GivenFlow> flows = reader_.take();
    if (flows.empty()) fail("no flows after the header");
    return flows;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({*mark_.file, std::max(mark_.line, 1), 1}, message);
  }

  /// The next line that is not blank, as cells.
  bool next_line() {
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++mark_.line;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      split(line);
      return true;
    }
    return false;
  }

  void split(std::string_view line) {
    count_ = 0;
    for (size_t begin = 0; begin <= line.size(); ++count_) {
      const size_t end = std::min(line.find(',', begin), line.size());
      if (count_ == cells_.size()) fail(fmt::format("more than {} cells", cells_.size()));
      take_cell(line.substr(begin, end - begin), begin);
      begin = end + 1;
    }
  }

  void take_cell(std::string_view cell, size_t offset) {
    const auto drop_front = [&](size_t count) {
      cell.remove_prefix(count);
      offset += count;
    };
    drop_front(std::min(cell.find_first_not_of(" \t"), cell.size()));
    cell = cell.substr(0, cell.find_last_not_of(" \t\r") + 1);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      drop_front(1);
      cell.remove_suffix(1);
    }
    Value& value = cells_[count_];
    value.kind = Value::Kind::scalar;
    value.text = cell;
    value.mark = {mark_.file, mark_.line, static_cast<int>(offset) + 1};
  }

  void read_header() {
    at_.fill(columns);
    for (size_t k = 0; k < count_; ++k) {
      const std::string& name = cells_[k].text;
      const size_t column = std::find(names.begin(), names.end(), name) - names.begin();
      if (column == columns) {
        cells_[k].fail(fmt::format("unknown column '{}'; expected a header such as '{}'{}", name,
                                   usual_header, did_you_mean(name, names)));
      }
      if (at_[column] != columns) cells_[k].fail(fmt::format("column '{}' is given twice", name));
      at_[column] = k;
    }
    width_ = count_;
    for (const Column column : {from, to, bytes})
      if (at_[column] == columns) fail(fmt::format("the column '{}' is missing", names[column]));
  }

  void read_row() {
    if (count_ != width_) {
      fail(fmt::format("expected {} cells, as the header has, found {}", width_, count_));
    }
    Cells cells{};
    for (size_t column = 0; column < columns; ++column)
      if (at_[column] != columns) cells[column] = &cells_[at_[column]];
    // What only some flows have is left empty in the others.
    for (const Column one : {start, priority, weight, cap, after, delay})
      if (cells[one] && cells[one]->text.empty()) cells[one] = nullptr;
    reader_.add(cells, {mark_.file, mark_.line, 1});
  }

  std::string_view rest_;
  FlowReader reader_;
  Mark mark_;                            ///< of the line
  std::array<Value, columns> cells_;     ///< of the line
  size_t count_ = 0;                     ///< of its cells
  std::array<size_t, columns> at_ = {};  ///< by column: which cell it is
  size_t width_ = 0;
};

}  // namespace

std::vector<GivenFlow> read_flow_table(std::string_view text, std::string_view file_name,
                                       int devices) {
  return Table(text, file_name, devices).read();
}

std::vector<GivenFlow> read_flows(const Value& traffic, int devices) {
  if (traffic.is_scalar()) {
    const std::string path = config::path_seen_from(traffic.text, traffic.mark);
    return read_flow_table(config::read_file(path, traffic.mark.where()),
                           path == "-" ? "standard input" : path, devices);
  }
  if (!traffic.is_list() || traffic.items.empty()) {
    traffic.fail(
        "traffic is a list such as [{from: 0, to: 1, bytes: 1 MiB, start: 0 s}], or the path of a "
        "CSV file with those columns");
  }
  FlowReader reader(devices);
  for (const Value& item : traffic.items) reader.add(cells_of(item), item.mark);
  return reader.take();
}

}  // namespace pipewright
