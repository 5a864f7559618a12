// A collector as a device asks it: a plan, checked by hash and signature; one report; and to delete it.
package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// most is how many bytes of an answer are read.
const most = 64 << 20

var planPath = regexp.MustCompile(`^.*/plans/(sha256:[0-9a-f]{64})$`)

type collector struct {
	address, host, hash, key, invitation string
	client                               *http.Client
}

// newCollector takes a plan's address, perhaps that of a link (#key=, #invitation=), and a key that is known from
// elsewhere.
func newCollector(address, key string) (*collector, error) {
	place, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address must be that of a plan")
	}
	link, err := url.ParseQuery(place.Fragment)
	found := planPath.FindStringSubmatch(place.Path)
	if err != nil || found == nil || place.RawQuery != "" || place.User != nil {
		return nil, errors.New("the address must end in /plans/sha256: and 64 hexadecimal digits")
	}
	// Nobody on the way must read or change it; this machine's own traffic goes no way.
	if own := net.ParseIP(place.Hostname()); place.Scheme != "https" && !(place.Scheme == "http" && own.IsLoopback()) {
		return nil, errors.New("the address must begin with https")
	}
	place.Fragment = ""
	straight := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: time.Minute, CheckRedirect: straight}
	known := choose(key == "", link.Get("key"), key)
	host := strings.TrimSuffix(strings.ToLower(place.Hostname()), ".")
	return &collector{place.String(), host, found[1], known, link.Get("invitation"), client}, nil
}

// plan fetches it, and refuses another one than the address names, or one that a known key did not sign.
func (c collector) plan() (plan, error) {
	text, err := c.ask("GET", "", nil)
	if err != nil {
		return plan{}, err
	}
	if c.key != "" {
		if err := c.verify(text); err != nil {
			return plan{}, err
		}
	}
	return open(text, c.hash)
}

// verify takes the known key alone; a key that the collector itself presents proves nothing.
func (c collector) verify(text []byte) error {
	told, err := c.ask("GET", "/signature", nil)
	if err != nil {
		return err
	}
	var found struct{ Signature string }
	err = json.Unmarshal(told, &found)
	key, wrongKey := hex.DecodeString(c.key)
	signature, wrong := hex.DecodeString(found.Signature)
	isKey := firstOf(err, wrongKey, wrong) == nil && len(key) == ed25519.PublicKeySize
	if !isKey || !ed25519.Verify(key, text, signature) {
		return errors.New("the plan is not signed by the key that was given")
	}
	return nil
}

// send delivers an upload; it is acknowledged where its one report was accepted, now or before.
func (c collector) send(upload []byte) error {
	told, err := c.ask("POST", "/reports", upload)
	if err != nil {
		return err
	}
	var found struct{ Accepted, Repeated int }
	if err := json.Unmarshal(told, &found); err != nil || found.Accepted+found.Repeated != 1 {
		return errors.New("the collector did not take the report")
	}
	return nil
}

// erase has the collector delete a report. Its answer is the same whether it had it or not.
func (c collector) erase(id string) error {
	body, err := json.Marshal(object{"id": id})
	if err != nil {
		return err
	}
	told, err := c.ask("POST", "/erase", body)
	if err != nil {
		return err
	}
	var found struct{ Outcome string }
	if err := json.Unmarshal(told, &found); err != nil || found.Outcome == "" {
		return errors.New("the collector did not delete the report")
	}
	return nil
}

func (c collector) ask(method, route string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(method, c.address+route, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.invitation != "" && (route == "/reports" || route == "/erase") {
		request.Header.Set("Sordino-Invitation", c.invitation)
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return nil, errors.New("the collector could not be reached")
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the collector answered with status %d", answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return nil, errors.New("the collector's answer did not arrive whole")
	}
	return text, nil
}
