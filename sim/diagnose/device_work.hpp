// What a rank's device did in the steps of its profile, and when its host asked for it.
//
// A step is what was launched while its mark lasted; without marks the trace is one step. A kernel
// is of the backward pass or of the optimizer if it was launched in a range of these, and else of
// the forward pass; where there are no ranges of an optimizer, kernels are told by their names. A
// collective is named by the description of its process group, else by what it does and who takes
// part: sends and receives carry pipelines, exchanges of all with all experts, groups of
// neighbouring ranks that are not all tensors (tensor_groups.hpp), all others gradients.
//
// Several ops of one launch are a CUDA graph. Its host starts the first of them; the device goes on
// to the others by itself.
//
// Where PyTorch's pipelining notes its actions (pipeline_actions.hpp), these say of which pass a
// kernel is, and of which a message.
//
// Ops that were launched before the profiler began to look are of no step of the trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interop/pipeline_actions.hpp"
#include "interop/rank_profile.hpp"
#include "result/accounts/breakdown.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// A stream starts what it waited for of its own kernels within 1 to 3 microseconds.
inline constexpr Time at_once = microseconds(3);

struct DeviceOp {
  int stream = 0;
  int step = 0;  ///< place in DeviceWork::steps
  Time start, end;
  Time launched;            ///< when its host asked for it; its start where nobody knows
  Time asked;               ///< when the call for it returned, its start if that is earlier
  uint32_t name = 0;        ///< place in the names of the profile
  int32_t collective = -1;  ///< place in the collectives of the profile
  bool communicates = false;
  bool copies = false;
  bool own_memory = false;  ///< fills or copies memory of its device: nothing leaves this
  bool within_graph =
      false;  ///< launched together with ops before it (CUDA graphs): no host starts it
  Traffic traffic = Traffic::data;             ///< of what communicates
  ComputeKind compute = ComputeKind::forward;  ///< of what computes
  int32_t action = -1;  ///< place in DeviceWork::actions of its pass or message; -1: nobody says
  bool after_autograd = false;  ///< of a backward pass: done when autograd's functions have run
  Time moving;  ///< of what communicates: the last part of it, in which its bytes move

  bool computes() const { return !communicates && !copies; }
  /// Whether it computes a backward pass, or a half of one.
  bool goes_back() const {
    return compute == ComputeKind::backward || compute == ComputeKind::input_gradient ||
           compute == ComputeKind::weight_gradient;
  }
};

struct DeviceStep {
  int number = 0;
  /// From its first op on the stream that computes most to that of the next step; the last to its
  /// last end. Where it is marked, it begins with its mark, but not before the step before has
  /// ended on the device, and the last ends with its mark, but not before its last op.
  Time begin, end;
};

struct DeviceWork {
  std::vector<DeviceStep> steps;
  std::vector<DeviceOp> ops;  ///< by start
  /// What the host ran of a pipeline, in order; empty: it does not say.
  std::vector<interop::PipelineAction> actions;
  bool has_launches = false;
  bool has_marks = false;
  int cut_off = 0;   ///< steps at the ends that were left out
  Time warm_up{};    ///< the length of a first step that was left out; zero: none was
  size_t early = 0;  ///< ops that start 100 us or more before they were launched
  Time overlapping;  ///< of kernels on the main stream with the one before, beyond 20 us each
};

/// Throws InputError where nothing ran on a device.
DeviceWork device_work(const RankProfile& profile);

/// The traffic that a collective, or a kernel of this name, is for. `world`: of the job, -1
/// unknown.
Traffic traffic_of(const ProfiledCollective* collective, const std::string& kernel, int world);
/// Whether the description of its group says which traffic it is.
bool names_traffic(const ProfiledCollective& collective);
/// Whether a kernel of this name moves bytes between devices: NCCL's, RCCL's and DeepEP's.
bool communicates(const std::string& kernel);

/// "data communication, all of it": whom a cause names that is all of one traffic.
std::string all_communication(Traffic traffic);
/// What a job may do about communication of a kind that nothing hides; empty: nothing.
std::string remedy_against(Traffic traffic);

/// "gemm", "attention", ...: what a kernel of this name computes; "other" where the name does not
/// say.
std::string_view kernel_kind(const std::string& kernel);
/// The kernels of a step that compute, by kinds, the longest first.
std::vector<KernelKindTime> kernel_kinds(const RankProfile& profile, const DeviceWork& work,
                                         size_t step);

/// The same kernels by their names, in no order.
std::vector<KernelNameTime> kernel_names(const RankProfile& profile, const DeviceWork& work,
                                         size_t step);

/// Where the time of a step goes, by the rule of the accounts: compute, to which what fills and
/// copies the device's own memory counts, else communication under
/// way, of several what ends last, else the host until it has launched what runs next. What then
/// still waits is bubble in a pipeline. Elsewhere it is of the host, unless this had asked for what
/// runs next before the device stood still: then it is bubble, too. Within a CUDA graph it is
/// compute of the op that it comes before, and so is what a stream takes to go on at once.
Breakdown account_of(const DeviceWork& work, size_t step);

}  // namespace pipewright::diagnose
