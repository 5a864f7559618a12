# Estimates of Sordino in R, without any package: a table of the weighted shares, and each region's with its interval.
#
# sordino estimate plan.json tally.json --by region -o travel.csv
# Rscript travel.R travel.csv travel.pdf

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: Rscript travel.R travel.csv travel.pdf")
rows <- read.csv(arguments[1], check.names = FALSE, na.strings = "")

# One row a quantity: what is about all people has no group, what is weighted to known totals says so in its kind.
weighted <- subset(rows, kind == "weighted" & question == "way, works")
per_cent <- function(x) sprintf("%5.1f", 100 * x)
shown <- data.frame(
  term = weighted$term,
  share = per_cent(weighted$estimate),
  low = per_cent(weighted$conf.low),
  high = per_cent(weighted$conf.high)
)
cat("How people travel and whether they work, in per cent of the whole country\n")
print(shown, row.names = FALSE)

# Each region beside the others: a point for the estimate, a line for its interval.
by_region <- subset(rows, kind == "cell" & question == "way, works" & !is.na(group))
if (nrow(by_region) == 0) {
  cat("No region has enough reports to be estimated: no chart.\n")
  quit(save = "no")
}
regions <- unique(by_region$group)
terms <- unique(by_region$term)
pdf(arguments[2], width = 8, height = 5)
par(mar = c(4, 9, 2, 1), las = 1)
place <- match(by_region$term, terms) + (match(by_region$group, regions) - 2) / 5
colour <- match(by_region$group, regions)
limits <- range(by_region$conf.low, by_region$conf.high, na.rm = TRUE)
plot(by_region$estimate, place, xlim = limits, pch = 19, col = colour, yaxt = "n", xlab = "share of people", ylab = "")
segments(by_region$conf.low, place, by_region$conf.high, place, col = colour)
axis(2, at = seq_along(terms), labels = terms)
legend("bottomright", regions, col = seq_along(regions), pch = 19, bty = "n")
title("How people travel and whether they work, by region")
invisible(dev.off())
cat("Written:", arguments[2], "\n")
