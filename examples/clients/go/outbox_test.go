package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fake is a collector that answers by turns: a status for each request, 0 for a connection that breaks once it was
// read.
type fake struct {
	*httptest.Server
	text     []byte
	private  ed25519.PrivateKey
	statuses []int
	asked    []string
	bodies   [][]byte
}

func collecting(t *testing.T, statuses ...int) (*fake, outbox, string) {
	var file vectors
	load(t, filepath.Join(os.Getenv("VECTORS"), "randomized.json"), &file)
	_, private, _ := ed25519.GenerateKey(nil)
	f := &fake{text: []byte(file.Plan), private: private, statuses: statuses}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f, outbox{filepath.Join(t.TempDir(), "answers")}, f.URL + "/plans/" + read(f.text).Hash
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	route := filepath.Base(r.URL.Path)
	if r.Method == "GET" && route == "signature" {
		json.NewEncoder(w).Encode(object{"signature": hex.EncodeToString(ed25519.Sign(f.private, f.text))})
		return
	} else if r.Method == "GET" {
		w.Write(f.text)
		return
	}
	body, _ := io.ReadAll(r.Body)
	f.asked, f.bodies = append(f.asked, route+r.Header.Get("Sordino-Invitation")), append(f.bodies, body)
	status := f.statuses[0]
	f.statuses = f.statuses[1:]
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(choose(status == 201, 200, status))
	if status == 200 && route == "erase" {
		json.NewEncoder(w).Encode(object{"outcome": "no code is kept under this id"})
	} else {
		json.NewEncoder(w).Encode(object{"accepted": 1, "repeated": 0})
	}
}

func (f *fake) key() string { return hex.EncodeToString(f.private.Public().(ed25519.PublicKey)) }

func right() (object, error) { return object{"x": "b"}, nil }

func device(t *testing.T, address, key string) *collector {
	c, err := newCollector(address, key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAnAnswerIsSentAsItIsUntilItIsAcknowledged(t *testing.T) {
	f, o, address := collecting(t, 0, 503, 200, 500, 201, 200)
	for i, arrives := range []bool{false, false, true, true} {
		// Each time an app of its own, that knows nothing but the folder.
		if err := answerOnce(o, device(t, address+"#invitation=abc", f.key()), right); (err == nil) != arrives {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if len(f.bodies) != 3 || !bytes.Equal(f.bodies[0], f.bodies[1]) || !bytes.Equal(f.bodies[0], f.bodies[2]) {
		t.Fatalf("%q", f.bodies)
	}
	if f.asked[0] != "reportsabc" {
		t.Error("the invitation did not go with it")
	}
	var sent struct{ Reports []struct{ Id, Code string } }
	json.Unmarshal(f.bodies[0], &sent)
	// 201 stands for a page of a proxy that says 200.
	for i, arrives := range []bool{false, false, true, true} {
		if err := takeBack(o, device(t, address, "")); (err == nil) != arrives {
			t.Fatalf("taking back %d: %v", i, err)
		}
		if err := answerOnce(o, device(t, address, ""), right); err == nil {
			t.Error("it answered again")
		}
	}
	for _, body := range f.bodies[3:] {
		if string(body) != `{"id":"`+sent.Reports[0].Id+`"}` {
			t.Errorf("%s", body)
		}
	}
	if len(f.bodies) != 6 {
		t.Errorf("%q", f.asked)
	}
}

func TestAnAnswerGoesToItsOwnCollectorAlone(t *testing.T) {
	f, o, address := collecting(t, 0, 200, 200)
	other, _, elsewhere := collecting(t)
	elsewhere = strings.Replace(elsewhere, "127.0.0.1", "[::1]", 1)
	for i := 0; i < 2; i++ {
		answerOnce(o, device(t, address, ""), right)
		for _, try := range []func() error{
			func() error { return answerOnce(o, device(t, elsewhere, ""), right) },
			func() error { return takeBack(o, device(t, elsewhere, "")) },
		} {
			if err := try(); err == nil || !strings.Contains(err.Error(), "is for 127.0.0.1, and goes to no other") {
				t.Error(err)
			}
		}
	}
	if err := takeBack(o, device(t, address, "")); err != nil || len(f.bodies) != 3 || len(other.bodies) != 0 {
		t.Errorf("%v %q %q", err, f.asked, other.asked)
	}
}

func TestOfManyAppsAtOnceOneDraws(t *testing.T) {
	f, o, address := collecting(t)
	c := device(t, address, "")
	var group sync.WaitGroup
	found := make([]*stored, 32)
	for i := range found {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			found[i], _ = o.reserve(c, read(f.text), object{"x": "b"})
		}(i)
	}
	group.Wait()
	for _, each := range found {
		if each == nil || each.Id != found[0].Id || !bytes.Equal(each.Upload, found[0].Upload) {
			t.Fatal("two answers were drawn")
		}
	}
	if left, _ := os.ReadDir(o.folder); len(left) != 1 {
		t.Errorf("%v", left)
	}
}

func TestWhatIsWrongDrawsNothing(t *testing.T) {
	f, o, address := collecting(t)
	other := hex.EncodeToString(make([]byte, 32))
	for _, key := range []string{other, "12", "x"} {
		if err := answerOnce(o, device(t, address, key), right); err == nil {
			t.Errorf("a plan that %s did not sign was answered", key)
		}
	}
	for _, record := range []object{{"x": "z"}, {"x": 1.0}, {"x": "b", "y": "b"}, {"x": []any{}}} {
		given := func() (object, error) { return record, nil }
		if err := answerOnce(o, device(t, address, f.key()), given); err == nil {
			t.Errorf("%v was answered", record)
		}
	}
	f.text = bytes.Replace(f.text, []byte(`"people"`), []byte(`"peopel"`), 1)
	if err := answerOnce(o, device(t, address, ""), right); err == nil {
		t.Error("another plan was answered")
	}
	if left, _ := os.ReadDir(o.folder); len(left)+len(f.asked) != 0 {
		t.Errorf("%v was kept, %v sent", left, f.asked)
	}
	if takeBack(o, device(t, address, "")) == nil {
		t.Error("nothing was taken back")
	}
}

func TestADamagedAnswerIsNotDrawnAnew(t *testing.T) {
	f, o, address := collecting(t)
	o.reserve(device(t, address, ""), read(f.text), object{"x": "b"})
	for _, text := range []string{"", "{", "null", "{}", `{"State":"kept"}`} {
		os.WriteFile(o.path(read(f.text).Hash), []byte(text), 0o600)
		c := device(t, address, "")
		if answerOnce(o, c, right) == nil || takeBack(o, c) == nil {
			t.Errorf("%q passed", text)
		}
	}
}

func TestAddresses(t *testing.T) {
	hash := "/plans/sha256:" + hex.EncodeToString(make([]byte, 32))
	for _, address := range []string{
		"", "x", "http://example.org" + hash, "ftp://127.0.0.1" + hash, "https://a" + hash + "0", "https://a" + hash + "?x",
		"https://u:p@a" + hash, "https://a" + hash + "/form", "http://127.0.0.1.example.org" + hash,
	} {
		if _, err := newCollector(address, ""); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
}
