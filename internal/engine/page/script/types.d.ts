// Types that the modules share. A type of one module stands beside its code.

// El is an element of any kind: code asks for its name or type before it reads a property that only
// some kinds have. The accessors of dom/dom.js return the nodes of a walk with this type too, and code
// asks for nodeType before it takes one for an element: the checker cannot follow either question.
interface El extends HTMLElement {
  readonly assignedNodes: () => El[];
  checked: boolean;
  readonly contentDocument: Doc | null;
  readonly complete: boolean;
  currentTime: number;
  readonly duration: number;
  readonly ended: boolean;
  readonly error: MediaError | null;
  muted: boolean;
  readonly networkState: number;
  readonly readyState: number;
  readonly pause: () => void;
  readonly paused: boolean;
  readonly play: () => Promise<void>;
  readonly playbackRate: number;
  readonly seeking: boolean;
  volume: number;
  readonly contentWindow: Win | null;
  readonly control: El | null;
  readonly data: string;
  readonly defaultValue: string;
  readonly disabled: boolean;
  readonly files: FileList | null;
  readonly form: El | null;
  readonly href: string;
  readonly indeterminate: boolean;
  readonly label: string;
  readonly maxLength: number;
  readonly labels: Iterable<El> & { length: number } | null;
  readonly multiple: boolean;
  readonly open: boolean;
  readonly options: Iterable<El> & { length: number };
  readonly placeholder: string;
  readonly readOnly: boolean;
  readonly selectionStart: number | null;
  readonly selectionEnd: number | null;
  readonly required: boolean;
  readonly caption: El | null;
  readonly cells: HTMLCollectionOf<El>;
  readonly rows: HTMLCollectionOf<El>;
  readonly select: () => void;
  selected: boolean;
  readonly selectedOptions: Iterable<El> & { length: number };
  readonly size: number;
  readonly src: string;
  readonly type: string;
  readonly validationMessage: string;
  readonly validity: ValidityState;
  value: string;
  readonly webkitdirectory: boolean;
  readonly willValidate: boolean;
  readonly host: El | null; // of a shadow root
}

type Win = Window & typeof globalThis;

// Doc is a document in a window.
type Doc = Document & { readonly defaultView: Win; readonly documentElement: El; readonly body: El };

// Root is the root of a tree of nodes.
type Root = Document | ShadowRoot;

// What the browser's own methods return is an El too.
interface ParentNode {
  querySelector(css: string): El | null;
  querySelectorAll(css: string): NodeListOf<El>;
}
interface Element { closest(css: string): El | null }
interface Document { getElementById(id: string): El | null; getElementsByTagName(name: string): HTMLCollectionOf<El> }
interface DocumentFragment { getElementById(id: string): El | null }
interface NonElementParentNode { getElementById(id: string): El | null }
interface Uint8Array { toBase64(): string }
interface CSSStyleDeclaration { readonly whiteSpaceCollapse: string }
interface PerformanceObserverInit { durationThreshold?: number }
interface DocumentOrShadowRoot { elementFromPoint(x: number, y: number): El | null; elementsFromPoint(x: number, y: number): El[] }
interface Event { composedPath(): El[] }
interface TreeWalker { nextNode(): El | null }
interface HTMLSlotElement { assignedNodes(): El[] }

type Point = { x: number, y: number };
type Size = { width: number, height: number };
type Rect = Point & Size; // in CSS pixels of the top viewport
type Edges = { left: number, top: number, right: number, bottom: number };
type Offset = Point & { scale: number }; // where a document's viewport begins, and the scale of its pixels

type Visit = (el: El, role: string, live: boolean, visual: VisualState) => boolean;
type VisualState = import('./dom/scan.js').VisualState;

// ParentVisual is the state of a parent, or what stands above the start of a walk: then it has no element.
type ParentVisual = {
  cursor: string, clipped: boolean, offPage: boolean, visible: boolean, background?: string, clipPathEmpty?: boolean,
  el?: El, cs?: CSSStyleDeclaration, display?: string, up?: ParentVisual, breaks?: string, tag?: string, filled?: boolean, covered?: boolean,
};
type GridRow = import('./locate/grid.js').GridRow;
type Grid = import('./locate/grid.js').Grid;
type Candidate = import('./locate/identity.js').Candidate;

// Described is an element as a response describes it.
type Described = { ref: string, role: string, name: string, value?: string, checked?: string, states?: string[] };
type Informed = Described & {
  tag: string, text: string, visible: boolean, box: Rect, path: string, attributes: Record<string, string>, secret?: boolean,
};
type Similar = { ref: string, role: string, name: string };

// NameContext is where the computation of a name is (accname 1.2).
type NameContext = {
  seen: Set<El>, within: boolean, referred: boolean, hidden?: boolean, inLabel?: boolean, inTree?: boolean, depth?: number,
  ignoreVisibility?: boolean,
  ownTargets?: boolean, // without the text of inner elements that take presses of their own
};

// Change is a record of a mutation.
type Change = Omit<MutationRecord, 'target' | 'addedNodes' | 'removedNodes'> & {
  readonly target: El, readonly addedNodes: Iterable<El> & ArrayLike<El>, readonly removedNodes: Iterable<El> & ArrayLike<El>,
};

// ActionRecord is the record of one action, from which its effect is reported.
type ActionRecord = {
  records: Change[], invalid: El[], url: string, title: string, el?: El | null, shownRole?: string, hidden: El[], before: number,
  views: Win[], scroll: [number, number], animations: number, until: number, scheduler: number[][],
  timers: { counts: number[], at: number, until: number, fired: number, rate: number },
  noInput?: Interceptor, releaseMissed?: 'moved' | 'covered' | 'replaced' | 'strayed', text?: string, expected?: Expectation, pressed?: Described, hovered?: boolean,
  endHover?: () => void,
  untyped?: { el: El, before: string, kept: string, inputs: number, timers?: number },
};
type EffectRecord = Partial<ActionRecord> & Pick<ActionRecord, 'records' | 'invalid' | 'url' | 'title'>;

// Expectation is the value that an action's field shall have at the action's end. hidden says that the value is secret.
// shown returns the value of a field that consists of several elements.
type Expectation = { el: El, holds: (el: El) => boolean, inputs: number, hidden?: boolean, checked?: string, limit?: number, frames?: number, since?: number, shown?: () => string };
type FormExpectation = Expectation & Pick<ActionRecord, 'timers' | 'views'>;
// FormField is a field that was set, with its value then. FieldState is its value at the end of its form; wait is
// how long (ms) the page may still change it.
type FormField = { n: number, value: string, checked: string };
type FieldState = { held: boolean, secret?: boolean, holds?: string, limit?: number, wait?: number, frames?: number, element?: Described };

// Effect is the changes that an action made, as the Go side decodes them.
type Effect = {
  url: string, title: string, urlChanged: boolean, changes: string[], element?: Described, detached?: boolean, focus?: Described,
  textLost?: boolean, pressLost?: boolean,
};
type StableOptions = { frames: number, limit: number, skipFrame?: boolean, parsed?: number, commit?: boolean, typed?: string, inForm?: boolean, fields?: FormField[] };

// InputEventOfPage is an event of the pointer or of keys; one of keys has no place.
type InputEventOfPage = Event & Partial<Pick<MouseEvent, 'clientX' | 'clientY'>>;
type Interceptor = {
  kind: 'pointer' | 'keys', el: El, until: number, onTarget?: boolean, hit: El | null, through?: El, certain: boolean, presses: number,
  views: Win[], off: () => void, pressed?: boolean, rejectPress?: boolean, releaseMissed?: boolean, generation?: number,
  place?: DOMRect, value?: string, moving?: boolean, sent: number, around?: boolean, pressLost?: boolean, released?: boolean,
};

// PointerState is the progress of a wait for an element that the pointer can reach.
type PointerState = { box: DOMRect | null, scrolled: boolean, edges: number, through: boolean, ahead: boolean };
type Reach = { point?: Point, own?: boolean, through?: El, uncertain?: boolean, reason?: string, cause?: 'moving' | 'disabled', covering?: El, passing?: boolean, moving?: boolean };
type Share = { fx: number, fy: number }; // a point as parts of a box

// Query is a search by words. A reading of it is a name, with the roles that the other words say; a scoped
// reading has a place too. `codes` are the words written with signs, such as "38418-S".
type Reading = { tokens: string[], phrase: string, roles: string[] | null, isPart: boolean, printed?: string };
type Where = { tokens: string[], kind: string, roles: string[] | null, all?: string[] };
type Scoped = { readings: Reading[], place: Where };
type Query = {
  text: string, limit: number, want: string, readings: Reading[], scoped: Scoped[], plain: string[], codes: string[],
  expression?: RegExp,
};
// Seen is the texts of an element that queries are compared with; a Hit is one that fits a query.
type Seen = { el: El, role: string, live: boolean, said: string, text: string, words: string[], textWords: string[], order: number };
type Hit = Seen & { tier: number, score: number, layer?: number, isCell?: boolean, cell?: El, select?: El };
type Scope = { role: string, label: string, text: string, unit: boolean };

// OptionParts identifies an option. `drawn` is its text without the parts that style adds, as a hint to the highlighted one.
type OptionParts = { text: string, drawn?: string, value: string | null, group: string, disabled: boolean, list: El | null };
// ChosenBefore is the content of a list and its control before an option is clicked.
type ChosenBefore = { text: string, markup: string, others: string[], shown: string, marks: string, copies: number };
type GridColumn = { cell: El, at: number, row: GridRow, name: string };
type Day = { el: El, day: number };
type DrawnSlider = { track: El, handles: El[], box: El };
type Rating = { items: El[], strip: number }; // strip is the number of pictures in one strip, 0 for a row of items

// Marks tell which elements of one document are alike.
type Marks = { role: string, name: string, kind: string, text: string, frame: string };
type Identity = { role: string, name: string, testId: string, text: string, tag: string, kind: string };

// Place says where a site's value stands.
type Place = {
  role?: string, name?: string, testId?: string, text?: string, tag?: string, kind?: string, css?: string, label?: string,
  attribute?: string, read?: string, list?: boolean, members?: Record<string, Place>, within?: Place, has?: string, notText?: string,
};
type Found = { el: El, said?: undefined } | { el?: undefined, said: string }; // an element, or a text that is no element of its own
type SiteValue = { value?: string, values?: (SiteValue | { members: Record<string, SiteValue> })[], problem?: unknown, near?: string[] };

// ReadOptions are the options of a reading.
type ReadOptions = {
  n?: number, selector?: string, mode: number, depth: number, head: number, sigil?: string, values?: boolean, hidden?: boolean,
  boxes?: boolean, frame?: number[], part?: boolean,
};
type FrameLine = { frameKey: number, line: number, depth: number };
type Plan = { mode: number, focused: El | null, maxDepth: number, frames: FrameLine[], o: ReadOptions, root: El, site: string, owners: Map<El, El>, passed: Set<El>, placed: Set<El> };

// OutlineNode is a node of an outline with a line of its own; a Kid is one, a text, or the end of a line (null).
type OutlineNode = {
  el: El, head: string, tail: string, hint: string, role: string, name: string, ref: string, named: boolean, live: boolean,
  leaf: boolean, frameKey: number, kids: Kid[],
};
type Kid = string | OutlineNode | null;
type RowNode = { node: OutlineNode, holder: Kid[] };
// PageData is the machine-readable data of a document.
type PageData = {
  url: string, jsonLd: string[], microdata: Microdata[], meta: [string, string][], terms: [string, string][],
  tables: { caption: string, headers: string[][], rows: string[][] }[], markup: [string, string][], records: Record<string, string>[],
};
type Microdata = { [name: string]: MicrodataValue | MicrodataValue[] };
type MicrodataValue = string | Microdata | null;

type TransferItem = { el: El, text: string, selected: boolean | null, known: boolean, disabled: boolean, selectable: boolean };
type Sides = { source: TransferItem[], target: TransferItem[] };
type TransferList = { box: El, source: El, target: El, middle: El[] };
type Transfer = TransferList & {
  values: string[], clicked: Set<string>, tried: Set<string | number>, idle: Set<string | number> | null, moves?: boolean,
  pending: { button: string | number, left: number, shown: string } | null,
};
