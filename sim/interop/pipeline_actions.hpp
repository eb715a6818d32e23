// What PyTorch's pipelining says in a profile of the passes and messages of a rank.
//
// torch.distributed.pipelining (schedules.py) notes a range of the host around each action. Since
// release 2.9 all schedules of several stages a rank do: "PP:2F5" is the forward pass of stage 2
// with micro-batch 5, B a backward pass, I and W its halves, SEND_F, RECV_F, SEND_B and RECV_B are
// messages; UNSHARD, RESHARD and REDUCE_GRAD are of the weights of a stage. Of
// "PP:(0F1;3B0)OVERLAP_F_B" the parts run one after the other unless the user runs them at once.
// GPipe has one stage a rank: "Forward 5" and "Backward 5". 1F1B notes nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pipewright::interop {

enum class PipelineActionKind : uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  forward_send,
  forward_recv,
  backward_send,
  backward_recv,
  weights  ///< of a stage: gathered or freed, or its gradients summed
};

struct PipelineAction {
  PipelineActionKind kind = PipelineActionKind::forward;
  int32_t stage = -1;  ///< of the model; -1: its rank has one
  int32_t micro_batch = -1;
};

/// Whether it computes a pass or a half of one.
inline bool is_pass(const PipelineAction& action) {
  return action.kind <= PipelineActionKind::weight_gradient;
}

/// The actions in a range of this name, several where it overlaps passes. Empty: it is none.
std::vector<PipelineAction> pipeline_actions(std::string_view range);

inline bool is_pipeline_action(std::string_view range) { return !pipeline_actions(range).empty(); }

}  // namespace pipewright::interop
