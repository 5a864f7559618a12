"""libqif's exact epsilon of a channel in a file; runs in the peers' environment."""

import sys

import numpy as np
import qif

from pairs import serve

if __name__ == "__main__":
    channel = np.load(sys.argv[1])
    serve(lambda: qif.measure.d_privacy.smallest_epsilon(channel, qif.metric.discrete()))
