// Kernels that work row by row, a block a row.
#include <algorithm>

#include "kernels/cuda/blocks.cuh"

namespace pipewright::kernels::cuda {
namespace {

constexpr int64_t rows_of_a_partial = 64, most_partials = 256;

__global__ void normalise(Tensor x, Tensor gain, Tensor bias, Tensor y, Tensor statistics) {
  const float* in = x.data + blockIdx.x * x.stride;
  float* out = y.data + blockIdx.x * y.stride;
  const float n = static_cast<float>(x.columns);
  float sum = 0;
  for (int64_t c = threadIdx.x; c < x.columns; c += threads) sum += in[c];
  const float mean = over_block(sum, Sum{}) / n;
  float squares = 0;
  for (int64_t c = threadIdx.x; c < x.columns; c += threads)
    squares += (in[c] - mean) * (in[c] - mean);
  const float scale = 1 / sqrtf(over_block(squares, Sum{}) / n + norm_epsilon);
  for (int64_t c = threadIdx.x; c < x.columns; c += threads)
    out[c] = (in[c] - mean) * scale * gain.data[c] + bias.data[c];
  if (threadIdx.x == 0) {
    statistics.data[blockIdx.x * statistics.stride] = mean;
    statistics.data[blockIdx.x * statistics.stride + 1] = scale;
  }
}

__global__ void normalise_gradient(Tensor x, Tensor gain, Tensor statistics, Tensor dy, Tensor dx) {
  const float* in = x.data + blockIdx.x * x.stride;
  const float* from = dy.data + blockIdx.x * dy.stride;
  float* to = dx.data + blockIdx.x * dx.stride;
  const float mean = statistics.data[blockIdx.x * statistics.stride];
  const float scale = statistics.data[blockIdx.x * statistics.stride + 1];
  const float n = static_cast<float>(x.columns);
  float sum = 0, along = 0;
  for (int64_t c = threadIdx.x; c < x.columns; c += threads) {
    const float g = from[c] * gain.data[c];
    sum += g;
    along += g * (in[c] - mean) * scale;
  }
  sum = over_block(sum, Sum{}) / n;
  along = over_block(along, Sum{}) / n;
  for (int64_t c = threadIdx.x; c < x.columns; c += threads)
    to[c] = scale * (from[c] * gain.data[c] - sum - (in[c] - mean) * scale * along);
}

struct Plain {
  Tensor dy;
  __device__ float operator()(int64_t r, int64_t c) const { return dy.data[r * dy.stride + c]; }
};
struct TimesNormal {
  Tensor dy, x, statistics;
  __device__ float operator()(int64_t r, int64_t c) const {
    const float* kept = statistics.data + r * statistics.stride;
    return dy.data[r * dy.stride + c] * (x.data[r * x.stride + c] - kept[0]) * kept[1];
  }
};

__global__ void gather(const int32_t* tokens, Tensor table, Tensor y) {
  const float* from = table.data + tokens[blockIdx.x] * table.stride;
  float* to = y.data + blockIdx.x * y.stride;
  for (int64_t c = threadIdx.x; c < y.columns; c += threads) to[c] = from[c];
}

/// The first row of each token sums up all of them, in order.
__global__ void scatter(const int32_t* tokens, Tensor dy, Tensor d_table) {
  const int32_t token = tokens[blockIdx.x];
  bool earlier = false;
  for (int64_t r = threadIdx.x; r < blockIdx.x; r += threads) earlier |= tokens[r] == token;
  if (__syncthreads_or(earlier)) return;
  float* to = d_table.data + token * d_table.stride;
  for (int64_t r = blockIdx.x; r < dy.rows; ++r) {
    if (tokens[r] != token) continue;
    for (int64_t c = threadIdx.x; c < dy.columns; c += threads) to[c] += dy.data[r * dy.stride + c];
  }
}

__global__ void entropy_row(Tensor logits, const int32_t* targets, float scale, Tensor d_logits,
                            Tensor row_loss) {
  const float* in = logits.data + blockIdx.x * logits.stride;
  float* out = d_logits.data + blockIdx.x * d_logits.stride;
  const int32_t target = targets[blockIdx.x];
  const float at_target = in[target];
  float highest = Largest::start;
  for (int64_t c = threadIdx.x; c < logits.columns; c += threads) highest = fmaxf(highest, in[c]);
  highest = over_block(highest, Largest{});
  float sum = 0;
  for (int64_t c = threadIdx.x; c < logits.columns; c += threads) sum += expf(in[c] - highest);
  sum = over_block(sum, Sum{});
  for (int64_t c = threadIdx.x; c < logits.columns; c += threads)
    out[c] = scale * (expf(in[c] - highest) / sum - (c == target ? 1.f : 0.f));
  if (threadIdx.x == 0) row_loss.data[blockIdx.x] = logf(sum) - (at_target - highest);
}

__global__ void add_losses(Tensor row_loss, float scale, Tensor loss) {
  float sum = 0;
  for (int64_t r = threadIdx.x; r < row_loss.rows; r += threads) sum += row_loss.data[r];
  sum = over_block(sum, Sum{});
  if (threadIdx.x == 0) loss.data[0] += scale * sum;
}

}  // namespace

int64_t partial_rows(int64_t rows) {
  return std::min(std::max(rows / rows_of_a_partial, int64_t{1}), most_partials);
}

void add_rows(cudaStream_t stream, const Tensor& dy, const Tensor& d_bias, const Tensor& partial) {
  sum_columns(stream, Plain{dy}, dy.rows, d_bias, partial);
}

void layer_norm(cudaStream_t stream, const Tensor& x, const Tensor& gain, const Tensor& bias,
                const Tensor& y, const Tensor& statistics) {
  normalise<<<blocks(x), threads, 0, stream>>>(x, gain, bias, y, statistics);
  check_launch("layer_norm");
}

void layer_norm_input_gradient(cudaStream_t stream, const Tensor& x, const Tensor& gain,
                               const Tensor& statistics, const Tensor& dy, const Tensor& dx) {
  normalise_gradient<<<blocks(x), threads, 0, stream>>>(x, gain, statistics, dy, dx);
  check_launch("layer_norm_input_gradient");
}

void layer_norm_gain_gradient(cudaStream_t stream, const Tensor& x, const Tensor& statistics,
                              const Tensor& dy, const Tensor& d_gain, const Tensor& partial) {
  sum_columns(stream, TimesNormal{dy, x, statistics}, dy.rows, d_gain, partial);
}

void gather_rows(cudaStream_t stream, const int32_t* tokens, const Tensor& table, const Tensor& y) {
  gather<<<blocks(y), threads, 0, stream>>>(tokens, table, y);
  check_launch("gather_rows");
}

void scatter_rows(cudaStream_t stream, const int32_t* tokens, const Tensor& dy,
                  const Tensor& d_table) {
  scatter<<<blocks(dy), threads, 0, stream>>>(tokens, dy, d_table);
  check_launch("scatter_rows");
}

void cross_entropy(cudaStream_t stream, const Tensor& logits, const int32_t* targets, float scale,
                   const Tensor& d_logits, const Tensor& loss, const Tensor& row_loss) {
  entropy_row<<<blocks(logits), threads, 0, stream>>>(logits, targets, scale, d_logits, row_loss);
  add_losses<<<1, threads, 0, stream>>>(row_loss, scale, loss);
  check_launch("cross_entropy");
}

}  // namespace pipewright::kernels::cuda
