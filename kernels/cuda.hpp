// Kernels and streams of an NVIDIA GPU. Everything is declared in every build; without CUDA, or
// without a device, creating them says in one line what is missing.
#pragma once

#include <memory>
#include <string>

#include "kernels/cudnn.hpp"
#include "kernels/kernels.hpp"
#include "kernels/streams.hpp"

namespace pipewright::kernels {

/// The precision in which products are multiplied. Sums and everything that is stored are fp32.
enum class Multiply { fp32, tf32, bf16 };

struct CudaOptions {
  Multiply multiply = Multiply::fp32;
  int device = 0;      ///< counted on round those that there are
  int partitions = 1;  ///< of the multiprocessors; streams of different ones run beside each other
};

struct CudaDevice {
  std::string name;
  std::string id;      ///< of this one alone
  int processors = 0;  ///< multiprocessors
  int processors_per_partition = 0;
  int64_t memory_bytes = 0;
  std::string software;  ///< versions of driver and runtime
};

/// 8-bit numbers of 4 or 5 bits of exponent (Micikevicius et al.: arXiv 2209.05433).
enum class Narrow { e4m3, e5m2 };

/// A matrix of 8-bit numbers, four in the place of one of fp32, each to be multiplied by `scale`,
/// one number in the device's memory.
struct Fp8 {
  Tensor numbers;  ///< of a quarter of the columns
  Narrow type = Narrow::e4m3;
  Tensor scale;
};

/// Products of numbers of fewer bits than fp32 has, for measuring.
class NarrowProducts {
 public:
  virtual ~NarrowProducts() = default;
  /// `batch` products of bf16 matrices with sums in fp32: c [m, n] = a [m, k] b [k, n], each of a
  /// and b as it stands or transposed, as multiply_batched() has them. Memory is
  /// given as tensors of half the columns.
  virtual void multiply_bf16(int64_t batch, const Tensor& a, ProductKernels::Form a_form,
                             const Tensor& b, ProductKernels::Form b_form, const Tensor& c) = 0;
  /// Writes fp32 numbers as bf16, two in the place of one.
  virtual void to_bf16(const Tensor& from, const Tensor& to) = 0;
  /// c [m, n] in bf16 = a [m, k] b [n, k]^T, the one layout that tensor cores take 8-bit numbers
  /// in; at most one of them is of e5m2; m, n and k are multiples of 16. Sums of two of e4m3 are
  /// kept in fewer bits, as libraries do in the forward pass, where there is no e5m2. Throws
  /// Failure on a device before compute capability 8.9.
  virtual void multiply_fp8(const Fp8& a, const Fp8& b, const Tensor& c) = 0;
  /// Returns why the device does not multiply in fp8; empty where it does.
  virtual std::string why_no_fp8() const = 0;
  /// Writes fp32 numbers divided by to.scale, what is too large as the largest.
  virtual void to_fp8(const Tensor& from, const Fp8& to) = 0;
};

/// Calls come from one thread at a time. Memory that was freed while a stream was selected is
/// handed out again to work on that stream, or to that on another once it is known to be done with.
class CudaKernels : public Kernels, public virtual NarrowProducts, public virtual Streams {
 public:
  ~CudaKernels() override = default;
  virtual CudaDevice device() const = 0;
  /// The selected stream as CUDA knows it, a cudaStream_t.
  virtual void* native_stream() const = 0;
  /// Loaded at the first call. Throws Failure: this build has none, or no libcudnn.so.9 is there.
  virtual Cudnn& cudnn() = 0;
};

/// Throws Failure: no CUDA in this build, no driver, one that is too old, no
/// device, no cuBLASLt, more partitions than the device can be cut into.
std::unique_ptr<CudaKernels> cuda_kernels(const CudaOptions& options = {});

}  // namespace pipewright::kernels
