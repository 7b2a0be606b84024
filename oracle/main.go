// Command oracle answers conformance requests from the released Go modules, one JSON answer line for each JSON request line.
//
// The TypeScript engine answers the same requests; recorded vectors, the fuzzer and the benchmarks compare the two. An
// operation is a function from request to answer, which its file adds to a table:
//
//	sets.go, values.go    field sets, paths, values
//	typed.go              operations on one or two values of a type
//	unions.go             one-of groups, which only the v4 module knows
//	updater.go            whole stories of apply and update
//	kubernetes*.go        types from Kubernetes documents, managedFields of whole objects
//	fieldmanager.go       stories of apply and update as in an API server
//	matches.go            what an apply would change, as in an API server
//
// A failure is {"error": text}. A panic inside a module is caught and answered as {"panic": text}.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// An operation computes the answer to one request.
type operation func(*request) (answer, error)

var operations = map[string]operation{}

func register(table map[string]operation) {
	for name, run := range table {
		operations[name] = run
	}
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<20)
	for {
		line, readErr := reader.ReadBytes('\n')
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := writeAnswer(writer, respond(line)); err != nil {
				return err
			}
		}
		// No more input is available, so the client may be waiting for the answer.
		if readErr == io.EOF || reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

func respond(line []byte) answer {
	req, err := parseRequest(line)
	if err != nil {
		return answer{"error": "invalid request: " + err.Error()}
	}
	result := run(req)
	if id, ok := req.fields["id"]; ok {
		result["id"] = id
	}
	return result
}

func run(req *request) (result answer) {
	defer func() {
		if fault := recover(); fault != nil {
			result = answer{"panic": fmt.Sprint(fault)}
		}
	}()
	op, ok := operations[req.text("op")]
	if !ok {
		return answer{"error": fmt.Sprintf("unknown operation %q", req.text("op"))}
	}
	if strings.HasPrefix(req.text("unions"), "kep-") {
		return answer{"unsupported": true} // no module implements the texts of KEP-1027
	}
	result, err := op(req)
	if err != nil {
		return answer{"error": err.Error()}
	}
	return result
}
