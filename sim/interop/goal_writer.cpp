#include "interop/goal_writer.hpp"

#include <fmt/compile.h>

#include <iterator>

#include "base/error.hpp"

namespace pipewright::goal {
void Writer::flush() {
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

void Writer::num_ranks(uint32_t count) {
  fmt::format_to(std::back_inserter(text_), "num_ranks {}\n", count);
}

void Writer::begin_rank(uint32_t rank) {
  fmt::format_to(std::back_inserter(text_), "\nrank {} {{\n", rank);
  next_ = 0;
}

void Writer::end_rank() {
  text_.append(std::string_view("}\n"));
  flush_when_full();
}

uint32_t Writer::calc(int64_t nanoseconds, int cpu) {
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("l{}: calc {} cpu {}\n"), next_,
                 nanoseconds, cpu);
  flush_when_full();
  return next_++;
}

uint32_t Writer::send(int64_t bytes, uint32_t to, uint32_t tag, int cpu) {
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("l{}: send {}b to {} tag {} cpu {}\n"),
                 next_, bytes, to, tag, cpu);
  flush_when_full();
  return next_++;
}

uint32_t Writer::recv(int64_t bytes, uint32_t from, uint32_t tag, int cpu) {
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("l{}: recv {}b from {} tag {} cpu {}\n"),
                 next_, bytes, from, tag, cpu);
  flush_when_full();
  return next_++;
}

uint32_t Writer::collective(CollectiveKind, Bytes, uint32_t, std::span<const int32_t>) {
  abort_with("GOAL has no collectives");
}

void Writer::requires_end(uint32_t op, uint32_t on) {
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("l{} requires l{}\n"), op, on);
  flush_when_full();
}

void Writer::requires_start(uint32_t op, uint32_t on) {
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("l{} irequires l{}\n"), op, on);
  flush_when_full();
}

}  // namespace pipewright::goal
