package policy

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// networks are the rules about addresses that are dialled.
type networks struct {
	linkLocal, private, loopback *setting
	except                       []exception
}

type exception struct {
	prefix netip.Prefix
	rule   Rule
}

func defaultNetworks() networks {
	rule := func(text string) Rule { return Rule{Text: text} }
	return networks{
		linkLocal: &setting{rule: rule("link-local addresses and the metadata services of clouds are blocked")},
		private:   &setting{allow: true, rule: rule("private addresses are allowed")},
		loopback:  &setting{allow: true, rule: rule("loopback addresses are allowed")},
	}
}

// The ranges of addresses that rules name. A metadata service answers to any program on a machine
// of its cloud, and what it answers are the credentials of that machine.
var (
	linkLocalPrefixes = prefixes("169.254.0.0/16", "fe80::/10")
	metadataPrefixes  = prefixes("100.100.100.200/32", "fd00:ec2::254/128", "fd20:ce::254/128", "168.63.129.16/32", "192.0.0.192/32")
	privatePrefixes   = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
		"fec0::/10", "198.18.0.0/15", "192.0.0.0/24")
	loopbackPrefixes = prefixes("127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128")
	// embedding are the ranges of IPv6 whose addresses carry an IPv4 address, with its offset in
	// bytes: NAT64, 6to4 and the IPv4-compatible form.
	embedding = []struct {
		prefix netip.Prefix
		offset int
	}{
		{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("64:ff9b:1::/48"), 12},
		{netip.MustParsePrefix("2002::/16"), 2}, {netip.MustParsePrefix("::/96"), 12},
	}
)

// MetadataNames are the names of metadata services, which some resolvers of clouds answer.
func MetadataNames() []string {
	return []string{"metadata.google.internal", "metadata.goog", "metadata", "instance-data", "instance-data.ec2.internal", "metadata.tencentyun.com"}
}

func prefixes(texts ...string) []netip.Prefix {
	return slicesx.Map(texts, netip.MustParsePrefix)
}

func within(list []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// forms returns an address and the IPv4 address that it carries, if it does.
func forms(ip netip.Addr) []netip.Addr {
	ip = ip.Unmap().WithZone("")
	out := []netip.Addr{ip}
	if !ip.Is6() || ip.IsLoopback() || ip.IsUnspecified() {
		return out
	}
	bytes := ip.As16()
	for _, e := range embedding {
		if e.prefix.Contains(ip) {
			out = append(out, netip.AddrFrom4([4]byte(bytes[e.offset:e.offset+4])))
		}
	}
	return out
}

// Address decides about an address that is to be dialled.
func (p *Policy) Address(ip netip.Addr) Decision {
	n := &p.networks
	for _, e := range n.except {
		if e.prefix.Contains(ip.Unmap().WithZone("")) {
			return Decision{Verdict: Allow, Rule: e.rule}
		}
	}
	for _, form := range forms(ip) {
		for _, class := range []struct {
			prefixes []netip.Prefix
			setting  *setting
			remedy   string
		}{
			{append(slices.Clip(linkLocalPrefixes), metadataPrefixes...), n.linkLocal, "set networks.link_local: allow, or name the address under networks.except, in "},
			{loopbackPrefixes, n.loopback, "set networks.loopback: allow, or name the address under networks.except, in "},
			{privatePrefixes, n.private, "set networks.block_private: false, or name the address under networks.except, in "},
		} {
			if within(class.prefixes, form) && !class.setting.allow {
				return Decision{Verdict: Deny, Rule: class.setting.rule, Remedy: class.remedy + p.where()}
			}
		}
	}
	if !ip.IsValid() || ip.IsMulticast() {
		return Decision{Verdict: Deny, Rule: Rule{Text: "multicast addresses are blocked"}, Remedy: "no setting allows multicast addresses"}
	}
	return Decision{Verdict: Allow, Rule: Rule{Text: "the address is in no blocked range"}}
}

// hostDecision decides about a host before it is resolved: an address in writing, or the name of a
// metadata service.
func (p *Policy) hostDecision(host string) Decision {
	if ip, err := netip.ParseAddr(host); err == nil {
		return p.Address(ip)
	}
	if slices.Contains(MetadataNames(), host) && !p.networks.linkLocal.allow {
		return Decision{Verdict: Deny, Rule: p.networks.linkLocal.rule, Remedy: "set networks.link_local: allow in " + p.where()}
	}
	if (host == "localhost" || len(host) > 10 && host[len(host)-10:] == ".localhost") && !p.networks.loopback.allow {
		return p.Address(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return Decision{Verdict: Allow, Rule: Rule{Text: "the host is in no blocked range"}}
}

// RestrictsNetworks reports whether private or loopback addresses are blocked.
func (p *Policy) RestrictsNetworks() bool {
	return !p.networks.private.allow || !p.networks.loopback.allow
}

// ResolverRules returns the rules for host names with which a browser that makes its own connections
// finds no link-local address and no metadata service, in the form of --host-resolver-rules; "" if
// those are allowed. Browsers write addresses in one form before rules are looked at. Names that
// resolve to such addresses are not covered: for those a gateway has to make the connections.
func (p *Policy) ResolverRules() string {
	if p.networks.linkLocal.allow {
		return ""
	}
	hosts := []string{"169.254.*", "100.100.100.200", "168.63.129.16", "192.0.0.192"}
	for _, ip := range []string{
		"fe8?:*", "fe9?:*", "fea?:*", "feb?:*", "::ffff:a9fe:*", "fd00:ec2::254", "fd20:ce::254", "64:ff9b::a9fe:*", "2002:a9fe:*",
	} {
		hosts = append(hosts, ip, "["+ip+"]")
	}
	rules := slicesx.Map(slices.Concat(hosts, MetadataNames()), func(host string) string { return "MAP " + host + " ~NOTFOUND" })
	return strings.Join(rules, ",")
}
