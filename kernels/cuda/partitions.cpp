#include "kernels/cuda/partitions.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "kernels/cuda/check.hpp"

namespace pipewright::kernels::cuda {
namespace {

/// Found in the driver when the program runs, so that it starts where there is none.
template <class F>
F* entry_point(const char* name) {
  constexpr unsigned version = 12050;  // which brought streams of green contexts
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &result),
        name);
  if (result != cudaDriverEntryPointSuccess || !function)
    throw Failure(fmt::format("CUDA: the driver has no {}; partitions need 12.5 or newer", name));
  return reinterpret_cast<F*>(function);
}

struct Driver {
  decltype(cuGetErrorString)* error_string =
      entry_point<decltype(cuGetErrorString)>("cuGetErrorString");
  decltype(cuDeviceGetDevResource)* resource =
      entry_point<decltype(cuDeviceGetDevResource)>("cuDeviceGetDevResource");
  decltype(cuDevSmResourceSplitByCount)* split =
      entry_point<decltype(cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount");
  decltype(cuDevResourceGenerateDesc)* describe =
      entry_point<decltype(cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc");
  decltype(cuGreenCtxCreate)* create = entry_point<decltype(cuGreenCtxCreate)>("cuGreenCtxCreate");
  decltype(cuGreenCtxDestroy)* destroy =
      entry_point<decltype(cuGreenCtxDestroy)>("cuGreenCtxDestroy");
  decltype(cuGreenCtxStreamCreate)* stream =
      entry_point<decltype(cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate");

  const char* text_of(CUresult status) const {
    const char* text = nullptr;
    // Where the driver does not know its own error there is nothing more to say.
    return error_string(status, &text) == CUDA_SUCCESS && text ? text : "unknown error";
  }
  void check(CUresult status, const char* what) const {
    if (status != CUDA_SUCCESS) throw Failure(fmt::format("CUDA: {}: {}", what, text_of(status)));
  }
  void check_closed(CUresult status, const char* what) const {
    if (status != CUDA_SUCCESS && status != CUDA_ERROR_DEINITIALIZED)
      std::fprintf(stderr, "CUDA: %s: %s\n", what, text_of(status));
  }
};

}  // namespace

struct Partitions::Contexts {
  Driver driver;
  std::vector<CUgreenCtx> all;

  ~Contexts() {
    for (const CUgreenCtx context : all)
      driver.check_closed(driver.destroy(context), "giving back a green context");
  }
  /// Returns the multiprocessors of each.
  int cut(int device, unsigned count) {
    CUdevResource whole{};
    driver.check(driver.resource(device, &whole, CU_DEV_RESOURCE_TYPE_SM), "multiprocessors");
    std::vector<CUdevResource> parts(count);
    const unsigned processors = whole.sm.smCount;
    // The hardware rounds sizes up to what it can cut, so that fewer parts may come out.
    unsigned made = 0;
    for (unsigned wanted = processors / count; wanted > 0 && made < count; --wanted) {
      made = count;
      CUdevResource rest{};
      const CUresult status = driver.split(parts.data(), &made, &whole, &rest, 0, wanted);
      if (status == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
        made = 0;  // refused rather than fewer made
      else
        driver.check(status, "partitions");
    }
    if (made < count)
      throw Failure(fmt::format("CUDA: {} multiprocessors cannot be cut into {} partitions",
                                processors, count));
    for (CUdevResource& part : parts) {
      CUdevResourceDesc description{};
      driver.check(driver.describe(&description, &part, 1), "a partition");
      CUgreenCtx context{};
      driver.check(driver.create(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
                   "a green context");
      all.push_back(context);
    }
    return static_cast<int>(parts.front().sm.smCount);
  }
};

Partitions::Partitions(int device, int count) {
  if (count > 1) {
    contexts_ = std::make_unique<Contexts>();
    processors_ = contexts_->cut(device, static_cast<unsigned>(count));
  } else {
    check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device),
          "multiprocessors");
  }
}

Partitions::~Partitions() = default;

cudaStream_t Partitions::make_stream(size_t partition) {
  cudaStream_t stream = nullptr;
  if (contexts_) {
    const Driver& driver = contexts_->driver;
    driver.check(driver.stream(&stream, contexts_->all.at(partition), CU_STREAM_NON_BLOCKING, 0),
                 "a partition's stream");
  } else {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  }
  return stream;
}

}  // namespace pipewright::kernels::cuda
