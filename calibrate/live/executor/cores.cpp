#include "calibrate/live/executor/cores.hpp"

#include <pthread.h>
#include <sched.h>

namespace pipewright::live {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  // Where it is not allowed to choose, the system does.
  (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace pipewright::live
