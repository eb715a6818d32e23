// The rates of a ring are those of NCCL's ring_line() in choice.cpp. A message starts as a ring of
// LL does and has a channel for its first part. What NCCL's model says nothing of keeps its
// default.
#include "network/nccl/modelled_profile.hpp"

#include "config/catalogue.hpp"

namespace pipewright {

CollectiveProfile modelled_profile(std::string device, const NcclTuning& tuning, bool nvlink) {
  CollectiveProfile profile;
  profile.name = std::move(device);
  profile.modelled = true;
  profile.tuning = tuning;
  profile.link_bandwidth = tuning.ring_bandwidth;
  const NcclHops& hops = nvlink ? tuning.nvlink : tuning.pcie;
  const double channel = tuning.ring_bandwidth / tuning.channels;
  const PerProtocol reached = {0.5, 0.92, 1};
  for (size_t p = 0; p < nccl_protocols; ++p) {
    profile.ring[p].base_s = tuning.ring_base_s[p];
    profile.ring[p].hop_s = hops.ring[p];
    profile.ring[p].channel_bandwidth = reached[p] * channel;
  }
  profile.pairs = {.base_s = tuning.ring_base_s[static_cast<size_t>(NcclProtocol::ll)],
                   .first_bandwidth = channel,
                   .early_bandwidth = tuning.ring_bandwidth,
                   .bandwidth = tuning.ring_bandwidth};
  profile.most_bytes = INT64_MAX;
  return profile;
}

CollectiveProfile unmeasured_profile(const std::string& device, const std::string& tuning,
                                     bool nvlink, const config::Catalogue& catalogue) {
  const config::Value name = config::scalar(tuning);
  const config::Value entry = catalogue.resolve("nccl", name);
  const config::Value* known = nvlink ? entry.find("profile") : nullptr;
  if (!known) return modelled_profile(device, read_nccl_tuning(name, catalogue), nvlink);
  std::optional<CollectiveProfile> profile = read_collective_profile(*known, catalogue);
  if (!profile) known->fail("the profile has no collectives");
  profile->name = device;
  profile->measured = false;
  return *std::move(profile);
}

}  // namespace pipewright
