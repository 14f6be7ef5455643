package cachefile

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const (
	magic     = "brvcache"
	fixed     = len(magic) + sha256.Size + 4 // bytes of the header in front of the table
	perBlock  = 8 + 4                        // bytes of the table for a block
	maxBlocks = 1 << 12                      // bounds the table, whose length is stated in the file
)

// castagnoli is CRC-32C, which processors compute: 40 MB in 6 ms.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode writes a file.
func encode(w io.Writer, version string, blocks []Block) error {
	if len(blocks) > maxBlocks {
		return errUnusable
	}
	le := binary.LittleEndian
	mark := sha256.Sum256([]byte(version))
	head := append([]byte(magic), mark[:]...)
	head = le.AppendUint32(head, uint32(len(blocks)))
	for _, b := range blocks {
		size, sum := uint64(0), uint32(0)
		for _, piece := range b {
			size += uint64(len(piece))
			sum = crc32.Update(sum, castagnoli, piece)
		}
		head = le.AppendUint64(head, size)
		head = le.AppendUint32(head, sum)
	}
	head = le.AppendUint32(head, crc32.Checksum(head, castagnoli))
	out := bufio.NewWriterSize(w, 1<<20) // pieces may be small; Flush returns the first error
	out.Write(head)
	for _, b := range blocks {
		for _, piece := range b {
			out.Write(piece)
		}
	}
	return out.Flush()
}

// decode reads a file of a given size. Memory is allocated only for sizes that a verified header states and
// the file's size confirms.
func decode(r io.Reader, size int64, version string) ([][]byte, error) {
	if size < int64(fixed) {
		return nil, errUnusable
	}
	head := make([]byte, fixed)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	mark := sha256.Sum256([]byte(version))
	n := int(le.Uint32(head[fixed-4:]))
	if string(head[:fixed-4]) != magic+string(mark[:]) || n > maxBlocks {
		return nil, errUnusable
	}
	head = append(head, make([]byte, n*perBlock+4)...)
	if _, err := io.ReadFull(r, head[fixed:]); err != nil {
		return nil, err
	}
	table := head[fixed : len(head)-4]
	if crc32.Checksum(head[:len(head)-4], castagnoli) != le.Uint32(head[len(head)-4:]) || !fills(table, size-int64(len(head))) {
		return nil, errUnusable
	}
	data := make([]byte, size-int64(len(head)))
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	return cut(data, table)
}

// fills reports whether the blocks of a table have so many bytes in total.
func fills(table []byte, size int64) bool {
	left := uint64(max(size, 0))
	for ; len(table) > 0; table = table[perBlock:] {
		length := binary.LittleEndian.Uint64(table)
		if length > left {
			return false
		}
		left -= length
	}
	return left == 0 && size >= 0
}

// cut returns the blocks in data, each as it was written.
func cut(data, table []byte) ([][]byte, error) {
	blocks := make([][]byte, 0, len(table)/perBlock)
	for ; len(table) > 0; table = table[perBlock:] {
		length := binary.LittleEndian.Uint64(table)
		block := data[:length:length]
		if crc32.Checksum(block, castagnoli) != binary.LittleEndian.Uint32(table[8:]) {
			return nil, errUnusable
		}
		blocks, data = append(blocks, block), data[length:]
	}
	return blocks, nil
}
