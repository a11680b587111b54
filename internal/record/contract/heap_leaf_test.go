package contract_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/record/contract"
)

// TestHeapBounds judges a page that has grown from 4 to 5 MB.
func TestHeapBounds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]contract.Verdict{
		`{"heap":"< 1.1 MB"}`: contract.Pass, `{"heap":"< 1 MB"}`: contract.Fail, `{"heap":{"growth":"<= 1000 kB"}}`: contract.Pass,
		`{"heap":{"growth":"<1MiB"}}`: contract.Pass, `{"heap":{"growth":"< 999999"}}`: contract.Fail, `{"heap":{"size":"<= 5000000 B"}}`: contract.Pass,
		`{"heap":{"size":"< 5 MB"}}`: contract.Fail, `{"heap":{"size":"< 5 MB","growth":"< 2 MB"}}`: contract.Fail, `{"not":{"heap":"< 0 B"}}`: contract.Pass,
	} {
		facts := map[string]contract.Verdict{"heap": contract.Pass}
		if got := parse(t, text).Judge(t.Context(), &table{verdicts: facts}, contract.Options{}).Verdict; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	r := parse(t, `{"not":{"heap":"< 1 MB"}}`).Judge(t.Context(), &table{}, contract.Options{})
	if r.Verdict != contract.Inconclusive || r.Reason == "" {
		t.Errorf("without a baseline: %+v", r)
	}
	if r := parse(t, `{"heap":{"size":"< 9 MB"}}`).Judge(t.Context(), &table{}, contract.Options{}); r.Verdict != contract.Pass {
		t.Errorf("a size needs no baseline: %+v", r)
	}
}
