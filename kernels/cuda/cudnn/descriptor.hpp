// A descriptor of cuDNN's graph API: attributes are set, then it is finalised and stays as it is.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/cuda/cudnn/library.hpp"

namespace pipewright::kernels::cuda::cudnn {

/// Returns the name by which cuDNN knows a C++ type.
template <class T>
constexpr cudnnBackendAttributeType_t attribute_type() {
  if constexpr (std::is_same_v<T, int64_t>) return CUDNN_TYPE_INT64;
  if constexpr (std::is_same_v<T, bool>) return CUDNN_TYPE_BOOLEAN;
  if constexpr (std::is_same_v<T, float>) return CUDNN_TYPE_FLOAT;
  if constexpr (std::is_same_v<T, char>) return CUDNN_TYPE_CHAR;
  if constexpr (std::is_same_v<T, void*>) return CUDNN_TYPE_VOID_PTR;
  if constexpr (std::is_same_v<T, cudnnHandle_t>) return CUDNN_TYPE_HANDLE;
  if constexpr (std::is_same_v<T, cudnnDataType_t>) return CUDNN_TYPE_DATA_TYPE;
  if constexpr (std::is_same_v<T, cudnnPointwiseMode_t>) return CUDNN_TYPE_POINTWISE_MODE;
  if constexpr (std::is_same_v<T, cudnnReduceTensorOp_t>) return CUDNN_TYPE_REDUCTION_OPERATOR_TYPE;
  if constexpr (std::is_same_v<T, cudnnConvolutionMode_t>) return CUDNN_TYPE_CONVOLUTION_MODE;
  if constexpr (std::is_same_v<T, cudnnBackendHeurMode_t>) return CUDNN_TYPE_HEUR_MODE;
}

class Descriptor {
 public:
  /// `library` outlives it. `what` names it in messages, a literal.
  Descriptor(const Library& library, cudnnBackendDescriptorType_t type, const char* what);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept
      : library_(other.library_), what_(other.what_), raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(what_, other.what_);
    std::swap(raw_, other.raw_);
    return *this;
  }

  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, const T& value) {
    return put(name, attribute_type<T>(), 1, &value);
  }
  template <class T>
  Descriptor& set_all(cudnnBackendAttributeName_t name, std::span<const T> values) {
    return put(name, attribute_type<T>(), static_cast<int64_t>(values.size()), values.data());
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& value) {
    return put(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.raw_);
  }
  Descriptor& set_all(cudnnBackendAttributeName_t name, std::span<const Descriptor> values);
  Descriptor& finalize();

  int64_t number(cudnnBackendAttributeName_t name) const;
  /// Returns how many descriptors an attribute has.
  int64_t count(cudnnBackendAttributeName_t name) const;
  /// Fills `to`, made of the attribute's type, and returns how many it filled.
  size_t read(cudnnBackendAttributeName_t name, std::span<Descriptor> to) const;
  cudnnBackendDescriptor_t raw() const { return raw_; }

 private:
  Descriptor& put(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                  const void* values);

  const Library* library_;
  const char* what_;
  cudnnBackendDescriptor_t raw_ = nullptr;
};

}  // namespace pipewright::kernels::cuda::cudnn
