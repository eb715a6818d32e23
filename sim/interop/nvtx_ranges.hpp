// What the NVTX ranges of a training job say, told by their texts.
//
// PyTorch's emit_nvtx() names functions of the autograd engine and optimizers, NCCL its calls,
// DeepSpeed its methods; users name passes and steps by hand, in a few words. A range whose text
// says nothing of these is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace pipewright::interop {

enum class NvtxMeaning : uint8_t { step, optimizer, backward, collective };

struct NvtxRange {
  NvtxMeaning meaning = NvtxMeaning::step;
  std::string word;  ///< of a step "iteration", of a collective "AllReduce"
  int number = -1;   ///< of a step; -1: its text has none
  int64_t thread = 0;
  Time start, end;
  uint64_t communicator = 0;  ///< of a call of NCCL; 0: nobody says
  int64_t bytes = 0;          ///< of a call of NCCL
};

/// What a range of this text means: meaning, word and number are set.
std::optional<NvtxRange> nvtx_range(std::string_view text);

/// The steps of a process, in their order and with numbers. Of several words that steps may have
/// the one counts whose ranges last longest: batches lie within iterations. Without such words a
/// step lasts from one update after a backward pass to the next. Empty: the ranges show no steps.
std::vector<NvtxRange> nvtx_steps(const std::vector<NvtxRange>& ranges);

}  // namespace pipewright::interop
