#include "kernels/cuda/backend.hpp"

#include <cstring>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {

void Sequences::lstm_cell(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                          const Tensor& y) {
  cuda::lstm_cell(streams_.stream(), gates, c_before, c, y);
}

void Sequences::lstm_cell_gradient(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                                   const Tensor& dy, const Tensor& dc, const Tensor& d_gates) {
  cuda::lstm_cell_gradient(streams_.stream(), gates, c_before, c, dy, dc, d_gates);
}

Array Sequences::tokens_on_device(std::span<const int32_t> tokens) {
  Array array = streams_.array(1, static_cast<int64_t>(tokens.size()));
  void* staged = staging_.take(tokens.size_bytes());
  std::memcpy(staged, tokens.data(), tokens.size_bytes());
  check(cudaMemcpyAsync(array.tensor.data, staged, tokens.size_bytes(), cudaMemcpyHostToDevice,
                        streams_.stream()),
        "tokens");
  return array;
}

void Sequences::gather_rows(std::span<const int32_t> tokens, const Tensor& table, const Tensor& y) {
  const Array ids = tokens_on_device(tokens);
  cuda::gather_rows(streams_.stream(), reinterpret_cast<const int32_t*>(ids.tensor.data), table, y);
}

void Sequences::scatter_rows(std::span<const int32_t> tokens, const Tensor& dy,
                             const Tensor& d_table) {
  const Array ids = tokens_on_device(tokens);
  cuda::scatter_rows(streams_.stream(), reinterpret_cast<const int32_t*>(ids.tensor.data), dy,
                     d_table);
}

void Sequences::cross_entropy(const Tensor& logits, std::span<const int32_t> targets, double scale,
                              const Tensor& d_logits, const Tensor& loss) {
  const Array ids = tokens_on_device(targets), row_loss = streams_.array(logits.rows, 1);
  cuda::cross_entropy(streams_.stream(), logits, reinterpret_cast<const int32_t*>(ids.tensor.data),
                      static_cast<float>(scale), d_logits, loss, row_loss);
}

}  // namespace pipewright::kernels::cuda
