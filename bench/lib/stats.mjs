/** The little arithmetic that the figures need. */

export function median(values) {
  return quantile(values, 0.5);
}

/** @param at from 0 to 1 */
export function quantile(values, at) {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  if (at === 0.5 && sorted.length % 2 === 0) {
    return (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
  }
  return sorted[Math.min(sorted.length - 1, Math.ceil(at * sorted.length) - 1)];
}

/** The median of the ratios of each pair, never the ratio of the medians. */
export function medianRatio(ours, theirs) {
  return median(ours.map((value, index) => value / theirs[index]));
}

/** Least and greatest ratio of a pair, to show how far the runs lie apart. */
export function ratioRange(ours, theirs) {
  const ratios = ours.map((value, index) => value / theirs[index]);
  return [Math.min(...ratios), Math.max(...ratios)];
}
