#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/device_work.hpp"
#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Words of the descriptions that Megatron-LM, DeepSpeed and DTensor's meshes give their groups.
/// Those of data parallelism first: groups of experts have it too ("EXPERT_DATA_PARALLEL_GROUP").
struct Word {
  std::string_view part;
  Traffic traffic;
};
constexpr std::array<Word, 16> words = {{{"data", Traffic::data},
                                         {"fsdp", Traffic::data},
                                         {"mesh_dp", Traffic::data},
                                         {"replicate", Traffic::data},
                                         {"shard", Traffic::data},
                                         {"expert", Traffic::expert},
                                         {"mesh_ep", Traffic::expert},
                                         {"context", Traffic::context},
                                         {"mesh_cp", Traffic::context},
                                         {"sequence", Traffic::context},
                                         {"pipeline", Traffic::pipeline},
                                         {"mesh_pp", Traffic::pipeline},
                                         {"tensor", Traffic::tensor},
                                         {"mesh_tp", Traffic::tensor},
                                         {"position_embedding", Traffic::data},
                                         {"embedding", Traffic::data}}};

/// Whether the list "[8, 9, 10, 11]" is of neighbours.
bool are_neighbours(const std::string& ranks) {
  int last = -1;
  for (const std::string_view word : interop::split(ranks, "[], ", false)) {
    const auto rank = interop::number_of<int>(word);
    if (!rank || (last >= 0 && *rank != last + 1)) return false;
    last = *rank;
  }
  return last >= 0;
}

/// What the description of its group says.
std::optional<Traffic> described_traffic(const ProfiledCollective& collective) {
  const std::string description = interop::lower_case(collective.description);
  for (const Word& word : words)
    if (has(description, word.part)) return word.traffic;
  return std::nullopt;
}

}  // namespace

bool communicates(const std::string& kernel) {
  const std::string name = interop::lower_case(kernel.substr(0, 200));
  return name.starts_with("nccl") || name.starts_with("rccl") || has(name, "nccldevkernel") ||
         has(name, "ep::internode::") || has(name, "ep::internode_ll::") ||
         has(name, "ep::intranode::") || has(name, "nvshmem");
}

bool names_traffic(const ProfiledCollective& collective) {
  return described_traffic(collective).has_value();
}

Traffic traffic_of(const ProfiledCollective* collective, const std::string& kernel, int world) {
  if (collective)
    if (const auto described = described_traffic(*collective)) return *described;
  const std::string what =
      interop::lower_case(collective ? collective->name : kernel.substr(0, 200));
  if (has(what, "ep::") || has(what, "all_to_all") || has(what, "alltoall")) return Traffic::expert;
  if (has(what, "send") || has(what, "recv")) return Traffic::pipeline;
  if (collective && collective->size < world && are_neighbours(collective->ranks))
    return Traffic::tensor;
  return Traffic::data;
}

std::string all_communication(Traffic traffic) {
  constexpr std::array<std::string_view, traffic_kinds> names = {"pipeline", "tensor",  "data",
                                                                 "expert",   "context", "host"};
  return std::string(names[static_cast<size_t>(traffic)]) + " communication, all of it";
}

std::string remedy_against(Traffic traffic) {
  switch (traffic) {
    case Traffic::data:
      return "hide sums of gradients behind backward passes, or sum after more micro-batches";
    case Traffic::tensor:
      return "take fewer tensor ranks, all within a node, or overlap their sums with products";
    case Traffic::context:
      return "take fewer context ranks, or overlap their exchanges with attention";
    case Traffic::expert:
      return "overlap exchanges of tokens with the compute of other micro-batches, or spread "
             "experts over fewer nodes";
    case Traffic::pipeline:
      return "send while computing, or take more micro-batches and fewer stages";
    case Traffic::host:
      break;
  }
  return {};
}

}  // namespace pipewright::diagnose
