package meaning

import "math"

// Vector holds the direction that an encoder gives a text. The zero value has no direction, and a cosine of 0 with any other.
type Vector struct {
	parts  []byte // int8; the largest is ±127
	length float64
}

// NewVector stores a vector with one byte for each number.
func NewVector(v []float32) Vector {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	parts := make([]byte, len(v))
	for i, x := range v {
		parts[i] = byte(int8(math.Round(float64(x / most * math.MaxInt8))))
	}
	return vectorOf(parts)
}

func vectorOf(parts []byte) Vector {
	return Vector{parts, math.Sqrt(float64(dot(parts, parts)))}
}

func dot(a, b []byte) (sum int32) {
	b = b[:len(a)]
	for i, x := range a {
		sum += int32(int8(x)) * int32(int8(b[i]))
	}
	return sum
}

// Cosine is the similarity of two texts, -1 to 1; 0 if one of them has no comparable vector.
func (v Vector) Cosine(w Vector) float64 {
	if v.length == 0 || w.length == 0 || len(v.parts) != len(w.parts) {
		return 0
	}
	return float64(dot(v.parts, w.parts)) / (v.length * w.length)
}
