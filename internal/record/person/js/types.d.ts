// What the modules of the listener share.

// The recorder adds the binding and the two properties to the listener's world.
declare var callsheetPerson: (message: string) => void;
declare var callsheetPersonEnd: (() => void) | undefined;
declare var callsheetPersonRuns: true | undefined;

// PersonEvent is an event of a pointer, of keys or of a field: the listener of each type reads what that type has.
type PersonEvent = MouseEvent & KeyboardEvent;
type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>;

// Target is an element as a recording describes it, and its number in the document.
type Target = { id: Record<string, unknown>, n: number };
type Press = { el: El | null, x: number, y: number, button: number, target: Target | null, native: boolean, moved?: boolean, released?: boolean };
