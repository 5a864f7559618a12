"""What a certificate was made for does not change afterwards: every record of the floors below is frozen."""

from dataclasses import FrozenInstanceError, fields

import pytest

from sordino import LDP, BlockLDP, Blockwise, Categories, Grid, HadamardResponse, Nats, RandomizedResponse
from sordino.audit.certificate import certify
from sordino.estimation.share_estimate import estimate

MECHANISM = Blockwise([0, 0, 1], "1")
COLUMN = next(MECHANISM.columns())
CERTIFICATE = certify(MECHANISM, BlockLDP([0, 0, 1], "1"))
RECORDS = [
    *(Nats.of("1"), Categories(["a"]), Grid(0, 1, 0, 1, 1, 1), MECHANISM.partition, LDP("1"), BlockLDP([0, 0], "1")),
    *(MECHANISM, RandomizedResponse(3, "1"), HadamardResponse(3, "1"), MECHANISM.evidence(0), COLUMN, COLUMN.parts[0]),
    *(next(LDP("1").extremes(COLUMN)), CERTIFICATE, CERTIFICATE.witness),
    *(MECHANISM.tally([0]), estimate(MECHANISM, MECHANISM.tally([0]))),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_does_not_change(record):
    for field in fields(record):
        with pytest.raises(FrozenInstanceError):
            setattr(record, field.name, getattr(record, field.name))
