// Answers one plan, or takes the answer back: what an app on a phone does, as a command.
//
//	go run . -signed-by KEY https://collector.example/plans/sha256:... record.json
//	go run . -take-back https://collector.example/plans/sha256:...
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	key := flag.String("signed-by", "", "the public `key` that must have signed the plan, from elsewhere")
	back := flag.Bool("take-back", false, "have the collector delete the answer")
	store := flag.String("store", "", "the `folder` of this device's answers")
	flag.Parse()
	c, err := newCollector(flag.Arg(0), *key)
	if err == nil && *store == "" {
		*store, err = os.UserConfigDir()
		*store = filepath.Join(*store, "sordino-client")
	}
	done := ""
	if err == nil && *back {
		done, err = "Your answer is taken back.", takeBack(outbox{*store}, c)
	} else if err == nil {
		record := func() (object, error) { return readRecord(flag.Arg(1)) }
		done, err = "Your answer has arrived.", answerOnce(outbox{*store}, c, record)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(done)
}

// answerOnce goes on where it stopped before: a stored answer is sent as it is, an acknowledged one not at all. The
// plan is fetched, and the record read, only where nothing was drawn yet.
func answerOnce(o outbox, c *collector, record func() (object, error)) error {
	found, err := o.findFor(c)
	if err == nil && found == nil {
		found, err = drawOnce(o, c, record)
	}
	if err != nil {
		return err
	}
	if found.State == withdrawing || found.State == withdrawn {
		return errors.New("this device took its answer back: it draws no other")
	}
	if found.State == acknowledged {
		return nil
	}
	if err := c.send(found.Upload); err != nil {
		return fmt.Errorf("%w: the same answer is sent next time", err)
	}
	return o.note(c.hash, stored{State: acknowledged, Id: found.Id, Host: found.Host})
}

func drawOnce(o outbox, c *collector, record func() (object, error)) (*stored, error) {
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	values, err := record()
	if err != nil {
		return nil, err
	}
	return o.reserve(c, p, values)
}

// takeBack first notes that the answer is sent no more, then asks until the collector confirms.
func takeBack(o outbox, c *collector) error {
	found, err := o.findFor(c)
	if err != nil {
		return err
	}
	if found == nil {
		return errors.New("there is no answer on this device")
	}
	if found.State == withdrawn {
		return nil
	}
	if err := o.note(c.hash, stored{State: withdrawing, Id: found.Id, Host: found.Host}); err != nil {
		return err
	}
	if err := c.erase(found.Id); err != nil {
		return fmt.Errorf("%w: take it back again", err)
	}
	return o.note(c.hash, stored{State: withdrawn, Id: found.Id, Host: found.Host})
}

func readRecord(path string) (found object, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		return nil, errors.New("the record must be a file with a JSON object: a value of each attribute")
	}
	return found, nil
}
