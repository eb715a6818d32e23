#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {
namespace {

/// Calls with the place of every window, as a row of the output, and the window's top left corner.
template <class F>
void for_each_window(const WindowShape& s, F&& body) {
  int64_t out = 0;
  for (int sample = 0; sample < s.samples; ++sample)
    for (int y = 0; y < s.out_height(); ++y)
      for (int x = 0; x < s.out_width(); ++x, ++out)
        body(out, sample, y * s.stride - s.pad_height, x * s.stride - s.pad_width);
}

/// Calls with every place of a window: its number there and its row in the images, -1 beyond them.
template <class F>
void for_each_place(const WindowShape& s, int sample, int top, int left, F&& body) {
  for (int i = 0; i < s.window_height; ++i) {
    for (int j = 0; j < s.window_width; ++j) {
      const int y = top + i, x = left + j;
      const bool inside = y >= 0 && y < s.height && x >= 0 && x < s.width;
      body(i * s.window_width + j,
           inside ? (int64_t{sample} * s.height + y) * s.width + x : int64_t{-1});
    }
  }
}

}  // namespace

void Images::unfold(const WindowShape& s, const Tensor& x, const Tensor& patches) {
  const auto from = map(x);
  auto to = map(patches);
  for_each_window(s, [&](int64_t out, int sample, int top, int left) {
    for_each_place(s, sample, top, left, [&](int64_t place, int64_t row) {
      auto numbers = to.row(out).segment(place * s.channels, s.channels);
      if (row < 0)
        numbers.setZero();
      else
        numbers = from.row(row);
    });
  });
}

void Images::fold(const WindowShape& s, const Tensor& patches, const Tensor& dx) {
  const auto from = map(patches);
  auto to = map(dx);
  to.setZero();
  for_each_window(s, [&](int64_t out, int sample, int top, int left) {
    for_each_place(s, sample, top, left, [&](int64_t place, int64_t row) {
      if (row >= 0) to.row(row) += from.row(out).segment(place * s.channels, s.channels);
    });
  });
}

void Images::max_pool(const WindowShape& s, const Tensor& x, const Tensor& y) {
  const auto from = map(x);
  auto to = map(y);
  for_each_window(s, [&](int64_t out, int sample, int top, int left) {
    bool first = true;
    for_each_place(s, sample, top, left, [&](int64_t, int64_t row) {
      if (row < 0) return;
      if (first)
        to.row(out) = from.row(row);
      else
        to.row(out) = to.row(out).cwiseMax(from.row(row));
      first = false;
    });
  });
}

void Images::max_pool_gradient(const WindowShape& s, const Tensor& x, const Tensor& dy,
                               const Tensor& dx) {
  const auto values = map(x), from = map(dy);
  auto to = map(dx);
  to.setZero();
  for_each_window(s, [&](int64_t out, int sample, int top, int left) {
    for (int64_t channel = 0; channel < s.channels; ++channel) {
      int64_t best = -1;
      for_each_place(s, sample, top, left, [&](int64_t, int64_t row) {
        if (row >= 0 && (best < 0 || values(row, channel) > values(best, channel))) best = row;
      });
      if (best >= 0) to(best, channel) += from(out, channel);
    }
  });
}

}  // namespace pipewright::kernels::cpu
