// Reads GOAL text statement by statement. Internal to this folder.
#pragma once

#include "interop/goal.hpp"
#include "interop/goal_dependencies.hpp"
#include "interop/goal_scanner.hpp"

namespace pipewright::goal {

class Reader {
 public:
  explicit Reader(std::string_view file_name) : scan_(file_name), labelled_(goal_) {
    goal_.file = file_name;
  }

  /// The next lines of the text, whole ones but for the last.
  void read(std::string_view lines);
  Goal finish();
  const Scanner& scanner() const { return scan_; }

 private:
  struct Block {  // rank NUMBER { ... }
    uint32_t number, first, line;
  };

  void read_statement();
  void read_num_ranks(const char* at);
  void read_rank(const char* at);
  void close_rank();
  void read_labelled(const char* at, std::string_view word);
  void read_op(const char* at, std::string_view word, Label label);
  void read_message(Op& op);
  uint32_t take_rank(const char* what);
  uint8_t take_unit(std::string_view word);
  Label label(const char* at, std::string_view word);
  void end_statement();
  void add_op(const char* at, const Op& op, Label label);
  void read_dependency(const char* at, Label op, bool on_start);
  void order_ranks();

  Scanner scan_;
  Goal goal_;
  uint32_t num_ranks_ = 0;
  bool in_rank_ = false;
  std::vector<Block> blocks_;
  LabelledOps labelled_;  // of the rank that is open
};

}  // namespace pipewright::goal
