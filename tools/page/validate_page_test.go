package page_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestValidatePage(t *testing.T) {
	c, home := openReading(t)
	c.Expect("validate_page", tooltest.Args{"captureConsoleMs": 0}, "ok t", "0 warnings", "1 form,", "Desk lamp")
	c.Expect("validate_page", tooltest.Args{"url": home + "/missing", "captureConsoleMs": 0}, "http_error 404")
	c.Expect("validate_page", tooltest.Args{"url": "http://127.0.0.1:1/", "captureConsoleMs": 0}, "navigation_failed")
	c.Expect("validate_page", tooltest.Args{"url": "data:text/html,<script>console.error('broken');null.x</script>", "captureConsoleMs": 300}, "broken", "error: ")
	c.Expect("validate_page", tooltest.Args{"captureConsoleMs": 0, "waitForSelector": "body"}, "t")
	c.ExpectRefusal("INVALID_ARGUMENTS", "validate_page", tooltest.Args{"captureConsoleMs": 10001}, "/captureConsoleMs")
}
