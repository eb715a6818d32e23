#include "schedule/torch_csv.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "config/catalogue.hpp"
#include "config/small_file.hpp"
#include "schedule/pieces.hpp"
#include "schedule/torch_csv_cells.hpp"

namespace pipewright::schedule {
namespace {

/// Calls use(row, token) for every action, pairs as two.
template <class Use>
void for_each_token(const TorchCsv& csv, Use use) {
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    for (const Cell& cell : csv.rows[row]) {
      use(row, cell.first);
      if (cell.second) use(row, *cell.second);
    }
  }
}

/// Tells whether B is the input gradient and BW the full backward.
bool is_old_notation(const TorchCsv& csv) {
  bool has_bw = false, has_w = false, has_i = false;
  for_each_token(csv, [&](size_t, const Token& t) {
    has_bw |= t.word == Word::bw;
    has_w |= t.word == Word::w;
    has_i |= t.word == Word::i;
  });
  const bool old = has_bw || (has_w && !has_i);
  if (!old || !has_i) return old;
  for_each_token(csv, [&](size_t row, const Token& t) {
    if (t.word != Word::bw) return;
    csv.fail(row, t.column,
             "BW belongs to the old notation (B: input gradient, BW: full backward), but this file "
             "has I as well, which belongs to the new one (I: input gradient, B: full backward)");
  });
  return old;
}

Pass pass_of(Word word, bool old) {
  switch (word) {
    case Word::f:
      return Pass::forward;
    case Word::i:
      return Pass::input_gradient;
    case Word::b:
      return old ? Pass::input_gradient : Pass::backward;
    case Word::w:
      return Pass::weight_gradient;
    case Word::bw:
      return Pass::backward;
    case Word::communication:
      break;
  }
  abort_with("communication is no pass");
}

/// A schedule and the column of every action.
struct Placed {
  Schedule schedule;
  std::vector<std::vector<int>> columns;  // as schedule.order
};

Placed place(const TorchCsv& csv) {
  const bool old = is_old_notation(csv);
  Placed result;
  result.schedule.order.resize(csv.rows.size());
  result.columns.resize(csv.rows.size());
  const auto add = [&](size_t row, const Token& t, bool pairs_with_next) {
    result.schedule.order[row].push_back(
        {pass_of(t.word, old), pairs_with_next, 0, t.stage, t.micro_batch, 0});
    result.columns[row].push_back(t.column);
  };
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    for (const Cell& cell : csv.rows[row]) {
      if (cell.first.word == Word::communication) continue;
      add(row, cell.first, cell.second.has_value());
      if (cell.second) add(row, *cell.second, false);
    }
    if (result.schedule.order[row].empty())
      csv.fail(row, 1, fmt::format("rank {} has nothing to do; every row is a rank", row));
  }
  return result;
}

/// The action with the largest stage or micro-batch, and where it stands.
struct Largest {
  int value = -1;
  size_t row = 0;
  int column = 0;
};

void grow(Largest& largest, int value, size_t row, int column) {
  if (value > largest.value) largest = {value, row, column};
}

/// The forwards, by stage and micro-batch. Throws where one is given twice.
std::set<std::pair<int, int>> forwards_of(const TorchCsv& csv, const Placed& placed) {
  std::map<std::pair<int, int>, size_t> rows;
  for (size_t row = 0; row < placed.columns.size(); ++row) {
    for (size_t k = 0; k < placed.columns[row].size(); ++k) {
      const Action& a = placed.schedule.order[row][k];
      if (a.pass != Pass::forward) continue;
      const auto [first, is_new] = rows.emplace(std::pair{a.stage, a.micro_batch}, row);
      if (!is_new)
        csv.fail(row, placed.columns[row][k],
                 given_twice(a, false, static_cast<int>(first->second), static_cast<int>(row)));
    }
  }
  std::set<std::pair<int, int>> forwards;
  for (const auto& [forward, row] : rows) forwards.insert(forward);
  return forwards;
}

/// Throws unless there are as many forwards as the largest numbers ask for: a mistyped number must
/// be refused before anything is sized by it.
void check_numbers(const TorchCsv& csv, const Placed& placed, const Largest& stage,
                   const Largest& micro_batch) {
  const std::set<std::pair<int, int>> forwards = forwards_of(csv, placed);
  const int64_t wanted = (int64_t{stage.value} + 1) * (int64_t{micro_batch.value} + 1);
  if (static_cast<int64_t>(forwards.size()) >= wanted) return;
  std::pair<int, int> missing{0, 0};
  while (forwards.contains(missing)) {
    if (missing.second++ == micro_batch.value) missing = {missing.first + 1, 0};
  }
  const auto of_stage = forwards.lower_bound({missing.first, 0});
  const bool no_such_stage = of_stage == forwards.end() || of_stage->first != missing.first;
  const Largest& from = no_such_stage ? stage : micro_batch;
  csv.fail(from.row, from.column,
           fmt::format("{}F{} is missing, though this is {} {}", missing.first, missing.second,
                       no_such_stage ? "stage" : "micro-batch", from.value));
}

/// Sets the numbers of stages and micro-batches.
void count(const TorchCsv& csv, Placed& placed) {
  Largest stage, micro_batch;
  for (size_t row = 0; row < placed.columns.size(); ++row) {
    for (size_t k = 0; k < placed.columns[row].size(); ++k) {
      const Action& a = placed.schedule.order[row][k];
      grow(stage, a.stage, row, placed.columns[row][k]);
      grow(micro_batch, a.micro_batch, row, placed.columns[row][k]);
    }
  }
  check_numbers(csv, placed, stage, micro_batch);
  placed.schedule.stages = stage.value + 1;
  placed.schedule.micro_batches = placed.schedule.step_every = micro_batch.value + 1;
}

void append(std::string& text, const Order& order, const Schedule& schedule) {
  const int last = schedule.synchronous ? schedule.micro_batches : schedule.total_micro_batches();
  bool inside_pair = false;
  bool first = true;
  for (const Action& a : order) {
    if (a.micro_batch >= last) continue;
    if (!first) text += inside_pair ? ';' : ',';
    if (a.pairs_with_next) text += '(';
    text += to_string(a);
    if (inside_pair) text += ")OVERLAP_F_B";
    inside_pair = a.pairs_with_next;
    first = false;
  }
  text += '\n';
}

void check_has(const config::Value& name, const char* what, int asked, int given) {
  if (asked == 0 || asked == given) return;
  name.misfit(fmt::format("the file has {} {}, the experiment {}", given, what, asked));
}

}  // namespace

Schedule read_torch_csv(std::string_view text, std::string_view file_name) {
  const TorchCsv csv = read_cells(text, file_name);
  const config::Value whole{.mark = csv.mark(0, 1)};
  if (csv.rows.empty()) whole.fail("is empty; every row is a rank");
  Placed placed = place(csv);
  count(csv, placed);
  validate(placed.schedule, Source(whole, [&](Place at) {
             return csv.mark(static_cast<size_t>(at.rank), placed.columns[at.rank][at.position]);
           }));
  return std::move(placed.schedule);
}

std::string write_torch_csv(const Schedule& schedule, const config::Value& where) {
  if (schedule.slices > 1)
    where.misfit("PyTorch's pipeline CSV has no token slices; a schedule without them fits");
  std::string text;
  for (const Order& order : schedule.order) append(text, order, schedule);
  return text;
}

Schedule build_torch_csv(const Shape& shape, const config::Value& name) {
  const std::string named = name.text.substr(torch_csv_prefix.size());
  if (named.empty()) name.fail("must name a file, as torch-csv:orders.csv");
  const std::string path = config::path_seen_from(named, name.mark);
  Schedule schedule = read_torch_csv(config::read_small_file(path, name.mark.where()),
                                     path == "-" ? "standard input" : path);
  check_has(name, "rows, one a rank", shape.ranks, schedule.ranks());
  check_has(name, "micro-batches", shape.micro_batches, schedule.micro_batches);
  schedule.iterations = shape.iterations;
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace pipewright::schedule
