// What the files of the runtime share. emit.go writes SITE before them.

// SiteElement is an element of any kind: a property that its kind lacks is undefined.
type SiteElement = HTMLElement & {
  alt: string, cells: HTMLCollectionOf<SiteElement> | undefined, checked: boolean | undefined, label: string, labels: NodeListOf<HTMLElement> | null | undefined,
  multiple: boolean, options: HTMLCollectionOf<SiteElement>, placeholder: string, rows: HTMLCollectionOf<SiteElement> | undefined, scope: string,
  selected: boolean, size: number, type: string, value: string,
};

// What the browser's own methods return is a SiteElement too.
interface ParentNode {
  querySelector(css: string): SiteElement | null;
  querySelectorAll(css: string): NodeListOf<SiteElement>;
}
interface Element { closest(css: string): SiteElement | null }

type Args = Record<string, unknown>;

// Marks say which element is meant.
type Marks = {
  role?: string, name?: string, tag?: string, kind?: string, testId?: string, text?: string, has?: string, notText?: string, css?: string,
  within?: Marks, label?: string, frame?: string, nth?: number, of?: number,
};
// Outcome is an element or that a condition holds, or the reason why not.
type Outcome = { ok?: true, el?: SiteElement, reason?: string };

type Observation = { element?: Marks, url?: string, not?: Observation, all?: Observation[], any?: Observation[] };
type Want = string | { contains?: string, equals?: string, matches?: string };
type CountWant = { selector: string, eq?: number, min?: number, max?: number };
type Contract = Record<string, unknown>;
type Step = {
  action: string, type: string, value: string, target: Marks, when?: Observation, optional?: boolean, expect?: Contract,
};
type Extraction = {
  property: string, element: Marks, read?: string, attribute?: string, pattern?: string, list?: boolean, members?: Extraction[],
};
type Tool = {
  name: string, description: string, inputSchema: object, readOnly: boolean, needs: string, defaults: Args, parameters: string[],
  start?: string, steps: Step[], sets: string[], clears: string[], postcondition?: Contract, extract?: Extraction[],
  visible: (facts: Record<string, boolean>) => boolean,
};

declare const SITE: { facts: Record<string, Observation>, values: Args, tools: Tool[] };

// The draft of WebMCP.
interface Document {
  modelContext?: {
    registerTool?: (tool: {
      name: string, description: string, inputSchema: object, annotations: { readOnlyHint: boolean },
      execute: (args: Args | undefined, context?: { signal?: AbortSignal }) => Promise<unknown>,
    }, options: { signal: AbortSignal }) => void,
  };
}
