package main

// A random draws the numbers that bench/fixtures/random.ts draws.
type random struct{ state uint32 }

func newRandom(seed uint32) *random {
	if seed == 0 {
		seed = 1
	}
	return &random{seed}
}

// below returns a number from 0 up to and without limit.
func (r *random) below(limit int) int {
	r.state ^= r.state << 13
	r.state ^= r.state >> 17
	r.state ^= r.state << 5
	return int(r.state % uint32(limit))
}
