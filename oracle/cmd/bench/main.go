// Command bench runs the benchmark cases of a plan on structured-merge-diff itself.
//
//	bench [-maps=any] plan.json
//	bench -growth
//
// It reads requests on standard input, one line of JSON each, and answers with one line each:
//
//	{"name": "Operations/Pod/Apply", "do": "answer"}                   {"hash": "..."}
//	{"name": "Operations/Pod/Apply", "do": "time", "iterations": 100}  {"nanoseconds": 1234567, "cpuNanoseconds": 1300000}
//	{"name": "Operations/Pod/Apply", "do": "bytes", "iterations": 100} {"bytes": 7654321}
//
// bench/worker.ts does the same for the TypeScript engine. The plan comes from bench/plan.ts. With -growth it needs no plan:
// it writes the cost per item of lists of growing size, for bench/scale.ts.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
)

type request struct {
	Name       string `json:"name"`
	Do         string `json:"do"`
	Iterations int    `json:"iterations"`
}

type reply struct {
	Hash           string `json:"hash,omitempty"`
	Nanoseconds    int64  `json:"nanoseconds"`
	CPUNanoseconds int64  `json:"cpuNanoseconds"`
	Bytes          uint64 `json:"bytes"`
	Error          string `json:"error,omitempty"`
}

// A runnable is a case ready to run.
type runnable struct {
	// run does the operation. The number counts the calls, for cases that go through several operands.
	run func(i int) error
	// answer is what the operation results in, as JSON text.
	answer func() (string, error)
}

func main() {
	maps := flag.String("maps", "string", "the Go type that JSON objects are read into: map[string]any, or map[any]any as YAML gives (any)")
	grow := flag.Bool("growth", false, "write the cost per item of growing lists, and end")
	flag.Parse()
	if *grow {
		if err := growth(os.Stdout, []int{1000, 10_000, 100_000}); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := serve(flag.Arg(0), *maps == "any"); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func serve(file string, anyKeys bool) error {
	plan, err := readPlan(file, anyKeys)
	if err != nil {
		return err
	}
	s := &server{plan: plan}
	out := json.NewEncoder(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var req request
		if err := json.Unmarshal(in.Bytes(), &req); err != nil {
			return err
		}
		rep, err := s.handle(req)
		if err != nil {
			rep = reply{Error: err.Error()}
		}
		if err := out.Encode(rep); err != nil {
			return err
		}
	}
	return in.Err()
}

// A server keeps the case it was asked for last.
type server struct {
	plan    *plan
	name    string
	current *runnable
	calls   int
}

func (s *server) handle(req request) (reply, error) {
	if s.current == nil || s.name != req.Name {
		s.current = nil
		loaded, err := s.plan.prepare(req.Name)
		if err != nil {
			return reply{}, err
		}
		s.name, s.current = req.Name, loaded
		runtime.GC()
	}
	if req.Do == "answer" {
		text, err := s.current.answer()
		if err != nil {
			return reply{}, err
		}
		sum := sha256.Sum256([]byte(text))
		return reply{Hash: hex.EncodeToString(sum[:])}, nil
	}
	if req.Do == "fresh" {
		return s.fresh(req)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := cpuTime()
	start := time.Now()
	for n := 0; n < req.Iterations; n++ {
		if err := s.current.run(s.calls); err != nil {
			return reply{}, err
		}
		s.calls++
	}
	taken := time.Since(start)
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	if req.Do == "bytes" {
		return reply{Bytes: after.TotalAlloc - before.TotalAlloc}, nil
	}
	return reply{Nanoseconds: taken.Nanoseconds(), CPUNanoseconds: cpu.Nanoseconds()}, nil
}

// fresh prepares the case anew before each call, and returns the time of the median call.
func (s *server) fresh(req request) (reply, error) {
	var times []time.Duration
	for n := 0; n < req.Iterations; n++ {
		prepared, err := s.plan.prepare(req.Name)
		if err != nil {
			return reply{}, err
		}
		start := time.Now()
		if err := prepared.run(n); err != nil {
			return reply{}, err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return reply{Nanoseconds: times[len(times)/2].Nanoseconds()}, nil
}

// cpuTime returns the processor time of the program so far, on all its threads.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
