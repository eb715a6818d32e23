#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "diagnose/device_work.hpp"
#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

/// Parts of the names that libraries give their kernels: cuBLAS, CUTLASS, hipBLASLt and DeepGEMM;
/// FlashAttention, cuDNN; Apex, Transformer Engine; PyTorch. The first that fits counts. The kinds
/// are those of predictions.
struct NamePart {
  std::string_view part, kind;
};
constexpr std::array<NamePart, 27> parts = {{{"flash", "attention"},
                                             {"fmha", "attention"},
                                             {"attention", "attention"},
                                             {"sdpa", "attention"},
                                             {"adam", "optimizer"},
                                             {"multi_tensor", "optimizer"},
                                             {"multitensorapply", "optimizer"},
                                             {"cross_entropy", "cross_entropy"},
                                             {"nll_loss", "cross_entropy"},
                                             {"logsoftmax", "cross_entropy"},
                                             {"conv", "conv"},
                                             {"wgrad", "conv"},
                                             {"dgrad", "conv"},
                                             {"gemm", "gemm"},
                                             {"cutlass", "gemm"},
                                             {"nvjet", "gemm"},
                                             {"cijk_", "gemm"},
                                             {"gemv", "gemm"},
                                             {"splitkreduce", "gemm"},
                                             {"norm", "norm"},
                                             {"softmax", "softmax"},
                                             {"elementwise", "elementwise"},
                                             {"fused", "elementwise"},
                                             {"gelu", "elementwise"},
                                             {"silu", "elementwise"},
                                             {"dropout", "elementwise"},
                                             {"reduce", "reduction"}}};

}  // namespace

std::string_view kernel_kind(const std::string& kernel) {
  const std::string name = interop::lower_case(kernel.substr(0, 400));
  for (const NamePart& one : parts)
    if (name.find(one.part) != std::string::npos) return one.kind;
  return "other";
}

std::vector<KernelNameTime> kernel_names(const RankProfile& profile, const DeviceWork& work,
                                         size_t step) {
  std::map<uint32_t, double> times;
  for (const DeviceOp& op : work.ops)
    if (op.step == static_cast<int>(step) && op.computes())
      times[op.name] += in_seconds(op.end - op.start);
  std::vector<KernelNameTime> all;
  for (const auto& [name, seconds] : times) all.push_back({profile.names[name], seconds});
  return all;
}

std::vector<KernelKindTime> kernel_kinds(const RankProfile& profile, const DeviceWork& work,
                                         size_t step) {
  std::map<std::string_view, double> times;
  for (const KernelNameTime& kernel : kernel_names(profile, work, step))
    times[kernel_kind(kernel.name)] += kernel.measured_s;
  std::vector<KernelKindTime> all;
  for (const auto& [kind, seconds] : times) all.push_back({std::string(kind), seconds, 0});
  std::ranges::stable_sort(all, std::greater{}, &KernelKindTime::measured_s);
  return all;
}

}  // namespace pipewright::diagnose
