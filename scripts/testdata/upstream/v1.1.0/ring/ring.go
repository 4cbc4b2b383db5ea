package ring

// Size is even.
const Size = 8
