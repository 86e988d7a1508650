// Command karpenter plans one input with Karpenter's own scheduler and prints what it costs and how long it takes.
//
// It reads a JSON document (see input.go) from the file it is given, or from standard input, and writes another (see Report).
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	log.SetLogger(logr.Discard())
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	text, err := read(args)
	if err != nil {
		return err
	}
	var input Input
	if err := json.Unmarshal(text, &input); err != nil {
		return fmt.Errorf("reading the input: %w", err)
	}
	report, err := measure(input)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func read(args []string) ([]byte, error) {
	if len(args) > 0 {
		return os.ReadFile(args[0])
	}
	return io.ReadAll(os.Stdin)
}
