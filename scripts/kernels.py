"""Print the linear-algebra kernels that this processor can execute, for `OPENBLAS_CORETYPE` of a process that starts.

OpenBLAS chooses one when it is loaded. Their sums differ in the last bits, which decide whether a nearly singular
matrix is called singular: what one processor plans another one must plan too.
"""

import numpy as np

NEEDS = {"Haswell": "AVX2", "Sandybridge": "AVX", "Prescott": "SSE3", "SkylakeX": "AVX512_SKX"}
"""What a processor must have for each, as numpy names it."""


def executable_kernels() -> list[str]:
    """Those of this processor; none beyond x86-64, where there is one alone."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]
    has = {*found["baseline"], *found["found"]}
    has |= {"SSE3"} if has & {"SSE3", "SSE42", "X86_V2"} else set()
    has |= {"AVX", "AVX2"} if "X86_V3" in has else set()
    has |= {"AVX512_SKX"} if "X86_V4" in has else set()
    return [kernel for kernel, need in NEEDS.items() if need in has] or ["default"]


if __name__ == "__main__":
    print(*executable_kernels())
