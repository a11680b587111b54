package styles

import "github.com/chromedp/cdproto/cdp"

// The parts of the protocol's answers that are used. cdproto reads an absent parsedOk as false, which
// means true.
type (
	wireRange struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	wireProperty struct {
		Name      string         `json:"name"`
		Value     string         `json:"value"`
		Text      string         `json:"text"`
		Important bool           `json:"important"`
		Disabled  bool           `json:"disabled"`
		ParsedOK  *bool          `json:"parsedOk"`
		Range     *wireRange     `json:"range"`
		Longhands []wireProperty `json:"longhandProperties"`
	}
	wireStyle struct {
		Properties []wireProperty `json:"cssProperties"`
	}
	wireText struct {
		Text string `json:"text"`
	}
	wireSelector struct {
		Text        string `json:"text"`
		Specificity *struct {
			A int `json:"a"`
			B int `json:"b"`
			C int `json:"c"`
		} `json:"specificity"`
	}
	wireContainer struct {
		Name      string `json:"name"`
		Condition string `json:"conditionText"`
	}
	wireRule struct {
		Sheet     cdp.StyleSheetID `json:"styleSheetId"`
		Selectors struct {
			Selectors []wireSelector `json:"selectors"`
			Text      string         `json:"text"`
		} `json:"selectorList"`
		Nesting    []string          `json:"nestingSelectors"`
		Origin     string            `json:"origin"`
		Style      wireStyle         `json:"style"`
		Tree       cdp.BackendNodeID `json:"originTreeScopeNodeId"`
		Media      []wireText        `json:"media"`
		Containers []wireContainer   `json:"containerQueries"`
		Supports   []wireText        `json:"supports"`
		Layers     []wireText        `json:"layers"`
		Scopes     []wireText        `json:"scopes"`
	}
	wireMatch struct {
		Rule     wireRule `json:"rule"`
		Matching []int    `json:"matchingSelectors"`
	}
	wirePseudo struct {
		Type       string      `json:"pseudoType"`
		Identifier string      `json:"pseudoIdentifier"`
		Matches    []wireMatch `json:"matches"`
	}
	wireInherited struct {
		Inline *wireStyle  `json:"inlineStyle"`
		Rules  []wireMatch `json:"matchedCSSRules"`
	}
	wireKeyframes struct {
		Name      wireText `json:"animationName"`
		Keyframes []struct {
			Sheet cdp.StyleSheetID `json:"styleSheetId"`
			Key   wireText         `json:"keyText"`
			Style wireStyle        `json:"style"`
		} `json:"keyframes"`
	}
	wireMatched struct {
		Inline     *wireStyle      `json:"inlineStyle"`
		Attributes *wireStyle      `json:"attributesStyle"`
		Rules      []wireMatch     `json:"matchedCSSRules"`
		Pseudo     []wirePseudo    `json:"pseudoElements"`
		Inherited  []wireInherited `json:"inherited"`
		Keyframes  []wireKeyframes `json:"cssKeyframesRules"`
	}
	wireAnimated struct {
		Animations []struct {
			Name  string    `json:"name"`
			Style wireStyle `json:"style"`
		} `json:"animationStyles"`
		Transitions *wireStyle `json:"transitionsStyle"`
	}
)

func (p wireProperty) isInvalid() bool { return p.ParsedOK != nil && !*p.ParsedOK }
