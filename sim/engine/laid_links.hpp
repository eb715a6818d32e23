// The links that the messages and collectives of one layout of groups are laid on, for the many
// runs of a sweep that differ in sizes, times and schedule only.
//
// A footprint follows from its devices, from those that they stand for and from the topology. All
// that is proved of links before bytes are counted follows from the list of footprints. So each is
// found once for a layout: what a run finds here is what it would find alone.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/footprints.hpp"
#include "engine/link_layout.hpp"
#include "topology/spreading.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// The devices of a message (two) or collective, and of all those that it stands for. Empty where
/// those are not of the same form.
using Mirror =
    std::function<std::vector<std::vector<int32_t>>(const std::vector<int32_t>& devices)>;

/// What is laid on links between devices.
struct Laid {
  enum class Form : uint8_t { message, collective, to_host, from_host } form = Form::message;
  CollectiveKind collective = {};  ///< of a collective
  /// The sender and the receiver, the members, or the device that copies.
  std::vector<int32_t> devices;
  auto operator<=>(const Laid&) const = default;
};

/// The footprints of one topology, one spreading over its routes and one mirror. May be shared by
/// threads.
class LaidLinks {
 public:
  explicit LaidLinks(Topology topology, const Spreading& spreading = {})
      : topology_(std::move(topology)), spreading_(spreading) {}

  const Topology& topology() const { return topology_; }
  const Spreading& spreading() const { return spreading_; }
  /// Returns the footprint; null where the mirror is empty, or shows unequal bandwidth. `mirror` is
  /// the same in each call.
  std::shared_ptr<const MirroredFootprint> find(const Laid& laid, const Mirror& mirror);
  /// Returns the layout of footprints that are all from find().
  std::shared_ptr<const LinkLayout> layout_of(const Footprints& footprints);
  /// Returns how many shares and links it holds, as a measure of its memory.
  size_t size() const;

 private:
  Topology topology_;
  Spreading spreading_;
  mutable std::mutex mutex_;  // of all below
  std::map<Laid, std::shared_ptr<const MirroredFootprint>> footprints_;
  std::map<Footprints, std::shared_ptr<const LinkLayout>> layouts_;
  size_t size_ = 0;
};

/// The laid links of the last few layouts of groups on one topology. May be shared by threads.
class LinkMemo {
 public:
  /// All that a mirror and a spreading are made of, as numbers.
  using Key = std::vector<int32_t>;

  /// Returns the laid links of the layout `key`. Forgets those that nobody has asked for longest
  /// where all together hold too much.
  std::shared_ptr<LaidLinks> of(const Key& key, const Topology& topology,
                                const Spreading& spreading = {});

 private:
  struct Known {
    Key key;
    std::shared_ptr<LaidLinks> links;
  };
  std::mutex mutex_;
  std::list<Known> known_;  // the last asked for first
};

}  // namespace pipewright
