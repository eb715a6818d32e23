#include "interop/goal_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pipewright::goal {
namespace {

constexpr uint64_t most_nanoseconds = INT64_MAX / 1000;  // the clock counts picoseconds
constexpr uint64_t most_bytes = INT64_MAX;
constexpr size_t longest_label = 255;

bool is_op(std::string_view word) { return word == "calc" || word == "send" || word == "recv"; }

}  // namespace

void Reader::read(std::string_view lines) {
  scan_.open(lines);
  while (!scan_.at_end()) read_statement();
}

void Reader::read_statement() {
  if (scan_.in_comment()) scan_.skip_comment();
  scan_.skip_blanks();
  const char* const at = scan_.here();
  if (scan_.at_end()) return;
  if (scan_.next_is('\n')) return scan_.skip_line_end();
  if (scan_.next_is('}')) return close_rank();
  if (!scan_.next_is_letter()) {
    if (scan_.skip_comment()) return;
    scan_.expected("a label, 'calc', 'send', 'recv', 'rank' or '}'");
  }
  const std::string_view word = scan_.take_word();
  if (word == "rank") return read_rank(at);
  if (word == "num_ranks") return read_num_ranks(at);
  if (!in_rank_) {
    scan_.fail(at, fmt::format("'{}' stands outside of any rank: expected 'num_ranks' or 'rank'",
                               word.substr(0, 40)));
  }
  is_op(word) ? read_op(at, word, {}) : read_labelled(at, word);
}

void Reader::read_num_ranks(const char* at) {
  if (num_ranks_ > 0) scan_.fail(at, "num_ranks is given twice");
  num_ranks_ = static_cast<uint32_t>(scan_.take_number("the number of ranks", most_ranks));
  if (num_ranks_ == 0) scan_.fail(at, "num_ranks must be at least 1");
}

void Reader::read_rank(const char* at) {
  if (num_ranks_ == 0) scan_.fail(at, "num_ranks must come before the first rank");
  if (in_rank_) {
    scan_.fail(at, fmt::format("rank {}, which began at line {}, is not closed: '}}' is missing",
                               blocks_.back().number, blocks_.back().line));
  }
  const uint32_t number = take_rank("the number of the rank");
  if (!scan_.take('{')) scan_.expected("'{'");
  blocks_.push_back({number, static_cast<uint32_t>(goal_.ops.size()), scan_.line()});
  in_rank_ = true;
}

uint32_t Reader::take_rank(const char* what) {
  scan_.skip_blanks();
  const char* const at = scan_.here();
  const auto rank = static_cast<uint32_t>(scan_.take_number(what, UINT32_MAX));
  if (rank >= num_ranks_) {
    scan_.fail(at, fmt::format("there is no rank {}: num_ranks is {}, so they are 0 to {}", rank,
                               num_ranks_, num_ranks_ - 1));
  }
  return rank;
}

void Reader::close_rank() {
  if (!in_rank_) scan_.fail(scan_.here(), "'}' closes no rank");
  scan_.take('}');
  labelled_.close(blocks_.back().number);
  in_rank_ = false;
}

Label Reader::label(const char* at, std::string_view word) {
  if (word.size() > longest_label)
    scan_.fail(at, fmt::format("a label of more than {} characters", longest_label));
  return goal_.label_table.add(word);
}

void Reader::read_labelled(const char* at, std::string_view word) {
  const Label given = label(at, word);
  const bool defines = scan_.take(':');
  scan_.skip_blanks();
  const char* const verb_at = scan_.here();
  const std::string_view verb = scan_.take_word();
  if (defines) {
    if (is_op(verb)) return read_op(at, verb, given);
    scan_.fail(verb_at, "expected 'calc', 'send' or 'recv' after the label");
  }
  if (verb == "requires") return read_dependency(at, given, false);
  if (verb == "irequires") return read_dependency(at, given, true);
  scan_.fail(verb_at, "expected ':', 'requires' or 'irequires' after the label");
}

void Reader::read_op(const char* at, std::string_view word, Label label) {
  Op op{.kind = word[0] == 'c' ? Kind::calc : word[0] == 's' ? Kind::send : Kind::recv};
  if (op.kind == Kind::calc) {
    op.amount =
        static_cast<int64_t>(scan_.take_number("a number of nanoseconds", most_nanoseconds));
    op.cpu = take_unit("cpu");
  } else {
    read_message(op);
  }
  end_statement();
  add_op(at, op, label);
}

void Reader::read_message(Op& op) {
  op.amount = static_cast<int64_t>(scan_.take_number("a number of bytes such as 8b", most_bytes));
  if (!scan_.take('b')) scan_.expected("'b' after the number of bytes, as in 8b");
  scan_.expect_word(op.kind == Kind::send ? "to" : "from");
  op.peer = take_rank("the other rank");
  scan_.skip_blanks();
  if (scan_.next_is('t')) {
    scan_.expect_word("tag");
    op.tag = static_cast<uint32_t>(scan_.take_number("the tag", UINT32_MAX - 1));
  }
  op.cpu = take_unit("cpu");
  op.nic = take_unit("nic");
}

/// "cpu 3", or 0 where it is not given.
uint8_t Reader::take_unit(std::string_view word) {
  scan_.skip_blanks();
  if (!scan_.next_is(word[0])) return 0;
  scan_.expect_word(word);
  return static_cast<uint8_t>(scan_.take_number("the number of a cpu or nic", UINT8_MAX));
}

void Reader::end_statement() {
  scan_.skip_blanks();
  const bool ends =
      scan_.at_end() || scan_.next_is('\n') || scan_.next_is('}') || scan_.next_is('/');
  if (!ends) scan_.expected("the end of the line");
}

void Reader::add_op(const char* at, const Op& op, Label label) {
  const auto id = static_cast<uint32_t>(goal_.ops.size());
  if (id == most_ops) scan_.fail(at, fmt::format("more than {} ops", most_ops));
  if (label) {
    const uint32_t before = labelled_.find(label);
    if (before != OpsByLabel::nothing) {
      scan_.fail(at, fmt::format("label '{}' is given twice in rank {}, first at line {}",
                                 goal_.label_table.text(label), blocks_.back().number,
                                 goal_.ops[before].line));
    }
    labelled_.add(label, id);
  }
  const uint32_t column = scan_.column(at);
  goal_.ops.push_back(op);
  goal_.ops.back().line = scan_.line();
  goal_.ops.back().column = static_cast<uint8_t>(column > UINT8_MAX ? 0 : column);
  goal_.labels.push_back(label);
}

void Reader::read_dependency(const char* at, Label op, bool on_start) {
  scan_.skip_blanks();
  const char* const on_at = scan_.here();
  if (!scan_.next_is_letter()) scan_.expected("a label");
  const Label on = label(on_at, scan_.take_word());
  const NamedDependency named{
      op, on, on_start, scan_.line(), scan_.column(at), scan_.column(on_at)};
  end_statement();
  labelled_.add(named, blocks_.back().number);
}

Goal Reader::finish() {
  const uint32_t line = scan_.line();
  if (scan_.in_comment()) scan_.fail_at_line(line, "the file ends inside of a comment");
  if (in_rank_) {
    scan_.fail_at_line(
        line,
        fmt::format("the file ends inside of rank {}, which began at line {}: '}}' is missing",
                    blocks_.back().number, blocks_.back().line));
  }
  if (num_ranks_ == 0) scan_.fail_at_line(line, "no 'num_ranks': this is not a GOAL file");
  order_ranks();
  return std::move(goal_);
}

void Reader::order_ranks() {
  const auto ops_end = [&](uint32_t k) {
    return k + 1 < blocks_.size() ? blocks_[k + 1].first : static_cast<uint32_t>(goal_.ops.size());
  };
  std::vector<uint32_t> order(blocks_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](uint32_t k) { return blocks_[k].number; });
  for (size_t k = 0; k < order.size(); ++k) {
    const Block& block = blocks_[order[k]];
    if (k > 0 && block.number == blocks_[order[k - 1]].number) {
      scan_.fail_at_line(block.line, fmt::format("rank {} is given twice, first at line {}",
                                                 block.number, blocks_[order[k - 1]].line));
    }
    if (block.number != k) break;
    goal_.ranks.push_back({block.first, ops_end(order[k]) - block.first});
  }
  if (goal_.ranks.size() < num_ranks_) {
    scan_.fail_at_line(scan_.line(), fmt::format("rank {} is missing: num_ranks is {}",
                                                 goal_.ranks.size(), num_ranks_));
  }
}

}  // namespace pipewright::goal
