package queue

// Peek is the first value.
func (q *Queue) Peek() int { return q.items[0] }
