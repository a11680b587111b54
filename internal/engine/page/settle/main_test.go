package settle_test

import (
	"os"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Run(m)) }
