package document

import (
	"errors"
	"testing"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
)

func TestPageThatReloadsAllTheTimeIsGivenUp(t *testing.T) {
	r := NewReplacements()
	for range 10 * maxReplacements {
		if err := r.Add(); err != nil {
			t.Fatalf("a quick chain of redirects is given up: %v", err)
		}
	}
	r = &Replacements{begun: time.Now().Add(-replacementTimeout)}
	for range maxReplacements - 1 {
		if err := r.Add(); err != nil {
			t.Fatalf("a slow chain of redirects is given up: %v", err)
		}
	}
	err := r.Add()
	if reloading, ok := errors.AsType[*ReloadingError](err); !ok || reloading.Documents != maxReplacements || reloading.Code() != codes.Timeout {
		t.Errorf("%v", err)
	}
}
