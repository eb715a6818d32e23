#include "workload/workload_options.hpp"

#include <cmath>

#include "base/error.hpp"

namespace pipewright {
namespace {

constexpr std::string_view dtype_names[] = {"fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4"};

}  // namespace

Parts parts_of(std::initializer_list<Part> parts) {
  Parts set;
  for (const Part part : parts) set.set(static_cast<size_t>(part));
  return set;
}

std::string_view name_of(DType dtype) { return dtype_names[static_cast<size_t>(dtype)]; }

std::optional<DType> dtype_named(std::string_view name) {
  for (size_t i = 0; i < std::size(dtype_names); ++i)
    if (dtype_names[i] == name) return static_cast<DType>(i);
  return std::nullopt;
}

double element_bytes(DType dtype) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::fp8:
      return 1;
    case DType::nvfp4:
      return 0.5 + 1.0 / 16;  // one fp8 scale for every 16 elements
  }
  abort_with("a dtype without a size");
}

double stored_bytes(StoredWeights format, double as_computed) {
  switch (format) {
    case StoredWeights::as_computed:
      return as_computed;
    case StoredWeights::fp8:
    case StoredWeights::int8:
      return 1;
    case StoredWeights::nf4:  // 8 bits for every 64, and 32 for every 256 of those
      return 0.5 + 1.0 / 64 + 4.0 / (64 * 256);
  }
  abort_with("a stored format without a size");
}

DType activation_dtype(DType precision) {
  const bool narrow = precision == DType::fp8 || precision == DType::nvfp4;
  return narrow ? DType::bf16 : precision;
}

Bytes whole_bytes(double bytes) {
  if (!(bytes <= 1e18)) throw InputError("the model and batch make a tensor of more than 10^18 B");
  return {std::llround(bytes)};
}

}  // namespace pipewright
