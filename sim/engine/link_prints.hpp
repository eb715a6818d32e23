// Prints of what crosses links, by which those are told apart whose links are shared with others.
//
// A link that can never be full holds up nobody, whoever crosses it. So only the other links count.
// Which they are follows from what all put on them, not from how that is coloured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/op_routes.hpp"
#include "program/program.hpp"

namespace pipewright {

/// The instances of all footprints on the links that may be full and are not redundant. They are
/// numbered footprint by footprint.
class LinkPrints {
 public:
  /// `op_routes` are the routes of `program`.
  LinkPrints(const Program& program, const OpRoutes& op_routes);

  size_t instances() const { return footprint_.size(); }
  uint32_t footprint(size_t instance) const { return footprint_[instance]; }

  /// Returns a print of each instance. Prints are equal where instances cross links of the same
  /// kinds: of one capacity, with the same shares of the same footprints and colours.
  std::vector<uint64_t> of_instances(std::span<const uint32_t> colours) const;

 private:
  struct Crossed {
    uint32_t link;  ///< among those that count
    double share;
  };
  std::span<const Crossed> crossed(size_t instance) const {
    return {crossed_.data() + offset_[instance], crossed_.data() + offset_[instance + 1]};
  }
  std::vector<uint64_t> of_links(std::span<const uint32_t> colours) const;

  std::vector<double> capacity_;     // by link that counts
  std::vector<uint32_t> footprint_;  // by instance
  std::vector<size_t> offset_;       // of an instance's links in `crossed_`
  std::vector<Crossed> crossed_;
};

}  // namespace pipewright
