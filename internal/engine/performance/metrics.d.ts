// Metrics are the measurements of metrics.js, as the Go side decodes them. Times are in milliseconds.
interface Metrics {
  marks: Record<string, number>,
  vitals: { ttfb?: number, fcp?: number, lcp?: number, cls?: number },
  transfer?: number, kind?: string, lcpElement?: string, lcpURL?: string, longTasks?: number, blocking?: number,
  resources?: number, resourceBytes?: number,
  slowest?: { url: string, type: string, ms: number, bytes: number, status: number }[],
}

// The library of TypeScript lacks it.
interface LayoutShift extends PerformanceEntry { hadRecentInput: boolean, value: number }
