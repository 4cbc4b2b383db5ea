package test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// sarama#2656 and PR#3283: TLS to a socket that never answers the handshake. Upstream waits its 30 s, twice or more.
func TestC25SilentTLS(t *testing.T) {
	t.Parallel()
	server := &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}}
	for k := 1; k <= 3; k++ {
		network := faults.New(t)
		cluster := faults.NewCluster(t, 4, faults.WithTLS(server)).SetTopic("t", 4)
		network.Set(faults.Silent, cluster.Addrs(ids(1, k)...)...)
		cfg := newConfig(network)
		cfg.Net.TLS.Enable = true
		cfg.Net.TLS.Config = &tls.Config{InsecureSkipVerify: true}
		start := time.Now()
		newClient(t, network, cfg, cluster.Addrs()...)
		if took := time.Since(start); took > delays(k)+slack {
			t.Errorf("%d of 4 silent: NewClient took %v", k, took)
		}
	}
}

// selfSigned makes a certificate for the loopback address.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
