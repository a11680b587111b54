// Question is a request of the Go side about an element.
type Question = { pseudo?: string } & (
  { ask: 'values', properties: string[] } | { ask: 'names' } | { ask: 'longhands', names: string[] } |
  { ask: 'hops', scopes: string[] } | { ask: 'rules', rules: { selectors: string[], conditions: string[] }[] } |
  { ask: 'supports', property: string, value: string } | { ask: 'weigh', limit: number } | { ask: 'viewport' }
);
