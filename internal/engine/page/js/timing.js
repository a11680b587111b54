// How long the page took to answer to a person. The browser keeps only slow events for who asks later, so they are
// listened to from the engine's first moment on; nothing is done but when there was one.

const INTERACTIONS_KEPT = 500, FINEST = 16; // ms: the browser tells of no shorter ones
const taken = new Map();

function timed(list) {
  for (const e of list) {
    if (!e.interactionId) continue;
    taken.set(e.interactionId, Math.max(taken.get(e.interactionId) ?? 0, e.duration));
    if (taken.size <= INTERACTIONS_KEPT) continue;
    let least;
    for (const [id, ms] of taken) if (least === undefined || ms < taken.get(least)) least = id;
    taken.delete(least);
  }
}

const timer = new PerformanceObserver((list) => timed(list.getEntries()));
timer.observe({ type: 'event', durationThreshold: FINEST, buffered: true });
timer.observe({ type: 'first-input', buffered: true });

// interactions gives the times of interactions. `untold` says that there was one since it was last asked: the browser tells its
// time after the frame that shows its effect, and the outside has to see to it that there is one. It asks again then, with
// `drawn`.
let toldOf = 0;

async function interactions({ drawn }) {
  const count = performance.interactionCount ?? 0;
  if (drawn) {
    await frame();
    await later(0);
    toldOf = count;
  }
  timed(timer.takeRecords());
  return { count: Math.max(count, taken.size), ms: [...taken.values()].sort((a, b) => b - a), untold: count !== toldOf };
}
