#include "report/timeline/message_ends.hpp"

#include <algorithm>
#include <tuple>

namespace pipewright {

using schedule::Pass;

MessageIndex::MessageIndex(const Program& program, const Timeline& timeline) : program_(program) {
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    const Span& span = timeline.spans[op];
    if (type.kind != OpKind::compute || span.end == span.start) continue;
    add(program.action(op), program.ops[op].rank, span.start, op);
    if (type.paired) {
      add(program.partners[program.ops[op].peer], program.ops[op].rank, span.start, op);
    }
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.piece, a.start, a.op) < std::tie(b.piece, b.start, b.op);
  });
}

void MessageIndex::add(const schedule::Action& action, uint32_t rank, Time start, OpId op) {
  if (action.pass == Pass::weight_gradient) return;  // neither takes messages nor makes them
  entries_.push_back(
      {{rank, action.stage, action.micro_batch, action.slice, action.pass == Pass::forward},
       start,
       op});
}

MessageIndex::Piece MessageIndex::made_by(OpId transfer) const {
  const Op& op = program_.ops[transfer];
  const OpType& type = program_.type(transfer);
  return {op.rank, type.stage, op.micro_batch, op.slice, type.pass == Pass::forward};
}

MessageEnds MessageIndex::ends(OpId transfer) const {
  const Piece from = made_by(transfer);
  Piece to = from;
  to.rank = program_.ops[transfer].peer;
  to.stage += from.forward ? 1 : -1;
  const auto before = [](const Entry& entry, const Piece& piece) { return entry.piece < piece; };
  const auto after = [](const Piece& piece, const Entry& entry) { return piece < entry.piece; };
  const auto end = std::upper_bound(entries_.begin(), entries_.end(), from, after);
  const auto start = std::lower_bound(entries_.begin(), entries_.end(), to, before);
  MessageEnds ends;
  if (end != entries_.begin() && std::prev(end)->piece == from) ends.producer = std::prev(end)->op;
  if (start != entries_.end() && start->piece == to) ends.consumer = start->op;
  return ends;
}

}  // namespace pipewright
