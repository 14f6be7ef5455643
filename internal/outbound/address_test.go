package outbound

import (
	"net/netip"
	"testing"
)

// A name of this machine may lead anywhere; what is dialled decides.
func TestWhatIsDialledDecides(t *testing.T) {
	for address, refused := range map[string]bool{"127.0.0.1:80": false, "[::1]:80": false, "[::ffff:127.0.0.1]:80": false,
		"93.184.216.34:80": true, "[::]:80": true, "x": true} {
		if err := (Address{Local: true}).control(t.Context(), "tcp", address, nil); (err != nil) != refused {
			t.Errorf("%s: %v", address, err)
		}
	}
	elsewhere := netip.AddrPortFrom(netip.IPv4Unspecified(), 1).String()
	if err := (Address{}).control(t.Context(), "tcp", elsewhere, nil); err != nil {
		t.Error(err)
	}
}
