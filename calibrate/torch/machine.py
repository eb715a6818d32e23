"""Memory that is gone before a tensor is made, and copies between host and device."""

import torch

from timing import burst


def memory(rows):
    """Bytes of a context, of cuBLAS's workspace, and what the allocator rounds up."""
    free, total = torch.cuda.mem_get_info()
    rows.add("memory", "before_any_kernel", "", "", {}, bytes=float(total - free), note=f"total={total}")
    x = torch.randn(512, 512, device="cuda", dtype=torch.bfloat16)
    torch.cuda.synchronize()
    rows.add("memory", "after_a_kernel", "", "", {}, bytes=float(total - torch.cuda.mem_get_info()[0] - torch.cuda.memory_reserved()))
    x @ x
    torch.cuda.synchronize()
    used = total - torch.cuda.mem_get_info()[0]
    rows.add("memory", "after_a_product", "", "", {}, bytes=float(used - torch.cuda.memory_reserved()),
             note=f"reserved={torch.cuda.memory_reserved()} allocated={torch.cuda.memory_allocated()}")  # fmt: skip


def copies(rows):
    """Copies of pinned and of pageable memory, both ways."""
    for size in (1 << 20, 1 << 24, 1 << 28):
        device = torch.empty(size, dtype=torch.uint8, device="cuda")
        for kind, pinned in (("pinned", True), ("pageable", False)):
            host = torch.zeros(size, dtype=torch.uint8, pin_memory=pinned)
            rows.tried(lambda: burst(lambda: device.copy_(host, non_blocking=pinned), most=8),
                       "copies", kind, "", "to_device", {"bytes": size}, bytes=float(size))  # fmt: skip
            rows.tried(lambda: burst(lambda: host.copy_(device, non_blocking=pinned), most=8),
                       "copies", kind, "", "to_host", {"bytes": size}, bytes=float(size))  # fmt: skip
