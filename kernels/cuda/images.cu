// A thread for every number that is written: no two write the same one, so that sums have an order.
#include <algorithm>

#include "kernels/cuda/each.cuh"

namespace pipewright::kernels::cuda {
namespace {

/// WindowShape with what follows from it.
struct Windows {
  int height, width, channels, window_height, window_width, stride, pad_height, pad_width;
  int out_height, out_width;
  int64_t places, out_places;  // of all samples

  explicit Windows(const WindowShape& s)
      : height(s.height),
        width(s.width),
        channels(s.channels),
        window_height(s.window_height),
        window_width(s.window_width),
        stride(s.stride),
        pad_height(s.pad_height),
        pad_width(s.pad_width),
        out_height(s.out_height()),
        out_width(s.out_width()),
        places(s.rows()),
        out_places(s.out_rows()) {}
};

/// Row of the images at place (i, j) of window `out`; -1 beyond them.
__device__ int64_t row_at(const Windows& s, int64_t out, int i, int j) {
  const int x = static_cast<int>(out % s.out_width) * s.stride - s.pad_width + j;
  const int y = static_cast<int>(out / s.out_width % s.out_height) * s.stride - s.pad_height + i;
  if (y < 0 || y >= s.height || x < 0 || x >= s.width) return -1;
  return (out / s.out_width / s.out_height * s.height + y) * s.width + x;
}

/// The first of the largest of a window.
__device__ int64_t largest(const Windows& s, const float* x, int64_t out, int channel) {
  int64_t best = -1;
  for (int i = 0; i < s.window_height; ++i) {
    for (int j = 0; j < s.window_width; ++j) {
      const int64_t row = row_at(s, out, i, j);
      if (row >= 0 && (best < 0 || x[row * s.channels + channel] > x[best * s.channels + channel]))
        best = row;
    }
  }
  return best;
}

/// Calls with every window that place `row` is in, and its place (i, j) there.
template <class F>
__device__ void for_each_window_of(const Windows& s, int64_t row, F&& body) {
  const int x = static_cast<int>(row % s.width) + s.pad_width;
  const int y = static_cast<int>(row / s.width % s.height) + s.pad_height;
  const int64_t sample = row / s.width / s.height;
  for (int i = y % s.stride; i < s.window_height && i <= y; i += s.stride) {
    for (int j = x % s.stride; j < s.window_width && j <= x; j += s.stride) {
      const int out_y = (y - i) / s.stride, out_x = (x - j) / s.stride;
      if (out_y < s.out_height && out_x < s.out_width)
        body((sample * s.out_height + out_y) * s.out_width + out_x, i, j);
    }
  }
}

template <class F>
__global__ void each_place(int64_t count, F f) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < count; n += step) f(n);
}

template <class F>
void launch(cudaStream_t stream, int64_t count, F f, const char* name) {
  if (count == 0) return;
  const int64_t blocks = std::min((count + each_threads - 1) / each_threads, int64_t{65535});
  each_place<<<static_cast<unsigned>(blocks), each_threads, 0, stream>>>(count, f);
  check_launch(name);
}

struct Unfold {
  Windows s;
  const float* x;
  float* patches;
  __device__ void operator()(int64_t n) const {
    const int channel = static_cast<int>(n % s.channels);
    const int place = static_cast<int>(n / s.channels % (s.window_height * s.window_width));
    const int64_t out = n / s.channels / (s.window_height * s.window_width);
    const int64_t row = row_at(s, out, place / s.window_width, place % s.window_width);
    patches[n] = row < 0 ? 0 : x[row * s.channels + channel];
  }
};

struct Fold {
  Windows s;
  const float* patches;
  float* dx;
  __device__ void operator()(int64_t n) const {
    const int channel = static_cast<int>(n % s.channels);
    const int window = s.window_height * s.window_width;
    float sum = 0;
    for_each_window_of(s, n / s.channels, [&](int64_t out, int i, int j) {
      sum += patches[(out * window + i * s.window_width + j) * s.channels + channel];
    });
    dx[n] = sum;
  }
};

struct MaxPool {
  Windows s;
  const float* x;
  float* y;
  __device__ void operator()(int64_t n) const {
    const int channel = static_cast<int>(n % s.channels);
    y[n] = x[largest(s, x, n / s.channels, channel) * s.channels + channel];
  }
};

struct MaxPoolGradient {
  Windows s;
  const float *x, *dy;
  float* dx;
  __device__ void operator()(int64_t n) const {
    const int channel = static_cast<int>(n % s.channels);
    const int64_t row = n / s.channels;
    float sum = 0;
    for_each_window_of(s, row, [&](int64_t out, int, int) {
      if (largest(s, x, out, channel) == row) sum += dy[out * s.channels + channel];
    });
    dx[n] = sum;
  }
};

}  // namespace

void unfold(cudaStream_t stream, const WindowShape& shape, const Tensor& x, const Tensor& patches) {
  launch(stream, patches.size(), Unfold{Windows(shape), x.data, patches.data}, "unfold");
}

void fold(cudaStream_t stream, const WindowShape& shape, const Tensor& patches, const Tensor& dx) {
  launch(stream, dx.size(), Fold{Windows(shape), patches.data, dx.data}, "fold");
}

void max_pool(cudaStream_t stream, const WindowShape& shape, const Tensor& x, const Tensor& y) {
  launch(stream, y.size(), MaxPool{Windows(shape), x.data, y.data}, "max_pool");
}

void max_pool_gradient(cudaStream_t stream, const WindowShape& shape, const Tensor& x,
                       const Tensor& dy, const Tensor& dx) {
  launch(stream, dx.size(), MaxPoolGradient{Windows(shape), x.data, dy.data, dx.data},
         "max_pool_gradient");
}

}  // namespace pipewright::kernels::cuda
