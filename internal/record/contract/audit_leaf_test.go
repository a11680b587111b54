package contract_test

import (
	"context"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/record/contract"
)

func TestAuditVerdicts(t *testing.T) {
	t.Parallel()
	findings := []contract.AuditFinding{
		{ID: "image-alt", Category: "accessibility", Impact: "critical", Total: 2}, {ID: "region", Category: "accessibility", Impact: "moderate", Total: 1},
		{ID: "title", Category: "seo", Impact: "serious", Total: 1},
	}
	known := contract.AuditReport{Findings: findings}
	partly := contract.AuditReport{Findings: findings, Incomplete: map[string]string{"accessibility": "a frame could not be entered"}}
	for text, want := range map[string][2]contract.Verdict{ // where all is known, and where a frame is missing
		`{"audit":{"accessibility":{"max":2}}}`:                       {contract.Pass, contract.Inconclusive},
		`{"audit":{"accessibility":1}}`:                               {contract.Fail, contract.Fail},
		`{"audit":{"accessibility":{"max":0}}}`:                       {contract.Fail, contract.Fail},
		`{"audit":{"accessibility":{"max":1,"impact":"serious"}}}`:    {contract.Pass, contract.Inconclusive},
		`{"audit":{"accessibility":{"min":2}}}`:                       {contract.Pass, contract.Pass},
		`{"audit":{"accessibility":{"min":3}}}`:                       {contract.Fail, contract.Inconclusive},
		`{"audit":{"seo":{"max":0},"accessibility":{"max":5}}}`:       {contract.Fail, contract.Fail},
		`{"audit":{"seo":{"max":1},"accessibility":{"max":5}}}`:       {contract.Pass, contract.Inconclusive},
		`{"audit":{"security":{"max":0}}}`:                            {contract.Pass, contract.Pass},
		`{"not":{"audit":{"accessibility":{"max":0}}}}`:               {contract.Pass, contract.Pass},
		`{"not":{"audit":{"accessibility":{"max":2}}}}`:               {contract.Fail, contract.Inconclusive},
		`{"audit":{"accessibility":{"max":9,"rules":["image-alt"]}}}`: {contract.Pass, contract.Inconclusive},
	} {
		c := parse(t, text)
		for i, report := range []contract.AuditReport{known, partly} {
			if got := c.Judge(context.Background(), &table{audit: report}, contract.Options{}).Verdict; got != want[i] {
				t.Errorf("%s on %+v: %v, want %v", text, report.Incomplete, got, want[i])
			}
		}
		if got := c.Judge(context.Background(), &table{auditError: errNone}, contract.Options{}).Verdict; got != contract.Inconclusive {
			t.Errorf("%s without evidence: %v", text, got)
		}
	}
}

func TestAuditProblems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"audit":{}}`:                                 "name a category",
		`{"audit":{"accesibility":{"max":0}}}`:         `did you mean "accessibility"?`,
		`{"audit":{"unused_code":{"max":0}}}`:          "unknown property",
		`{"audit":{"seo":{"impact":"serious"}}}`:       "give max, or min",
		`{"audit":{"seo":{"max":0,"impact":"awful"}}}`: "critical, serious, moderate, minor",
		`{"audit":{"seo":{"max":0.5}}}`:                "whole number",
		`{"audit":{"seo":{"max":0,"rules":"title"}}}`:  "a list of texts",
		`{"audit":true}`:                               "expected an object",
	} {
		_, problems := contract.Parse([]byte(text))
		if got := problems.Error(); len(problems) == 0 || !strings.Contains(got, want) && !strings.Contains(problems[0].Hint, want) {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
	}
}
