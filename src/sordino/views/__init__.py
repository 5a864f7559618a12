"""What is made of several results: a file each, and here a line."""

from sordino.views.associations import Associations
from sordino.views.collection_changes import CollectionChanges
from sordino.views.group_results import GroupedResults
from sordino.views.people_in_clusters import PeopleInClusters
from sordino.views.plan_series import PlanSeries
from sordino.views.pooled_results import JoinedResults, PooledResults
from sordino.views.population_tests import PopulationTests
from sordino.views.raked_tables import RakedTables
from sordino.views.share_differences import ShareDifferences
from sordino.views.table_results import TableResults
from sordino.views.view import View, Views, ViewSource
from sordino.views.weighted_results import Weighted

VIEWS: tuple[type[View], ...] = (
    PeopleInClusters,
    JoinedResults,
    GroupedResults,
    Weighted,
    PlanSeries,
    PooledResults,
    TableResults,
    Associations,
    ShareDifferences,
    RakedTables,
    CollectionChanges,
    PopulationTests,
)
"""In the order in which they are made."""


def make_views(source: ViewSource, *, without: tuple[str, ...] = ()) -> Views:
    """All views of some results, but for those of some names."""
    return Views(source, [view for view in VIEWS if view.name not in without])
