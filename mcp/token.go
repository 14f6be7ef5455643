package mcp

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// tokenName is the name of the file with the token that clients of [ServeHTTP] need.
const tokenName = "mcp-token"

// tokenSize is the least length of a token: crypto/rand.Text has 26 characters, 130 bits.
const tokenSize = 26

// Token returns the user's token, which is in a file in dir that only the user can read. If there is none, it
// makes one. The token stays, so that clients can be configured once. Token refuses a file that others can read.
func Token(dir string) (token, file string, err error) {
	if dir == "" {
		return "", "", errors.New("no configuration folder was found for the token")
	}
	file = filepath.Join(dir, tokenName)
	if err := makeToken(dir, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", file, err
	}
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return "", file, err
	case !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", file, fmt.Errorf("%s can be read by others (%s); delete it, and a new one is made", file, info.Mode())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", file, err
	}
	if token = strings.TrimSpace(string(text)); len(token) < tokenSize || strings.Trim(token, printable) != "" {
		return "", file, fmt.Errorf("%s has no token of %d characters or more; delete it, and a new one is made",
			file, tokenSize)
	}
	return token, file, nil
}

// printable holds the characters of a token, RFC 6750 section 2.1.
const printable = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

// makeToken writes a new token in one step, unless there is one.
func makeToken(dir, file string) error {
	if _, err := os.Lstat(file); err == nil {
		return fs.ErrExist
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, tokenName+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(rand.Text() + "\n")
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), file)
}
