#include "engine/link_prints.hpp"

#include <bit>

#include "base/mixed.hpp"
#include "engine/contention.hpp"

namespace pipewright {

LinkPrints::LinkPrints(const Program& program, const OpRoutes& op_routes) : offset_{0} {
  const LinkLayout& layout = *op_routes.layout;
  const std::vector<bool> may_be_full = links_that_may_be_full(program, op_routes);
  const std::vector<bool>& redundant = layout.without_redundant().redundant;
  std::vector<uint32_t> number(may_be_full.size(), none);
  const auto number_of = [&](LinkId link) {
    if (number[link] == none) {
      number[link] = static_cast<uint32_t>(capacity_.size());
      capacity_.push_back(layout.topology().links()[link].bandwidth.bytes_per_s);
    }
    return number[link];
  };
  for (uint32_t footprint = 0; footprint < layout.footprints().size(); ++footprint) {
    for (const std::vector<LinkShare>& shares : layout.footprints()[footprint]->shares) {
      for (const LinkShare& share : shares)
        if (may_be_full[share.link] && !redundant[share.link])
          crossed_.push_back({number_of(share.link), share.share});
      footprint_.push_back(footprint);
      offset_.push_back(crossed_.size());
    }
  }
}

/// Sums of prints do not depend on the order of loads.
std::vector<uint64_t> LinkPrints::of_links(std::span<const uint32_t> colours) const {
  struct Sums {
    uint64_t low = 0, high = 0;
  };
  std::vector<Sums> sums(capacity_.size());
  for (size_t instance = 0; instance < instances(); ++instance) {
    const uint64_t who = mixed(uint64_t{colours[instance]} << 32 | footprint_[instance]);
    for (const Crossed& one : crossed(instance)) {
      const uint64_t load = mixed(std::bit_cast<uint64_t>(one.share) ^ who);
      sums[one.link].low += load;
      sums[one.link].high += mixed(load);
    }
  }
  std::vector<uint64_t> prints;
  for (size_t link = 0; link < sums.size(); ++link) {
    const uint64_t capacity = mixed(std::bit_cast<uint64_t>(capacity_[link]));
    prints.push_back(mixed(sums[link].low ^ mixed(sums[link].high ^ capacity)));
  }
  return prints;
}

std::vector<uint64_t> LinkPrints::of_instances(std::span<const uint32_t> colours) const {
  const std::vector<uint64_t> of_link = of_links(colours);
  std::vector<uint64_t> prints(instances());
  for (size_t instance = 0; instance < instances(); ++instance)
    for (const Crossed& one : crossed(instance))
      prints[instance] += mixed(std::bit_cast<uint64_t>(one.share) ^ of_link[one.link]);
  return prints;
}

}  // namespace pipewright
