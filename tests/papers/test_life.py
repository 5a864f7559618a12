"""A year of surveys: quotas hold, histories accept less than versions and more than adding, whatever the epsilon."""

from sordino.papers.life import answers_by_adding, year_of_surveys


def test_more_surveys_are_answered_than_by_adding():
    rows = {(row.way, row.quotas): row for row in year_of_surveys(people=4)}
    still, versions, moving = (rows[way, False] for way in dict.fromkeys(way for way, _ in rows))
    assert still.answers >= versions.answers > moving.answers > 1.2 * answers_by_adding()
    assert all(row.answers > 0 for row in rows.values())


def test_quotas_leave_the_daily_collector_less():
    for free, limited in zip(*[iter(year_of_surveys(people=4))] * 2, strict=True):
        assert (free.quotas, limited.quotas) == (False, True)
        assert limited.daily < free.daily
        assert limited.others >= free.others


def test_adding_allows_as_many_as_fit():
    assert (answers_by_adding(), answers_by_adding("1", "0.3"), answers_by_adding("0.1", "0.2")) == (10, 3, 0)
