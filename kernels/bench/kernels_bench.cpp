// Measures how fast the kernels are: build/kernels/bench/kernels_bench, on the CPU and on a GPU
// where there is one. Memory-bound kernels report the bytes that they must move, products their
// FLOPs.
#include <benchmark/benchmark.h>

#include "base/error.hpp"
#include "kernels/cuda.hpp"

namespace pipewright::kernels {
namespace {

using Form = Kernels::Form;

Array filled(Kernels& kernels, int64_t rows, int64_t columns) {
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 2654435761u >> 7) % 2001) / 1000 - 1;
  Array array = kernels.array(rows, columns);
  kernels.upload(values, array);
  return array;
}

template <class F>
void repeat(benchmark::State& state, Kernels& kernels, F&& body) {
  body();
  kernels.synchronize();
  for ([[maybe_unused]] auto once : state) {
    body();
    kernels.synchronize();
  }
}

void set_flops(benchmark::State& state, double flops) {
  state.counters["FLOP/s"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void set_bytes(benchmark::State& state, int64_t numbers) {
  state.SetBytesProcessed(state.iterations() * numbers * int64_t{sizeof(float)});
}

void product(benchmark::State& state, Kernels& kernels) {
  const int64_t n = state.range(0);
  const Array a = filled(kernels, n, n), b = filled(kernels, n, n), c = filled(kernels, n, n);
  repeat(state, kernels, [&] { kernels.multiply(a, Form::plain, b, Form::plain, c, false); });
  set_flops(state, 2.0 * double(n) * double(n) * double(n));
}

void attention(benchmark::State& state, Kernels& kernels) {
  const int tokens = static_cast<int>(state.range(0));
  const AttentionShape shape{
      .tokens = tokens, .total = tokens, .heads = 8, .kv_heads = 8, .head_dim = 64};
  const Array q = filled(kernels, tokens, 512), k = filled(kernels, tokens, 512);
  const Array v = filled(kernels, tokens, 512), y = filled(kernels, tokens, 512);
  const Array log_sums = filled(kernels, tokens, 8);
  repeat(state, kernels, [&] { kernels.attention(shape, q, k, v, y, log_sums); });
  set_flops(state, 2.0 * double(tokens) * double(tokens) * 512);
}

void layer_norm(benchmark::State& state, Kernels& kernels) {
  const int64_t rows = state.range(0), columns = 1024;
  const Array x = filled(kernels, rows, columns), y = filled(kernels, rows, columns);
  const Array gain = filled(kernels, 1, columns), statistics = filled(kernels, rows, 2);
  repeat(state, kernels, [&] { kernels.layer_norm(x, gain, gain, y, statistics); });
  set_bytes(state, 2 * rows * columns);
}

void batched_product(benchmark::State& state, Kernels& kernels) {
  constexpr int64_t batch = 16;
  const int64_t n = state.range(0);
  const auto one = [&] { return filled(kernels, batch * n, n); };
  const Array a = one(), b = one(), c = one();
  repeat(state, kernels,
         [&] { kernels.multiply_batched(batch, a, Form::plain, b, Form::plain, c, false); });
  set_flops(state, 2.0 * double(batch) * double(n) * double(n) * double(n));
}

void rms_norm(benchmark::State& state, Kernels& kernels) {
  const int64_t rows = state.range(0), columns = 1024;
  const Array x = filled(kernels, rows, columns), y = filled(kernels, rows, columns);
  const Array gain = filled(kernels, 1, columns), inverse = filled(kernels, rows, 1);
  repeat(state, kernels, [&] { kernels.rms_norm(x, gain, y, inverse); });
  set_bytes(state, 2 * rows * columns);
}

/// Times both gradients: x and dy are read for each, dx is written.
void rms_norm_gradients(benchmark::State& state, Kernels& kernels) {
  const int64_t rows = state.range(0), columns = 1024;
  const auto one = [&] { return filled(kernels, rows, columns); };
  const Array x = one(), dy = one(), dx = one();
  const Array gain = filled(kernels, 1, columns), inverse = filled(kernels, rows, 1);
  const Array d_gain = filled(kernels, 1, columns);
  repeat(state, kernels, [&] {
    kernels.rms_norm_input_gradient(x, gain, inverse, dy, dx);
    kernels.rms_norm_weight_gradient(x, inverse, dy, d_gain);
  });
  set_bytes(state, 5 * rows * columns);
}

void softmax(benchmark::State& state, Kernels& kernels) {
  const int64_t rows = state.range(0), columns = 1024;
  const Array x = filled(kernels, rows, columns), y = filled(kernels, rows, columns);
  repeat(state, kernels, [&] { kernels.softmax(x, y); });
  set_bytes(state, 2 * rows * columns);
}

void softmax_gradient(benchmark::State& state, Kernels& kernels) {
  const int64_t rows = state.range(0), columns = 1024;
  const auto one = [&] { return filled(kernels, rows, columns); };
  const Array y = one(), dy = one(), dx = one();
  repeat(state, kernels, [&] { kernels.softmax_gradient(y, dy, dx); });
  set_bytes(state, 3 * rows * columns);
}

void rotate(benchmark::State& state, Kernels& kernels) {
  const int64_t rows = state.range(0), columns = 1024;
  const Array x = filled(kernels, rows, columns), y = filled(kernels, rows, columns);
  const RotaryShape shape{
      .tokens = static_cast<int>(rows), .heads = 16, .head_dim = static_cast<int>(columns / 16)};
  repeat(state, kernels, [&] { kernels.rotate(shape, Kernels::Turn::forward, x, y); });
  set_bytes(state, 2 * rows * columns);
}

void swiglu(benchmark::State& state, Kernels& kernels) {
  const auto one = [&] { return filled(kernels, 1, state.range(0)); };
  const Array gate = one(), up = one(), y = one();
  repeat(state, kernels, [&] { kernels.swiglu(gate, up, y); });
  set_bytes(state, 3 * state.range(0));
}

void swiglu_gradient(benchmark::State& state, Kernels& kernels) {
  const auto one = [&] { return filled(kernels, 1, state.range(0)); };
  const Array gate = one(), up = one(), dy = one(), d_gate = one(), d_up = one();
  repeat(state, kernels, [&] { kernels.swiglu_gradient(gate, up, dy, d_gate, d_up); });
  set_bytes(state, 5 * state.range(0));
}

void dropout_add(benchmark::State& state, Kernels& kernels) {
  const auto one = [&] { return filled(kernels, 1, state.range(0)); };
  const Array x = one(), residual = one(), y = one();
  repeat(state, kernels, [&] { kernels.dropout_add({}, x, residual, y); });
  set_bytes(state, 3 * state.range(0));
}

void gelu(benchmark::State& state, Kernels& kernels) {
  const Array x = filled(kernels, 1, state.range(0)), y = filled(kernels, 1, state.range(0));
  repeat(state, kernels, [&] { kernels.gelu(x, y); });
  set_bytes(state, 2 * state.range(0));
}

void adam(benchmark::State& state, Kernels& kernels) {
  const auto one = [&] { return filled(kernels, 1, state.range(0)); };
  const Array gradient = one(), first = one(), second = one(), weights = one();
  kernels.zero(second);
  repeat(state, kernels, [&] { kernels.adam_step({}, gradient, first, second, weights); });
  set_bytes(state, 7 * state.range(0));
}

/// Times a copy, against which the memory-bound ones are held.
void copy(benchmark::State& state, Kernels& kernels) {
  const Array x = filled(kernels, 1, state.range(0)), y = filled(kernels, 1, state.range(0));
  repeat(state, kernels, [&] { kernels.copy(x, y); });
  set_bytes(state, 2 * state.range(0));
}

Array narrow(CudaKernels& kernels, int64_t rows, int64_t columns) {
  Array to = kernels.array(rows, columns / 2);
  kernels.to_bf16(filled(kernels, rows, columns), to);
  return to;
}

/// Causal, in bf16.
void fused_attention(benchmark::State& state, CudaKernels& kernels, bool gradient) {
  const int64_t tokens = state.range(0), heads = 16, width = heads * 128;
  const FusedAttention shape{.tokens = tokens, .heads = heads, .kv_heads = heads, .head_dim = 128};
  const auto one = [&] { return narrow(kernels, tokens, width); };
  const Array q = one(), k = one(), v = one(), y = one(), dy = one(), dq = one(), dk = one(),
              dv = one();
  const Array log_sums = filled(kernels, heads, tokens);
  Cudnn& cudnn = kernels.cudnn();
  cudnn.attention(shape, q, k, v, y, log_sums);
  repeat(state, kernels, [&] {
    if (gradient)
      cudnn.attention_gradient(shape, q, k, v, y, log_sums, dy, dq, dk, dv);
    else
      cudnn.attention(shape, q, k, v, y, log_sums);
  });
  set_flops(state, (gradient ? 5.0 : 2.0) * double(tokens) * double(tokens + 1) * double(width));
}

/// A middle layer of ResNet-50 in bf16.
void convolution(benchmark::State& state, CudaKernels& kernels) {
  const Convolution shape{.samples = state.range(0),
                          .height = 28,
                          .width = 28,
                          .channels = 128,
                          .filters = 128,
                          .window_height = 3,
                          .window_width = 3,
                          .pad_height = 1,
                          .pad_width = 1};
  const int64_t places = shape.samples * 28 * 28;
  const Array x = narrow(kernels, places, 128), y = narrow(kernels, places, 128);
  const Array w = narrow(kernels, 128 * 9, 128);
  repeat(state, kernels, [&] { kernels.cudnn().convolution(shape, x, w, y); });
  set_flops(state, 2.0 * double(places) * 128 * 128 * 9);
}

void add_cudnn(CudaKernels& kernels) {
  const auto add = [&](const char* name, int64_t size, auto body) {
    benchmark::RegisterBenchmark(name,
                                 [=, &kernels](benchmark::State& state) { body(state, kernels); })
        ->Arg(size)
        ->UseRealTime();
  };
  add("cudnn/attention", 4096, [](auto& state, auto& on) { fused_attention(state, on, false); });
  add("cudnn/attention_gradient", 4096,
      [](auto& state, auto& on) { fused_attention(state, on, true); });
  add("cudnn/convolution", 64, [](auto& state, auto& on) { convolution(state, on); });
}

void add_all(const std::string& backend, Kernels& kernels, int64_t scale) {
  const auto add = [&](const char* name, void (*body)(benchmark::State&, Kernels&), int64_t size) {
    benchmark::RegisterBenchmark((backend + "/" + name).c_str(),
                                 [=, &kernels](benchmark::State& state) { body(state, kernels); })
        ->Arg(size)
        ->UseRealTime();
  };
  add("product", product, 256 * scale);
  add("attention", attention, 128 * scale);
  add("layer_norm", layer_norm, 512 * scale);
  add("batched_product", batched_product, 64 * scale);
  add("rms_norm", rms_norm, 512 * scale);
  add("rms_norm_gradients", rms_norm_gradients, 512 * scale);
  add("softmax", softmax, 512 * scale);
  add("softmax_gradient", softmax_gradient, 512 * scale);
  add("rotate", rotate, 512 * scale);
  add("swiglu", swiglu, (1 << 18) * scale * scale);
  add("swiglu_gradient", swiglu_gradient, (1 << 18) * scale * scale);
  add("dropout_add", dropout_add, (1 << 18) * scale * scale);
  add("gelu", gelu, (1 << 18) * scale * scale);
  add("adam", adam, (1 << 18) * scale * scale);
  add("copy", copy, (1 << 18) * scale * scale);
}

}  // namespace
}  // namespace pipewright::kernels

int main(int argc, char** argv) {
  using namespace pipewright;
  benchmark::Initialize(&argc, argv);
  const std::unique_ptr<kernels::Kernels> cpu = kernels::cpu_kernels();
  kernels::add_all("cpu", *cpu, 1);
  std::unique_ptr<kernels::CudaKernels> cuda;
  try {
    cuda = kernels::cuda_kernels({.multiply = kernels::Multiply::tf32});
    kernels::add_all("cuda", *cuda, 16);
    cuda->cudnn();
    kernels::add_cudnn(*cuda);
  } catch (const Failure& absent) {
    std::fprintf(stderr, "%s\n", absent.what());
  }
  benchmark::RunSpecifiedBenchmarks();
}
