// Package queue is a fake upstream: small, with two functions that look alike.
package queue

// Queue holds values.
type Queue struct {
	items []int
	limit int
}

// Push adds a value at the end.
func (q *Queue) Push(v int) bool {
	if q == nil {
		return false
	}
	if len(q.items) >= q.limit {
		return false
	}
	q.items = append(q.items, v)
	return true
}

// Len is how many values the queue holds.
func (q *Queue) Len() int {
	return len(q.items)
}

// Cap is how many values the queue can hold.
func (q *Queue) Cap() int {
	return q.limit
}

// Offer adds a value at the end, too.
func (q *Queue) Offer(v int) bool {
	if q == nil {
		return false
	}
	if len(q.items) >= q.limit {
		return false
	}
	q.items = append(q.items, v)
	return true
}
