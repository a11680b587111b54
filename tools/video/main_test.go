package video_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }
