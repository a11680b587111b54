package emulation

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// Conditions are those of a network. Throughput is in kilobits (1000) a second, 0 for unlimited.
type Conditions struct {
	Name                     string
	DownloadKbps, UploadKbps float64
	LatencyMS                float64
	Offline                  bool
	connection               network.ConnectionType
}

// Networks are the known ones, by name. The figures are those that browser tools have agreed on.
func Networks() map[string]Conditions {
	return map[string]Conditions{
		"offline":   {Name: "offline", Offline: true, connection: network.ConnectionTypeNone},
		"slow-2g":   {Name: "slow-2g", DownloadKbps: 50, UploadKbps: 20, LatencyMS: 2000, connection: network.ConnectionTypeCellular2g},
		"2g":        {Name: "2g", DownloadKbps: 250, UploadKbps: 50, LatencyMS: 300, connection: network.ConnectionTypeCellular2g},
		"3g":        {Name: "3g", DownloadKbps: 1536, UploadKbps: 750, LatencyMS: 100, connection: network.ConnectionTypeCellular3g},
		"4g":        {Name: "4g", DownloadKbps: 20480, UploadKbps: 10240, LatencyMS: 20, connection: network.ConnectionTypeCellular4g},
		"fast-wifi": {Name: "fast-wifi", DownloadKbps: 102400, UploadKbps: 51200, LatencyMS: 2, connection: network.ConnectionTypeWifi},
	}
}

func (c *Conditions) String() string {
	if c.Offline {
		return "offline"
	}
	return fmt.Sprintf("%s %g/%g kbit/s, %g ms", c.Name, c.DownloadKbps, c.UploadKbps, c.LatencyMS)
}

// bytesPerSecond is the protocol's unit; -1 does not throttle.
func bytesPerSecond(kbps float64) float64 {
	if kbps <= 0 {
		return -1
	}
	return kbps * 1000 / 8
}

// applyNetwork sets what requests meet and what navigator.onLine and navigator.connection say; the two are apart in the
// protocol.
func applyNetwork(ctx context.Context, s cdp.Session, c *Conditions) error {
	rules := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{}}
	state := network.OverrideNetworkStateParams{DownloadThroughput: -1, UploadThroughput: -1}
	if c != nil {
		down, up := bytesPerSecond(c.DownloadKbps), bytesPerSecond(c.UploadKbps)
		rules.EmulateOfflineServiceWorker = &c.Offline
		rules.MatchedNetworkConditions = append(rules.MatchedNetworkConditions, &network.Conditions{
			Latency: c.LatencyMS, DownloadThroughput: down, UploadThroughput: up, Offline: c.Offline, ConnectionType: c.connection,
		})
		state = network.OverrideNetworkStateParams{
			Offline: c.Offline, Latency: c.LatencyMS, DownloadThroughput: down, UploadThroughput: up, ConnectionType: c.connection,
		}
	}
	if err := call(ctx, s, network.EmulateNetworkConditionsByRule, rules); err != nil {
		return err
	}
	return call(ctx, s, network.OverrideNetworkState, state)
}
