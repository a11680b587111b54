// Setting a media player of the browser: playing, pausing, seeking, muting, as its own buttons and sliders do. The
// events of the element come from the browser.

import { EngineError } from '../dom/error.js';
import { clockTime, playerStates } from '../dom/player.js';
import { frame, ownTimeout } from '../dom/timers.js';
import { expect } from '../settle/read_back.js';

const PART = /^(?:(play(?:ing)?|resume)|(paused?|stop)|(unmuted?)|(muted?)|vol(?:ume)?[ :=]*(\d+(?:\.\d+)?) ?%?|(?:(?:seek|at|to) )*((?:\d+:)?\d+:\d\d(?:\.\d+)?|\d+(?:\.\d+)?) ?(?:s\b)?)(?:[\s,]+|$)/i;
const PLAY_TIME = 2000; // ms

/** @typedef {{ playing?: boolean, muted?: boolean, volume?: number, time?: number }} Wanted */

/** @param {string} value @returns {Wanted} */
function wantedOf(value) {
  /** @type {Wanted} */ const out = {};
  let rest = value.trim();
  for (let m = PART.exec(rest); m && rest; m = PART.exec(rest = rest.slice(m[0].length))) {
    if (m[1] || m[2]) out.playing = !!m[1];
    else if (m[3] || m[4]) out.muted = !!m[4];
    else if (m[5]) out.volume = Number(m[5]) / 100;
    else out.time = m[6].split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
  }
  if (rest || !value.trim()) throw new EngineError('valueRefused', { reason: 'a player takes play, pause, mute, unmute, volume 50 %, or a time', example: '0:12' });
  return out;
}

/** @param {El} el @param {string} value */
export async function setPlayer(el, value) {
  const { playing, muted, volume, time } = wantedOf(value);
  const [state] = playerStates(el);
  if (state === 'unable to play') throw new EngineError('notEditable', { reason: 'the browser is unable to play it', remedy: 'read' });
  if (time !== undefined && time > el.duration) throw new EngineError('valueRefused', { reason: `it ends at ${clockTime(el.duration)}`, example: clockTime(el.duration) });
  if (volume !== undefined && volume > 1) throw new EngineError('valueRefused', { reason: 'a volume goes from 0 to 100 %', example: 'volume 100 %' });
  if (muted !== undefined) el.muted = muted;
  if (volume !== undefined) el.volume = volume;
  if (time !== undefined) el.currentTime = time;
  const since = performance.now(), ends = time !== undefined && time >= el.duration;
  if (playing === false) el.pause();
  if (playing) await startPlaying(el);
  while (el.seeking && performance.now() < since + PLAY_TIME) await frame();
  expect({ el, holds: (at) => {
    const passed = time === undefined ? 0 : at.currentTime - time;
    return (playing === undefined || playing !== at.paused || ends || at.ended) && (muted === undefined || at.muted === muted) &&
      (volume === undefined || Math.abs(at.volume - volume) < 0.01) &&
      passed > -1 && passed < 1 + at.playbackRate * (performance.now() - since) / 1000;
  } });
}

// startPlaying plays, and waits until the browser does. What a page does against it, the read-back says.
/** @param {El} el */
async function startPlaying(el) {
  const late = new Promise((resolve) => { ownTimeout(() => resolve(undefined), PLAY_TIME); });
  try {
    await Promise.race([el.play(), late]);
  } catch (e) {
    const { name } = /** @type {Error} */ (e);
    if (name !== 'AbortError') throw new EngineError('notEditable', { reason: name === 'NotAllowedError' ? 'the browser does not let it play' : 'the browser is unable to play it', remedy: 'read' });
  }
}
