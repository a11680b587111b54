package gateway

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// The numbers of SOCKS version 5 (RFC 1928).
const (
	version        = 5
	commandConnect = 1

	addressIPv4 = 1
	addressName = 3
	addressIPv6 = 4

	succeeded       = 0
	generalFailure  = 1
	notAllowed      = 2
	hostUnreachable = 4
	refused         = 5
)

var errProtocol = errors.New("not a request of SOCKS version 5")

// readRequest reads the greeting, which asks for no authentication, and the request for a
// connection.
func readRequest(conn io.ReadWriter) (host, port string, err error) {
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:2]); err != nil {
		return "", "", err
	}
	if head[0] != version {
		return "", "", errProtocol
	}
	if _, err := io.CopyN(io.Discard, conn, int64(head[1])); err != nil {
		return "", "", err
	}
	if _, err := conn.Write([]byte{version, 0}); err != nil {
		return "", "", err
	}
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return "", "", err
	}
	if head[0] != version || head[1] != commandConnect {
		return "", "", errProtocol
	}
	if host, err = readHost(conn, head[3]); err != nil {
		return "", "", err
	}
	var number [2]byte
	if _, err := io.ReadFull(conn, number[:]); err != nil {
		return "", "", err
	}
	return host, strconv.Itoa(int(binary.BigEndian.Uint16(number[:]))), nil
}

func readHost(conn io.Reader, kind byte) (string, error) {
	size := map[byte]int{addressIPv4: 4, addressIPv6: 16}[kind]
	if kind == addressName {
		var length [1]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return "", err
		}
		size = int(length[0])
	}
	if size == 0 {
		return "", errProtocol
	}
	address := make([]byte, size)
	if _, err := io.ReadFull(conn, address); err != nil {
		return "", err
	}
	if kind == addressName {
		return string(address), nil
	}
	ip, _ := netip.AddrFromSlice(address)
	return ip.String(), nil
}

// reply answers a request. The address of the reply is of no use to a browser.
func reply(conn io.Writer, code byte) error {
	_, err := conn.Write([]byte{version, code, 0, addressIPv4, 0, 0, 0, 0, 0, 0})
	return err
}

func replyCode(err error) byte {
	var denied *DeniedError
	var dns *net.DNSError
	switch {
	case err == nil:
		return succeeded
	case errors.As(err, &denied):
		return notAllowed
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	case errors.As(err, &dns):
		return hostUnreachable
	}
	return generalFailure
}
