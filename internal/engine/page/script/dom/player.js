// Media players of the browser: <video controls> and <audio controls>. Their buttons and sliders stand in a shadow
// tree that no script sees, so a player is one control, whose states say what those show.

import { hasAttr, localName } from './dom.js';
import { frame } from './timers.js';

/** @param {Element} el */
export const isPlayer = (el) => { const tag = localName(el); return (tag === 'video' || tag === 'audio') && hasAttr(el, 'controls'); };

/** @param {number} seconds */
export function clockTime(seconds) {
  const all = Math.floor(seconds + 1e-3), pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const hours = Math.floor(all / 3600), minutes = Math.floor(all / 60) % 60;
  return (hours ? `${hours}:${pad(minutes)}` : minutes) + ':' + pad(all % 60);
}

// playerStates returns what a player shows: paused, 0:03 of 0:20, muted. One that has begun to play and got no picture
// or sound yet is loading.
/** @type {Set<number>} */ const NOTHING_TO_PLAY = new Set([HTMLMediaElement.NETWORK_EMPTY, HTMLMediaElement.NETWORK_NO_SOURCE]);
/** @param {El} el */
export function playerStates(el) {
  if (el.error || NOTHING_TO_PLAY.has(el.networkState)) return ['unable to play'];
  const out = [el.ended ? 'ended' : el.paused ? 'paused' : el.readyState < HTMLMediaElement.HAVE_CURRENT_DATA ? 'loading' : 'playing'];
  if (el.duration > 0) out.push(clockTime(el.currentTime) + (Number.isFinite(el.duration) ? ' of ' + clockTime(el.duration) : ''));
  if (el.muted) out.push('muted');
  else if (el.volume < 1) out.push(`volume ${Math.round(100 * el.volume)} %`);
  return out;
}

// playButton returns the point of the play button, in the viewport of the element's document, where a click on the
// middle would do something else: on an audio player there is the timeline.
const BUTTON = 32; // CSS px: the button stands in the first 48 of the control's 54 px of height
/** @param {El} el @param {DOMRect} r */
export const playButton = (el, r) => (localName(el) === 'audio' && isPlayer(el) ? { x: r.left + Math.min(BUTTON, r.width / 2), y: r.top + r.height / 2 } : null);

// playerPressed notes a player before the pointer presses it, and playerTurned waits until it plays or pauses: the
// browser waits for a second click.
const TURN_TIME = 450; // ms
/** @type {{ el: El, paused: boolean } | null} */
let pressed = null;
/** @param {El} el */
export const playerPressed = (el) => { pressed = isPlayer(el) ? { el, paused: el.paused } : null; };

export async function playerTurned() {
  const was = pressed, until = performance.now() + TURN_TIME;
  pressed = null;
  while (was && was.el.paused === was.paused && performance.now() < until) await frame();
}
