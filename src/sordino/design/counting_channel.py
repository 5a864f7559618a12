"""The best channel over some values whose tally says how often each code was sent."""

from sordino.design.coarse import coarse_number
from sordino.exact.nats import Nats
from sordino.mechanism.inner import inner_mechanisms
from sordino.mechanism.one_coin import OneCoin


def counting_channel(k: int, level: Nats, most_codes: int) -> OneCoin:
    """That of the least summed variance of the shares, among those with at most so many codes; of equal ones the first.

    Example:
        >>> counting_channel(20, Nats.of(2), 80).name
        'randomized'
    """
    counting = [one for one in inner_mechanisms(k, level) if one.counts_codes and one.outputs <= most_codes]
    return min(counting, key=lambda one: coarse_number(one.total_variance))
