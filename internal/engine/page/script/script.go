// Package script holds the code that readings and actions run in a page: ES modules in folders named as
// the layers of the engine, and the bundle of them. It knows no Go type of the engine: package page
// injects it and decodes its responses.
//
// A module imports modules of its own folder and of lower ones: dom, document, settle, locate, read,
// input, widget, and engine.js, which has the operations.
package script

import _ "embed"

//go:generate go run ../../../jsbundle/cmd/jsbundle engine.js callsheetEngine callsheet:engine bundle.js

// Engine is the engine as one expression whose value is the entry function. A second evaluation in the
// same document returns the first one's.
//
//go:embed bundle.js
var Engine string

// InputBarrier blocks input in a document that replaces the target document of an action.
//
//go:embed input/input_barrier.js
var InputBarrier string

// Delegated finds the elements whose handlers a framework calls from a listener of its own at the
// root: it leaves them in properties of the elements, which only the page's own world sees.
//
//go:embed input/delegated.js
var Delegated string

// Internals finds the custom elements whose class attaches element internals.
//
//go:embed input/internals.js
var Internals string

// Prompts tells by the binding PromptBinding, in the page's own world, what a page asks of a person by windows of the
// browser, and answers where no person can.
//
//go:embed input/prompts.js
var Prompts string

// Clipboard serves the session's clipboard to a page by the same binding. It comes before Prompts.
//
//go:embed input/clipboard.js
var Clipboard string

// PromptBinding is the name of the binding, which Prompts takes away from the page.
const PromptBinding = "callsheetPrompt"

// PickerSettled is the message of Prompts when a picker has its files or is cancelled.
const PickerSettled = "settled"
