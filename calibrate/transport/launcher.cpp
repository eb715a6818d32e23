#include <csignal>

#include "calibrate/transport/mpi.hpp"

namespace pipewright::transport {

void keep_termination_pending() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGCONT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace pipewright::transport
