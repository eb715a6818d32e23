#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {
namespace {

template <class A, class B>
void product(const A& a, const B& b, Map c, bool accumulate) {
  if (accumulate)
    c.noalias() += a * b;
  else
    c.noalias() = a * b;
}

}  // namespace

void Multiplication::multiply(const Tensor& a, Form a_form, const Tensor& b, Form b_form,
                              const Tensor& c, bool accumulate) {
  const bool a_plain = a_form == Form::plain, b_plain = b_form == Form::plain;
  if (a_plain && b_plain) return product(map(a), map(b), map(c), accumulate);
  if (a_plain) return product(map(a), map(b).transpose(), map(c), accumulate);
  if (b_plain) return product(map(a).transpose(), map(b), map(c), accumulate);
  product(map(a).transpose(), map(b).transpose(), map(c), accumulate);
}

void Multiplication::multiply_batched(int64_t batch, const Tensor& a, Form a_form, const Tensor& b,
                                      Form b_form, const Tensor& c, bool accumulate) {
  const auto one = [batch](const Tensor& all, int64_t i) {
    return all.row_range(i * (all.rows / batch), all.rows / batch);
  };
  for (int64_t i = 0; i < batch; ++i)
    multiply(one(a, i), a_form, one(b, i), b_form, one(c, i), accumulate);
}

void Multiplication::add_bias(const Tensor& bias, const Tensor& y) {
  map(y).rowwise() += map(bias).row(0);
}

void Multiplication::add_rows(const Tensor& dy, const Tensor& d_bias) {
  map(d_bias) += map(dy).colwise().sum();
}

}  // namespace pipewright::kernels::cpu
