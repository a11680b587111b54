package grant_test

import (
	"errors"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/gen/toolkit/internal/key"
)

func TestGrant(t *testing.T) {
	t.Parallel()
	g, end := grant.New(key.New(), "read", "script")
	release := g.Hold()
	var refused *grant.Error
	if err := g.Check("script"); err != nil {
		t.Error(err)
	}
	if err := g.Check("window"); !errors.As(err, &refused) || refused.Power != "window" {
		t.Errorf("another power: %v", err)
	}
	end()
	if err := g.Check("script"); err != nil {
		t.Errorf("held past the end: %v", err)
	}
	release()
	release()
	if err := g.Check("script"); !errors.As(err, &refused) {
		t.Errorf("after the end: %v", err)
	}
	g.Hold()
	if err := g.Check("script"); !errors.As(err, &refused) {
		t.Errorf("held after the end: %v", err)
	}
}

func TestGrantsThatNobodyMade(t *testing.T) {
	t.Parallel()
	forged, _ := grant.New(key.Key{}, "read", "script")
	for name, g := range map[string]grant.Grant{"zero": {}, "zero key": forged, "unlimited by a zero key": grant.NewUnlimited(key.Key{}, "x")} {
		if g.Check("script") == nil {
			t.Errorf("%s grants a power", name)
		}
	}
	if err := operator.Grant("test").Check("anything"); err != nil {
		t.Error(err)
	}
}
