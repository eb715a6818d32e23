// The hosts that a job which is written starts on, and how.
#pragma once

#include <string>
#include <string_view>

#include "experiment/experiment.hpp"

namespace pipewright::job {

/// So many hosts, of which each starts as many ranks.
struct Hosts {
  int64_t count = 1, ranks = 1;
};

/// Returns the hosts of an experiment's cluster, as many as its ranks need. Where the cluster says
/// no nodes, a host has eight devices at most.
Hosts hosts_of(const Experiment& experiment);

/// Returns torchrun with its options. Several hosts meet at the variable MASTER_ADDR.
std::string torchrun(const Hosts& hosts);

/// Returns half a line for the head of a script: where it is to be started. Empty for one host.
std::string started_on(const Hosts& hosts);

/// Returns half a line for the head of a file of settings: the command that starts `program`, the
/// module or the file and its arguments.
std::string started_by(const Hosts& hosts, std::string_view program);

}  // namespace pipewright::job
