// Traces as the profiler of PyTorch writes them, event by event.
#pragma once

#include <fmt/format.h>

#include <string>

namespace pipewright::test {

class TorchTrace {
 public:
  /// A kernel of `length` us that starts at `start`, launched at `launched` by `thread`.
  TorchTrace& kernel(const std::string& name, double start, double length, double launched,
                     int thread = 1, int stream = 7, const std::string& more = "") {
    ++correlation_;
    event("cuda_runtime", "cudaLaunchKernel", launched, 1, thread,
          fmt::format(R"("correlation": {})", correlation_));
    return event("kernel", name, start, length, 0,
                 fmt::format(R"("stream": {}, "correlation": {}{})", stream, correlation_, more));
  }
  /// A copy or a filling of memory.
  TorchTrace& copy(const std::string& name, double start, double length, double launched) {
    ++correlation_;
    event("cuda_runtime", "cudaMemcpyAsync", launched, 1, 1,
          fmt::format(R"("correlation": {})", correlation_));
    return event(name.starts_with("Memset") ? "gpu_memset" : "gpu_memcpy", name, start, length, 0,
                 fmt::format(R"("stream": 7, "correlation": {})", correlation_));
  }
  /// A kernel that the launch before it launched, too: the next one of a CUDA graph.
  TorchTrace& next_of_graph(const std::string& name, double start, double length, int stream = 7) {
    return event("kernel", name, start, length, 0,
                 fmt::format(R"("stream": {}, "correlation": {})", stream, correlation_));
  }
  /// A kernel of NCCL on a stream of its own.
  TorchTrace& collective(const std::string& name, const std::string& description,
                         const std::string& ranks, int size, double start, double length,
                         double launched) {
    return kernel("ncclDevKernel_" + name, start, length, launched, 1, 20,
                  fmt::format(R"(, "Collective name": "{}", "Process Group Description": "{}",
 "Process Group Ranks": "{}", "Group size": {}, "In msg nelems": 1000, "dtype": "BFloat16")",
                              name, description, ranks, size));
  }
  /// A call for one of the messages that a kernel launched after it moves.
  TorchTrace& message_call(const std::string& name, const std::string& description,
                           const std::string& ranks, int size, int peer, double start) {
    return event("cpu_op", "record_param_comms", start, 0.1, 1,
                 fmt::format(R"("Collective name": "{}", "Process Group Description": "{}",
 "Process Group Ranks": "{}", "Group size": {}, "In msg nelems": 1000, "dtype": "BFloat16",
 "{}": {})",
                             name, description, ranks, size,
                             name == "send" ? "Dst Rank" : "Src Rank", peer));
  }
  TorchTrace& range(const std::string& name, double start, double length, int thread = 1) {
    return event("user_annotation", name, start, length, thread, "");
  }
  TorchTrace& backward(double start, double length, int thread) {
    return event("cpu_op", "autograd::engine::evaluate_function: MmBackward0", start, length,
                 thread, "");
  }
  std::string text(int rank = 0, int world = 1) const {
    return fmt::format(R"({{"distributedInfo": {{"rank": {}, "world_size": {}}},
"traceEvents": [
{}
], "traceName": "t"}})",
                       rank, world, events_);
  }

 private:
  TorchTrace& event(const char* category, const std::string& name, double start, double length,
                    int thread, const std::string& args) {
    if (!events_.empty()) events_ += ",\n";
    events_ += fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 0, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        category, name, thread, start, length, args);
    return *this;
  }

  int correlation_ = 0;
  std::string events_;
};

}  // namespace pipewright::test
