// One answer for each plan, on a device that may stop at any moment: it is on the disk before it is sent, what may not
// have arrived is sent again as the same bytes, and no other is ever drawn.
package main

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The states of an answer: it may not have arrived; it has; it is to be deleted, and sent no more; it is deleted.
const (
	kept         = "kept"
	acknowledged = "acknowledged"
	withdrawing  = "withdrawing"
	withdrawn    = "withdrawn"
)

// stored is what the device keeps of its answer: never a value of the record. It goes to its collector's host alone:
// nobody agreed to send it elsewhere.
type stored struct {
	State  string
	Id     string
	Host   string
	Upload json.RawMessage `json:",omitempty"`
}

// outbox is a folder of this person's alone, with a file for each plan.
type outbox struct{ folder string }

func (o outbox) path(hash string) string {
	return filepath.Join(o.folder, strings.TrimPrefix(hash, "sha256:")+".json")
}

// find gives nil where nothing was drawn yet.
func (o outbox) find(hash string) (found *stored, err error) {
	text, err := os.ReadFile(o.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err == nil {
		err = json.Unmarshal(text, &found)
	}
	// Damaged, it is not the same as nothing: another draw would be a second release.
	if err == nil && (found == nil || found.State == "" || found.Host == "" || len(found.Id) != 32) {
		err = errors.New("the stored answer is damaged: no other one is drawn")
	}
	return found, err
}

// findFor gives what find does, or an error where the answer is for another collector, whatever the port.
func (o outbox) findFor(c *collector) (*stored, error) {
	found, err := o.find(c.hash)
	if err == nil && found != nil && found.Host != c.host {
		err = fmt.Errorf("this device's answer is for %s, and goes to no other collector", found.Host)
	}
	return found, err
}

// reserve draws an answer unless there is one, and returns once it is on the disk. Of several processes that do so at
// once the first one's counts: a link is not made where there is one.
func (o outbox) reserve(c *collector, p plan, record object) (*stored, error) {
	if found, err := o.findFor(c); found != nil || err != nil {
		return found, err
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return nil, err
	}
	drawn, err := p.upload(record, hex.EncodeToString(id))
	if err != nil {
		return nil, err
	}
	temporary, err := o.write(stored{kept, hex.EncodeToString(id), c.host, drawn})
	if err != nil {
		return nil, err
	}
	defer os.Remove(temporary)
	if err := os.Link(temporary, o.path(p.Hash)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := o.settle(); err != nil {
		return nil, err
	}
	return o.findFor(c)
}

// note writes the next state of an answer, whole or not at all.
func (o outbox) note(hash string, next stored) error {
	temporary, err := o.write(next)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, o.path(hash)); err != nil {
		return err
	}
	return o.settle()
}

// write gives a file of its own, whose bytes are on the disk.
func (o outbox) write(content stored) (string, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(o.folder, "answer-")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	return file.Name(), firstOf(err, file.Sync(), file.Close())
}

// settle waits until the names in the folder are on the disk, too.
func (o outbox) settle() error {
	folder, err := os.Open(o.folder)
	if err != nil {
		return err
	}
	return firstOf(folder.Sync(), folder.Close())
}

func firstOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// upload is the report of a record as a collector takes it: an id, the code, and what is sent in clear.
func (p plan) upload(record object, id string) (text json.RawMessage, err error) {
	// The client says by panics what it refuses; none of them holds a value.
	defer func() {
		if refused := recover(); refused != nil {
			err = fmt.Errorf("the record does not answer the plan: %v", refused)
		}
	}()
	drawn := make(words, 1<<14)
	if err := binary.Read(rand.Reader, binary.LittleEndian, drawn); err != nil {
		return nil, err
	}
	report := object{"id": id, "code": p.report(record, &drawn).String()}
	if len(p.Public) > 0 {
		report["public"] = p.inClear(record)
	}
	return json.Marshal(object{"reports": []object{report}})
}

// inClear is what a report says of public columns.
func (p plan) inClear(record object) object {
	found := object{}
	for _, column := range p.Public {
		found[column.Name] = choose(record[column.Name] == nil, column.Missing, record[column.Name])
	}
	return found
}

// open reads a plan whose hash was given.
func open(text []byte, hash string) (found plan, err error) {
	defer func() {
		if refused := recover(); refused != nil {
			err = fmt.Errorf("what was fetched is no plan that this client reads: %v", refused)
		}
	}()
	if found = read(text); found.Hash != hash {
		return found, errors.New("what was fetched is another plan than the address names")
	}
	return found, nil
}
