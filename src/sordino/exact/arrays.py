"""Arrays of numbers, as all rooms call them."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""Of any shape."""
