package emulation

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// Conditions describe a network. Throughput is in kilobits (1000) per second; 0 does not throttle.
type Conditions struct {
	Name                     string
	DownloadKbps, UploadKbps float64
	LatencyMS                float64
	Offline                  bool
	connection               network.ConnectionType
}

// Networks returns the known conditions by name, with the figures that browser tools commonly use.
func Networks() map[string]Conditions {
	all := map[string]Conditions{
		"offline":   {Offline: true, connection: network.ConnectionTypeNone},
		"slow-2g":   {DownloadKbps: 50, UploadKbps: 20, LatencyMS: 2000, connection: network.ConnectionTypeCellular2g},
		"2g":        {DownloadKbps: 250, UploadKbps: 50, LatencyMS: 300, connection: network.ConnectionTypeCellular2g},
		"3g":        {DownloadKbps: 1536, UploadKbps: 750, LatencyMS: 100, connection: network.ConnectionTypeCellular3g},
		"4g":        {DownloadKbps: 20480, UploadKbps: 10240, LatencyMS: 20, connection: network.ConnectionTypeCellular4g},
		"fast-wifi": {DownloadKbps: 102400, UploadKbps: 51200, LatencyMS: 2, connection: network.ConnectionTypeWifi},
	}
	for name, c := range all {
		c.Name = name
		all[name] = c
	}
	return all
}

func (c *Conditions) String() string {
	if c.Offline {
		return "offline"
	}
	return fmt.Sprintf("%s %g/%g kbit/s, %g ms", c.Name, c.DownloadKbps, c.UploadKbps, c.LatencyMS)
}

// bytesPerSecond converts to CDP's unit, in which -1 does not throttle.
func bytesPerSecond(kbps float64) float64 {
	if kbps <= 0 {
		return -1
	}
	return kbps * 1000 / 8
}

// applyNetwork sets the conditions of requests and the values of navigator.onLine and
// navigator.connection, for which CDP has separate commands.
func applyNetwork(ctx context.Context, s cdp.Session, c *Conditions) error {
	rules := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{}}
	state := network.OverrideNetworkStateParams{DownloadThroughput: -1, UploadThroughput: -1}
	if c != nil {
		down, up := bytesPerSecond(c.DownloadKbps), bytesPerSecond(c.UploadKbps)
		rules.EmulateOfflineServiceWorker = &c.Offline
		rules.MatchedNetworkConditions = append(rules.MatchedNetworkConditions, &network.Conditions{
			Latency: c.LatencyMS, DownloadThroughput: down, UploadThroughput: up, Offline: c.Offline,
			ConnectionType: c.connection,
		})
		state = network.OverrideNetworkStateParams{
			Offline: c.Offline, Latency: c.LatencyMS, DownloadThroughput: down, UploadThroughput: up,
			ConnectionType: c.connection,
		}
	}
	if err := call(ctx, s, network.EmulateNetworkConditionsByRule, rules); err != nil {
		return err
	}
	return call(ctx, s, network.OverrideNetworkState, state)
}
