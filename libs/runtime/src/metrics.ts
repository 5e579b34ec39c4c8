/** For libraries and services that measure: definitions on the one registry of the process. */
export { defineCounter, defineGauge, defineHistogram } from './metrics/define-metric.js';
export { observeDuration, outcomeOf } from './metrics/observe-duration.js';
export { sampleAtScrape, type Sample, type SampledGauge } from './metrics/sample-at-scrape.js';
export { processMetrics } from './metrics/process-metrics.js';
