"""Convolutions and LSTMs by cuDNN, forward and backward."""

import torch
from torch import nn

from timing import burst

# channels, filters, window, stride, height of the input: ResNet-50's, then VGG-16's
CONVOLUTIONS = (
    (3, 64, 7, 2, 224), (64, 64, 1, 1, 56), (64, 64, 3, 1, 56), (64, 256, 1, 1, 56),
    (128, 128, 3, 1, 28), (128, 512, 1, 1, 28), (256, 256, 3, 1, 14), (256, 1024, 1, 1, 14),
    (512, 512, 3, 1, 7), (512, 2048, 1, 1, 7), (64, 64, 3, 1, 224), (128, 128, 3, 1, 112),
    (256, 256, 3, 1, 56), (512, 512, 3, 1, 28),
)  # fmt: skip
KINDS = (
    # name, type, TF32, channels last
    ("fp32", torch.float32, False, False),
    ("tf32", torch.float32, True, False),
    ("fp16", torch.float16, True, True),
)


def _convolution(rows, kind, batch, channels, filters, window, stride, height):
    name, dtype, tf32, last = kind
    torch.backends.cudnn.allow_tf32 = tf32
    layout = torch.channels_last if last else torch.contiguous_format
    x = torch.randn(batch, channels, height, height, device="cuda", dtype=dtype).to(memory_format=layout)
    w = torch.randn(filters, channels, window, window, device="cuda", dtype=dtype).to(memory_format=layout)
    pad = window // 2
    y = nn.functional.conv2d(x, w, stride=stride, padding=pad)
    dy = torch.randn_like(y)
    flops = 2.0 * y.numel() * channels * window * window
    shape = dict(batch=batch, channels=channels, filters=filters, window=window, stride=stride, height=height)

    def gradient(mask):
        return torch.ops.aten.convolution_backward(
            dy, x, w, None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], 1, mask
        )

    for direction, body in (
        ("forward", lambda: nn.functional.conv2d(x, w, stride=stride, padding=pad)),
        ("input_gradient", lambda: gradient([True, False, False])),
        ("weight_gradient", lambda: gradient([False, True, False])),
    ):
        rows.tried(lambda: burst(body, total=4e-3), "networks", "convolution", name, direction, shape, flops=flops)


def _lstm(rows, precision, dtype, hidden, batch, steps, layers):
    net = nn.LSTM(hidden, hidden, layers).to("cuda", dtype)
    x = torch.randn(steps, batch, hidden, device="cuda", dtype=dtype, requires_grad=True)
    shape = dict(hidden=hidden, batch=batch, steps=steps, layers=layers)
    flops = 2.0 * 8 * hidden * hidden * batch * steps * layers
    y = net(x)[0]
    dy = torch.randn_like(y)
    rows.tried(lambda: burst(lambda: net(x)), "networks", "lstm", precision, "forward", shape, flops=flops)
    rows.tried(
        lambda: burst(lambda: torch.autograd.grad(y, (x, *net.parameters()), dy, retain_graph=True)),
        "networks", "lstm", precision, "backward", shape, flops=2 * flops,
    )  # fmt: skip


def _batch_norm(rows, batch, channels, height):
    norm = nn.BatchNorm2d(channels).to("cuda")
    for precision, dtype, layout in (("fp32", torch.float32, torch.contiguous_format), ("fp16", torch.float16, torch.channels_last)):
        x = torch.randn(batch, channels, height, height, device="cuda", dtype=dtype).to(memory_format=layout).requires_grad_()
        y = norm(x)
        dy = torch.randn_like(y)
        shape = dict(batch=batch, channels=channels, height=height)
        size = float(x.numel() * x.element_size())
        rows.tried(lambda: burst(lambda: norm(x)), "networks", "batchnorm", precision, "forward", shape, bytes=3 * size)
        rows.tried(
            lambda: burst(lambda: torch.autograd.grad(y, (x, *norm.parameters()), dy, retain_graph=True)),
            "networks", "batchnorm", precision, "backward", shape, bytes=5 * size,
        )  # fmt: skip
        rows.tried(lambda: burst(lambda: torch.relu(x)), "networks", "relu", precision, "forward", shape, bytes=2 * size)


def networks(rows):
    """ResNet-50's and VGG-16's convolutions, batch norms, LSTMs of translation."""
    torch.backends.cudnn.benchmark = True
    for kind in KINDS:
        for convolution in CONVOLUTIONS:
            batch = 32 if convolution[4] > 100 else 64
            try:
                _convolution(rows, kind, batch, *convolution)
            except Exception as error:
                rows.add("networks", "convolution", kind[0], "", {"of": convolution}, note=f"failed: {str(error)[:120]}")
    torch.backends.cudnn.benchmark = False
    for batch, channels, height in ((64, 64, 112), (64, 256, 56), (64, 1024, 14)):
        _batch_norm(rows, batch, channels, height)
    for precision, dtype in (("fp16", torch.float16), ("fp32", torch.float32)):
        for steps in (25, 50):
            _lstm(rows, precision, dtype, 1024, 128, steps, 1)
        _lstm(rows, precision, dtype, 1024, 64, 50, 4)
