package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// entry is a file of a package.
type entry struct {
	name string
	runs bool // it is executable
	data []byte
}

func (e entry) mode() int64 {
	if e.runs {
		return 0o755
	}
	return 0o644
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// packer writes the files of a package in a format, with one date.
type packer func(out io.Writer, files []entry, date time.Time) error

func writeZip(out io.Writer, files []entry, date time.Time) error {
	z := zip.NewWriter(out)
	for _, e := range files {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: date}
		h.SetMode(0o100000 | 0o644)
		if e.runs {
			h.SetMode(0o100000 | 0o755)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeWheel adds the record of all files to a wheel, and puts the folder of its metadata last, as PEP 427 asks.
func writeWheel(out io.Writer, files []entry, date time.Time) error {
	isMeta := func(e entry) bool { return strings.Contains(e.name, ".dist-info/") }
	slices.SortStableFunc(files, func(a, b entry) int {
		if isMeta(a) == isMeta(b) {
			return 0
		} else if isMeta(a) {
			return 1
		}
		return -1
	})
	var record bytes.Buffer
	for _, e := range files {
		s := sha256.Sum256(e.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(s[:]), len(e.data))
	}
	folder, _, _ := strings.Cut(files[len(files)-1].name, "/")
	fmt.Fprintf(&record, "%s/RECORD,,\n", folder)
	return writeZip(out, append(files, entry{folder + "/RECORD", false, record.Bytes()}), date)
}

// writeTar writes a compressed tar archive, with the folders above each file.
func writeTar(out io.Writer, files []entry, date time.Time) error {
	z, _ := gzip.NewWriterLevel(out, gzip.BestCompression) // the level is a valid constant
	t := tar.NewWriter(z)
	made := map[string]bool{".": true}
	var folder func(dir string) error
	folder = func(dir string) error {
		if made[dir] {
			return nil
		}
		made[dir] = true
		if err := folder(path.Dir(dir)); err != nil {
			return err
		}
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: date})
	}
	for _, e := range files {
		if err := folder(path.Dir(e.name)); err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Name: e.name, Mode: e.mode(), Size: int64(len(e.data)), ModTime: date}); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

// writeDeb writes a Debian package. The files below DEBIAN are its control part (deb(5)).
func writeDeb(out io.Writer, files []entry, date time.Time) error {
	var control, data []entry
	var sums bytes.Buffer
	for _, e := range files {
		if name, is := strings.CutPrefix(e.name, "DEBIAN/"); is {
			control = append(control, entry{"./" + name, e.runs, e.data})
			continue
		}
		data = append(data, entry{"./" + e.name, e.runs, e.data})
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(e.data), e.name)
	}
	control = append(control, entry{"./md5sums", false, sums.Bytes()})
	fmt.Fprint(out, "!<arch>\n")
	for _, part := range []struct {
		name  string
		files []entry
	}{{"debian-binary", nil}, {"control.tar.gz", control}, {"data.tar.gz", data}} {
		var body bytes.Buffer
		if part.files == nil {
			body.WriteString("2.0\n")
		} else if err := writeTar(&body, part.files, date); err != nil {
			return err
		}
		fmt.Fprintf(out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", part.name, date.Unix(), 0, 0, "100644", body.Len())
		if body.Len()%2 == 1 {
			body.WriteByte('\n')
		}
		if _, err := body.WriteTo(out); err != nil {
			return err
		}
	}
	return nil
}

// contents lists the files of a package that a packer wrote.
func contents(name string, data []byte) (files []entry, err error) {
	switch path.Ext(name) {
	case ".whl", ".mcpb", ".vsix":
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			files = append(files, entry{f.Name, f.Mode()&0o111 != 0, text})
		}
		return files, nil
	case ".deb":
		at := bytes.Index(data, []byte("data.tar.gz "))
		if at < 0 {
			return nil, fmt.Errorf("it has no data")
		}
		data = data[at+60:] // the size of a header in ar
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{h.Name, h.Mode&0o111 != 0 && h.Typeflag != tar.TypeDir, text})
	}
}
