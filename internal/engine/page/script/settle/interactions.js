// Interaction timing. The browser buffers only slow events, so the engine observes events from its
// first moment on. The observer costs nothing until an event occurs.

import { frame, later } from '../dom/timers.js';

const MAX_INTERACTIONS = 500, MIN_DURATION = 16; // ms: the browser reports none below
const durations = new Map();

/** @param {PerformanceEntryList} list */
function recordTimings(list) {
  for (const e of /** @type {PerformanceEventTiming[]} */ (list)) {
    if (!e.interactionId) continue;
    durations.set(e.interactionId, Math.max(durations.get(e.interactionId) ?? 0, e.duration));
    if (durations.size <= MAX_INTERACTIONS) continue;
    let least;
    for (const [id, ms] of durations) if (least === undefined || ms < durations.get(least)) least = id;
    durations.delete(least);
  }
}

const timingObserver = new PerformanceObserver((list) => recordTimings(list.getEntries()));
timingObserver.observe({ type: 'event', durationThreshold: MIN_DURATION, buffered: true });
timingObserver.observe({ type: 'first-input', buffered: true });

// interactions returns the durations of interactions. `unreported` says that an interaction
// occurred since the last call: the browser reports its duration after the frame that shows its
// effect. The Go side then forces a frame and calls again with `drawn`.
let reportedCount = 0;

/** @param {{ drawn: boolean }} o */
export async function interactions({ drawn }) {
  const count = performance.interactionCount ?? 0;
  if (drawn) {
    await frame();
    await later(0);
    reportedCount = count;
  }
  recordTimings(timingObserver.takeRecords());
  return { count: Math.max(count, durations.size), ms: [...durations.values()].sort((a, b) => b - a), unreported: count !== reportedCount };
}
