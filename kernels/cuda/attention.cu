// Attention in tiles of 32 queries by 32 keys, scores never stored: softmax with a running maximum
// and sum (Milakov, Gimelshein: arXiv 1805.02867; Dao et al.: arXiv 2205.14135). A block of 8
// warps; each warp holds 4 of a tile's rows, a lane one column of the scores. The gradient is two
// kernels, one over queries for dq, one over keys for d_keys and d_values: no atomics, always the
// same bits.
//
// Plain fp32: what it computes is what the CPU's backend does, head by head (kernels/cpu).
#include <cfloat>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

constexpr int tile = 32, warps = 8, rows_of_warp = tile / warps, threads = warps * 32;
constexpr int most_columns = most_head_dim / 32;  // of a row that one lane holds

/// The place where the rows of one head of one sequence stand.
struct Place {
  int64_t query_row, key_row, query_column, key_column;

  __device__ Place(const AttentionSizes& s, int sequence, int head)
      : query_row(int64_t{sequence} * s.tokens),
        key_row(int64_t{sequence} * s.total),
        query_column(int64_t{head} * s.head_dim),
        key_column(int64_t{head / (s.heads / s.kv_heads)} * s.head_dim) {}
  __device__ float* queries(const Tensor& t) const {
    return t.data + query_row * t.stride + query_column;
  }
  __device__ float* keys(const Tensor& t) const { return t.data + key_row * t.stride + key_column; }
};

/// Rows of a tile in shared memory stand d + 1 apart, so that lanes on different rows meet no bank
/// twice.
__device__ void load(float* to, const float* from, int64_t stride, int first, int rows, int d) {
  for (int i = threadIdx.x; i < tile * d; i += threads) {
    const int r = i / d, c = i % d;
    to[r * (d + 1) + c] = first + r < rows ? from[(first + r) * stride + c] : 0;
  }
}

__device__ float dot(const float* a, const float* b, int d) {
  float sum = 0;
  for (int i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

__device__ float largest_of_warp(float v) {
  for (int distance = 16; distance > 0; distance /= 2)
    v = fmaxf(v, __shfl_xor_sync(~0u, v, distance));
  return v;
}
__device__ float sum_of_warp(float v) {
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(~0u, v, distance);
  return v;
}

__device__ bool sees(const AttentionSizes& s, int query, int key) {
  return query < s.tokens && key < s.first + s.tokens && (!s.causal || key <= s.first + query);
}
/// Keys that the queries of a tile see at most.
__device__ int keys_of_tile(const AttentionSizes& s, int first_query) {
  const int all = s.first + s.tokens;
  return s.causal ? min(all, s.first + first_query + tile) : all;
}

/// acc[i] += sum over the lanes' rows k of p(k) rows[k], column lane + 32 i
__device__ void add_weighted(float (&acc)[most_columns], float p, const float* rows, int d) {
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < tile; ++k) {
    const float weight = __shfl_sync(~0u, p, k);
#pragma unroll
    for (int i = 0; i < most_columns; ++i)
      if (lane + 32 * i < d) acc[i] += weight * rows[k * (d + 1) + lane + 32 * i];
  }
}

__global__ void __launch_bounds__(threads)
    forward(AttentionSizes s, float scale, Tensor q, Tensor keys, Tensor values, Tensor y,
            Tensor log_sums) {
  extern __shared__ float shared[];
  const int d = s.head_dim, one = tile * (d + 1);
  float *q_tile = shared, *k_tile = q_tile + one, *v_tile = k_tile + one;
  const int head = blockIdx.y, first_query = blockIdx.x * tile;
  const Place place(s, blockIdx.z, head);
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * rows_of_warp;
  float highest[rows_of_warp], sum[rows_of_warp], acc[rows_of_warp][most_columns] = {};
  for (int r = 0; r < rows_of_warp; ++r) highest[r] = -FLT_MAX, sum[r] = 0;
  load(q_tile, place.queries(q), q.stride, first_query, s.tokens, d);
  for (int first_key = 0; first_key < keys_of_tile(s, first_query); first_key += tile) {
    __syncthreads();
    load(k_tile, place.keys(keys), keys.stride, first_key, s.first + s.tokens, d);
    load(v_tile, place.keys(values), values.stride, first_key, s.first + s.tokens, d);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      const int row = first_row + r;
      const bool seen = sees(s, first_query + row, first_key + lane);
      const float score =
          seen ? scale * dot(q_tile + row * (d + 1), k_tile + lane * (d + 1), d) : -FLT_MAX;
      const float now = fmaxf(highest[r], largest_of_warp(score));
      const float shrink = expf(highest[r] - now), p = seen ? expf(score - now) : 0;
      sum[r] = sum[r] * shrink + sum_of_warp(p);
      highest[r] = now;
#pragma unroll
      for (int i = 0; i < most_columns; ++i) acc[r][i] *= shrink;
      add_weighted(acc[r], p, v_tile, d);
    }
  }
#pragma unroll
  for (int r = 0; r < rows_of_warp; ++r) {
    const int query = first_query + first_row + r;
    if (query >= s.tokens) continue;
#pragma unroll
    for (int i = 0; i < most_columns; ++i)
      if (lane + 32 * i < d)
        place.queries(y)[query * y.stride + lane + 32 * i] = acc[r][i] / sum[r];
    if (lane == 0)
      log_sums.data[(place.query_row + query) * log_sums.stride + head] = highest[r] + logf(sum[r]);
  }
}

/// dS of one query and key, and P.
struct Pair {
  float p, ds;
};
__device__ Pair pair_of(bool seen, float scale, const float* q, const float* k, const float* v,
                        const float* dy, float log_sum, float along, int d) {
  if (!seen) return {0, 0};
  const float p = expf(scale * dot(q, k, d) - log_sum);
  return {p, scale * p * (dot(dy, v, d) - along)};
}

/// along(row) = dy(row) y(row), for the backward passes.
__device__ float along_of(const Place& place, const Tensor& dy, const Tensor& y, int query, int d) {
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < d; c += 32)
    sum += place.queries(dy)[query * dy.stride + c] * place.queries(y)[query * y.stride + c];
  return sum_of_warp(sum);
}

__global__ void __launch_bounds__(threads)
    query_gradient(AttentionSizes s, float scale, Tensor q, Tensor keys, Tensor values, Tensor y,
                   Tensor log_sums, Tensor dy, Tensor dq) {
  extern __shared__ float shared[];
  const int d = s.head_dim, one = tile * (d + 1);
  float *q_tile = shared, *dy_tile = q_tile + one, *k_tile = dy_tile + one, *v_tile = k_tile + one;
  const int head = blockIdx.y, first_query = blockIdx.x * tile;
  const Place place(s, blockIdx.z, head);
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * rows_of_warp;
  float along[rows_of_warp] = {}, log_sum[rows_of_warp] = {}, acc[rows_of_warp][most_columns] = {};
  for (int r = 0; r < rows_of_warp; ++r) {
    const int query = first_query + first_row + r;
    if (query >= s.tokens) continue;
    along[r] = along_of(place, dy, y, query, d);
    log_sum[r] = log_sums.data[(place.query_row + query) * log_sums.stride + head];
  }
  load(q_tile, place.queries(q), q.stride, first_query, s.tokens, d);
  load(dy_tile, place.queries(dy), dy.stride, first_query, s.tokens, d);
  for (int first_key = 0; first_key < keys_of_tile(s, first_query); first_key += tile) {
    __syncthreads();
    load(k_tile, place.keys(keys), keys.stride, first_key, s.first + s.tokens, d);
    load(v_tile, place.keys(values), values.stride, first_key, s.first + s.tokens, d);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      const int at = (first_row + r) * (d + 1), key = lane * (d + 1);
      const bool seen = sees(s, first_query + first_row + r, first_key + lane);
      const Pair pair = pair_of(seen, scale, q_tile + at, k_tile + key, v_tile + key, dy_tile + at,
                                log_sum[r], along[r], d);
      add_weighted(acc[r], pair.ds, k_tile, d);
    }
  }
#pragma unroll
  for (int r = 0; r < rows_of_warp; ++r) {
    const int query = first_query + first_row + r;
    if (query >= s.tokens) continue;
#pragma unroll
    for (int i = 0; i < most_columns; ++i)
      if (lane + 32 * i < d) place.queries(dq)[query * dq.stride + lane + 32 * i] = acc[r][i];
  }
}

/// Rows of the tile are keys here, lanes are queries; all heads that share the keys one by one.
__global__ void __launch_bounds__(threads)
    key_gradient(AttentionSizes s, float scale, Tensor q, Tensor keys, Tensor values, Tensor y,
                 Tensor log_sums, Tensor dy, Tensor d_keys, Tensor d_values) {
  extern __shared__ float shared[];
  __shared__ float along[tile], log_sum[tile];
  const int d = s.head_dim, one = tile * (d + 1), sharing = s.heads / s.kv_heads;
  float *q_tile = shared, *dy_tile = q_tile + one, *k_tile = dy_tile + one, *v_tile = k_tile + one;
  const int first_key = blockIdx.x * tile, all_keys = s.first + s.tokens;
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * rows_of_warp;
  const Place of_keys(s, blockIdx.z, blockIdx.y * sharing);
  float dk[rows_of_warp][most_columns] = {}, dv[rows_of_warp][most_columns] = {};
  load(k_tile, of_keys.keys(keys), keys.stride, first_key, all_keys, d);
  load(v_tile, of_keys.keys(values), values.stride, first_key, all_keys, d);
  const int seen_from = s.causal ? max(0, first_key - s.first) / tile * tile : 0;
  for (int h = 0; h < sharing; ++h) {
    const int head = blockIdx.y * sharing + h;
    const Place place(s, blockIdx.z, head);
    for (int first_query = seen_from; first_query < s.tokens; first_query += tile) {
      __syncthreads();
      load(q_tile, place.queries(q), q.stride, first_query, s.tokens, d);
      load(dy_tile, place.queries(dy), dy.stride, first_query, s.tokens, d);
      for (int r = first_row; r < first_row + rows_of_warp; ++r) {
        const int query = first_query + r;
        const float sum = query < s.tokens ? along_of(place, dy, y, query, d) : 0;
        if (lane != 0) continue;
        along[r] = sum;
        log_sum[r] = query < s.tokens
                         ? log_sums.data[(place.query_row + query) * log_sums.stride + head]
                         : 0;
      }
      __syncthreads();
#pragma unroll
      for (int r = 0; r < rows_of_warp; ++r) {
        const int key = (first_row + r) * (d + 1), at = lane * (d + 1);
        const bool seen = sees(s, first_query + lane, first_key + first_row + r);
        const Pair pair = pair_of(seen, scale, q_tile + at, k_tile + key, v_tile + key,
                                  dy_tile + at, log_sum[lane], along[lane], d);
        add_weighted(dv[r], pair.p, dy_tile, d);
        add_weighted(dk[r], pair.ds, q_tile, d);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < rows_of_warp; ++r) {
    const int key = first_key + first_row + r;
    if (key >= all_keys) continue;
#pragma unroll
    for (int i = 0; i < most_columns; ++i) {
      if (lane + 32 * i >= d) continue;
      of_keys.keys(d_keys)[key * d_keys.stride + lane + 32 * i] += dk[r][i];
      of_keys.keys(d_values)[key * d_values.stride + lane + 32 * i] += dv[r][i];
    }
  }
}

/// Bytes of `tiles` tiles, and leave to use them.
template <class F>
int shared_for(F* kernel, int tiles, int head_dim) {
  const int bytes = tiles * tile * (head_dim + 1) * static_cast<int>(sizeof(float));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "shared memory for attention");
  return bytes;
}

dim3 grid_of(int rows, int heads, int sequences) {
  return {static_cast<unsigned>((rows + tile - 1) / tile), static_cast<unsigned>(heads),
          static_cast<unsigned>(sequences)};
}

float scale_of(const AttentionSizes& s) { return 1 / sqrtf(static_cast<float>(s.head_dim)); }

}  // namespace

void attention(cudaStream_t stream, const AttentionSizes& s, const Tensor& q, const Tensor& keys,
               const Tensor& values, const Tensor& y, const Tensor& log_sums) {
  forward<<<grid_of(s.tokens, s.heads, s.sequences), threads, shared_for(forward, 3, s.head_dim),
            stream>>>(s, scale_of(s), q, keys, values, y, log_sums);
  check_launch("attention");
}

void attention_gradient(cudaStream_t stream, const AttentionSizes& s, const Tensor& q,
                        const Tensor& keys, const Tensor& values, const Tensor& y,
                        const Tensor& log_sums, const Tensor& dy, const Tensor& dq,
                        const Tensor& d_keys, const Tensor& d_values) {
  query_gradient<<<grid_of(s.tokens, s.heads, s.sequences), threads,
                   shared_for(query_gradient, 4, s.head_dim), stream>>>(
      s, scale_of(s), q, keys, values, y, log_sums, dy, dq);
  key_gradient<<<grid_of(s.first + s.tokens, s.kv_heads, s.sequences), threads,
                 shared_for(key_gradient, 4, s.head_dim), stream>>>(
      s, scale_of(s), q, keys, values, y, log_sums, dy, d_keys, d_values);
  check_launch("attention_gradient");
}

}  // namespace pipewright::kernels::cuda
