// The backend's products: what stands how in memory, and what the device can multiply.
#include <fmt/format.h>

#include "base/error.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

using Form = Kernels::Form;

constexpr int first_fp8_major = 8, first_fp8_minor = 9;
constexpr int64_t fp8_step = 16;  // bytes that tensor cores read at once

/// `in_place` numbers of bf16 or of 8 bits are in the place of one.
Product shape_of(Product p, int64_t batch, const Tensor& a, Form a_form, const Tensor& b,
                 Form b_form, const Tensor& c, int64_t in_place) {
  p.batch = batch;
  p.a_transposed = a_form == Form::transposed;
  p.b_transposed = b_form == Form::transposed;
  p.m = c.rows / batch;
  p.n = p.b_transposed ? b.rows / batch : b.columns * in_place;
  p.k = p.a_transposed ? a.rows / batch : a.columns * in_place;
  p.stride.a = a.stride * in_place;
  p.stride.b = b.stride * in_place;
  p.stride.c = c.stride * (p.c == Storage::bf16 ? 2 : 1);
  return p;
}

Storage storage_of(Narrow type) { return type == Narrow::e4m3 ? Storage::e4m3 : Storage::e5m2; }

void require_fp8_shape(const Product& p) {
  if (p.m % fp8_step || p.n % fp8_step || p.k % fp8_step)
    throw Failure(
        fmt::format("CUDA: a product in fp8 of m={} n={} k={}: all must be multiples of {}", p.m,
                    p.n, p.k, fp8_step));
  if (p.a == Storage::e5m2 && p.b == Storage::e5m2)
    throw Failure("CUDA: a product in fp8 has at most one factor of e5m2");
}

}  // namespace

void Multiplication::run(Product p, const Operands& operands) {
  p.processors = streams_.partition_processors();
  products_.run(streams_.stream(), p, operands,
                streams_.product_workspace(Products::workspace_bytes));
}

void Multiplication::multiply(const Tensor& a, Form a_form, const Tensor& b, Form b_form,
                              const Tensor& c, bool accumulate) {
  multiply_batched(1, a, a_form, b, b_form, c, accumulate);
}

void Multiplication::multiply_batched(int64_t batch, const Tensor& a, Form a_form, const Tensor& b,
                                      Form b_form, const Tensor& c, bool accumulate) {
  const Product p{.multiply = multiply_, .accumulate = accumulate};
  run(shape_of(p, batch, a, a_form, b, b_form, c, 1), {a.data, b.data, c.data});
}

void Multiplication::add_bias(const Tensor& bias, const Tensor& y) {
  cuda::add_bias(streams_.stream(), bias, y);
}

void Multiplication::add_rows(const Tensor& dy, const Tensor& d_bias) {
  cuda::add_rows(streams_.stream(), dy, d_bias, streams_.array(partial_rows(dy.rows), dy.columns));
}

void Multiplication::multiply_bf16(int64_t batch, const Tensor& a, Form a_form, const Tensor& b,
                                   Form b_form, const Tensor& c) {
  const Product p{.a = Storage::bf16, .b = Storage::bf16, .c = Storage::bf16};
  run(shape_of(p, batch, a, a_form, b, b_form, c, 2), {a.data, b.data, c.data});
}

void Multiplication::to_bf16(const Tensor& from, const Tensor& to) {
  cuda::to_bf16(streams_.stream(), from, to);
}

std::string Multiplication::why_no_fp8() const {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, streams_.device_number()),
        "the device");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, streams_.device_number()),
        "the device");
  if (major > first_fp8_major || (major == first_fp8_major && minor >= first_fp8_minor)) return "";
  return fmt::format(
      "CUDA: {} does not multiply in fp8: its compute capability is {}.{}, {}.{} does",
      streams_.describe().name, major, minor, first_fp8_major, first_fp8_minor);
}

void Multiplication::multiply_fp8(const Fp8& a, const Fp8& b, const Tensor& c) {
  if (const std::string reason = why_no_fp8(); !reason.empty()) throw Failure(reason);
  Product types{.a = storage_of(a.type), .b = storage_of(b.type), .c = Storage::bf16};
  types.fast_sums = a.type == Narrow::e4m3 && b.type == Narrow::e4m3;
  const Product p = shape_of(types, 1, a.numbers, Form::plain, b.numbers, Form::transposed, c, 4);
  require_fp8_shape(p);
  run(p, {a.numbers.data, b.numbers.data, c.data, a.scale.data, b.scale.data});
}

void Multiplication::to_fp8(const Tensor& from, const Fp8& to) {
  const auto write = to.type == Narrow::e4m3 ? to_e4m3 : to_e5m2;
  write(streams_.stream(), from, to.scale.data, to.numbers);
}

}  // namespace pipewright::kernels::cuda
