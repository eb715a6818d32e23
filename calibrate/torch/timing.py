"""Times of GPU work: bursts after idleness, runs of seconds, and what the device drew meanwhile."""

import contextlib
import statistics
import threading
import time

import torch

CYCLES_PER_SECOND = 1.7e9  # of torch.cuda._sleep, near enough
LAUNCH_SECONDS = 40e-6  # of a slow host; it runs ahead of the device by so much a call


def _elapsed(begin, end):
    """Seconds between two recorded events."""
    return begin.elapsed_time(end) * 1e-3


def _once(body, calls):
    """Seconds a call of `calls` calls that follow each other on the device without gaps of the host."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(int(calls * LAUNCH_SECONDS * CYCLES_PER_SECOND))
    begin.record()
    for _ in range(calls):
        body()
    end.record()
    torch.cuda.synchronize()
    return _elapsed(begin, end) / calls


def burst(body, total=8e-3, most=64):
    """Median seconds of a call in bursts of about `total` seconds, which end before a power limit acts."""
    for _ in range(2):
        body()
    torch.cuda.synchronize()
    calls = max(2, min(most, int(total / max(_once(body, 2), 1e-6))))
    return statistics.median(_once(body, calls) for _ in range(3))


class Sampler:
    """Reads the device's power, clock and energy every few milliseconds in a thread of its own."""

    def __init__(self, index=0):
        import pynvml

        self._nvml = pynvml
        pynvml.nvmlInit()
        self._device = pynvml.nvmlDeviceGetHandleByIndex(index)
        self.rows = []  # (seconds, watts, MHz of the processors, celsius, reasons for a lower clock)

    def _read(self):
        nvml, device = self._nvml, self._device
        return (
            time.perf_counter(),
            nvml.nvmlDeviceGetPowerUsage(device) * 1e-3,
            nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_SM),
            nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU),
            nvml.nvmlDeviceGetCurrentClocksEventReasons(device),
        )

    def joules(self):
        """Returns the energy that the device has taken since its driver was loaded."""
        return self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._device) * 1e-3

    @contextlib.contextmanager
    def running(self, period=0.01):
        """Samples while the block runs."""
        stop = threading.Event()
        self.rows = []

        def loop():
            while not stop.is_set():
                self.rows.append(self._read())
                stop.wait(period)

        thread = threading.Thread(target=loop)
        thread.start()
        try:
            yield self
        finally:
            stop.set()
            thread.join()

    def median(self, begin, end):
        """Returns the medians of watts, MHz and celsius, and all reasons seen, between two times."""
        rows = [row for row in self.rows if begin <= row[0] <= end] or self.rows[-1:]
        reasons = 0
        for row in rows:
            reasons |= row[4]
        return tuple(statistics.median(row[i] for row in rows) for i in (1, 2, 3)) + (reasons,)


def steady(body, sampler, run_seconds=3.0, chunk_seconds=0.02):
    """Runs `body` for `run_seconds` and returns what its second half was like.

    Returns seconds a call, watts from the energy counter, MHz, celsius and the reasons for a lower
    clock as a bit set of NVML.
    """
    body()
    torch.cuda.synchronize()
    calls = max(1, int(chunk_seconds / max(_once(body, 1), 1e-6)))
    begin, marks, half = time.perf_counter(), [], None
    with sampler.running():
        while time.perf_counter() - begin < run_seconds:
            for _ in range(calls):
                body()
            marks.append(torch.cuda.Event(enable_timing=True))
            marks[-1].record()
            if len(marks) > 2:
                marks[-3].synchronize()
            if half is None and time.perf_counter() - begin > run_seconds / 2:
                half = (time.perf_counter(), sampler.joules(), len(marks))
        torch.cuda.synchronize()
        end, joules = time.perf_counter(), sampler.joules()
    first = min(half[2], len(marks) - 2)
    times = [_elapsed(a, b) / calls for a, b in zip(marks[first:], marks[first + 1 :])]
    watts = (joules - half[1]) / (end - half[0])
    _, clock, heat, reasons = sampler.median(half[0], end)
    return statistics.median(times), watts, clock, heat, reasons
