// The machine of an experiment: its cluster, network and cost model, as prices.
#pragma once

#include <memory>

#include "engine/laid_links.hpp"
#include "engine/price.hpp"
#include "experiment/experiment.hpp"
#include "machine/run_options.hpp"
#include "topology/device.hpp"
#include "topology/topology.hpp"

namespace pipewright {

class Machine {
 public:
  struct Parts;
  explicit Machine(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  int device_count() const;
  /// Returns the capacity of the smallest of `devices`; empty where the cluster does not say.
  std::optional<Bytes> memory(std::span<const int32_t> devices) const;
  /// Returns a device by its number; nullptr where the cluster does not say what it is.
  const Device* device(int32_t number = 0) const;
  /// Returns what an hour of `devices` costs in US dollars, as Cluster has it.
  double price_per_hour(std::span<const int32_t> devices) const;
  /// The least that one of `devices` has; zero where one is no FPGA or does not say.
  Bytes on_chip(std::span<const int32_t> devices) const;
  const Topology& topology() const;
  /// Returns the links that messages share: those of topology(), or where routes are drawn, those
  /// with the spines of a fat-tree one by one. Vertices of devices are the same in both.
  const Topology& links() const;
  /// Returns how many times less bandwidth links between switches have than those below; 1: none.
  double oversubscription() const;
  /// Returns which profiles the prices rest on; empty where nothing says what the devices are.
  std::vector<std::pair<std::string, std::string>> provenance() const;
  /// Bytes that the optimizer on the host reads and writes for one of `devices`, while it does so
  /// for all devices of its node; the least of any. Empty where a node does not say its memory's
  /// bandwidth.
  std::optional<Bandwidth> host_step_rate(std::span<const int32_t> devices) const;
  /// Every one of `devices` has a host to copy to.
  bool has_hosts(std::span<const int32_t> devices) const;
  /// Returns whose kernels send tokens to experts where nobody says it.
  DispatchKernels dispatch_kernels() const;
  Prices prices(const Experiment& experiment) const;
  /// Returns what runs on this machine share of the links that they lay; null where they share
  /// none.
  const std::shared_ptr<LinkMemo>& laid_links() const { return laid_links_; }
  /// Lets all runs on this machine and its copies share laid links from now on.
  void share_laid_links() { laid_links_ = std::make_shared<LinkMemo>(); }

 private:
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<LinkMemo> laid_links_;
};

/// Reads the machine of an experiment. With `expand_collectives` collectives are timed message by
/// message, by the algorithms of network/collectives over what the links' data sheets say, and by
/// no profile.
Machine read_machine(const Experiment& experiment, const config::Catalogue& catalogue,
                     const RunOptions& options = {});

}  // namespace pipewright
