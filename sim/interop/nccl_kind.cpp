#include "interop/nccl_kind.hpp"

#include <array>
#include <string>

#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

struct KindWord {
  std::string_view part;
  NcclKind kind;
};
/// Without underscores, longer words first. A barrier is an all-reduce.
constexpr std::array<KindWord, 11> kind_words = {{{"reducescatter", NcclKind::reduce_scatter},
                                                  {"allgather", NcclKind::all_gather},
                                                  {"allreduce", NcclKind::all_reduce},
                                                  {"barrier", NcclKind::all_reduce},
                                                  {"broadcast", NcclKind::broadcast},
                                                  {"alltoall", NcclKind::messages},
                                                  {"sendrecv", NcclKind::messages},
                                                  {"send", NcclKind::messages},
                                                  {"recv", NcclKind::messages},
                                                  {"coalesced", NcclKind::messages},
                                                  {"reduce", NcclKind::reduce}}};

}  // namespace

NcclKind nccl_kind(std::string_view name) {
  std::string lower = lower_case(name.substr(0, 200));
  std::erase(lower, '_');
  for (const KindWord& word : kind_words)
    if (lower.find(word.part) != std::string::npos) return word.kind;
  return NcclKind::unknown;
}

}  // namespace pipewright::interop
