// The listener of a recording: it hears what a person does in one document.

import './target.js';
import './hover.js';
import './scroll.js';
import './listen.js';
import './overlay.js';

// The property of this world says that the listener runs; the wrapper of the bundle reads it.
Object.defineProperty(globalThis, 'callsheetPersonRuns', { value: true, configurable: true });
