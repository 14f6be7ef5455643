package tokens

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

var update = flag.Bool("update", false, "write the vocabularies of the tokenizer library")

// ofLibrary is a vocabulary of the library in the form of the program's. last is the highest rank below those of special tokens.
func ofLibrary(t *testing.T, c *codec.Codec, last uint) vocabulary {
	var tokens [buckets][]byte
	for rank := range last + 1 {
		token, err := c.Decode([]uint{rank})
		if err != nil || len(token) == 0 || len(token) > 255 {
			t.Fatalf("rank %d: %q, %v", rank, token, err)
		}
		b := &tokens[bucketOf(token)]
		*b = binary.LittleEndian.AppendUint32(*b, uint32(rank<<8|uint(len(token))))
		*b = append(*b, token...)
	}
	var v vocabulary
	at := 4 * (buckets + 1)
	for _, b := range tokens {
		v = binary.LittleEndian.AppendUint32(v, uint32(at))
		at += len(b)
	}
	v = binary.LittleEndian.AppendUint32(v, uint32(at))
	return append(v, bytes.Join(tokens[:], nil)...)
}

// A vocabulary that is short of a token would count too much.
func TestVocabulariesAreTheLibrarys(t *testing.T) {
	for name, last := range map[string]uint{"o200k_base": 199997, "cl100k_base": 100255} {
		library, have := splits[name].library(), splits[name].vocabulary
		if want := ofLibrary(t, library, last); *update {
			if err := os.WriteFile(name+".tokens", want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		} else if !bytes.Equal(have, want) {
			t.Errorf("%s.tokens is not the library's vocabulary; write it with -update", name)
			continue
		}
		for rank := range last + 1 {
			if token, _ := library.Decode([]uint{rank}); have.rank(token) != uint32(rank) {
				t.Fatalf("%s: %q has rank %d, want %d", name, token, have.rank(token), rank)
			}
		}
		if have.rank("no token at all") != noRank {
			t.Errorf("%s: a rank for no token", name)
		}
	}
}
