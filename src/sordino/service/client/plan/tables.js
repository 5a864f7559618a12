// The fields of a plan's document: names, types and bounds, from the classes by which the package reads plans. Made by
// `make schemas`; what else must hold of a table is in fields.js, and what must hold of all together in consistent.js.

import { anyOf, both, fields, integer, isTable, listOf, matching, oneOf, real, sized, tableOf, text, truth, whole } from "./shapes.js";

/**
 * Whether a document has the fields of a plan, each of its type and within its bounds, and nothing else.
 * @param {Record<string, ((found: any) => boolean)[]>} checks what else must hold of a table, by its name
 */
export function planFields(checks) {
  const left = new Set(Object.keys(checks));
  const table = (name, kinds) => {
    left.delete(name);
    return both(fields(kinds), ...(checks[name] ?? []));
  };
  const StatisticPart = table("StatisticPart", { attribute: text, statistic: listOf(text, 1, 2), bound: text });
  const TableBoundPart = table("TableBoundPart", { attribute: text, table: listOf(text, 2, 8), bound: text });
  const CategorySignBoundPart = table("CategorySignBoundPart", { attribute: text, category: text, number: text, bound: text });
  const ThresholdBoundPart = table("ThresholdBoundPart", { attribute: text, number: text, bound: text });
  const DependencePart = table("DependencePart", {
    rest: tableOf(text), statistics: listOf(StatisticPart), "tables?": listOf(TableBoundPart),
    "category_signs?": listOf(CategorySignBoundPart), "thresholds?": listOf(ThresholdBoundPart), "bins?": tableOf(whole(1)),
    ground: listOf(text),
  });
  const GridPart = table("GridPart", { south: real, north: real, west: real, east: real, rows: integer, columns: integer });
  const NumberPart = table("NumberPart", { low: real, high: real, clip: truth, "edges?": listOf(real) });
  const BlocksPart = table("BlocksPart", { "tiles?": listOf(whole(1), 2, 2), "run?": whole(1), "of?": listOf(whole(0)) });
  const MapMetricPart = table("MapMetricPart", { per: text, unit: text, row_step: text, column_step: text });
  const MetricPart = table("MetricPart", {
    "per?": text, "positions?": listOf(text), "tree?": tableOf(listOf(text)), "map?": MapMetricPart, "lengths?": tableOf(text),
  });
  const ProtectPart = table("ProtectPart", {
    "epsilon?": text, "blocks?": BlocksPart, "sensitive?": listOf(whole(0)), "metric?": MetricPart, "bounds?": listOf(listOf(text)),
  });
  const AttributePart = table("AttributePart", {
    "labels?": listOf(sized(1)), "numbers?": integer, "grid?": GridPart, "number?": NumberPart, "several?": whole(1), "none?": sized(1),
    columns: listOf(sized(1), 1, 2), "missing?": text, "protect?": ProtectPart, "delta?": text, "only_if?": tableOf(listOf(sized(1), 1), 1),
    "not_asked?": sized(1),
  });
  const PublicPart = table("PublicPart", {
    name: sized(1), labels: listOf(sized(1), 1, 65536), columns: listOf(sized(1), 1, 1), "missing?": text, "totals?": listOf(whole(0)),
    "weights?": listOf(text),
  });
  const ExpectedPart = table("ExpectedPart", { parts: listOf(whole(0, 1000000000), 1, 4096), "values?": listOf(whole(0), 0, 4096) });
  const HistogramPart = table("HistogramPart", {
    weight: whole(1, 1048576), mechanism: isTable, subtract_totals: truth, "expected?": ExpectedPart, histogram: text,
  });
  const TablePart = table("TablePart", {
    weight: whole(1, 1048576), mechanism: isTable, subtract_totals: truth, "expected?": ExpectedPart, table: listOf(text, 2, 8),
    "epsilon?": text, "together?": truth,
  });
  const MeanPart = table("MeanPart", {
    weight: whole(1, 1048576), numbers: listOf(text, 1), asked: oneOf("mean"), queries: isTable, "base?": tableOf(text),
    "expected?": listOf(ExpectedPart),
  });
  const CovariancePart = table("CovariancePart", {
    weight: whole(1, 1048576), numbers: listOf(text, 1), asked: oneOf("covariance"), queries: isTable, "base?": tableOf(text),
    "expected?": listOf(ExpectedPart),
  });
  const RegressionPart = table("RegressionPart", {
    weight: whole(1, 1048576), numbers: listOf(text, 1), asked: oneOf("regression"), queries: isTable, "base?": tableOf(text),
    "expected?": listOf(ExpectedPart),
  });
  const DistributionPart = table("DistributionPart", {
    weight: whole(1, 1048576), distribution: text, epsilon: text, "bins?": integer, "edges?": listOf(real), mechanism: isTable,
    "spikes?": oneOf(true), quantiles: listOf(matching(/^0\.[0-9]{0,11}[1-9]$/)), ranges: listOf(listOf(real, 2, 2)),
    "expected?": ExpectedPart,
  });
  const AbovePart = table("AbovePart", {
    weight: whole(1, 1048576), mechanism: isTable, subtract_totals: truth, "expected?": ExpectedPart, above: text, threshold: real,
    epsilon: text,
  });
  const SeveralPart = table("SeveralPart", {
    weight: whole(1, 1048576), mechanism: isTable, subtract_totals: truth, "expected?": ExpectedPart, several: text,
    way: oneOf("combination", "category", "meeting"),
  });
  const SurveySectionPart = table("SurveySectionPart", {
    "title?": anyOf(text, tableOf(text)), "text?": anyOf(text, tableOf(text)), attributes: listOf(text, 1),
  });
  const WordingPart = table("WordingPart", {
    "text?": anyOf(text, tableOf(text)), "help?": anyOf(text, tableOf(text)), "labels?": tableOf(anyOf(text, tableOf(text))),
    "unit?": anyOf(text, tableOf(text)), "input?": oneOf("slider", "date"), "step?": real,
  });
  const QuestionnairePart = table("QuestionnairePart", {
    languages: listOf(text, 1), "title?": anyOf(text, tableOf(text)), "by?": anyOf(text, tableOf(text)),
    "purpose?": anyOf(text, tableOf(text)), "contact?": anyOf(text, tableOf(text)), "reports?": anyOf(text, tableOf(text)),
    "until?": sized(10, 10), "consent?": anyOf(text, tableOf(text)), "ask?": oneOf("drawn"), sections: listOf(SurveySectionPart, 1),
    attributes: tableOf(WordingPart),
  });
  const SeriesPart = table("SeriesPart", { periods: whole(1), every: text, start: sized(10, 10), "season?": whole(1) });
  const PlanDocument = table("PlanDocument", {
    format: oneOf("sordino plan"), version: oneOf(4), hash: text, people: whole(1), "epsilon?": text, "dependence?": DependencePart,
    attributes: tableOf(AttributePart, 1), "public?": listOf(PublicPart, 1, 8),
    queries: listOf(anyOf(HistogramPart, TablePart, MeanPart, CovariancePart, RegressionPart, DistributionPart, AbovePart, SeveralPart), 1),
    "words?": QuestionnairePart, "series?": SeriesPart,
  });
  if (left.size > 0) throw new Error(`no such tables: ${[...left].join(", ")}`);
  return PlanDocument;
}
