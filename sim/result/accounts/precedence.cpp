#include "result/accounts/precedence.hpp"

namespace pipewright {

Precedence::Precedence(const Program& program) : offset_(program.ops.size() + 1) {
  for (const Edge edge : program.edges) ++offset_[edge.to() + 1];
  for (size_t op = 0; op < program.ops.size(); ++op) offset_[op + 1] += offset_[op];
  ops_.resize(program.edges.size());
  std::vector<uint32_t> next(offset_.begin(), offset_.end() - 1);
  for (OpId op = 0; op < program.ops.size(); ++op)
    for (const Edge edge : program.after(op)) ops_[next[edge.to()]++] = op;
}

}  // namespace pipewright
