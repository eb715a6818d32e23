#include "calibrate/live/executor/op_reports.hpp"

#include <algorithm>
#include <cstring>

#include "calibrate/live/executor/executor.hpp"

namespace pipewright::live {
namespace {

std::vector<std::byte> bytes_of(const std::vector<SeenOp>& seen) {
  return transport::bytes_of(seen.data(), seen.size() * sizeof(SeenOp));
}

}  // namespace

OpReports::OpReports(const Program& program, transport::Session& session)
    : program_(program),
      session_(session),
      timeline_{std::vector<Span>(program.ops.size()), "processes"} {}

void OpReports::note(const SeenOp& seen) {
  merge(seen);
  if (!session_.is_first()) unreported_.push_back(seen);
}

void OpReports::send() {
  if (unreported_.empty()) return;
  session_.send(0, transport::Note::report, bytes_of(unreported_));
  unreported_.clear();
}

void OpReports::collect() {
  if (!session_.is_first()) return;
  for (;;) {
    const std::optional<transport::Packet> packet = session_.take(transport::Note::report);
    if (!packet) return;
    merge(packet->bytes);
  }
}

void OpReports::exchange(const Share& share) {
  std::vector<SeenOp> all;
  for (OpId op = 0; op < program_.ops.size(); ++op)
    if (const Span& span = timeline_.spans[op]; share.sees(op) || share.starts(op))
      all.push_back({op, span.start, span.end});
  unreported_.clear();
  for (const auto& part : session_.exchange(bytes_of(all))) merge(part);
  collect();
  for (Span& span : timeline_.spans) span.end = std::max(span.start, span.end);
  fill_ready(program_, timeline_);
}

void OpReports::forget_unended() {
  for (Span& span : timeline_.spans)
    if (span.end == Time{} || span.end < span.start) span = {};
}

/// The sender of a transfer saw its start, the receiver its end; of a collective, the last start
/// and end count.
void OpReports::merge(const SeenOp& seen) {
  Span& span = timeline_.spans[seen.op];
  span.start = std::max(span.start, seen.start);
  span.end = std::max(span.end, seen.end);
}

void OpReports::merge(const std::vector<std::byte>& bytes) {
  for (size_t at = 0; at + sizeof(SeenOp) <= bytes.size(); at += sizeof(SeenOp)) {
    SeenOp seen;
    std::memcpy(&seen, bytes.data() + at, sizeof seen);
    merge(seen);
  }
}

}  // namespace pipewright::live
