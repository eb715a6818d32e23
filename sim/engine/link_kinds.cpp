// There are far more links than kinds, and to hold all loads of each link only to compare them
// takes longer than to run the program. So each link gets a print of its loads of 128 mixed bits:
// that two of a million links with unlike loads have the same print is less likely than 1e-26.
// The print of a class depends on the order of its loads, and that of a kind does not. Loads are
// held for one link of each class.
#include "engine/link_kinds.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/mixed.hpp"
#include "program/program.hpp"

namespace pipewright {
namespace {

struct Print {
  uint64_t low = 0, high = 0, capacity = 0;
  bool operator==(const Print&) const = default;
};
struct HashOfPrint {
  size_t operator()(const Print& print) const { return print.low; }
};
using Names = std::unordered_map<Print, uint32_t, HashOfPrint>;

struct LinkLoad {
  uint32_t footprint;
  double share;

  uint64_t print() const { return mixed(std::bit_cast<uint64_t>(share) ^ mixed(footprint)); }
};

/// Visits each load with its link.
template <typename Visit>
void for_each_load(const Footprints& footprints, Visit visit) {
  for (uint32_t footprint = 0; footprint < footprints.size(); ++footprint)
    for (const std::vector<LinkShare>& shares : footprints[footprint]->shares)
      for (const LinkShare& share : shares) visit(share.link, LinkLoad{footprint, share.share});
}

/// Finds classes of links and what each carries.
class Classes {
 public:
  Classes(const Topology& topology, const Footprints& footprints)
      : topology_(topology), footprints_(footprints) {}

  LinkClasses run() {
    find_prints();
    return find_classes();
  }

  /// Returns the print of each class, whatever the order of its loads.
  std::vector<Print> unordered_prints(const LinkClasses& classes) const {
    std::vector<Print> prints(classes.links.size());
    for_each_load(footprints_, [&](LinkId link, const LinkLoad& load) {
      const uint32_t name = classes.of[link];
      if (classes.links[name].front() != link) return;
      const uint64_t low = load.print();
      prints[name].low += low;
      prints[name].high += mixed(low);
      prints[name].capacity = prints_[link].capacity;
    });
    return prints;
  }

  /// Returns the loads of each class, in their order.
  std::vector<std::vector<FootprintLoad>> loads(const LinkClasses& classes) const {
    std::vector<std::vector<FootprintLoad>> loads(classes.links.size());
    for_each_load(footprints_, [&](LinkId link, const LinkLoad& load) {
      const uint32_t name = classes.of[link];
      if (classes.links[name].front() != link) return;
      std::vector<FootprintLoad>& all = loads[name];
      const bool again =
          !all.empty() && all.back().footprint == load.footprint && all.back().share == load.share;
      if (again)
        ++all.back().times;
      else
        all.push_back({load.footprint, load.share, 1});
    });
    return loads;
  }

 private:
  void find_prints() {
    prints_.resize(topology_.links().size());
    for_each_load(footprints_, [&](LinkId link, const LinkLoad& load) {
      Print& print = prints_[link];
      print.low = mixed(print.low ^ load.print());
      print.high += mixed(print.low);
      print.capacity = std::bit_cast<uint64_t>(topology_.links()[link].bandwidth.bytes_per_s);
    });
  }

  LinkClasses find_classes() const {
    LinkClasses classes{std::vector<uint32_t>(prints_.size(), none), {}};
    Names names;
    for (LinkId link = 0; link < prints_.size(); ++link) {
      if (prints_[link] == Print{}) continue;
      const auto next = static_cast<uint32_t>(names.size());
      const uint32_t name = names.try_emplace(prints_[link], next).first->second;
      if (name == next) classes.links.emplace_back();
      classes.of[link] = name;
      classes.links[name].push_back(link);
    }
    return classes;
  }

  const Topology& topology_;
  const Footprints& footprints_;
  std::vector<Print> prints_;  // by link, in the order of its loads
};

std::vector<std::vector<ClassLoad>> by_footprint(
    const std::vector<std::vector<FootprintLoad>>& by_class, size_t footprints) {
  std::vector<std::vector<ClassLoad>> loads(footprints);
  for (uint32_t name = 0; name < by_class.size(); ++name)
    for (const FootprintLoad& load : by_class[name])
      loads[load.footprint].push_back({name, load.share, load.times});
  return loads;
}

/// Sorts, and counts those that are equal.
std::vector<FootprintLoad> counted(std::vector<FootprintLoad> loads) {
  std::sort(loads.begin(), loads.end());
  size_t kept = 0;
  for (size_t k = 1; k < loads.size(); ++k) {
    const bool again =
        loads[k].footprint == loads[kept].footprint && loads[k].share == loads[kept].share;
    if (again)
      loads[kept].times += loads[k].times;
    else
      loads[++kept] = loads[k];
  }
  loads.resize(kept + 1);
  return loads;
}

}  // namespace

uint32_t LinkKinds::of(LinkId link) const {
  const uint32_t name = classes->of[link];
  return name == none ? none : of_class[name];
}

LinkKinds link_kinds(const Topology& topology, const Footprints& footprints) {
  LinkKinds result;
  Classes classes(topology, footprints);
  result.classes = std::make_shared<const LinkClasses>(classes.run());
  std::vector<std::vector<FootprintLoad>> loads = classes.loads(*result.classes);
  result.loads = by_footprint(loads, footprints.size());
  Names names;
  for (const Print& print : classes.unordered_prints(*result.classes)) {
    const auto next = static_cast<uint32_t>(names.size());
    const uint32_t name = names.try_emplace(print, next).first->second;
    std::vector<FootprintLoad>& of_class = loads[result.of_class.size()];
    if (name == next)
      result.kinds.push_back({std::bit_cast<double>(print.capacity), counted(std::move(of_class))});
    result.of_class.push_back(name);
  }
  return result;
}

}  // namespace pipewright
