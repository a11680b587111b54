// The modes of an outline, and the mark between two of its lines.

export const INTERACTIVE = 0, COMPACT = 1, FULL = 2;
export const BREAK = null;
