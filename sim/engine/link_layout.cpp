#include "engine/link_layout.hpp"

#include <algorithm>
#include <set>

#include "engine/redundant_links.hpp"
#include "program/program.hpp"

namespace pipewright {
namespace {

std::vector<CrossedKind> crossed(const std::vector<LinkShare>& shares, const LinkKinds& kinds,
                                 const std::vector<bool>& redundant) {
  std::vector<CrossedKind> crossed;
  for (const LinkShare& share : shares) {
    if (!redundant.empty() && redundant[share.link]) continue;
    crossed.push_back({kinds.of(share.link), share.share});
  }
  std::sort(crossed.begin(), crossed.end());
  return crossed;
}

/// `redundant` is by link; empty: none is.
Crossings find_crossings(const Footprints& footprints, const LinkKinds& kinds,
                         const std::vector<bool>& redundant) {
  Crossings crossings;
  for (const auto& footprint : footprints) {
    auto& lists = crossings.emplace_back();
    if (footprint->shares.size() < 2) continue;
    std::set<std::vector<CrossedKind>> seen;
    for (const std::vector<LinkShare>& shares : footprint->shares) {
      std::vector<CrossedKind> list = crossed(shares, kinds, redundant);
      if (!lists.empty() && list == lists.back()) continue;
      if (seen.insert(list).second) lists.push_back(std::move(list));
    }
  }
  return crossings;
}

}  // namespace

LinkLayout::LinkLayout(Topology topology, Footprints footprints)
    : topology_(std::move(topology)),
      footprints_(std::move(footprints)),
      kinds_(link_kinds(topology_, footprints_)),
      crossings_(find_crossings(footprints_, kinds_, {})) {}

const LinkLayout::Kept& LinkLayout::without_redundant() const {
  std::call_once(once_, [&] {
    const std::vector<bool>& redundant = kept_.redundant = redundant_links(topology_, footprints_);
    kept_.kinds.resize(kinds_.kinds.size());
    for (LinkId link = 0; link < redundant.size(); ++link)
      if (kinds_.of(link) != none && !redundant[link]) kept_.kinds[kinds_.of(link)] = true;
    kept_.crossings = find_crossings(footprints_, kinds_, redundant);
  });
  return kept_;
}

size_t LinkLayout::size() const {
  size_t size = 2 * topology_.links().size();
  for (const auto& loads : kinds_.loads) size += loads.size();
  return size;
}

}  // namespace pipewright
