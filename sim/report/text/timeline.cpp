#include "report/text/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "report/timeline/unfolded.hpp"

namespace pipewright {
namespace {

constexpr std::string_view letters = "FBIWPSC-";
constexpr size_t narrowest = 8;  // columns of time that are always there

size_t kind_of(const Program& program, OpId op) {
  const OpType& type = program.type(op);
  if (!program.labels.empty()) return letters.find('C');
  if (type.kind == OpKind::step) return letters.find('S');
  if (type.kind != OpKind::compute) return letters.find('-');
  return type.paired ? letters.find('P') : static_cast<size_t>(type.pass);
}

/// One line. Ops of two columns and more are drawn as they are. Shorter ones share columns: each
/// column shows the kind that is most behind of what it should have had so far, so that the letters
/// of a stretch have the proportions of its times.
class Line {
 public:
  Line(size_t columns, Time makespan)
      : scale_(static_cast<double>(columns) /
               static_cast<double>(std::max<int64_t>(makespan.ps, 1))),
        columns_(columns),
        text_(columns, '.') {}

  void add(const Span& span, size_t kind, int micro_batch) {
    const double from = column(span.start), to = column(span.end);
    const bool wide = to - from > 2 - 1e-6;
    if (wide) draw(from, to, kind, micro_batch);
    for (auto c = static_cast<size_t>(from); c < columns_.size() && static_cast<double>(c) < to;
         ++c) {
      const auto left = static_cast<double>(c);
      const double part = std::min(to, left + 1) - std::max(from, left);
      columns_[c].busy += part;
      if (!wide) columns_[c].short_ops[kind] += part;
    }
  }

  std::string finish() {
    Parts due{};
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (text_[c] != '.') continue;
      double shown = 0;
      for (size_t kind = 0; kind < letters.size(); ++kind) {
        shown += columns_[c].short_ops[kind];
        due[kind] += columns_[c].short_ops[kind];
      }
      if (shown == 0 || columns_[c].busy < 0.5) {
        due = {};
        continue;
      }
      const auto most = std::max_element(due.begin(), due.end());
      text_[c] = letters[static_cast<size_t>(most - due.begin())];
      *most -= shown;
    }
    return std::move(text_);
  }

 private:
  using Parts = std::array<double, letters.size()>;
  struct Column {
    double busy = 0;    ///< with ops of any length
    Parts short_ops{};  ///< with those that share columns, by kind
  };

  double column(Time time) const { return static_cast<double>(time.ps) * scale_; }

  void draw(double start, double end, size_t kind, int micro_batch) {
    const auto from = static_cast<size_t>(std::lround(start));
    const auto to = std::min(text_.size(), static_cast<size_t>(std::lround(end)));
    const char letter = letters[kind];
    std::fill(text_.begin() + from, text_.begin() + to, static_cast<char>(std::tolower(letter)));
    text_[from] = letter;
    const bool numbered = letter != 'S' && letter != 'C' && letter != '-';
    const std::string number = numbered ? std::to_string(micro_batch) : std::string{};
    if (from + 1 + number.size() <= to) text_.replace(from + 1, number.size(), number);
  }

  double scale_;  ///< columns per picosecond
  std::vector<Column> columns_;
  std::string text_;
};

/// Ops of one pass, which the collectives between them part, are drawn as one. Where a period is
/// followed by itself their micro-batches seem to differ, or to be the same.
bool continues(const Program& program, OpId op, OpId before, bool in_one_period) {
  if (!program.labels.empty()) return false;
  const OpType &a = program.type(before), &b = program.type(op);
  if (a.kind != b.kind) return false;
  if (a.kind == OpKind::step) return true;
  schedule::Action earlier = program.action(before), later = program.action(op);
  if (!in_one_period) earlier.micro_batch = later.micro_batch;
  return a.kind == OpKind::compute && earlier == later && (in_one_period || !b.first);
}

std::string draw(const Program& program, const Timeline& timeline, LaneId lane, size_t columns,
                 Time makespan) {
  Line line(columns, makespan);
  Span span;
  OpId first = none, last = none;
  Time last_shift;
  const auto finish = [&] {
    if (first != none) line.add(span, kind_of(program, first), program.ops[first].micro_batch);
  };
  visit_unfolded(program, timeline, lane, [&](OpId op, Time shift) {
    if (first == none || !continues(program, op, last, shift == last_shift)) {
      finish();
      first = op;
      span.start = timeline.spans[op].start + shift;
    }
    span.end = timeline.spans[op].end + shift;
    last = op;
    last_shift = shift;
  });
  finish();
  return line.finish();
}

/// The lanes that the first simulated device of each pipeline rank computes on.
std::map<int, std::vector<LaneId>> lanes_by_rank(const Program& program) {
  std::map<int, std::vector<LaneId>> lanes;
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    const uint32_t rank = program.lanes[lane].rank;
    if (!computes(program.lanes[lane].stream)) continue;
    std::vector<LaneId>& of_rank = lanes[program.ranks[rank].pipeline];
    if (of_rank.empty() || program.lanes[of_rank.front()].rank == rank) of_rank.push_back(lane);
  }
  return lanes;
}

/// The letters of `drawn`, in words.
std::string legend(const std::string& drawn) {
  constexpr const char* words[] = {"F forward",         "B backward",           "I input gradient",
                                   "W weight gradient", "P F and B overlapped", "S optimizer step",
                                   "C compute",         "- communication"};
  std::string text;
  for (size_t kind = 0; kind < letters.size(); ++kind) {
    if (drawn.find(letters[kind]) == std::string::npos) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", words[kind]);
  }
  return text + (text.empty() ? "" : ", ") + ". idle";
}

}  // namespace

std::string ascii_timeline(const Program& program, const Timeline& timeline, size_t columns,
                           size_t lines) {
  const Time makespan = timeline.end();
  const std::map<int, std::vector<LaneId>> lanes = lanes_by_rank(program);
  if (lanes.empty()) return {};
  const size_t label = fmt::formatted_size("rank {}", lanes.rbegin()->first);
  const size_t around = label + 3;  // " |" and "|"
  const size_t width = std::max(narrowest, columns - std::min(columns, around));
  const size_t every = (lanes.size() + lines - 1) / lines;
  std::string text, drawn;
  size_t index = 0;
  for (const auto& [rank, of_rank] : lanes) {
    if (index++ % every != 0) continue;
    for (const LaneId lane : of_rank) {
      const std::string line = draw(program, timeline, lane, width, makespan);
      const std::string head = lane == of_rank.front() ? fmt::format("rank {}", rank) : "";
      text += fmt::format("{:<{}} |{}|\n", head, label, line);
      drawn += line;
    }
  }
  const std::string end = human_time(in_seconds(makespan));
  text += fmt::format("{:{}}  0{:>{}}\n", "", label, end, width - 1);
  text += fmt::format("{:{}}  {}\n", "", label, legend(drawn));
  if (every > 1)
    text += fmt::format("{:{}}  (1 of every {} of {} ranks)\n", "", label, every, lanes.size());
  return text;
}

}  // namespace pipewright
