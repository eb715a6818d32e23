#include "kernels/cuda/cudnn/graph.hpp"

#include "base/error.hpp"

namespace pipewright::kernels::cuda::cudnn {
namespace {

constexpr int64_t alignment = 16;  // bytes; our memory is aligned to far more
constexpr Sizes one_number = {1, 1, 1, 1};

/// Returns what an operation calculates in.
cudnnDataType_t precision_of(cudnnPointwiseMode_t mode) {
  if (mode == CUDNN_POINTWISE_GEN_INDEX) return CUDNN_DATA_INT32;
  return mode == CUDNN_POINTWISE_CMP_GE ? CUDNN_DATA_BOOLEAN : CUDNN_DATA_FLOAT;
}

/// The attributes of a convolution's pass. What is not of the pass is given, what is results.
struct PassNames {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t description, x, w, y, alpha, beta;
};

PassNames names_of(Graph::Pass pass) {
  switch (pass) {
    case Graph::Pass::input_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case Graph::Pass::weight_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
    default:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  }
}

}  // namespace

Layout packed(const Sizes& s) { return {s, {s[1] * s[2] * s[3], s[2] * s[3], s[3], 1}}; }

cudnnDataType_t type_of(Stored numbers) {
  if (numbers == Stored::fp32) return CUDNN_DATA_FLOAT;
  return numbers == Stored::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF;
}

Graph::Id Graph::tensor(cudnnDataType_t type, const Layout& layout, Kind kind) {
  const Id id = std::ssize(tensors_) + 1;
  Descriptor& made = tensors_.emplace_back(library_, CUDNN_BACKEND_TENSOR_DESCRIPTOR, "a tensor");
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, type)
      .set_all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, layout.sizes)
      .set_all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES, layout.strides)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment)
      .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, kind == Kind::between)
      .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, kind == Kind::number)
      .finalize();
  return id;
}

Graph::Id Graph::given(cudnnDataType_t type, const Layout& layout) {
  return given_.emplace_back(tensor(type, layout, Kind::stored));
}

Graph::Id Graph::between(cudnnDataType_t type, const Layout& layout) {
  return tensor(type, layout, Kind::between);
}

Graph::Id Graph::scratch(const Sizes& s) {
  const Id id = tensor(CUDNN_DATA_FLOAT, packed(s), Kind::stored);
  scratch_.push_back({id, s[0] * s[1] * s[2] * s[3] * int64_t{sizeof(float)}});
  return id;
}

Graph::Id Graph::number(float value) {
  const Id id = tensor(CUDNN_DATA_FLOAT, packed(one_number), Kind::number);
  numbers_.push_back({id, value});
  return id;
}

Descriptor& Graph::operation(cudnnBackendDescriptorType_t type, const char* what) {
  return operations_.emplace_back(library_, type, what);
}

Descriptor& Graph::keep(cudnnBackendDescriptorType_t type, const char* what) {
  return parts_.emplace_back(library_, type, what);
}

void Graph::multiply(Id a, Id b, Id c) {
  const Descriptor& how = keep(CUDNN_BACKEND_MATMUL_DESCRIPTOR, "a product")
                              .set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT)
                              .finalize();
  operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, "a product")
      .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, at(a))
      .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, at(b))
      .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, at(c))
      .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how)
      .finalize();
}

Descriptor& Graph::pointwise_operation(cudnnPointwiseMode_t mode, Id x, Id y, int64_t axis) {
  Descriptor& how = keep(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, "a pointwise operation")
                        .set(CUDNN_ATTR_POINTWISE_MODE, mode)
                        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, precision_of(mode));
  if (axis >= 0) how.set(CUDNN_ATTR_POINTWISE_AXIS, axis);
  how.finalize();
  return operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, "a pointwise operation")
      .set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(x))
      .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, at(y));
}

void Graph::pointwise(cudnnPointwiseMode_t mode, Id x, Id y) {
  pointwise_operation(mode, x, y).finalize();
}

void Graph::pointwise(cudnnPointwiseMode_t mode, Id x, Id b, Id y) {
  pointwise_operation(mode, x, y).set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, at(b)).finalize();
}

void Graph::index(Id x, int64_t axis, Id y) {
  pointwise_operation(CUDNN_POINTWISE_GEN_INDEX, x, y, axis).finalize();
}

void Graph::select(Id x, Id otherwise, Id where, Id y) {
  pointwise_operation(CUDNN_POINTWISE_BINARY_SELECT, x, y)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, at(otherwise))
      .set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, at(where))
      .finalize();
}

void Graph::reduce(cudnnReduceTensorOp_t by, Id x, Id y) {
  const Descriptor& how = keep(CUDNN_BACKEND_REDUCTION_DESCRIPTOR, "a reduction")
                              .set(CUDNN_ATTR_REDUCTION_OPERATOR, by)
                              .set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT)
                              .finalize();
  operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, "a reduction")
      .set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, at(x))
      .set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, at(y))
      .set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how)
      .finalize();
}

void Graph::reshape(Id x, Id y) {
  operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, "a change of shape")
      .set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, at(x))
      .set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, at(y))
      .finalize();
}

void Graph::convolve(Pass pass, const Convolution& s, Id x, Id w, Id y) {
  using Pair = std::array<int64_t, 2>;
  const Pair padding = {s.pad_height, s.pad_width}, strides = {s.stride, s.stride}, ones = {1, 1};
  const Descriptor& how = keep(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, "a convolution")
                              .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
                              .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
                              .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2})
                              .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding)
                              .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding)
                              .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, strides)
                              .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS, ones)
                              .finalize();
  const PassNames names = names_of(pass);
  operation(names.operation, "a convolution")
      .set(names.description, how)
      .set(names.x, at(x))
      .set(names.w, at(w))
      .set(names.y, at(y))
      .set(names.alpha, 1.0F)
      .set(names.beta, 0.0F)
      .finalize();
}

const Descriptor& Graph::finish(cudnnHandle_t handle) {
  ensure(graph_.empty(), "a graph is finished once");
  Descriptor& graph =
      graph_.emplace_back(library_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "a graph");
  if (handle) graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  return graph.set_all(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_).finalize();
}

}  // namespace pipewright::kernels::cuda::cudnn
