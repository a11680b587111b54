// What the two files of the audit share, and the parts of axe-core that they use.

type AuditTarget = { el: HTMLElement, r: DOMRect, small: boolean };

type AxeNode = { target: unknown, html: string, failureSummary?: string };
type AxeRule = { id: string, impact?: string | null, help: string, helpUrl: string, tags: string[], nodes: AxeNode[] };
type AxeResults = {
  testEngine: { version: string }, violations: AxeRule[], incomplete: AxeRule[], passes: AxeRule[], inapplicable: AxeRule[],
};

declare const axe: {
  utils: {
    shadowSelect(selector: string): Element | null,
    getFrameContexts(context: object, options: object): { frameSelector: string, frameContext: object }[],
  },
  getRules(): { ruleId: string, tags: string[] }[],
  run(context: object, options: object): Promise<AxeResults>,
  runPartial(context: object, options: object): Promise<unknown>,
  finishRun(results: unknown[], options: object): Promise<AxeResults>,
};
